# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from .._destination import secret_parts
from .._text import duration, format_time, parse_time
from .facts import ZERO_TIME
from .job import Job, Report, readable, view, words_for

# A last delivery further ahead of this machine's clock than this does not count as healthy.
MAX_CLOCK_SKEW_SECONDS = 300
DISABLED, FAILING, NEVER, STALE, HEALTHY, UNKNOWN = STATES = ("disabled", "failing", "never", "stale", "healthy", "unknown")


class Signs(t.NamedTuple):
    """What a job shows of its deliveries. `times` are the texts of the last delivery and the last error, without zero times."""

    complete: datetime.datetime | None
    error: datetime.datetime | None
    reason: str | None
    times: tuple[str | None, str | None]
    shown: bool


def signs_of(job: Job) -> Signs:
    """Return what a job shows of its deliveries, without secrets."""
    texts = (job.members.get("last_complete"), job.members.get("last_error"))
    complete, error = (None if (text or "").startswith(ZERO_TIME) else text or None for text in texts)
    reason = readable(job.members.get("error_message"), secret_parts(job.destination))
    shown = any(name in job.members for name in ("last_complete", "last_error", "error_message"))
    return Signs(parse_time(complete), parse_time(error), reason, (complete, error), shown)


def with_health(jobs: t.Iterable[Job], stale_after: float, now: float) -> list[Report]:
    """Return jobs as they are reported, each with its `health`."""
    return [{**view(job), "health": health_of(job, stale_after, now)} for job in jobs]


class Health(t.TypedDict):
    """The health of a job in results."""

    state: str
    since: str | None
    lag_seconds: int | None
    message: str


def health_of(job: Job, stale_after: float, now: float) -> Health:
    """Return `state`, `since`, `lag_seconds` and `message` of a job; `now` is a Unix time.

    The first state that fits counts: disabled, failing, never, stale, healthy. A job is `unknown` if the service shows none of
    the members that the others need, not even as null, or times that cannot be parsed.
    """
    signs = signs_of(job)
    lag = None if signs.complete is None else now - signs.complete.timestamp()
    late = lag is not None and not -MAX_CLOCK_SKEW_SECONDS <= lag <= stale_after
    state = _state(signs, bool(job.values["enabled"]), late)
    since = signs.complete if state in (STALE, HEALTHY) else signs.error if state == FAILING or signs.reason else None
    return {
        "state": state,
        "since": _text(since),
        "lag_seconds": None if lag is None else max(0, int(lag)),
        "message": _sentence(state, signs, int(lag or 0)),
    }


def _state(signs: Signs, enabled: bool, late: bool) -> str:
    if not enabled:
        return DISABLED
    if not signs.shown:
        return UNKNOWN
    complete, error = signs.times
    if signs.reason or (error and not complete):
        return FAILING
    if signs.error is not None and signs.complete is not None and signs.error > signs.complete:
        return FAILING
    if signs.complete is None:
        return UNKNOWN if complete else NEVER
    return STALE if late else HEALTHY


def _sentence(state: str, signs: Signs, lag: int) -> str:
    reason, complete, error = signs.reason, _text(signs.complete), _text(signs.error)
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


def delivery_warnings(job: Job, wants_enabled: bool | None) -> tuple[str, ...]:
    """Return warnings about a job that does not deliver; `wants_enabled` is the option `enabled`."""
    signs = signs_of(job)
    complete, error = signs.times
    is_later = signs.error > signs.complete if signs.error and signs.complete else (error or "") > (complete or "")
    if not signs.reason and not (error and is_later):
        return ()
    when = f" at {error}" if error else ""
    why = f": {signs.reason}" if signs.reason else "; the service gives no reason."
    found = [f"{words_for(job)}: its last delivery failed{when}{why}"]
    if not job.values["enabled"] and wants_enabled is not False:
        found.append(
            f"{words_for(job)} is disabled, probably by the service after it had failed to deliver for a day;"
            " records of that time are lost."
        )
    return tuple(found)
