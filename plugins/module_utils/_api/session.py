# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import io
import logging
import re
import socket
import sys
import threading
import time
import typing as t
import zlib
from urllib.parse import unquote, urlsplit

from .._core import BAD_RESPONSE, UNAVAILABLE, Failure

# Import the HTTP libraries here only, so that all other files can be imported without them.


_PROBLEM = ""

if t.TYPE_CHECKING:
    from http.client import HTTPException, IncompleteRead
    from ssl import SSLCertVerificationError, SSLError

    import requests
    import urllib3
    from requests.adapters import HTTPAdapter
    from urllib3.exceptions import ConnectTimeoutError, InvalidHeader, NewConnectionError
else:
    try:
        # The libraries first: without them, nothing else here is worth its time.
        import requests
        import urllib3
        from requests.adapters import HTTPAdapter
        from urllib3.exceptions import ConnectTimeoutError, InvalidHeader, NewConnectionError

        from http.client import HTTPException, IncompleteRead  # isort: skip
        from ssl import SSLCertVerificationError, SSLError  # isort: skip

        if not urllib3.__version__.startswith(("1.26.", "2.")):
            _PROBLEM = f"urllib3 is {urllib3.__version__}"
    except ImportError as error:
        _PROBLEM = str(error)
        requests = urllib3 = HTTPAdapter = None
        HTTPException = IncompleteRead = InvalidHeader = SSLError = SSLCertVerificationError = Exception
        ConnectTimeoutError = NewConnectionError = Exception


__all__ = [
    "MAX_BODY_BYTES",
    "Body",
    "BodyError",
    "Deadline",
    "Fault",
    "HTTPAdapter",
    "HTTPException",
    "environment_proxies",
    "fault_of",
    "is_unconnected",
    "missing_requests",
    "read_body",
    "requests",
    "secrets_of",
    "urllib3",
]


def missing_requests() -> Failure | None:
    """Return the failure to end with where the library is missing, naming the interpreter that lacks it."""
    if not _PROBLEM:
        return None
    return Failure(
        UNAVAILABLE,
        f"The Python library requests, with urllib3 1.26 or 2, is required and missing for {sys.executable}: {_PROBLEM}.",
    )


def _quotes_no_header(record: logging.LogRecord) -> bool:
    """Return false for the warnings in which urllib3 quotes header lines that it cannot parse."""
    return not str(record.msg).startswith("Failed to parse headers")


for _logger in ("urllib3.connection", "urllib3.connectionpool"):
    logging.getLogger(_logger).addFilter(_quotes_no_header)


# The time that one try of a request has.


_Found = t.TypeVar("_Found")


class Deadline:
    """The moment at which one try of a request has to be over, whatever it is doing then."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Return the seconds left; raise `TimeoutError` if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time for this try is over")
        return left

    def bound(self, function: t.Callable[[], _Found]) -> _Found:
        """Return what a function returns until then, otherwise raise `TimeoutError`.

        Resolvers and servers that send a byte now and then cannot be interrupted: the thread that waits for them is left behind,
        and can send nothing any more that changes anything (see `Body`).
        """
        outcome: list[tuple[t.Any, BaseException | None]] = []

        def run() -> None:
            try:
                outcome.append((function(), None))
            except BaseException as error:  # raised again below
                outcome.append((None, error))

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(self.remaining())
        if not outcome:
            raise TimeoutError("the time for this try is over")
        found, error = outcome[0]
        if error is not None:
            raise error
        return t.cast(_Found, found)


class Body(io.BytesIO):
    """The body of one try of a request: it knows whether any of it was sent, and is not sent after the deadline.

    Headers go first, so that a request whose body was never read cannot have been acted on.
    """

    def __init__(self, content: bytes, deadline: Deadline) -> None:
        super().__init__(content)
        self._size = len(content)
        self._deadline = deadline
        self.sent = False

    def __len__(self) -> int:
        return self._size

    def read(self, size: int | None = -1) -> bytes:
        """Return the next part, to be sent at once."""
        self._deadline.remaining()
        self.sent = True
        return super().read(size)


def is_unconnected(error: BaseException) -> bool:
    """Return whether a try failed before its request could be sent."""
    early = (ConnectTimeoutError, NewConnectionError, SSLError)
    return any(isinstance(cause, early) or _TUNNEL.match(str(cause)) for cause in _chain(error))


# The largest answers that make sense are pages of listings; with the limit on values, none takes more than about 300 MB of memory.
MAX_BODY_BYTES = 16 * 1024 * 1024
_CHUNK = 65536


class BodyError(Exception):
    """An answer's body that arrived and cannot be used; the text states why."""


def read_body(read: t.Callable[[int], bytes], encoding: str, length: str | None = None) -> bytes:
    """Return all of a body as the service meant it, at most `MAX_BODY_BYTES` bytes of it, however small it was on the wire.

    `length` is the Content-Length, which urllib3 1.26 does not enforce.
    """
    inflate = _inflater(encoding.strip().lower())
    chunks: list[bytes] = []
    size = received = 0
    while True:
        data = read(_CHUNK)
        received += len(data)
        if not data and length is not None and received < int(length):
            raise IncompleteRead(b"", int(length) - received)
        chunk = inflate(data, MAX_BODY_BYTES + 1 - size)
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            raise BodyError(f"its body is larger than {MAX_BODY_BYTES // 1024 // 1024} MiB")
        chunks.append(chunk)
        if not data:
            return b"".join(chunks)


def _inflater(encoding: str) -> t.Callable[[bytes, int], bytes]:
    if encoding in ("", "identity"):
        return lambda data, _limit: data
    if encoding not in ("gzip", "x-gzip"):
        raise BodyError("its body has a content encoding that was not requested")
    decoder = zlib.decompressobj(16 + zlib.MAX_WBITS)

    def inflate(data: bytes, limit: int) -> bytes:
        try:
            chunk = decoder.decompress(data, limit)
        except zlib.error:
            raise BodyError("its body is not valid gzip") from None
        if not data and not decoder.eof:
            raise BodyError("its gzip body ends too early")
        return chunk

    return inflate


# What can happen to a try instead of an answer, in our own words: the libraries' texts may hold addresses with secrets.


class Fault(t.NamedTuple):
    """A try without a usable answer. `final` means that another try would end the same way; `status` came before the fault."""

    kind: str
    reason: str
    final: bool = False
    timed_out: bool = False
    status: int | None = None


_UNRESOLVED = Fault(UNAVAILABLE, "the host name could not be resolved")
_UNCONNECTED = Fault(UNAVAILABLE, "there was no connection within half of the timeout", timed_out=True)
_CUT = Fault(UNAVAILABLE, "the connection was cut before the answer was complete")
# The first of these that occurs anywhere in a chain of causes names the fault.
_FAULTS: tuple[tuple[type[BaseException], Fault], ...] = (
    (
        InvalidHeader,
        Fault(BAD_RESPONSE, "the service's answer names several lengths or no valid one (Content-Length)", final=True),
    ),
    (socket.gaierror, _UNRESOLVED),
    (UnicodeError, _UNRESOLVED),
    (ConnectionRefusedError, Fault(UNAVAILABLE, "the connection was refused")),
    (TimeoutError, Fault(UNAVAILABLE, "there was no complete answer within the timeout", timed_out=True)),
    (IncompleteRead, _CUT),
    (ConnectionError, _CUT),
    (HTTPException, Fault(BAD_RESPONSE, "the service's answer is not HTTP", final=True)),
    (OSError, Fault(UNAVAILABLE, "the connection failed")),
)
_UNUSABLE = Fault(UNAVAILABLE, "the request cannot be sent with these proxies or this address", final=True)
_TUNNEL = re.compile(r"Tunnel connection failed: ([1-5][0-9]{2})")
# What urllib3 1.26 raises for the certificate of another host, which it finds out itself.
_OTHER_HOST = "CertificateError"
# The parts of the TLS library that read certificates and keys from files.
_FILES = ("X509", "PEM", "ASN1")


def fault_of(error: BaseException) -> Fault:
    """The fault behind an exception of requests, urllib3, ssl or the socket."""
    chain = list(_chain(error))
    fault = next((found for cause in chain if (found := _special(cause))), None) or _plain(chain)
    if any(type(cause).__name__ == "ProxyError" for cause in chain):
        return fault._replace(reason=f"through the proxy, {fault.reason}")
    return fault


def _tls_fault(cause: BaseException) -> Fault:
    if not isinstance(cause, SSLError):
        return Fault(UNAVAILABLE, "the certificate does not verify: it is for another host", final=True)
    if cause.library in _FILES:
        return Fault(UNAVAILABLE, "the bundle of certificates to trust cannot be read", final=True)
    return Fault(UNAVAILABLE, f"the TLS connection failed ({cause.reason or 'it was cut'})")


def _special(cause: BaseException) -> Fault | None:
    if isinstance(cause, BodyError):
        return Fault(BAD_RESPONSE, f"the service's answer cannot be used: {cause}", final=True)
    if isinstance(cause, SSLCertVerificationError):
        why = getattr(cause, "verify_message", "") or "no reason given"
        return Fault(UNAVAILABLE, f"the certificate does not verify: {why}", final=True)
    if isinstance(cause, SSLError) or type(cause).__name__ == _OTHER_HOST:
        return _tls_fault(cause)
    if isinstance(cause, ConnectTimeoutError) and not isinstance(cause, NewConnectionError):
        return _UNCONNECTED
    tunnel = _TUNNEL.match(str(cause)) if isinstance(cause, OSError) else None
    if tunnel:
        return Fault(
            UNAVAILABLE, f"the proxy refused the connection to the service (HTTP {tunnel[1]})", final=tunnel[1][0] == "4"
        )
    return None


def _plain(chain: list[BaseException]) -> Fault:
    # The exceptions of requests are all of the kind OSError and say nothing by that.
    causes = [cause for cause in chain if not type(cause).__module__.startswith("requests.")]
    found = (fault for kind, fault in _FAULTS if any(isinstance(cause, kind) for cause in causes))
    return next(found, _UNUSABLE)


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


# The proxies of the environment, and what in their addresses is secret.


def environment_proxies(base_url: str) -> t.Mapping[str, str]:
    """Where requests to this address go through, as a session of requests finds it."""
    proxies: t.Mapping[str, str] = requests.utils.get_environ_proxies(base_url)
    return proxies


def secrets_of(proxies: t.Mapping[str, str]) -> tuple[str, ...]:
    """Passwords of proxies, alone and as they are sent; a name without a password is one itself."""
    found: set[str] = set()
    for address in proxies.values():
        try:
            parts = urlsplit(address if "://" in address else f"//{address}")
        except ValueError:  # not an address, so that nothing is ever sent there
            continue
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        if user or password:
            found |= {password or user, f"{user}:{password}"}
    return tuple(sorted(found))
