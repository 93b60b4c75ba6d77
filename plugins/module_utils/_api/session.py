# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import io
import re
import socket
import sys
import threading
import time
import typing as t
import zlib
from urllib.parse import unquote, urlsplit

from .._core import BAD_RESPONSE, UNAVAILABLE, Failure

# The one guarded import of the HTTP libraries, and of what they bring along, so that everything else imports without them.


_PROBLEM = ""

if t.TYPE_CHECKING:
    from http.client import HTTPException, HTTPResponse, IncompleteRead
    from ssl import SSLCertVerificationError, SSLError, SSLSocket

    import requests
    import urllib3
    from requests.adapters import HTTPAdapter
    from requests.auth import AuthBase
    from urllib3.connection import HTTPConnection, HTTPSConnection
    from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
    from urllib3.exceptions import InvalidHeader
    from urllib3.util.retry import Retry
else:
    try:
        # The libraries first: without them, nothing else here is worth its time.
        import requests
        import urllib3
        from requests.adapters import HTTPAdapter
        from requests.auth import AuthBase
        from urllib3.connection import HTTPConnection, HTTPSConnection
        from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
        from urllib3.exceptions import InvalidHeader
        from urllib3.util.retry import Retry

        from http.client import HTTPException, HTTPResponse, IncompleteRead  # isort: skip
        from ssl import SSLCertVerificationError, SSLError, SSLSocket  # isort: skip

        # Deadlines hook into private methods of connections (see connections.py), which another major version may not have.
        if not urllib3.__version__.startswith("2."):
            _PROBLEM = f"urllib3 is {urllib3.__version__}"
    except ImportError as error:
        _PROBLEM = str(error)
        requests = urllib3 = None
        # Bases of our classes; nothing is ever made of them, because `missing_requests` is asked first.
        HTTPAdapter = AuthBase = Retry = HTTPConnectionPool = HTTPSConnectionPool = HTTPResponse = SSLSocket = object
        HTTPException = IncompleteRead = InvalidHeader = SSLError = SSLCertVerificationError = Exception

        class HTTPConnection:
            """Stands in for a base class."""

        class HTTPSConnection:
            """Stands in for a base class."""


__all__ = [
    "AuthBase",
    "HTTPAdapter",
    "HTTPConnection",
    "HTTPConnectionPool",
    "HTTPException",
    "HTTPResponse",
    "HTTPSConnection",
    "HTTPSConnectionPool",
    "IncompleteRead",
    "InvalidHeader",
    "Retry",
    "SSLCertVerificationError",
    "SSLError",
    "SSLSocket",
    "missing_requests",
    "requests",
    "urllib3",
]


def missing_requests() -> Failure | None:
    """The failure to end with where the library is not there, naming the interpreter that lacks it."""
    if not _PROBLEM:
        return None
    return Failure(
        UNAVAILABLE,
        f"The Python library requests, with urllib3 2, is required and missing for {sys.executable}: {_PROBLEM}.",
    )


# The time that one try of a request has, and what has to keep to it.


Address = tuple[int, int, int, tuple[t.Any, ...]]


class Deadline:
    """The moment at which one try of a request has to be over, whatever it is doing then."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """The seconds left; raises `TimeoutError` when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time for this try is over")
        return left


class Try:
    """One try of a request. `sent`: whether a byte of it may have left; `fresh` forbids connections used before."""

    def __init__(self, seconds: float, *, fresh: bool = False) -> None:
        self.deadline = Deadline(seconds)
        self.fresh = fresh
        self.sent = False


class _Current(threading.local):
    attempt: Try


CURRENT = _Current()


def resolve(host: str, port: int | None, deadline: Deadline) -> list[Address]:
    """The addresses of a host, within the deadline although the system's resolver knows none."""
    try:
        return _lookup(host, port, socket.AI_NUMERICHOST)
    except socket.gaierror:
        pass
    outcome: list[list[Address] | OSError] = []

    def look_up() -> None:
        try:
            outcome.append(_lookup(host, port, 0))
        except UnicodeError:
            outcome.append(socket.gaierror(socket.EAI_NONAME, "the name is not valid"))
        except OSError as error:
            outcome.append(error)

    # The resolver cannot be interrupted; a thread that outlives the deadline looks a name up and sends nothing.
    thread = threading.Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(deadline.remaining())
    if not outcome:
        raise TimeoutError("the name was not resolved in time")
    if isinstance(outcome[0], OSError):
        raise outcome[0]
    return outcome[0]


def _lookup(host: str, port: int | None, flags: int) -> list[Address]:
    found = socket.getaddrinfo(host.strip("[]"), port, 0, socket.SOCK_STREAM, 0, flags)
    return [(family, kind, protocol, address) for family, kind, protocol, _name, address in found]


# The largest answers that make sense are pages of listings; with the limit on values, none takes more than about 300 MB of memory.
MAX_BODY_BYTES = 16 * 1024 * 1024
_CHUNK = 65536


class BodyError(Exception):
    """An answer's body that arrived and cannot be used; the text states why."""


def read_body(read: t.Callable[[int], bytes], encoding: str) -> bytes:
    """All of a body as the service meant it, at most `MAX_BODY_BYTES` bytes of it, however small it was on the wire."""
    inflate = _inflater(encoding.strip().lower())
    chunks: list[bytes] = []
    size = 0
    while True:
        data = read(_CHUNK)
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
# The parts of the TLS library that read certificates and keys from files.
_FILES = ("X509", "PEM", "ASN1")


def fault_of(error: BaseException) -> Fault:
    """The fault behind an exception of requests, urllib3, ssl or the socket."""
    chain = list(_chain(error))
    fault = next((found for cause in chain if (found := _special(cause))), None) or _plain(chain)
    if any(type(cause).__name__ == "ProxyError" for cause in chain):
        return fault._replace(reason=f"through the proxy, {fault.reason}")
    return fault


def _special(cause: BaseException) -> Fault | None:
    if isinstance(cause, BodyError):
        return Fault(BAD_RESPONSE, f"the service's answer cannot be used: {cause}", final=True)
    if isinstance(cause, SSLCertVerificationError):
        why = getattr(cause, "verify_message", "") or "no reason given"
        return Fault(UNAVAILABLE, f"the certificate does not verify: {why}", final=True)
    if isinstance(cause, SSLError):
        if cause.library in _FILES:
            return Fault(UNAVAILABLE, "the bundle of certificates to trust cannot be read", final=True)
        return Fault(UNAVAILABLE, f"the TLS connection failed ({cause.reason or 'it was cut'})")
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


# Connections that know the try they serve: its deadline bounds every wait, and they note whether anything was sent.


_SEND_SIZE = 16384


class _PacedReader(io.RawIOBase):
    """Reads from a socket, each time waiting no longer than until the deadline of the try that made the request."""

    def __init__(self, sock: socket.socket, raw: io.RawIOBase) -> None:
        self._sock = sock
        self._raw = raw
        self._deadline = CURRENT.attempt.deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: t.Any) -> int | None:
        self._sock.settimeout(self._deadline.remaining())
        return t.cast("int | None", self._raw.readinto(buffer))

    def close(self) -> None:
        self._raw.close()
        super().close()


class PacedResponse(HTTPResponse):
    """An answer whose status line, headers and body share one deadline."""

    def __init__(self, sock: socket.socket, *args: t.Any, **kwargs: t.Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp.close()
        raw = t.cast(io.RawIOBase, sock.makefile("rb", buffering=0))
        self.fp = io.BufferedReader(_PacedReader(sock, raw))

    def begin(self) -> None:
        """Reads status and headers, and forgets lines that are none: urllib3 would quote them in the log."""
        super().begin()
        self.headers.defects = []
        self.headers.set_payload([])


class _PacedTLSSocket(SSLSocket):
    """A TLS connection to a proxy that carries another one."""

    def recv(self, buflen: int = 1024, flags: int = 0) -> bytes:
        self.settimeout(CURRENT.attempt.deadline.remaining())
        return super().recv(buflen, flags)


class _Paced(HTTPConnection if t.TYPE_CHECKING else object):  # type: ignore[misc]  # a mixin for both classes
    """What both kinds of connection have in common."""

    response_class: type[HTTPResponse] = PacedResponse
    _ready = False

    def _new_conn(self) -> socket.socket:
        deadline = CURRENT.attempt.deadline
        addresses = resolve(self._dns_host, self.port, deadline)
        for place, (family, kind, protocol, address) in enumerate(addresses):
            sock = socket.socket(family, kind, protocol)
            try:
                for option in self.socket_options or ():
                    sock.setsockopt(*option)
                # An address that swallows packets must leave time for the next one.
                sock.settimeout(deadline.remaining() / (len(addresses) - place))
                sock.connect(address)
                sock.settimeout(deadline.remaining())
                return sock
            except OSError:
                sock.close()
                if place + 1 == len(addresses):
                    raise
        raise OSError("the host has no address")

    def connect(self) -> None:
        self._ready = False
        super().connect()
        self._ready = True

    def send(self, data: t.Any) -> None:
        if self.sock is None:
            self.connect()
        attempt = CURRENT.attempt
        # While the connection is being made this is only the request that opens a proxy's tunnel.
        attempt.sent = attempt.sent or self._ready
        for start in range(0, len(data), _SEND_SIZE):
            self.sock.settimeout(attempt.deadline.remaining())
            super().send(data[start : start + _SEND_SIZE])

    def _connect_tls_proxy(self, hostname: str, sock: socket.socket) -> SSLSocket:
        # A TLS connection inside this one reads it piece by piece, so here each piece needs the deadline.
        wrapped = super()._connect_tls_proxy(hostname, sock)
        wrapped.__class__ = _PacedTLSSocket
        return t.cast(SSLSocket, wrapped)

    @property
    def is_connected(self) -> bool:
        # A pool closes what is not connected before it uses it again.
        return not CURRENT.attempt.fresh and super().is_connected


class PacedHTTPConnection(_Paced, HTTPConnection):
    """Plain HTTP within a deadline."""


class PacedHTTPSConnection(_Paced, HTTPSConnection):
    """HTTP over TLS within a deadline."""


class PacedHTTPPool(HTTPConnectionPool):
    """A pool of such connections."""

    ConnectionCls = PacedHTTPConnection


class PacedHTTPSPool(HTTPSConnectionPool):
    """A pool of such connections."""

    ConnectionCls = PacedHTTPSConnection


_POOLS = {"http": PacedHTTPPool, "https": PacedHTTPSPool}


class PacedAdapter(HTTPAdapter):
    """Sends over such connections, directly and through proxies; repeats nothing by itself."""

    def init_poolmanager(self, *args: t.Any, **kwargs: t.Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, proxy: str, **kwargs: t.Any) -> t.Any:
        manager = super().proxy_manager_for(proxy, **kwargs)
        if proxy.lower().startswith("socks"):
            # Such connections cannot tell, so whatever goes over them may have been received.
            CURRENT.attempt.sent = True
        else:
            manager.pool_classes_by_scheme = _POOLS
        return manager
