# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import random
import re
import typing as t

# The retry policy: what may be tried again, how often, and after which pause.


RATE_LIMITED_STATUS = 429
GATEWAY_STATUSES = frozenset((502, 503, 504, *range(520, 528)))
# These have the same outcome however often they are received.
REPEATABLE = frozenset(("GET", "PUT", "DELETE"))
# A header that was sent several times arrives as one, joined with commas; a date has a comma of its own.
_VALUES = re.compile(r"[A-Za-z]{3,9},[^,]*|[^,]+")
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]*)?")
_NUMBER = re.compile(r"[-+0-9._eE]+")
_MAX_SECONDS = 1e9
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS, _JITTER = 0.5, 8.0, 0.25


def allows_status(method: str, status: int) -> bool:
    """Return whether an answer of this status may be followed by another try."""
    return status == RATE_LIMITED_STATUS or (method in REPEATABLE and status in GATEWAY_STATUSES)


def allows_fault(method: str, sent: bool) -> bool:
    """Return whether a try without an answer may be followed by another: never if that could do a thing twice."""
    return not sent or method in REPEATABLE


def backoff(tries: int) -> float:
    """Return the pause after so many tries: doubling from the first on, with jitter, bounded."""
    doubled = FIRST_PAUSE_SECONDS * 2.0 ** min(10, tries - 1)
    return min(MAX_PAUSE_SECONDS, doubled * (1 + random.random() * _JITTER))


def asked_pause(value: t.Any, now: float) -> float | None:
    """The seconds of a Retry-After header, the longest of several; None where it names neither a number nor a time to come."""
    pauses = (_pause(part.strip(), now) for part in _VALUES.findall(value or ""))
    return max((pause for pause in pauses if pause is not None), default=None)


def _pause(value: str, now: float) -> float | None:
    if _SECONDS.fullmatch(value):
        # More digits than a float has places for are still a number, and longer than anyone waits.
        return min(float(value), _MAX_SECONDS)
    moment = None if _NUMBER.fullmatch(value) else date_of(value)
    return moment - now if moment is not None and moment > now else None


def date_of(value: t.Any) -> float | None:
    """The time that an HTTP date names, or None."""
    if value is None:
        return None
    # Most answers name no date, and these are slow to import.
    import datetime  # noqa: PLC0415  # as said above
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  # as said above

    try:
        moment = parsedate_to_datetime(value)
        return moment.replace(tzinfo=moment.tzinfo or datetime.timezone.utc).timestamp()
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
