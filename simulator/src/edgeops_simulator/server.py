# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
import typing as t

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from edgeops_simulator import jsontext

_BACKLOG = 1024


class OneSend:
    """A transport that collects all data of one turn of the loop, so that headers and body are sent together."""

    def __init__(self, raw: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._raw = raw
        self._loop = loop
        self._waiting: list[bytes] = []

    def write(self, data: bytes) -> None:
        if not self._waiting:
            self._loop.call_soon(self.flush)
        self._waiting.append(data)

    def flush(self) -> None:
        data, self._waiting = b"".join(self._waiting), []
        if data and not self._raw.is_closing():
            self._raw.write(data)

    def close(self) -> None:
        self.flush()
        self._raw.close()

    def __getattr__(self, name: str) -> t.Any:
        return getattr(self._raw, name)


class Protocol(H11Protocol):
    """HTTP/1.1 of uvicorn with a number for each connection, and access to the socket for faults."""

    opened = 0
    raw: asyncio.Transport
    number: int

    def connection_made(self, transport: t.Any) -> None:
        Protocol.opened += 1
        self.number = Protocol.opened
        self.raw = transport
        application = self.app

        async def numbered(scope: t.Any, receive: t.Any, send: t.Any) -> None:
            scope["connection"] = self
            await application(scope, receive, send)

        self.app = numbered
        super().connection_made(t.cast(asyncio.Transport, OneSend(transport, self.loop)))

    def forget_request(self) -> None:
        self.cycle.disconnected = True

    def send_400_response(self, msg: str) -> None:
        """Answer a request that is not valid HTTP with an envelope, too."""
        errors = [{"code": 1000, "message": msg}]
        body = jsontext.dump({"result": None, "success": False, "errors": errors, "messages": []}).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            sent = self.conn.send(h11.Response(status_code=400, headers=headers, reason=b"Bad Request"))
            self.transport.write((sent or b"") + (self.conn.send(h11.Data(data=body)) or b""))
        self.transport.close()


class Listener:
    """One application on a loopback port that can be closed and opened again."""

    def __init__(self, app: t.Any, port: int, tls: ssl.SSLContext | None = None) -> None:
        self._config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", ws="none", timeout_keep_alive=75)
        self._config.load()
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # invalid requests of clients are not worth a log line
        self._state = ServerState()
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._open_again: asyncio.TimerHandle | None = None
        self._opening: asyncio.Task[None] | None = None
        self.port = port

    async def open(self) -> None:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", self.port))
        self.port = sock.getsockname()[1]
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._protocol, sock=sock, backlog=_BACKLOG, ssl=self._tls)

    def _protocol(self) -> Protocol:
        return Protocol(config=self._config, server_state=self._state, app_state={})

    def _stop_listening(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    def refuse(self, seconds: float | None) -> None:
        """Refuse new connections for some seconds, or until `reopen`; close open ones after their answer."""
        self._stop_listening()
        for connection in list(self._state.connections):
            connection.shutdown()
        if seconds is not None:
            self._open_again = asyncio.get_running_loop().call_later(seconds, self.reopen)

    def reopen(self) -> None:
        if self._open_again is not None:
            self._open_again.cancel()
            self._open_again = None
        if self._server is None and (self._opening is None or self._opening.done()):
            self._opening = asyncio.get_running_loop().create_task(self.open())

    async def close(self) -> None:
        """Stop immediately, without waiting for faults that hang."""
        if self._open_again is not None:
            self._open_again.cancel()
        self._stop_listening()
        tasks = list(self._state.tasks)
        for task in tasks:
            task.cancel()
        for connection in list(self._state.connections):
            connection.transport.abort()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 1)
