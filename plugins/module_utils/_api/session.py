# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import dataclasses
import time
import typing as t

from .._core import UNAVAILABLE, invalid_option
from .._http import NO_ANSWER, Adapter, Fault, fault_of, prepare, proxies_for, read_body, verification
from .connection import Connection

if t.TYPE_CHECKING:
    import requests


class Reply(t.NamedTuple):
    """The answer to one try of a request."""

    status: int
    headers: t.Mapping[str, str]
    body: bytes


class Session:
    """Sends a request once, with the credentials of a connection and over connections that are kept.

    `connection` has the proxies of the environment.
    """

    def __init__(self, connection: Connection) -> None:
        self.tries = 0
        # Closing it closes the kept connections; it can still be used.
        self.adapter = Adapter()
        proxies = proxies_for(connection.base_url)
        self.connection = connection = dataclasses.replace(connection, proxies=proxies)
        self._headers = {
            "User-Agent": connection.user_agent,
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "Connection": "keep-alive",
        }
        if connection.token:
            self._headers["Authorization"] = f"Bearer {connection.token}"
        else:
            self._headers.update({"X-Auth-Email": connection.email or "", "X-Auth-Key": connection.key or ""})
        self._verify = verification(connection.verify)

    def send(self, method: str, path: str, content: bytes | None, *, fresh: bool) -> Reply | Fault:
        """Return the outcome of one try of a request.

        `fresh`: on a new connection. If the service closed a kept one meanwhile, it would be unknown whether it received a POST.
        """
        headers = self._headers if content is None else {**self._headers, "Content-Type": "application/json"}
        try:
            request = prepare(method, self.connection.base_url + path, headers, content)
        except ValueError:
            # The path is quoted, so only the base URL can be invalid.
            raise invalid_option("base_url", "its host is not a valid host name or address") from None
        self.tries += 1
        if not fresh:
            return self._try(self.adapter, request)
        with contextlib.closing(Adapter()) as adapter:
            return self._try(adapter, request)

    def _try(self, adapter: Adapter, request: requests.PreparedRequest) -> Reply | Fault:
        seconds, status = self.connection.timeout, None
        # Half of the time for one address of a host leaves time for the next one if the first does not answer.
        timeout = (seconds / 2, seconds)
        try:
            response = adapter.send(request, True, timeout, self._verify, proxies=self.connection.proxies)
            # If the body is not read to its end, the connection is closed with the response.
            with contextlib.closing(response):
                status = response.status_code
                if status < 200:
                    return Fault(UNAVAILABLE, f"an interim answer (HTTP {status}) came in place of the answer")
                body = b"" if 300 <= status < 400 else read_body(response, time.monotonic() + seconds)
                return Reply(status, response.headers, body)
        except NO_ANSWER as error:
            if status is not None and status >= 400:  # enough without a body
                return Reply(status, response.headers, b"")
            return fault_of(error)._replace(status=status)
