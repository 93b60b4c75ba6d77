# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Connections that know the try they serve: its deadline bounds every wait, and they note whether anything was sent.
import io
import socket
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.http.deadline import CURRENT, resolve
from ansible_collections.edgeops.observability.plugins.module_utils._api.http.libraries import (
    HTTPAdapter,
    HTTPConnection,
    HTTPConnectionPool,
    HTTPResponse,
    HTTPSConnection,
    HTTPSConnectionPool,
    SSLSocket,
)

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
