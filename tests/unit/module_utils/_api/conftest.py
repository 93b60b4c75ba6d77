# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
import typing as t

import pytest
import trustme

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from ansible_collections.edgeops.observability.plugins.module_utils._zones import ZONE, Address

TOKEN = "canary-token-4711"
Conversation = t.Callable[["Peer", int], None]


class Peer:
    """The server's end of one connection."""

    def __init__(self, sock: socket.socket, seen: list[bytes], over: threading.Event) -> None:
        self.sock = sock
        self.over = over
        self._seen = seen

    def read(self) -> bytes:
        """One request; b"" where the client has hung up."""
        data = b""
        while b"\r\n\r\n" not in data:
            more = self.sock.recv(65536)
            if not more:
                return b""
            data += more
        head, _blank, body = data.partition(b"\r\n\r\n")
        length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
        while len(body) < length:
            body += self.sock.recv(65536)
        self._seen.append(head + b"\r\n\r\n" + body)
        return self._seen[-1]

    def answer(self, body: t.Any = None, status: int = 200, **headers: str) -> None:
        """One whole answer; a body that is not bytes is put into an envelope."""
        if not isinstance(body, bytes):
            body = json.dumps({"success": True, "errors": [], "messages": [], "result": body}).encode()
        lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        head = "\r\n".join([f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *lines])
        self.sock.sendall(head.encode() + b"\r\n\r\n" + body)

    def begin_tls(self, context: ssl.SSLContext) -> None:
        """Goes on in TLS."""
        with self.sock as plain:
            self.sock = context.wrap_socket(plain, server_side=True)

    def drip(self, data: bytes) -> None:
        """Sends a byte now and then until the client hangs up."""
        with contextlib.suppress(OSError):
            for byte in data:
                self.sock.sendall(bytes([byte]))
                if self.over.wait(0.05):
                    return

    def reset(self) -> None:
        """Closes so that the client sees a reset."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self.sock.close()


class Server:
    """Holds a conversation of the test's own making over each connection; `requests` is what arrived."""

    def __init__(self, talk: Conversation, context: ssl.SSLContext | None = None) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self._talk = talk
        self._context = context
        self._over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                sock, _address = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(sock, self.connections), daemon=True)
            self.connections += 1
            self._threads.append(thread)
            thread.start()

    def _serve(self, sock: socket.socket, number: int) -> None:
        sock.settimeout(60)
        peer = Peer(sock, self.requests, self._over)
        with contextlib.suppress(OSError):
            if self._context:
                peer.begin_tls(self._context)
            self._talk(peer, number)
        peer.sock.close()

    def close(self) -> None:
        self._over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    @property
    def methods(self) -> list[str]:
        return [request.split(b" ")[0].decode() for request in self.requests]


class Clock:
    """Time that passes only while a caller sleeps."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0
        self.pauses: list[float] = []

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.time += seconds


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: t.Any) -> None:
    """A home of its own, and no proxies."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def new_clock() -> type[Clock]:
    """Clocks for tests of many examples."""
    return Clock


@pytest.fixture
def serve() -> t.Iterator[t.Callable[..., Server]]:
    servers: list[Server] = []

    def start(talk: Conversation, context: ssl.SSLContext | None = None) -> Server:
        servers.append(Server(talk, context))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def tls(authority: trustme.CA) -> ssl.SSLContext:
    """A server's context with a certificate for the loopback address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


@pytest.fixture
def bundle(authority: trustme.CA, tmp_path: t.Any) -> str:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


@pytest.fixture
def client(clock: Clock) -> t.Callable[..., Client]:
    def make(server: Server | str, scheme: str = "http", **options: t.Any) -> Client:
        url = server if isinstance(server, str) else f"{scheme}://127.0.0.1:{server.port}/client/v4"
        settings: dict[str, t.Any] = {"address": Address(ZONE, "abc"), "token": TOKEN, "request_budget": None, **options}
        return Client(Connection(url, **settings), sleep=clock.sleep, now=clock.now)

    return make


def each(*talks: Conversation) -> Conversation:
    """A conversation for each connection in turn; the last one for all further ones."""

    def talk(peer: Peer, number: int) -> None:
        talks[min(number, len(talks) - 1)](peer, number)

    return talk


def answering(body: t.Any = None, status: int = 200, **headers: str) -> Conversation:
    """Answers every request of a connection in this way."""

    def talk(peer: Peer, _number: int) -> None:
        while peer.read():
            peer.answer({"enabled": True} if body is None else body, status, **headers)

    return talk


@pytest.fixture
def talks() -> t.Any:
    """The ready-made conversations, for tests that cannot import this file."""

    class Talks:
        pass

    Talks.each = staticmethod(each)
    Talks.answering = staticmethod(answering)
    return Talks
