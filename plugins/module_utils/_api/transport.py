# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import functools
import json
import random
import re
import threading
import typing as t
from urllib.parse import quote, urlencode

from .._address import Address
from .._core import RATE_LIMITED, Json
from .._http import Fault
from .._text import duration, parse_http_date
from .budget import Budget, PauseTooLong
from .connection import Connection
from .endpoints import ENDPOINTS
from .session import Reply, Session

# Sleeps for so many seconds, for a reason.
Wait = t.Callable[[float, str], None]
# The query of a request, or the ids of its path.
Words = t.Mapping[str, "str | int"]

RATE_LIMITED_STATUS = 429
GATEWAY_STATUSES = frozenset((502, 503, 504, *range(520, 528)))
# Idempotent methods.
REPEATABLE = frozenset(("GET", "PUT", "DELETE"))
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS, _JITTER = 0.5, 8.0, 0.25
# A longer wait for the rate limit is announced.
LONG_WAIT_SECONDS = 5.0
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


class _Message(t.NamedTuple):
    """A request as it is sent in each try; `retried_as` is the method whose rules for retries apply."""

    method: str
    path: str
    query: str
    content: bytes | None
    retried_as: str


class Transport:
    """Sends operations, within a budget, and retries them where that is useful and cannot do a write twice."""

    def __init__(
        self,
        connection: Connection,
        *,
        sleep: t.Callable[[float], None],
        now: t.Callable[[], float],
        announce: t.Callable[[str], None],
    ) -> None:
        """`announce` gets the reason for the first long wait of a run before it begins."""
        self.session = Session(connection)
        # Each thread has its own latest exchange, because reads may run in parallel.
        self._local = threading.local()
        self._sleep = sleep
        self._now = now
        self._announce = announce
        self._is_announced = False
        # By how many seconds the clock of the service is ahead of this one; None before an answer had a `Date`.
        self.ahead: float | None = None

    @property
    def latest(self) -> Exchange | None:
        """Return the latest exchange of this thread."""
        return getattr(self._local, "latest", None)

    def send(
        self,
        operation: str,
        address: Address | None,
        *,
        ids: Words | None = None,
        query: Words | None = None,
        body: Json = None,
        budget: Budget | None = None,
    ) -> Exchange:
        """Return the outcome of an operation after its last try."""
        endpoint = ENDPOINTS[operation]
        message = _Message(
            endpoint.method,
            endpoint.url_path(ids or {}, address),
            f"?{urlencode(query, quote_via=quote, safe=',*')}" if query else "",
            None if body is None else json.dumps(body, separators=(",", ":"), allow_nan=False).encode("ascii"),
            endpoint.retried_as,
        )
        wait = functools.partial(self._wait, budget)
        exchange = self._try(message, budget, wait)
        while self._is_worth_a_retry(message, exchange):
            if exchange.pause is None:
                self._sleep(backoff(exchange.attempts))
            else:
                if budget:
                    budget.pause(exchange.pause)
                wait(exchange.pause, "the service asked for this pause (HTTP 429)")
            exchange = self._try(message, budget, wait, exchange)
        self._local.latest = exchange
        return exchange

    def _try(self, message: _Message, budget: Budget | None, wait: Wait, last: Exchange | None = None) -> Exchange:
        """Return the outcome of one try after the last one, or why the budget refuses it."""
        attempts = last.attempts if last else 0
        limited = last is not None and last.status == RATE_LIMITED_STATUS
        received = last is not None and (last.received_before or (was_sent(last.outcome) and not limited))
        try:
            begun = budget.acquire(wait) if budget else None
        except PauseTooLong as refused:
            fault = Fault(RATE_LIMITED, str(refused), final=True, sent=False)
            return Exchange(message.method, message.path, fault, attempts, received)
        outcome = self.session.send(
            message.method, message.path + message.query, message.content, fresh=message.retried_as == "POST"
        )
        date = parse_http_date(outcome.headers.get("Date", ""))
        self.ahead = self.ahead if date is None else date - self._now()
        if budget:
            budget.settle(begun, outcome.headers)
        is_limited = outcome.status == RATE_LIMITED_STATUS
        pause = asked_pause(outcome.headers.get("Retry-After", ""), self._now()) if is_limited else None
        return Exchange(message.method, message.path, outcome, attempts + 1, received, pause)

    def _is_worth_a_retry(self, message: _Message, exchange: Exchange) -> bool:
        """Return whether there are tries left, and another one is useful and cannot do a write twice."""
        connection = self.session.connection
        too_long = exchange.pause is not None and exchange.pause > connection.retry_wait_max
        is_last = too_long or exchange.attempts > connection.retries
        return not is_last and may_retry(message.retried_as, exchange.outcome)

    def _wait(self, budget: Budget | None, seconds: float, reason: str) -> None:
        """Sleep; announce the first long wait of a run before it begins."""
        if seconds > LONG_WAIT_SECONDS and not self._is_announced:
            self._is_announced = True
            if budget is None or budget.announce():
                self._announce(f"Waiting {duration(seconds)} before the next request: {reason}.")
        self._sleep(seconds)


def was_sent(outcome: Reply | Fault) -> bool:
    """Return whether the service may have received a request."""
    return isinstance(outcome, Reply) or outcome.sent


def may_retry(method: str, outcome: Reply | Fault) -> bool:
    """Return whether another try is useful, and cannot do a write twice."""
    if isinstance(outcome, Fault):
        return not outcome.final and (not outcome.sent or method in REPEATABLE)
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
