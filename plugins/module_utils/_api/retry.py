# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import random
import re
import typing as t

from .session import Retry, urllib3

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
_FIRST_PAUSE, _MAX_PAUSE_SECONDS, _JITTER = 0.5, 8.0, 0.25


class RetryPolicy(Retry):
    """urllib3's policy object with this collection's rules; the tries themselves are driven by the transport."""

    @classmethod
    def of(cls, retries: int) -> RetryPolicy:
        """The policy that allows so many further tries."""
        return cls(
            total=retries,
            redirect=False,
            allowed_methods=REPEATABLE,
            status_forcelist=GATEWAY_STATUSES,
            backoff_factor=_FIRST_PAUSE,
            backoff_max=_MAX_PAUSE_SECONDS,
            backoff_jitter=_JITTER,
        )

    def allows_status(self, method: str, status: int) -> bool:
        """Whether an answer of this status may be followed by another try."""
        return status == RATE_LIMITED_STATUS or self.is_retry(method, status)

    def allows_fault(self, method: str, sent: bool) -> bool:
        """Whether a try without an answer may be followed by another: never when that could do a thing twice."""
        return not sent or method in REPEATABLE

    def next(self, method: str) -> RetryPolicy | None:
        """The policy after one more try, or None where there is none left."""
        try:
            return self.increment(method)
        except urllib3.exceptions.MaxRetryError:
            return None

    def get_backoff_time(self) -> float:
        """The pause before the next try: doubling from the first on, with jitter, bounded."""
        doubled = self.backoff_factor * 2 ** min(10, max(0, len(self.history) - 1))
        return float(min(self.backoff_max, doubled * (1 + random.random() * self.backoff_jitter)))


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
