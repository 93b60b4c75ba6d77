# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.logpush import JOB

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.health import STATES, delivery_warnings, health_of
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import parse_job

NOW = 1_772_445_600  # 2026-03-02T10:00:00Z
T_MINUS = {0: "2026-03-02T10:00:00Z", 60: "2026-03-02T09:59:00Z", 3600: "2026-03-02T09:00:00Z", 3601: "2026-03-02T08:59:59Z"}
NULLS = {"last_complete": None, "last_error": None, "error_message": None}
REASON = "access denied"


def found(**members: t.Any) -> tuple[str, str | None, int | None]:
    shown = health_of(parse_job({"id": 7, "enabled": True, **members}), 3600, NOW)
    return shown["state"], shown["since"], shown["lag_seconds"]


@pytest.mark.parametrize(
    ("members", "state", "since", "lag"),
    [
        ({**NULLS, "enabled": False}, "disabled", None, None),
        ({**NULLS, "enabled": None}, "disabled", None, None),
        ({"enabled": False}, "disabled", None, None),
        ({"enabled": False, "last_complete": T_MINUS[60]}, "disabled", None, 60),
        ({"enabled": False, "last_error": T_MINUS[60], "error_message": REASON}, "disabled", T_MINUS[60], None),
        ({"error_message": REASON}, "failing", None, None),
        ({"error_message": REASON, "last_complete": T_MINUS[0], "last_error": T_MINUS[60]}, "failing", T_MINUS[60], 0),
        ({"last_complete": T_MINUS[3601], "last_error": T_MINUS[60]}, "failing", T_MINUS[60], 3601),
        ({**NULLS, "last_error": T_MINUS[60]}, "failing", T_MINUS[60], None),
        (NULLS, "never", None, None),
        ({"last_complete": None}, "never", None, None),
        ({"last_complete": "", "last_error": "", "error_message": ""}, "never", None, None),
        ({"last_error": None}, "never", None, None),
        ({**NULLS, "last_complete": "0001-01-01T00:00:00Z"}, "never", None, None),
        ({**NULLS, "last_complete": T_MINUS[3601]}, "stale", T_MINUS[3601], 3601),
        ({**NULLS, "last_complete": T_MINUS[3600]}, "healthy", T_MINUS[3600], 3600),
        ({"last_complete": T_MINUS[60]}, "healthy", T_MINUS[60], 60),
        ({"last_complete": T_MINUS[60], "last_error": T_MINUS[60]}, "healthy", T_MINUS[60], 60),
        ({"last_complete": T_MINUS[60], "last_error": T_MINUS[3600]}, "healthy", T_MINUS[60], 60),
        ({"last_complete": "2026-03-02T11:00:00+01:00"}, "healthy", T_MINUS[0], 0),
        ({"last_complete": "2026-03-02T10:00:00.987654321Z"}, "healthy", T_MINUS[0], 0),
        ({"last_complete": "2027-01-01T00:00:00Z"}, "stale", "2027-01-01T00:00:00Z", 0),
        ({"last_complete": "2026-03-02T10:04:00Z"}, "healthy", "2026-03-02T10:04:00Z", 0),
        ({"last_complete": "yesterday"}, "unknown", None, None),
        ({"last_complete": "2026-02-31T10:00:00Z"}, "unknown", None, None),
        ({}, "unknown", None, None),
    ],
)
def test_the_first_state_that_fits(members: dict[str, t.Any], state: str, since: str | None, lag: int | None) -> None:
    assert found(**members) == (state, since, lag)


@pytest.mark.parametrize(("stale_after", "state"), [(60, "healthy"), (59, "stale")])
def test_how_long_ago_is_stale(stale_after: int, state: str) -> None:
    assert health_of(parse_job({"id": 7, "enabled": True, "last_complete": T_MINUS[60]}), stale_after, NOW)["state"] == state


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"enabled": False}, "The job is disabled."),
        (
            {"enabled": False, "error_message": REASON},
            "The service disabled the job after its deliveries had failed: access denied",
        ),
        ({"last_error": T_MINUS[60]}, "The last delivery failed at 2026-03-02T09:59:00Z; the service gives no reason."),
        ({"last_error": T_MINUS[60], "error_message": REASON}, "The last delivery failed at 2026-03-02T09:59:00Z: access denied"),
        ({"error_message": REASON}, "The last delivery failed: access denied"),
        (
            {"last_complete": "2026-03-04T10:00:00Z"},
            "2 days ahead of this machine's clock, so that it is not known whether the job delivers.",
        ),
        ({"last_complete": T_MINUS[3601]}, "60 minutes ago; a quiet zone has nothing to deliver."),
    ],
)
def test_sentences(members: dict[str, t.Any], words: str) -> None:
    assert health_of(parse_job({"id": 7, "enabled": True, **members}), 3600, NOW)["message"].endswith(words)


def test_message_has_no_destination_secret() -> None:
    """No secret of the destination is in the message."""
    job = {
        "enabled": True,
        "destination_conf": "s3://b?secret-access-key=canary-1",
        "error_message": "canary-1 for s3://b?sig=canary-2",
    }
    assert "canary" not in health_of(parse_job({"id": 7, **job}), 3600, NOW)["message"]


TIMES = st.none() | st.text(max_size=30) | st.datetimes().map(lambda moment: f"{moment.isoformat()}Z")


@given(st.fixed_dictionaries({}, optional={"last_complete": TIMES, "last_error": TIMES, "error_message": st.none() | st.text()}))
def test_any_texts_have_a_state(members: dict[str, t.Any]) -> None:
    shown = health_of(parse_job({"id": 7, "enabled": True, **members}), 3600, NOW)
    assert shown["state"] in STATES
    assert (shown["state"] == "unknown") >= (not members)
    assert shown["lag_seconds"] is None or shown["lag_seconds"] >= 0


FAILED = "Job 'n' (id 7): its last delivery failed"
DISABLED = (
    "Job 'n' (id 7) is disabled, probably by the service after it had failed to deliver for a day; records of that time are lost."
)
ZERO = "0001-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("job", "wants_enabled", "sentences"),
    [
        ({"enabled": True, "last_complete": "2026-03-02"}, None, ()),
        ({"enabled": True, "last_complete": "2026-03-02", "last_error": "2026-03-02"}, None, ()),
        (
            {"enabled": True, "last_error": "2026-03-02"},
            None,
            (f"{FAILED} at 2026-03-02; the service gives no reason.",),
        ),
        (
            {"enabled": False, "last_error": "2026-03-02", "last_complete": "2026-03-01"},
            True,
            (f"{FAILED} at 2026-03-02; the service gives no reason.", DISABLED),
        ),
        ({"enabled": True, "error_message": "no bucket"}, None, (f"{FAILED}: no bucket",)),
        (
            {"error_message": "no bucket", "last_error": "2026-03-02"},
            None,
            (f"{FAILED} at 2026-03-02: no bucket", DISABLED),
        ),
        ({"error_message": "no bucket"}, False, (f"{FAILED}: no bucket",)),
        ({"enabled": True, "last_error": ZERO}, None, ()),
        ({"enabled": True, "last_error": ZERO, "last_complete": "2026-03-02T10:00:00Z"}, None, ()),
        ({"enabled": True, "last_error": ZERO, "error_message": "no bucket"}, None, (f"{FAILED}: no bucket",)),
        (
            {"enabled": True, "last_error": "2026-03-02T10:00:00Z", "last_complete": ZERO},
            None,
            (f"{FAILED} at 2026-03-02T10:00:00Z; the service gives no reason.",),
        ),
    ],
)
def test_undelivering_job_is_described(job: dict[str, t.Any], wants_enabled: bool | None, sentences: tuple[str, ...]) -> None:
    """Sentences about a job that does not deliver."""
    assert delivery_warnings(parse_job({**JOB, **job}), wants_enabled) == sentences


@pytest.mark.parametrize(
    ("error", "complete", "failed"),
    [
        ("2026-03-02T10:00:00Z", "2026-03-02T10:00:00.5Z", False),
        ("2026-03-02T10:00:00.5Z", "2026-03-02T10:00:00Z", True),
        ("2026-03-02T10:00:00.500Z", "2026-03-02T10:00:00.5Z", False),
        ("2026-03-02T10:00:00+02:00", "2026-03-02T09:00:00Z", False),
        ("2026-03-02T09:00:00-05:00", "2026-03-02T10:00:00Z", True),
        ("2026-03-02t10:00:01z", "2026-03-02T10:00:00Z", True),
    ],
)
def test_last_failure_is_told_by_time(error: str, complete: str, failed: bool) -> None:
    """However the service writes its times, the later one counts."""
    job = {**JOB, "enabled": True, "last_error": error, "last_complete": complete}
    assert bool(delivery_warnings(parse_job(job), None)) is failed
