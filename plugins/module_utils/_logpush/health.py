# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from .._core import Json
from .._text import duration, format_time, parse_time
from .facts import MEMBERS, ZERO_TIME
from .job import Job, free_text, view

DEFAULT_STALE_AFTER = 3600
# A last delivery further ahead of this machine's clock than this is no proof of health.
MAX_CLOCK_SKEW = 300
DISABLED, FAILING, NEVER, STALE, HEALTHY, UNKNOWN = STATES = ("disabled", "failing", "never", "stale", "healthy", "unknown")
_SIGNS = ("last_complete", "last_error", "error_message")


def with_health(jobs: t.Iterable[Job], stale_after: float, now: float) -> list[Job]:
    """Return jobs as they are reported, each with its `health`."""
    return [{**view(job), "health": health(job, stale_after, now)} for job in jobs]


def health(job: t.Mapping[str, Json], stale_after: float, now: float) -> dict[str, Json]:
    """Return `state`, `since`, `lag_seconds` and `message` of a job as the service sent it; `now` is a Unix time.

    The first state that fits counts: disabled, failing, never, stale, healthy. `unknown` is a job of which the service
    shows none of the members that tell, not even as null, or times that cannot be read.
    """
    job = {name: None if str(value).startswith(ZERO_TIME) else value for name, value in job.items()}
    complete, error = parse_time(job.get("last_complete")), parse_time(job.get("last_error"))
    reason = free_text(job, "error_message")
    lag = None if complete is None else now - complete.timestamp()
    late = lag is not None and not -MAX_CLOCK_SKEW <= lag <= stale_after
    state = _state(job, complete, error, reason, late)
    return {
        "state": state,
        "since": _text(complete if state in (STALE, HEALTHY) else error if state == FAILING or reason else None),
        "lag_seconds": None if lag is None else max(0, int(lag)),
        "message": _sentence(state, reason, _text(complete), _text(error), int(lag or 0)),
    }


def _state(
    job: t.Mapping[str, Json], complete: datetime.datetime | None, error: datetime.datetime | None, reason: str | None, late: bool
) -> str:
    if not MEMBERS["enabled"].normal(job.get("enabled")):
        return DISABLED
    if not any(name in job for name in _SIGNS):
        return UNKNOWN
    if reason or (job.get("last_error") and not job.get("last_complete")):
        return FAILING
    if error is not None and complete is not None and error > complete:
        return FAILING
    if complete is None:
        return UNKNOWN if job.get("last_complete") else NEVER
    return STALE if late else HEALTHY


def _sentence(state: str, reason: str | None, complete: str | None, error: str | None, lag: int) -> str:
    when = f" at {error}" if error else ""
    why = f": {reason}" if reason else "; the service gives no reason."
    return {
        DISABLED: f"The service disabled the job after its deliveries had failed{why}" if reason else "The job is disabled.",
        FAILING: f"The last delivery failed{when}{why}",
        NEVER: "The job has not delivered anything yet; a new job needs up to 15 minutes, and a quiet zone has nothing to deliver.",
        STALE: f"The last delivery was at {complete}, {_ago(lag)}",
        HEALTHY: f"The last delivery was at {complete}.",
        UNKNOWN: "The service does not show whether the job delivers.",
    }[state]


def _ago(lag: int) -> str:
    if lag < 0:
        return f"which is {duration(-lag)} ahead of this machine's clock, so that it is not known whether the job delivers."
    return f"{duration(lag)} ago; a quiet zone has nothing to deliver."


def _text(time: datetime.datetime | None) -> str | None:
    return None if time is None else format_time(time)
