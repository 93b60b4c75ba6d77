# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import json
import os
import time
import typing as t
from urllib.parse import quote, urlencode, urlsplit

from .._core import RATE_LIMITED, Json, invalid_option
from .budget import PauseTooLong, Unlimited
from .connection import Connection, credential_headers
from .retry import RATE_LIMITED_STATUS, allows_fault, allows_status, asked_pause, backoff
from .session import (
    Body,
    BodyError,
    Deadline,
    Fault,
    HTTPAdapter,
    HTTPException,
    fault_of,
    is_unconnected,
    read_body,
    requests,
    urllib3,
)

QueryIn = t.Mapping[str, t.Any]


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


# urllib3 is None if it is missing; the client then fails before any request.
_NO_ANSWER = (BodyError, HTTPException, OSError, ValueError, *((urllib3.exceptions.HTTPError,) if urllib3 else ()))


class Reply(t.NamedTuple):
    """A complete HTTP response."""

    status: int
    headers: t.Mapping[str, str]
    body: bytes


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
    def accepted(self) -> bool:
        """Return whether the response has a status of success, even if the rest of it is invalid."""
        return self.outcome.status in range(200, 300)


class Transport:
    """Sends the requests of a connection, with retries and the request budget."""

    def __init__(
        self,
        connection: Connection,
        budget: Unlimited,
        proxies: t.Mapping[str, str],
        sleep: t.Callable[[float], None] = time.sleep,
        now: t.Callable[[], float] = time.time,
    ) -> None:
        self.tries = 0
        self._connection = connection
        self._budget = budget
        self._sleep = sleep
        self._now = now
        self._headers = {
            "User-Agent": connection.user_agent,
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "Connection": "keep-alive",
            **credential_headers(connection),
        }
        self._adapter = HTTPAdapter(max_retries=0)
        self._proxies = proxies
        self._verify = _usable(connection)

    def exchange(
        self, method: str, path: str, body: bytes | None = None, *, reads: bool = False, budget: Unlimited | None = None
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
            outcome, sent = self._try(method, path, body, fresh=repeated_as == "POST")
            budget.settle(number, outcome.headers if isinstance(outcome, Reply) else {})
            allowed, pause = self._allowed(repeated_as, outcome, sent)
            if not allowed or attempts > self._connection.retries:
                return Exchange(method, address, outcome, attempts, sent, received, pause)
            received = received or (sent and not _rate_limited(outcome))
            if pause is not None:
                budget.pause(pause)
            self._sleep(backoff(attempts) if pause is None else pause)

    def close(self) -> None:
        """Close the kept connections."""
        self._adapter.close()

    def _try(self, method: str, path: str, content: bytes | None, *, fresh: bool) -> tuple[Reply | Fault, bool]:
        """Return the outcome of one try, and whether the service may have acted on the request."""
        seconds = self._connection.timeout
        deadline = Deadline(seconds)
        body = None if content is None else Body(content, deadline)
        headers = self._headers if body is None else {**self._headers, "Content-Type": "application/json"}
        try:
            request = requests.Request(method, self._connection.base_url + path, headers=headers, data=body).prepare()
        except ValueError:
            # The path is quoted, so only the base URL can be invalid.
            raise invalid_option("base_url", "its host is not a valid host name or address") from None
        # If the service closed a kept connection during a POST, it would be unknown whether the POST was received.
        adapter = HTTPAdapter(max_retries=0) if fresh else self._adapter
        status: list[int] = []

        def send() -> Reply:
            # Half of the time for one address of a host leaves time for the next one if the first does not answer.
            response = adapter.send(
                request, stream=True, timeout=(seconds / 2, seconds), verify=self._verify, proxies=self._proxies
            )
            with contextlib.closing(response):
                status.append(response.status_code)
                return Reply(response.status_code, response.headers, _body(response, deadline))

        try:
            return deadline.bound(send), True
        except _NO_ANSWER as error:
            sent = body.sent if body is not None else bool(status) or not is_unconnected(error)
            return fault_of(error)._replace(status=status[0] if status else None), sent
        finally:
            if fresh:
                adapter.close()

    def _allowed(self, method: str, outcome: Reply | Fault, sent: bool) -> tuple[bool, float | None]:
        if isinstance(outcome, Fault):
            return not outcome.final and allows_fault(method, sent), None
        if not _rate_limited(outcome):
            return allows_status(method, outcome.status), None
        pause = asked_pause(outcome.headers.get("Retry-After"), self._now())
        if pause is not None and pause > self._connection.retry_wait_max:
            return False, pause
        return True, pause


def _body(response: requests.Response, deadline: Deadline) -> bytes:
    def read(size: int) -> bytes:
        deadline.remaining()
        return t.cast(bytes, response.raw.read(size, decode_content=False))

    if 300 <= response.status_code < 400:
        return b""
    try:
        length = None if "Transfer-Encoding" in response.headers else response.headers.get("Content-Length")
        return read_body(read, response.headers.get("Content-Encoding", ""), length)
    except _NO_ANSWER:
        if response.status_code < 400:
            raise
        # The status of an error is enough to report it and to decide about a retry.
        return b""


def _rate_limited(outcome: Reply | Fault) -> bool:
    return isinstance(outcome, Reply) and outcome.status == RATE_LIMITED_STATUS


def _usable(connection: Connection) -> bool | str:
    """Return what to verify certificates with: the option, otherwise the bundle of the environment."""
    verify = connection.verify
    if verify is True:
        verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
    if verify is False:
        # The user disabled verification deliberately; a warning for each request would fill the module's output.
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    if isinstance(verify, str) and not os.path.exists(verify):
        place = "ca_path" if verify == connection.verify else "REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE"
        raise invalid_option(place, f"file or directory {verify!r} does not exist")
    return verify


def redirect_target(reply: Reply, base_url: str) -> str:
    """Return only the host of a redirect, because the rest of its address may contain secrets."""
    try:
        location = urlsplit(reply.headers.get("Location", ""))
        return location.hostname or urlsplit(base_url).hostname or "nowhere"
    except ValueError:
        return "an address that is not valid"
