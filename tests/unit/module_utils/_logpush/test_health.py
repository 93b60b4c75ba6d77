# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.health import STATES, delivery_warnings, health_of
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import Job, parse_job

NOW = 1_772_445_600  # 2026-03-02T10:00:00Z
AT_10, AT_9, BEFORE_9 = "2026-03-02T10:00:00Z", "2026-03-02T09:00:00Z", "2026-03-02T08:59:59Z"
NULLS = {"last_complete": None, "last_error": None, "error_message": None}
ZERO = "0001-01-01T00:00:00Z"
REASON = "access denied"
IN_2_DAYS, AHEAD = "2026-03-04T10:00:00Z", "2 days ahead of this machine's clock"


def job(**members: t.Any) -> Job:
    return parse_job({"id": 7, "name": "n", "enabled": True, **members})


@pytest.mark.parametrize(
    ("members", "state", "since", "lag"),
    [
        ({**NULLS, "enabled": False}, "disabled", None, None),
        # Nobody switched off what is not shown to be off.
        ({"enabled": None, "last_complete": AT_10}, "unknown", None, 0),
        ({"enabled": None, "error_message": REASON}, "failing", None, None),
        ({"enabled": False, "last_complete": AT_9}, "disabled", None, 3600),
        ({"enabled": False, "last_error": AT_9, "error_message": REASON}, "disabled", AT_9, None),
        ({"error_message": REASON}, "failing", None, None),
        ({"error_message": REASON, "last_complete": AT_10, "last_error": AT_9}, "failing", AT_9, 0),
        ({"last_complete": BEFORE_9, "last_error": AT_9}, "failing", AT_9, 3601),
        ({"last_error": "yesterday"}, "failing", None, None),
        ({"last_complete": AT_10, "last_error": "transformer: no column 'x'"}, "failing", None, 0),
        (NULLS, "never", None, None),
        ({"last_complete": "", "last_error": "", "error_message": ""}, "never", None, None),
        ({"last_complete": ZERO, "last_error": ZERO}, "never", None, None),
        ({"last_complete": BEFORE_9}, "stale", BEFORE_9, 3601),
        ({"last_complete": AT_9}, "healthy", AT_9, 3600),
        ({"last_complete": AT_10, "last_error": AT_10}, "healthy", AT_10, 0),
        # The later time counts, whatever its format.
        ({"last_complete": "2026-03-02T10:00:00.5Z", "last_error": "2026-03-02T10:00:00.500Z"}, "healthy", AT_10, 0),
        ({"last_complete": AT_9, "last_error": "2026-03-02T10:00:00+02:00"}, "healthy", AT_9, 3600),
        ({"last_complete": AT_9, "last_error": "2026-03-02t10:00:00z"}, "failing", AT_10, 3600),
        ({"last_complete": "2026-03-02T10:05:01Z"}, "unknown", None, 0),
        ({"last_complete": "2026-03-02T10:05:00Z"}, "healthy", "2026-03-02T10:05:00Z", 0),
        ({"last_complete": "2026-02-31T10:00:00Z"}, "unknown", None, None),
        ({}, "unknown", None, None),
        # What is no time or no text says nothing, whatever its type.
        *(({"last_complete": value}, "unknown", None, None) for value in (0, 5, True, False, [], {}, "soon", 1.5)),
        *(({"last_complete": AT_10, "error_message": value}, "unknown", None, 0) for value in (0, False, [], {}, 5)),
        ({"enabled": False, "error_message": 5}, "unknown", None, None),
        ({"enabled": False, "last_complete": 5, "error_message": 5}, "unknown", None, None),
        *(({"last_complete": AT_10, "last_error": value}, "unknown", None, 0) for value in (5, True, [], {"a": 1})),
        ({"last_complete": {"a": 1}, "error_message": REASON}, "failing", None, None),
    ],
)
def test_state_follows_from_times_and_errors(members: dict[str, t.Any], state: str, since: str | None, lag: int | None) -> None:
    health = health_of(job(**members), 3600, NOW)
    assert (health["state"], health["since"], health["lag_seconds"]) == (state, since, lag)


@pytest.mark.parametrize(
    ("members", "which"),
    [
        ({"last_complete": "soon"}, "last_complete is no time"),
        ({"error_message": 5}, "error_message is not text"),
        ({"enabled": None, **NULLS}, "enabled is neither true nor false"),
        ({}, "none of last_complete, last_error, error_message is shown"),
    ],
)
def test_an_unknown_state_says_which_member_cannot_be_told(members: dict[str, t.Any], which: str) -> None:
    assert health_of(job(**members), 3600, NOW)["message"] == f"The service does not show whether the job delivers: {which}."


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"enabled": False}, "The job is disabled."),
        (
            {"enabled": False, "error_message": REASON},
            "The service disabled the job after its deliveries had failed: access denied",
        ),
        ({"last_error": AT_9}, "The last delivery failed at 2026-03-02T09:00:00Z; the service gives no reason."),
        ({"last_error": AT_9, "error_message": REASON}, "The last delivery failed at 2026-03-02T09:00:00Z: access denied"),
        ({"error_message": REASON}, "The last delivery failed: access denied"),
        (
            {"last_complete": IN_2_DAYS},
            f"The last delivery was at {IN_2_DAYS}, which is {AHEAD}, so that it is not known whether the job delivers.",
        ),
        (
            {"last_complete": BEFORE_9},
            f"The last delivery was at {BEFORE_9}, 60 minutes ago; a quiet zone has nothing to deliver.",
        ),
        ({"last_complete": AT_9}, f"The last delivery was at {AT_9}."),
    ],
)
def test_message_describes_the_state(members: dict[str, t.Any], words: str) -> None:
    assert health_of(job(**members), 3600, NOW)["message"] == words


def test_message_has_no_destination_secret() -> None:
    conf, text = "s3://b?secret-access-key=canary-1", "canary-1 for s3://b?sig=canary-2"
    assert "canary" not in health_of(job(destination_conf=conf, error_message=text), 3600, NOW)["message"]


TIMES = st.none() | st.text(max_size=30) | st.datetimes().map(lambda moment: f"{moment.isoformat()}Z")


@given(st.fixed_dictionaries({}, optional={"last_complete": TIMES, "last_error": TIMES, "error_message": st.none() | st.text()}))
def test_job_with_any_texts_has_a_state(members: dict[str, t.Any]) -> None:
    health = health_of(job(**members), 3600, NOW)
    assert health["state"] in STATES
    assert members or health["state"] == "unknown"
    assert health["lag_seconds"] is None or health["lag_seconds"] >= 0
    assert bool(delivery_warnings(job(**members), None)) is (health["state"] == "failing")


FAILED = "Job 'n' (id 7): its last delivery failed"
DISABLED = (
    "Job 'n' (id 7) is disabled, probably by the service after it had failed to deliver for a day; records of that time are lost."
)


@pytest.mark.parametrize(
    ("members", "wants_enabled", "sentences"),
    [
        ({"last_complete": AT_10}, None, ()),
        ({"last_error": AT_10}, None, (f"{FAILED} at {AT_10}; the service gives no reason.",)),
        ({"enabled": False, "last_error": AT_10}, True, (f"{FAILED} at {AT_10}; the service gives no reason.", DISABLED)),
        ({"enabled": False, "error_message": REASON}, None, (f"{FAILED}: {REASON}", DISABLED)),
        ({"enabled": False, "error_message": REASON}, False, (f"{FAILED}: {REASON}",)),
    ],
)
def test_undelivering_job_is_described(members: t.Any, wants_enabled: bool | None, sentences: tuple[str, ...]) -> None:
    assert delivery_warnings(job(**members), wants_enabled) == sentences
