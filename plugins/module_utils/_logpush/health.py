# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import math
import typing as t

from .._core import Json
from .._destination_secrets import secret_parts
from .._text import duration, format_time, parse_time
from .facts import VOLATILE
from .job import Job, Report, readable, view, words_for

# Of a last delivery further ahead of this machine's clock than this it is not known when it was.
MAX_CLOCK_SKEW_SECONDS = 300
# What the service shows instead of a time that it does not have.
_ZERO_TIME = "0001-01-01T00:00:00"
DISABLED, FAILING, NEVER, STALE, HEALTHY, UNKNOWN = STATES = ("disabled", "failing", "never", "stale", "healthy", "unknown")


_NO_MESSAGE = "error_message is not text"
_NO_SWITCH = "enabled is neither true nor false"


class Deliveries(t.NamedTuple):
    """What a job shows of its deliveries: the time of the last one, whether it failed, and a sentence about the last failure.

    `unknown` names what of it cannot be told, and why; "" for nothing.
    """

    complete: datetime.datetime | None
    error: datetime.datetime | None
    unknown: str
    fails: bool
    reason: str | None
    failure: str


def deliveries_of(job: Job) -> Deliveries:
    """Return what a job shows of its deliveries, without secrets."""
    unknown = ""
    times = [job.members.get(name) for name in ("last_complete", "last_error")]
    if not isinstance(times[1], (str, type(None))):
        times[1], unknown = None, "last_error is not text"
    has_delivered, has_failed = (time not in (None, "") and not str(time).startswith(_ZERO_TIME) for time in times)
    complete = parse_time(times[0]) if has_delivered else None
    error = parse_time(times[1]) if has_failed else None
    secrets = secret_parts(job.destination)
    message = job.members.get("error_message")
    reason = readable(message, secrets) if isinstance(message, str) else None
    if job.members.keys().isdisjoint(VOLATILE):
        unknown = f"none of {', '.join(VOLATILE)} is shown"
    elif message is not None and not isinstance(message, str):
        # First, because who disabled a job only the message tells.
        unknown = _NO_MESSAGE
    elif has_delivered and complete is None:
        unknown = "last_complete is no time"
    # A failing transformer writes its error where the time is otherwise.
    text = readable(times[1], secrets) if has_failed and error is None else None
    is_later = error is not None and complete is not None and error > complete
    when = f" at {format_time(error)}" if error else ""
    why = f": {reason or text}" if reason or text else "; the service gives no reason."
    fails = bool(reason or text) or is_later or (has_failed and not has_delivered)
    return Deliveries(complete, error, unknown, fails, reason, f"last delivery failed{when}{why}")


def with_health(jobs: t.Iterable[Job], stale_after: float, now: float) -> list[Report]:
    """Return jobs as info modules report them: with their health, and with the names of the members that cannot be read."""
    return [{**view(job), "unreadable": sorted(job.unreadable), "health": health_of(job, stale_after, now)} for job in jobs]


class Health(t.TypedDict):
    """The health of a job in results."""

    state: str
    since: str | None
    lag_seconds: int | None
    message: str


def health_of(job: Job, stale_after: float, now: float) -> Health:
    """Return `state`, `since`, `lag_seconds` and `message` of a job; `now` is a Unix time.

    The first state that fits counts: disabled, failing, never, stale, healthy. A job is `unknown` if none of these can be told: whether it is
    enabled, or what it delivers.
    """
    deliveries = deliveries_of(job)
    lag = None if deliveries.complete is None else now - deliveries.complete.timestamp()
    state = _state(job, deliveries, lag, stale_after)
    since = (
        deliveries.complete if state in (STALE, HEALTHY) else deliveries.error if state == FAILING or deliveries.reason else None
    )
    return {
        "state": state,
        "since": None if since is None else format_time(since),
        "lag_seconds": None if lag is None else max(0, int(lag)),
        "message": _sentence(state, deliveries, math.floor(lag or 0)),
    }


def _state(job: Job, deliveries: Deliveries, lag: float | None, stale_after: float) -> str:
    is_enabled = job.values["enabled"]
    if is_enabled is False:
        # Who disabled the job, its owner or the service, the error message tells.
        return UNKNOWN if deliveries.unknown == _NO_MESSAGE else DISABLED
    if deliveries.fails:
        return FAILING
    if is_enabled is None or deliveries.unknown:
        return UNKNOWN
    if lag is None:
        return NEVER
    if lag < -MAX_CLOCK_SKEW_SECONDS:
        return UNKNOWN
    return HEALTHY if lag <= stale_after else STALE


def _sentence(state: str, deliveries: Deliveries, lag: int) -> str:
    last = f"The last delivery was at {format_time(deliveries.complete)}" if deliveries.complete else ""
    ahead = f"which is {duration(-lag)} ahead of this machine's clock, so that it is not known whether the job delivers."
    hidden = f"The service does not show whether the job delivers: {deliveries.unknown or _NO_SWITCH}."
    why = (
        f"The service disabled the job after its deliveries had failed: {deliveries.reason}"
        if deliveries.reason
        else "The job is disabled."
    )
    return {
        DISABLED: why,
        FAILING: f"The {deliveries.failure}",
        NEVER: "The job has not delivered anything yet; a new job needs up to 15 minutes, and a quiet zone has nothing to deliver.",
        STALE: f"{last}, {duration(lag)} ago; a quiet zone has nothing to deliver.",
        HEALTHY: f"{last}.",
        UNKNOWN: f"{last}, {ahead}" if lag < -MAX_CLOCK_SKEW_SECONDS else hidden,
    }[state]


def delivery_warnings(job: Job, wants_enabled: Json) -> tuple[str, ...]:
    """Return warnings about a job that does not deliver; `wants_enabled` is the option `enabled`, None if it is omitted."""
    deliveries = deliveries_of(job)
    if not deliveries.fails:
        return ()
    warnings = [f"{words_for(job)}: its {deliveries.failure}"]
    if job.values["enabled"] is False and wants_enabled is not False:
        warnings.append(
            f"{words_for(job)} is disabled, probably by the service after it had failed to deliver for a day;"
            " records of that time are lost."
        )
    return tuple(warnings)
