# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import dataclasses
import io
import logging
import os
import re
import socket
import sys
import threading
import time
import types
import typing as t
import zlib

from .._core import BAD_RESPONSE, UNAVAILABLE, Failure, invalid_option
from .connection import Connection

# Import the HTTP libraries here only, so that all other files can be imported without them.
_PROBLEM = ""

try:
    # Import these first: if they are missing, the time for the others is saved.
    import requests
    import urllib3
    from requests.adapters import HTTPAdapter
    from urllib3.exceptions import ConnectTimeoutError, InvalidHeader, NewConnectionError

    from http.client import HTTPException, IncompleteRead  # isort: skip
    from ssl import SSLCertVerificationError, SSLError  # isort: skip

    _version = urllib3.__version__  # type: ignore[attr-defined]  # not in __all__
    if not _version.startswith(("1.26.", "2.")):
        _PROBLEM = f"urllib3 is {_version}"
except ImportError as error:
    _PROBLEM = str(error)
    requests = urllib3 = HTTPAdapter = None  # type: ignore[assignment,misc]  # no request is sent without them
    HTTPException = IncompleteRead = SSLError = SSLCertVerificationError = Exception  # type: ignore[assignment,misc]  # as above
    InvalidHeader = ConnectTimeoutError = NewConnectionError = Exception  # type: ignore[assignment,misc]  # as above


def missing_requests() -> Failure | None:
    """Return the failure for a missing library, with the interpreter that lacks it; None if it can be imported."""
    if not _PROBLEM:
        return None
    return Failure(
        UNAVAILABLE,
        f"The Python library requests, with urllib3 1.26 or 2, is required and missing for {sys.executable}: {_PROBLEM}.",
    )


for _logger in ("urllib3.connection", "urllib3.connectionpool"):
    # In these warnings urllib3 quotes invalid header lines, which may contain secrets.
    logging.getLogger(_logger).addFilter(lambda record: not str(record.msg).startswith("Failed to parse headers"))


class Reply(t.NamedTuple):
    status: int
    headers: t.Mapping[str, str]
    body: bytes


class Fault(t.NamedTuple):
    """A try without a usable answer. `final`: another try would fail the same way. `status` is set if it arrived before the fault.

    The texts of the libraries are not used, because they may contain addresses with secrets.
    """

    kind: str
    reason: str
    final: bool = False
    timed_out: bool = False
    status: int | None = None
    headers: t.Mapping[str, str] = types.MappingProxyType({})


class BodyError(Exception):
    """A response body that cannot be used; the text states the reason."""


# urllib3 is None if it is missing; the client then fails before any request.
_NO_ANSWER = (BodyError, HTTPException, OSError, ValueError, *((urllib3.exceptions.HTTPError,) if urllib3 else ()))


# Larger than any page of a listing; together with the maximum number of containers, a response takes at most about 300 MB of memory.
MAX_BODY_BYTES = 16 * 1024 * 1024
_CHUNK = 65536


class Try(threading.Thread):
    """One try of a request, in a thread because a slow resolver or server cannot be interrupted.

    After its time the thread is left running, but can send and receive no body anymore. `status` is set as soon as it is known,
    and at the end one of `reply`, `fault` and `error`, the last for a bug.
    """

    request: requests.PreparedRequest

    def __init__(self, adapter: HTTPAdapter, seconds: float, **settings: t.Any) -> None:
        super().__init__(daemon=True)
        self._adapter = adapter
        self._end = time.monotonic() + seconds
        # Half of the time for one address of a host leaves time for the next one if the first does not answer.
        self._settings = {"stream": True, "timeout": (seconds / 2, seconds), **settings}
        self.status: int | None = None
        self.reply: Reply | None = None
        self.fault: Fault | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        """Send the request and read the response."""
        try:
            response = self._adapter.send(self.request, **self._settings)
            with contextlib.closing(response):
                self.status = response.status_code
                body = b"" if 300 <= self.status < 400 else self._read_body(response)
                self.reply = Reply(self.status, response.headers, body)
        except _NO_ANSWER as error:
            # The exception is not kept: its traceback holds this object and the socket, which would stay open.
            if self.status is not None and self.status >= 400:  # enough without a body
                self.reply = Reply(self.status, response.headers, b"")
            else:
                self.fault = fault_of(error)
        except BaseException as error:  # raised again in the thread that waits
            self.error = error

    def check_time(self) -> None:
        """Raise `TimeoutError` if the time is over."""
        if time.monotonic() >= self._end:
            raise TimeoutError("the time for this try is over")

    def _read_body(self, response: requests.Response) -> bytes:
        """Return the decompressed body; raise `BodyError` if it exceeds `MAX_BODY_BYTES` or is invalid."""
        encoding = response.headers.get("Content-Encoding", "").strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            raise BodyError("its body has a content encoding that was not requested")
        gzip = zlib.decompressobj(16 + zlib.MAX_WBITS) if "gzip" in encoding else None
        length = None if "Transfer-Encoding" in response.headers else response.headers.get("Content-Length")
        chunks, received, remaining = [], 0, MAX_BODY_BYTES
        self.check_time()
        while data := response.raw.read(_CHUNK, decode_content=False):
            received += len(data)
            try:
                chunks.append(gzip.decompress(data, remaining + 1) if gzip else data)
            except zlib.error:
                raise BodyError("its body is not valid gzip") from None
            remaining -= len(chunks[-1])
            if remaining < 0:
                raise BodyError(f"its body is larger than {MAX_BODY_BYTES // 1024 // 1024} MiB")
            self.check_time()
        # urllib3 1.26 does not enforce the length.
        if length is not None and received < int(length):
            raise IncompleteRead(b"", int(length) - received)
        if gzip and not gzip.eof:
            raise BodyError("its gzip body ends too early")
        return b"".join(chunks)


class Body(io.BytesIO):
    """The body of one try of a request: it records whether any of it was sent, and cannot be read after the time of the try.

    Headers are sent first, so the service cannot have acted on a request whose body was never read.
    """

    def __init__(self, content: bytes, attempt: Try) -> None:
        super().__init__(content)
        self._attempt = attempt
        self.sent = False

    def read(self, size: int | None = -1) -> bytes:
        """Return the next part; raise `TimeoutError` if the time is over."""
        self._attempt.check_time()
        self.sent = True
        return super().read(size)


class Session:
    """Sends single tries of requests, with the credentials of a connection and over connections that are kept.

    `connection` has the proxies of the environment.
    """

    def __init__(self, connection: Connection) -> None:
        self.tries = 0
        # Closing it closes the kept connections; it can still be used.
        self.adapter = HTTPAdapter(max_retries=0)
        proxies = requests.utils.get_environ_proxies(connection.base_url)
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
        self._verify = connection.verify
        if connection.verify is True:
            self._verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
        elif connection.verify is False:
            # The user disabled verification deliberately; a warning for each request would fill the module's output.
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        if isinstance(self._verify, str) and not os.path.exists(self._verify):
            place = "REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE" if connection.verify is True else "ca_path"
            raise invalid_option(place, f"file or directory {self._verify!r} does not exist")

    def send(self, method: str, path: str, content: bytes | None, *, fresh: bool) -> tuple[Reply | Fault, bool]:
        """Return the outcome of one try, and whether the service may have acted on the request.

        It may have, unless no part of the content was sent; a request without content is idempotent.
        `fresh`: on a new connection. If the service closed a kept one meanwhile, it would be unknown whether it received a POST.
        """
        self.tries += 1
        seconds = self.connection.timeout
        adapter = HTTPAdapter(max_retries=0) if fresh else self.adapter
        attempt = Try(adapter, seconds, verify=self._verify, proxies=self.connection.proxies)
        body = None if content is None else Body(content, attempt)
        headers = self._headers if body is None else {**self._headers, "Content-Type": "application/json"}
        try:
            attempt.request = requests.Request(method, self.connection.base_url + path, headers=headers, data=body).prepare()
        except ValueError:
            # The path is quoted, so only the base URL can be invalid.
            raise invalid_option("base_url", "its host is not a valid host name or address") from None
        try:
            attempt.start()
            attempt.join(seconds)
        finally:
            if fresh:
                adapter.close()
        if attempt.error is not None:
            raise attempt.error
        if attempt.reply is not None:
            return attempt.reply, True
        return (attempt.fault or _TIMED_OUT)._replace(status=attempt.status), body is None or body.sent


_UNRESOLVED = Fault(UNAVAILABLE, "the host name could not be resolved")
_TIMED_OUT = Fault(UNAVAILABLE, "there was no complete answer within the timeout", timed_out=True)
_CUT = Fault(UNAVAILABLE, "the connection was cut before the answer was complete")
# The first entry whose exception occurs in the chain of causes is the fault.
_FAULTS: tuple[tuple[type[BaseException], Fault], ...] = (
    (
        InvalidHeader,
        Fault(BAD_RESPONSE, "the service's answer names several lengths or no valid one (Content-Length)", final=True),
    ),
    (socket.gaierror, _UNRESOLVED),
    (UnicodeError, _UNRESOLVED),
    (ConnectionRefusedError, Fault(UNAVAILABLE, "the connection was refused")),
    (TimeoutError, _TIMED_OUT),
    (IncompleteRead, _CUT),
    (ConnectionError, _CUT),
    (HTTPException, Fault(BAD_RESPONSE, "the service's answer is not HTTP", final=True)),
    (OSError, Fault(UNAVAILABLE, "the connection failed")),
)
_UNUSABLE = Fault(UNAVAILABLE, "the request cannot be sent with these proxies or this address", final=True)
_TUNNEL = re.compile(r"Tunnel connection failed: ([1-5][0-9]{2})")


def fault_of(error: BaseException) -> Fault:
    """Return the fault for an exception of requests, urllib3, ssl or the socket."""
    chain = list(_chain(error))
    fault = next((found for cause in chain if (found := _special(cause))), None)
    if fault is None:
        # All exceptions of requests are subclasses of OSError, so their own type does not identify a fault.
        causes = [cause for cause in chain if not type(cause).__module__.startswith("requests.")]
        fault = next((found for kind, found in _FAULTS if any(isinstance(cause, kind) for cause in causes)), _UNUSABLE)
    if any(type(cause).__name__ == "ProxyError" for cause in chain):
        return fault._replace(reason=f"through the proxy, {fault.reason}")
    return fault


def _special(cause: BaseException) -> Fault | None:
    """Return the fault for an exception whose content matters, None for any other."""
    if isinstance(cause, BodyError):
        return Fault(BAD_RESPONSE, f"the service's answer cannot be used: {cause}", final=True)
    # urllib3 1.26 compares host names itself and raises CertificateError for the certificate of another host.
    if isinstance(cause, SSLError) or type(cause).__name__ == "CertificateError":
        return _tls_fault(cause)
    if isinstance(cause, ConnectTimeoutError) and not isinstance(cause, NewConnectionError):
        return Fault(UNAVAILABLE, "there was no connection within half of the timeout", timed_out=True)
    if isinstance(cause, OSError) and (tunnel := _TUNNEL.match(str(cause))):
        refused = f"the proxy refused the connection to the service (HTTP {tunnel[1]})"
        return Fault(UNAVAILABLE, refused, final=tunnel[1].startswith("4"))
    return None


def _tls_fault(cause: BaseException) -> Fault:
    if isinstance(cause, SSLError) and not isinstance(cause, SSLCertVerificationError):
        # The parts of the TLS library that read certificates and keys from files.
        if cause.library in ("X509", "PEM", "ASN1"):
            return Fault(UNAVAILABLE, "the bundle of certificates to trust cannot be read", final=True)
        return Fault(UNAVAILABLE, f"the TLS connection failed ({cause.reason or 'it was cut'})")
    why = getattr(cause, "verify_message", "it is for another host") or "no reason given"
    return Fault(UNAVAILABLE, f"the certificate does not verify: {why}", final=True)


def _chain(error: BaseException) -> t.Iterator[BaseException]:
    waiting: list[t.Any] = [error]
    seen: set[int] = set()
    while waiting:
        cause = waiting.pop(0)
        if not isinstance(cause, BaseException) or id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        waiting += [cause.__cause__, cause.__context__, getattr(cause, "reason", None), *cause.args]
