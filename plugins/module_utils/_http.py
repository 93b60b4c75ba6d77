# SPDX-License-Identifier: GPL-3.0-or-later

"""HTTP with bounds, below the API and the audit of pages: connections, bodies, and what an exception of the libraries means."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import socket
import sys
import time
import types
import typing as t
import zlib

from ._core import BAD_RESPONSE, UNAVAILABLE, Failure, invalid_option

# Import the HTTP libraries here only, so that all other files can be imported without them.
_PROBLEM = ""

try:
    # Import these first: if they are missing, the time for the others is saved.
    import requests
    import urllib3
    from requests.adapters import HTTPAdapter
    from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
    from urllib3.connection import HTTPConnection, HTTPSConnection
    from urllib3.exceptions import ConnectTimeoutError, InvalidHeader, NewConnectionError

    from http.client import HTTPException, HTTPResponse, IncompleteRead  # isort: skip
    from ssl import SSLCertVerificationError, SSLError  # isort: skip

    _version = urllib3.__version__  # type: ignore[attr-defined]  # not in __all__
    if not _version.startswith(("1.26.", "2.")):
        _PROBLEM = f"urllib3 is {_version}"
except ImportError as error:
    _PROBLEM = str(error)
    requests = urllib3 = None  # type: ignore[assignment]  # no request is sent without them
    HTTPAdapter = HTTPConnectionPool = HTTPSConnectionPool = object  # type: ignore[assignment,misc]  # as above
    HTTPConnection = HTTPSConnection = HTTPResponse = object  # type: ignore[assignment,misc]  # as above
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


class Fault(t.NamedTuple):
    """A try without a usable answer.

    `final`: another try would fail the same way. `sent`: the service may have received the request.
    `status` is set if it arrived before the fault.
    The texts of the libraries are not used, because they may contain addresses with secrets.
    """

    kind: str
    reason: str
    final: bool = False
    timed_out: bool = False
    sent: bool = True
    status: int | None = None
    headers: t.Mapping[str, str] = types.MappingProxyType({})


class BodyError(Exception):
    """A response body that cannot be used; the text states the reason."""


# urllib3 is None if it is missing; the client then fails before any request.
NO_ANSWER = (BodyError, HTTPException, OSError, ValueError, *((urllib3.exceptions.HTTPError,) if urllib3 else ()))

MAX_BODY_BYTES = 64 * 1024 * 1024
_CHUNK = 65536
# The first line of an answer; a field, or the end of its head. A field over several lines is obsolete.
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] [1-5][0-9]{2}(?: [^\r\n\0]*)?\r?\n")
_FIELD_LINE = re.compile(rb"(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\0]*)?\r?\n")
# http.client skips any number of answers with the status 100.
MAX_CONTINUES = 100


class _ContinuedForEverError(OSError):
    """More than `MAX_CONTINUES` answers with the status 100 came in place of one answer."""


class _Reader(io.BufferedReader):
    """What arrives on a connection; if anything is left over at the end of an answer, the connection cannot be used again.

    What the reader of http.client has taken from the socket beyond an answer is lost with its buffer, and urllib3 looks at the socket
    only, so that it would use the connection again.
    """

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock.makefile("rb", buffering=0))
        self._sock = sock
        self._continues = 0
        self._line = _STATUS_LINE
        self.is_head_plain = True

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return a line of the head of an answer; raise an OSError after too many interim answers, which http.client skips without an end."""
        line = super().readline(size)
        self.is_head_plain = self.is_head_plain and self._line.fullmatch(line) is not None
        # An interim answer ends with an empty line, and the next one begins.
        self._line = _FIELD_LINE if line.strip(b"\r\n") else _STATUS_LINE
        if line.startswith(b"HTTP/") and line.split(None, 2)[1:2] == [b"100"]:
            self._continues += 1
            if self._continues > MAX_CONTINUES:
                raise _ContinuedForEverError
        return line

    def close(self) -> None:
        """End the reading of an answer."""
        if not self.closed:
            # Nothing to read now is an OSError as well.
            with contextlib.suppress(OSError):
                timeout = self._sock.gettimeout()
                self._sock.settimeout(0)
                try:
                    if self.peek(1):
                        self._sock.shutdown(socket.SHUT_RDWR)
                finally:
                    self._sock.settimeout(timeout)
        super().close()


class _Arriving(HTTPResponse):
    """A response that is read as it arrives, so that the deadline can be checked while a body arrives slowly.

    The `read` of urllib3 waits until all the bytes that it is asked for have arrived, and urllib3 1.26 has no other method.
    Relies on `fp`, from which http.client reads, and on the `response_class` of connections; `test_hooks_below_requests` is the canary.
    """

    def __init__(self, sock: socket.socket, *args: t.Any, **kwargs: t.Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp.close()
        self.fp = _Reader(sock)

    def read(self, amt: int | None = None) -> bytes:
        """Return the part of the body that has arrived, up to a number of bytes; without a number, the whole body."""
        return super().read() if amt is None else self.read1(amt)


class HeadError(HTTPException):
    """The head of an answer can be understood in different ways."""


class _Strict(_Arriving):
    """A response whose head has nothing that http.client drops or takes for something else than a browser does.

    http.client takes a bare CR for the end of a line, and drops everything after the first line that is no field. Of several codings
    of the transfer it looks at the first one, with HTTP/1.0 too, and urllib3 trims them of more than browsers do.
    """

    def begin(self) -> None:
        """Read the head."""
        reader = t.cast("_Reader", self.fp)
        super().begin()
        codings = [coding.lower() for coding in self.headers.get_all("Transfer-Encoding", [])]
        is_framed_plainly = not codings or (codings == ["chunked"] and self.version == 11)
        if not (reader.is_head_plain and is_framed_plainly):
            raise HeadError


class _Connecting:
    """A connection that ends with the same exception wherever it cannot be made, TLS and the tunnel of a proxy included.

    Relies on `connect` and on `response_class`, with which http.client makes the answer; `test_hooks_below_requests` is the canary.
    """

    response_class: t.Any

    def connect(self) -> None:
        """Connect; any other exception than NewConnectionError and ConnectTimeoutError then means that the request may have been sent."""
        try:
            super().connect()  # type: ignore[misc]  # of the class beside this one
        except (ConnectTimeoutError, NewConnectionError):
            raise
        except Exception as error:
            raise NewConnectionError(t.cast("HTTPConnection", self), "no connection") from error


def _pools_of(response: t.Any) -> dict[str, t.Any]:
    """Return pools by scheme, whose connections make responses of this class."""

    class Plain(_Connecting, HTTPConnection):
        response_class = response

    class Secure(_Connecting, HTTPSConnection):
        response_class = response

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}


_POOLS, _STRICT_POOLS = _pools_of(_Arriving), _pools_of(_Strict)


class Adapter(HTTPAdapter):
    """The adapter of requests with the connections of this file, except those through a SOCKS proxy.

    Relies on `pool_classes_by_scheme` of urllib3's pool managers and on `ConnectionCls` of its pools; `test_hooks_below_requests` is the canary.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self._pools = _STRICT_POOLS if strict else _POOLS
        super().__init__(max_retries=0)

    def init_poolmanager(self, *args: t.Any, **kwargs: t.Any) -> None:
        """Create the pools of direct connections."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = self._pools

    def proxy_manager_for(self, proxy: str, **kwargs: t.Any) -> t.Any:
        """Return the pools of the connections through a proxy."""
        manager = super().proxy_manager_for(proxy, **kwargs)
        if not proxy.lower().startswith("socks"):
            manager.pool_classes_by_scheme = self._pools
        return manager


def prepare(method: str, url: str, headers: t.Mapping[str, str], content: bytes | None = None) -> requests.PreparedRequest:
    """Return a request without cookies, and without credentials of the environment; raise ValueError for an invalid host."""
    return requests.Request(method, url, headers=headers, data=content).prepare()


def proxies_for(url: str) -> dict[str, str]:
    """Return the proxies of the environment."""
    return requests.utils.get_environ_proxies(url)


def verification(verify: bool | str) -> bool | str:
    """Return the certificates to trust: a path, those that requests brings (true), or any (false)."""
    trusted = verify
    if verify is True:
        trusted = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
    elif verify is False:
        # The user disabled verification deliberately; a warning for each request would fill the module's output.
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    if isinstance(trusted, str) and not os.path.exists(trusted):
        place = "REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE" if verify is True else "ca_path"
        raise invalid_option(place, f"file or directory {trusted!r} does not exist")
    return trusted


def read_body(response: requests.Response, deadline: float, limit: int = MAX_BODY_BYTES) -> bytes:
    """Return the decompressed body; raise `BodyError` if it is larger than the limit or invalid, and `TimeoutError` if it is late."""
    # Browsers trim a header of these two alone.
    encoding = response.headers.get("Content-Encoding", "").strip(" \t").lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise BodyError("its body has a content encoding that was not requested")
    length = None if "Transfer-Encoding" in response.headers else response.headers.get("Content-Length")
    if length is not None and not re.fullmatch(r"[ \t]*[0-9]+[ \t]*", length):
        raise BodyError("it names no valid length of its body (Content-Length)")
    gzip = zlib.decompressobj(16 + zlib.MAX_WBITS) if "gzip" in encoding else None
    chunks, received, remaining = [], 0, limit
    while data := response.raw.read(_CHUNK, decode_content=False):
        received += len(data)
        try:
            chunks.append(gzip.decompress(data, remaining + 1) if gzip else data)
        except zlib.error:
            raise BodyError("its body is not valid gzip") from None
        remaining -= len(chunks[-1])
        if remaining < 0:
            raise BodyError(f"its body is larger than {limit / 1024 / 1024:g} MiB")
        if gzip and gzip.unused_data:
            raise BodyError("its gzip body goes on after its end")
        if time.monotonic() >= deadline:
            raise TimeoutError("the body is late")
    # urllib3 1.26 does not enforce the length.
    if length is not None and received < int(length):
        raise IncompleteRead(b"", int(length) - received)
    if gzip and not gzip.eof:
        raise BodyError("its gzip body ends too early")
    return b"".join(chunks)


_UNRESOLVED = Fault(UNAVAILABLE, "the host name could not be resolved")
_TIMED_OUT = Fault(UNAVAILABLE, "there was no complete answer within the timeout", timed_out=True)
_FAILED = Fault(UNAVAILABLE, "the connection failed")
_UNCONNECTED = Fault(UNAVAILABLE, "there was no connection within half of the timeout", timed_out=True, sent=False)
_CUT = Fault(UNAVAILABLE, "the connection was cut before the answer was complete")
# The first entry whose exception occurs in the chain of causes is the fault.
_FAULTS: tuple[tuple[type[BaseException], Fault], ...] = (
    (
        InvalidHeader,
        Fault(BAD_RESPONSE, "the service's answer names several lengths or no valid one (Content-Length)", final=True),
    ),
    (socket.gaierror, _UNRESOLVED),
    (UnicodeError, _UNRESOLVED),
    (
        _ContinuedForEverError,
        Fault(UNAVAILABLE, f"more than {MAX_CONTINUES} interim answers (HTTP 100) came in place of the answer"),
    ),
    (ConnectionRefusedError, Fault(UNAVAILABLE, "the connection was refused")),
    (TimeoutError, _TIMED_OUT),
    (
        HeadError,
        Fault(
            BAD_RESPONSE,
            "readers may not find the same headers or the same body: a line of the answer's head is no header, or its Transfer-Encoding"
            " is another one than chunked",
            final=True,
        ),
    ),
    (IncompleteRead, _CUT),
    (ConnectionError, _CUT),
    (HTTPException, Fault(BAD_RESPONSE, "the service's answer is not HTTP", final=True)),
    (OSError, _FAILED),
)
_UNUSABLE = Fault(UNAVAILABLE, "the request cannot be sent with these proxies or this address", final=True, sent=False)
_TUNNEL = re.compile(r"Tunnel connection failed: ([1-5][0-9]{2})")


def fault_of(error: BaseException) -> Fault:
    """Return the fault for an exception of requests, urllib3, ssl or the socket."""
    chain = list(_chain(error))
    fault = next(filter(None, map(_special, chain)), None)
    if fault is None:
        # All exceptions of requests are subclasses of OSError, so their own type does not identify a fault.
        causes = [cause for cause in chain if not type(cause).__module__.startswith("requests.")]
        otherwise = _UNUSABLE if any(isinstance(cause, ValueError) for cause in chain) else _FAILED
        fault = next(
            (fault_of_kind for kind, fault_of_kind in _FAULTS if any(isinstance(cause, kind) for cause in causes)), otherwise
        )
    if any(isinstance(cause, (NewConnectionError, ConnectTimeoutError)) for cause in chain):
        fault = _UNCONNECTED if fault.timed_out else fault._replace(sent=False)
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
    trusted = "ca_path names the certificates to trust (the system's store and SSL_CERT_FILE are not used)"
    return Fault(UNAVAILABLE, f"the certificate does not verify: {why}; {trusted}", final=True)


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
