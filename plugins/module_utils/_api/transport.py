# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import random
import re
import time
import typing as t
from urllib.parse import quote, urlencode

from .._core import RATE_LIMITED, Json
from .._text import parse_http_date
from .budget import Budget, PauseTooLong
from .connection import Connection
from .session import Fault, Reply, Session

QueryIn = t.Mapping[str, t.Any]

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


def encode_body(body: Json) -> bytes | None:
    """Return a body as JSON, None for None."""
    if body is None:
        return None
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(body, separators=(",", ":"), allow_nan=False).encode("ascii")


def encode_query(query: QueryIn | None) -> str:
    """Return a query as the end of a URL, without members that are None; "" for an empty query."""
    pairs = [(name, _query_value(value)) for name, value in (query or {}).items() if value is not None]
    return "?" + urlencode(pairs, quote_via=quote, safe=",*") if pairs else ""


def _query_value(value: t.Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_query_value(item) for item in value)
    return str(value)


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
        ray = self.outcome.headers.get("CF-Ray", "") if isinstance(self.outcome, Reply) else ""
        return ray if _RAY.fullmatch(ray) else None

    @property
    def accepted(self) -> bool:
        """Return whether the response has a status of success, even if the rest of it is invalid."""
        return self.outcome.status in range(200, 300)


class Transport:
    """Sends the requests of a connection, with retries and the request budget."""

    def __init__(
        self,
        connection: Connection,
        budget: Budget,
        sleep: t.Callable[[float], None] = time.sleep,
        now: t.Callable[[], float] = time.time,
    ) -> None:
        self.tries = 0
        self.session = Session(connection)
        self._connection = connection
        self._budget = budget
        self._sleep = sleep
        self._now = now

    def exchange(
        self, method: str, path: str, body: bytes | None = None, *, reads: bool = False, budget: Budget | None = None
    ) -> Exchange:
        """Send a request, retry it if that is allowed and useful, and return the outcome; `path` may contain a query.

        `reads`: a POST that changes nothing and is retried like GET. `budget` replaces the one of the connection.
        """
        budget = budget or self._budget
        repeated_as = "GET" if reads else method
        address = path.partition("?")[0]
        attempts, received = 0, False
        while True:
            try:
                number = budget.acquire()
            except PauseTooLong as refused:
                return Exchange(method, address, Fault(RATE_LIMITED, str(refused), final=True), attempts, False, received)
            attempts += 1
            self.tries += 1
            outcome, sent = self.session.send(method, path, body, fresh=repeated_as == "POST")
            budget.settle(number, outcome.headers if isinstance(outcome, Reply) else {})
            limited, pause = False, None
            if isinstance(outcome, Reply) and outcome.status == RATE_LIMITED_STATUS:
                limited, pause = True, asked_pause(outcome.headers.get("Retry-After", ""), self._now())
            too_long = pause is not None and pause > self._connection.retry_wait_max
            if too_long or attempts > self._connection.retries or not may_retry(repeated_as, outcome, sent):
                return Exchange(method, address, outcome, attempts, sent, received, pause)
            received = received or (sent and not limited)
            if pause is not None:
                budget.pause(pause)
            self._sleep(backoff(attempts) if pause is None else pause)


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
