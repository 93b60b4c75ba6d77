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
        # Import these first: if they are missing, the time for the others is saved.
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
    """Return the failure for a missing library, with the interpreter that lacks it; None if it can be imported."""
    if not _PROBLEM:
        return None
    return Failure(
        UNAVAILABLE,
        f"The Python library requests, with urllib3 1.26 or 2, is required and missing for {sys.executable}: {_PROBLEM}.",
    )


def _quotes_no_header(record: logging.LogRecord) -> bool:
    """Return False for the warnings in which urllib3 quotes invalid header lines, which may contain secrets."""
    return not str(record.msg).startswith("Failed to parse headers")


for _logger in ("urllib3.connection", "urllib3.connectionpool"):
    logging.getLogger(_logger).addFilter(_quotes_no_header)


_Found = t.TypeVar("_Found")


class Deadline:
    """The end of the time for one try of a request."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Return the seconds left; raise `TimeoutError` if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time for this try is over")
        return left

    def bound(self, function: t.Callable[[], _Found]) -> _Found:
        """Run a function and return its result; raise `TimeoutError` if it does not return in time.

        A slow resolver or server cannot be interrupted. Its thread is left running, but can no longer send a body (see `Body`).
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
    """The body of one try of a request: it records whether any of it was sent, and cannot be read after the deadline.

    Headers are sent first, so the service cannot have acted on a request whose body was never read.
    """

    def __init__(self, content: bytes, deadline: Deadline) -> None:
        super().__init__(content)
        self._size = len(content)
        self._deadline = deadline
        self.sent = False

    def __len__(self) -> int:
        return self._size

    def read(self, size: int | None = -1) -> bytes:
        """Return the next part; raise `TimeoutError` after the deadline."""
        self._deadline.remaining()
        self.sent = True
        return super().read(size)


def is_unconnected(error: BaseException) -> bool:
    """Return whether a try failed before its request could be sent."""
    early = (ConnectTimeoutError, NewConnectionError, SSLError)
    return any(isinstance(cause, early) or _TUNNEL.match(str(cause)) for cause in _chain(error))


# Larger than any page of a listing; together with the maximum number of containers, a response takes at most about 300 MB of memory.
MAX_BODY_BYTES = 16 * 1024 * 1024
_CHUNK = 65536


class BodyError(Exception):
    """A response body that cannot be used; the text states the reason."""


def read_body(read: t.Callable[[int], bytes], encoding: str, length: str | None = None) -> bytes:
    """Return the decompressed body; raise `BodyError` if it exceeds `MAX_BODY_BYTES` or is invalid.

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


class Fault(t.NamedTuple):
    """A try without a usable answer. `final`: another try would fail the same way. `status` is set if it arrived before the fault.

    The texts of the libraries are not used, because they may contain addresses with secrets.
    """

    kind: str
    reason: str
    final: bool = False
    timed_out: bool = False
    status: int | None = None


_UNRESOLVED = Fault(UNAVAILABLE, "the host name could not be resolved")
_UNCONNECTED = Fault(UNAVAILABLE, "there was no connection within half of the timeout", timed_out=True)
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
    (TimeoutError, Fault(UNAVAILABLE, "there was no complete answer within the timeout", timed_out=True)),
    (IncompleteRead, _CUT),
    (ConnectionError, _CUT),
    (HTTPException, Fault(BAD_RESPONSE, "the service's answer is not HTTP", final=True)),
    (OSError, Fault(UNAVAILABLE, "the connection failed")),
)
_UNUSABLE = Fault(UNAVAILABLE, "the request cannot be sent with these proxies or this address", final=True)
_TUNNEL = re.compile(r"Tunnel connection failed: ([1-5][0-9]{2})")
# urllib3 1.26 compares host names itself and raises this for the certificate of another host.
_OTHER_HOST = "CertificateError"
# The parts of the TLS library that read certificates and keys from files.
_FILES = ("X509", "PEM", "ASN1")


def fault_of(error: BaseException) -> Fault:
    """Return the fault for an exception of requests, urllib3, ssl or the socket."""
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
    # All exceptions of requests are subclasses of OSError, so their own type does not identify a fault.
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


def environment_proxies(base_url: str) -> t.Mapping[str, str]:
    """Return the proxies of the environment for this address, by scheme."""
    proxies: t.Mapping[str, str] = requests.utils.get_environ_proxies(base_url)
    return proxies


def secrets_of(proxies: t.Mapping[str, str]) -> tuple[str, ...]:
    """Return the passwords of proxies, alone and as `user:password`; a user without a password counts as a password."""
    found: set[str] = set()
    for address in proxies.values():
        try:
            parts = urlsplit(address if "://" in address else f"//{address}")
        except ValueError:  # invalid, so nothing is sent to it
            continue
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        if user or password:
            found |= {password or user, f"{user}:{password}"}
    return tuple(sorted(found))
