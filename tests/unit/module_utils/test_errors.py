# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils import _core as _errors
from ansible_collections.edgeops.observability.plugins.module_utils._core import KINDS, Failure, conflict, invalid_option

CONTRACT = (
    "invalid_option authentication permission not_found rejected rate_limited unavailable bad_response conflict gate internal"
)


def test_kinds_are_those_of_the_contract() -> None:
    assert set(CONTRACT.split()) == KINDS
    assert all(getattr(_errors, kind.upper()) == kind for kind in KINDS)


def test_a_failure_without_particulars() -> None:
    failure = conflict("both")
    assert (str(failure), failure.args, failure.unanswered) == ("both", ("both",), False)
    assert failure.report() == {
        "kind": "conflict",
        "method": None,
        "path": None,
        "status": None,
        "errors": [],
        "request_id": None,
        "attempts": 0,
    }


def test_a_failure_with_all_of_them() -> None:
    errors = [{"code": 1, "message": "no"}]
    failure = Failure("rejected", "Refused.", "PUT", "/p", 400, errors, "ray", 3, True)
    noted = failure.with_note("Gone.")
    assert str(noted) == "Refused. Gone." and noted.unanswered
    assert (
        noted.report()
        == failure.report()
        == {
            "kind": "rejected",
            "method": "PUT",
            "path": "/p",
            "status": 400,
            "errors": errors,
            "request_id": "ray",
            "attempts": 3,
        }
    )
    assert failure.with_note("") is failure
    noted.report()["errors"][0]["code"] = 2
    assert errors[0]["code"] == 1, "a report is a copy"


def test_refusals_name_their_place() -> None:
    refused = invalid_option("filter.where", "is empty")
    assert (refused.kind, str(refused)) == ("invalid_option", "filter.where: is empty")


def test_an_unknown_kind_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match=r"^'odd' is not a kind of failure$"):
        raise Failure("odd", "x")
