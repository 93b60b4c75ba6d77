# SPDX-License-Identifier: GPL-3.0-or-later

import datetime
import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import Answer
from ansible_collections.edgeops.observability.plugins.module_utils._zone.token import (
    PRODUCT_NAMES,
    DesiredToken,
    lines_of,
    report,
    verification,
)

NOW = datetime.datetime(2026, 11, 28, 12, tzinfo=datetime.timezone.utc)


@pytest.mark.parametrize(
    ("answer", "objection"),
    [
        ({"status": "active"}, ""),
        ({"status": "active", "expires_on": None}, ""),
        ({"status": "active", "expires_on": "2026-11-28T12:00:01Z"}, ""),
        ({"status": "active", "expires_on": "2026-11-28T12:00:00Z"}, "The token expired at 2026-11-28T12:00:00Z, although"),
        ({"status": "active", "expires_on": "2020-01-01T00:00:00Z"}, "The token expired at 2020-01-01T00:00:00Z, although"),
        ({"status": "active", "expires_on": "soon"}, "The service says that the token ends at 'soon', which is no time."),
        ({"status": "active", "expires_on": 0}, "The service says that the token ends at 0, which is no time."),
        ({"status": "active", "not_before": "2026-11-28T12:00:00Z"}, ""),
        (
            {"status": "active", "not_before": "2026-11-28T12:00:01Z"},
            "The token is not valid before 2026-11-28T12:00:01Z, although",
        ),
        ({"status": "active", "not_before": 0}, "The service says that the token begins at 0, which is no time."),
        ({"status": "expired"}, "The token is expired."),
        ({"status": "Active"}, "The token is Active."),
        ({"status": ""}, "The token is "),
        ({"status": None}, "The service does not say whether the token is active."),
        ({"status": True}, "The service does not say whether the token is active."),
        ({}, "The service does not say whether the token is active."),
        ([], "The service does not say whether the token is active."),
        (None, "The service does not say whether the token is active."),
    ],
)
def test_only_an_active_token_passes(answer: t.Any, objection: str) -> None:
    verified = verification(answer, NOW)
    assert verified.objection.startswith(objection) and bool(verified.objection) is bool(objection)
    assert lines_of(verified, [])[0] == (verified.objection or lines_of(verified, [])[0])


class NoZones:
    """A client whose token is active, and that lists neither zones nor accounts."""

    def at(self, _address: t.Any) -> "NoZones":
        return self

    def now(self) -> datetime.datetime:
        return NOW

    def call(self, operation: str, **_more: t.Any) -> Answer:
        return Answer({"status": "active"} if operation == "tokens.verify" else [])


def test_what_has_no_address_was_not_tried() -> None:
    """Where nothing was read, nobody is told that everything can be read."""
    conclusion = report(t.cast("t.Any", NoZones()), DesiredToken(None, None, (), frozenset(PRODUCT_NAMES)))
    unread = (
        "content security rules (zone), custom fields (zone), delivery (account), delivery (zone), jobs (account), jobs (zone),"
        " notifications (account), script monitor (zone), transformers (account)"
    )
    where = "no zone or account is listed in which it could be tried"
    told = ["The token is active.", f"It is not known whether the token can read {unread}: {where}."]
    assert conclusion.result["lines"] == told
