# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import random
import re
import typing as t

RATE_LIMITED_STATUS = 429
GATEWAY_STATUSES = frozenset((502, 503, 504, *range(520, 528)))
# Idempotent methods.
REPEATABLE = frozenset(("GET", "PUT", "DELETE"))
# Repeated headers are joined with commas; a date contains a comma itself.
_VALUES = re.compile(r"[A-Za-z]{3,9},[^,]*|[^,]+")
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]*)?")
_NUMBER = re.compile(r"[-+0-9._eE]+")
_MAX_SECONDS = 1e9
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS, _JITTER = 0.5, 8.0, 0.25


def allows_status(method: str, status: int) -> bool:
    """Return whether to retry after a response with this status."""
    return status == RATE_LIMITED_STATUS or (method in REPEATABLE and status in GATEWAY_STATUSES)


def allows_fault(method: str, sent: bool) -> bool:
    """Return whether to retry after a try without an answer: never if the write could be done twice."""
    return not sent or method in REPEATABLE


def backoff(tries: int) -> float:
    """Return the pause in seconds after a number of tries: it doubles each time, with jitter, up to a maximum."""
    doubled = FIRST_PAUSE_SECONDS * 2.0 ** min(10, tries - 1)
    return min(MAX_PAUSE_SECONDS, doubled * (1 + random.random() * _JITTER))


def asked_pause(value: t.Any, now: float) -> float | None:
    """Return the seconds of a Retry-After header, the longest of several; None if it has neither a number nor a future date."""
    pauses = (_pause(part.strip(), now) for part in _VALUES.findall(value or ""))
    return max((pause for pause in pauses if pause is not None), default=None)


def _pause(value: str, now: float) -> float | None:
    if _SECONDS.fullmatch(value):
        # A number with very many digits would become infinite.
        return min(float(value), _MAX_SECONDS)
    moment = None if _NUMBER.fullmatch(value) else date_of(value)
    return moment - now if moment is not None and moment > now else None


def date_of(value: t.Any) -> float | None:
    """Return the timestamp of an HTTP date, None for anything else."""
    if value is None:
        return None
    import datetime  # noqa: PLC0415  # slow to import, and rarely needed
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  # slow to import, and rarely needed

    try:
        moment = parsedate_to_datetime(value)
        return moment.replace(tzinfo=moment.tzinfo or datetime.timezone.utc).timestamp()
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
