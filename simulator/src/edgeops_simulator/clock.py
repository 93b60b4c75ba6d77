# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import time

_last = [0]


def now_micro() -> int:
    """Return microseconds since the epoch, never the same value twice, so that each write changes the timestamp."""
    _last[0] = max(_last[0] + 1, time.time_ns() // 1000)
    return _last[0]


def stamp(micro: int | None = None) -> str:
    """Return a time as ISO 8601 in UTC with fractional seconds; by default the current time."""
    seconds, fraction = divmod(now_micro() if micro is None else micro, 1_000_000)
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{fraction:06d}Z"


def stamp_seconds() -> str:
    """Return the current time as ISO 8601 in UTC with whole seconds."""
    return f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


def read(text: str) -> str:
    """Convert an ISO 8601 time to the form of `stamp_seconds`, as UTC if it has no time zone; raise ValueError if it is invalid."""
    try:
        moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
        in_utc = moment.astimezone(datetime.timezone.utc) if moment.tzinfo else moment
    except (ValueError, OverflowError):
        raise ValueError(f"{text!r} is not a time such as 2026-01-31T12:00:00Z") from None
    return f"{in_utc:%Y-%m-%dT%H:%M:%SZ}"


def seconds_between(first: str, second: str) -> float:
    form = "%Y-%m-%dT%H:%M:%SZ"
    return (datetime.datetime.strptime(second, form) - datetime.datetime.strptime(first, form)).total_seconds()  # noqa: DTZ007 - both UTC
