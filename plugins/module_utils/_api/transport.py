# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import random
import re
import typing as t

from .._text import parse_http_date
from .session import Fault, Reply

RATE_LIMITED_STATUS = 429
GATEWAY_STATUSES = frozenset((502, 503, 504, *range(520, 528)))
# Idempotent methods.
REPEATABLE = frozenset(("GET", "PUT", "DELETE"))
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS, _JITTER = 0.5, 8.0, 0.25
# Repeated headers are joined with commas; a date contains a comma itself.
_VALUES = re.compile(r"[A-Za-z]{3,9},[^,]*|[^,]+")
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]*)?")
_NUMBER = re.compile(r"[-+0-9._eE]+")
_MAX_SECONDS = 1e9
_RAY = re.compile(r"[0-9A-Za-z_.-]{1,64}")


class Exchange(t.NamedTuple):
    """A request and its outcome: a reply or a fault, and the number of tries.

    `path` has no query.
    `received_before`: whether the service may have acted on a try before the last one.
    `pause` is the pause that the service requested.
    """

    method: str
    path: str
    outcome: Reply | Fault
    attempts: int
    sent: bool
    received_before: bool
    pause: float | None = None

    @property
    def status(self) -> int | None:
        """Return the HTTP status of the reply, None after a fault."""
        return self.outcome.status if isinstance(self.outcome, Reply) else None

    @property
    def request_id(self) -> str | None:
        """Return the id that Cloudflare gives a request, None for none."""
        ray = self.outcome.headers.get("CF-Ray", "")
        return ray if _RAY.fullmatch(ray) else None

    @property
    def accepted(self) -> bool:
        """Return whether the response has a status of success, even if the rest of it is invalid."""
        return self.outcome.status in range(200, 300)


def may_retry(method: str, outcome: Reply | Fault, sent: bool) -> bool:
    """Return whether another try is useful, and cannot do a write twice."""
    if isinstance(outcome, Fault):
        return not outcome.final and (not sent or method in REPEATABLE)
    return outcome.status == RATE_LIMITED_STATUS or (method in REPEATABLE and outcome.status in GATEWAY_STATUSES)


def asked_pause(value: str, now: float) -> float | None:
    """Return the seconds of a Retry-After header, the longest of several; None if it has neither a number nor a future date."""
    pauses = []
    for part in map(str.strip, _VALUES.findall(value)):
        if _SECONDS.fullmatch(part):
            # A number with very many digits would become infinite.
            pauses.append(min(float(part), _MAX_SECONDS))
        elif not _NUMBER.fullmatch(part) and (moment := parse_http_date(part)) is not None and moment > now:
            pauses.append(moment - now)
    return max(pauses, default=None)


def backoff(tries: int) -> float:
    """Return the pause in seconds after a number of tries: it doubles each time, with jitter, up to a maximum."""
    doubled = FIRST_PAUSE_SECONDS * 2.0 ** min(10, tries - 1)
    return min(MAX_PAUSE_SECONDS, doubled * (1 + random.random() * _JITTER))
