# SPDX-License-Identifier: GPL-3.0-or-later

"""A server for tests that choose each byte of the answers."""

import contextlib
import json
import socket
import ssl
import threading
import typing as t

Conversation = t.Callable[["Peer", int], None]


class Peer:
    """The server's end of one connection."""

    def __init__(self, sock: socket.socket, seen: list[bytes], over: threading.Event) -> None:
        self.sock = sock
        self.over = over
        self._seen = seen

    def read(self) -> bytes:
        """Return one request, b"" if the client closed the connection."""
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
        """Send one complete answer; a body that is not bytes becomes the result of an envelope."""
        if not isinstance(body, bytes):
            body = json.dumps({"success": True, "errors": [], "messages": [], "result": body}).encode()
        lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        head = "\r\n".join([f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *lines])
        self.sock.sendall(head.encode() + b"\r\n\r\n" + body)

    def begin_tls(self, context: ssl.SSLContext) -> None:
        """Continue with TLS."""
        with self.sock as plain:
            self.sock = context.wrap_socket(plain, server_side=True)

    def drip(self, data: bytes) -> None:
        """Send single bytes with pauses until the client closes the connection."""
        with contextlib.suppress(OSError):
            for byte in data:
                self.sock.sendall(bytes([byte]))
                if self.over.wait(0.05):
                    return

    def reset(self) -> None:
        """Close the connection so that the client sees a reset."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self.sock.close()


class Server:
    """Runs `talk` for each connection; `requests` are the received requests."""

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


def each(*talks: Conversation) -> Conversation:
    """Use one conversation for each connection in order, and the last one for all further connections."""

    def talk(peer: Peer, number: int) -> None:
        talks[min(number, len(talks) - 1)](peer, number)

    return talk


def answering(body: t.Any = None, status: int = 200, **headers: str) -> Conversation:
    """Send this answer to every request of a connection."""

    def talk(peer: Peer, _number: int) -> None:
        while peer.read():
            peer.answer({"enabled": True} if body is None else body, status, **headers)

    return talk


def sending(data: bytes) -> Conversation:
    """Send these bytes to the first request of a connection, and close it."""
    return dripping(b"", head=data)


def dripping(data: bytes, *, head: bytes = b"") -> Conversation:
    """Send `head` at once to the first request of a connection, then the data byte by byte."""

    def talk(peer: Peer, _number: int) -> None:
        peer.read()
        peer.sock.sendall(head)
        peer.drip(data)

    return talk


def reset(peer: Peer, _number: int) -> None:
    """Reset the connection after the first request."""
    peer.read()
    peer.reset()
