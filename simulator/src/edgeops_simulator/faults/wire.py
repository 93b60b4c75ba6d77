# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import asyncio
import functools
import socket
import struct
import typing as t
import zlib

from edgeops_simulator.faults.answers import Params, Reply

Send = t.Callable[[t.MutableMapping[str, t.Any]], t.Awaitable[None]]
_MIB = 1024 * 1024
_HEAD, _TAIL = b'{"success":true,"errors":[],"messages":[],"result":"', b'"}'


class Connection(t.Protocol):
    """The parts of a connection that faults use."""

    raw: asyncio.Transport

    def forget_request(self) -> None:
        """Make the HTTP layer expect no answer to this request."""


def reset(connection: Connection) -> None:
    """Close the connection with a TCP reset: unsent data is discarded, and the client gets an error."""
    connection.forget_request()
    sock = connection.raw.get_extra_info("socket")
    if sock is not None and not connection.raw.is_closing():
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.raw.abort()


def _head(reply: Reply, length: int) -> bytes:
    lines = [f"HTTP/1.1 {reply.status} Simulated"]
    lines += [f"{name}: {value}" for name, value in reply.headers if name != "content-length"]
    return "\r\n".join([*lines, f"content-length: {length}", "connection: close", "", ""]).encode("latin-1")


async def _hang(connection: Connection, reply: Reply, params: Params) -> None:
    remaining = float(params.get("seconds", 3600))
    while remaining > 0 and not connection.raw.is_closing():
        await asyncio.sleep(min(0.05, remaining))
        remaining -= 0.05
    reset(connection)


async def _drip(connection: Connection, reply: Reply, params: Params) -> None:
    """Send the correct answer byte by byte, from its start or from the start of the body."""
    connection.forget_request()
    head = _head(reply, len(reply.body))
    at_once, slowly = (head, reply.body) if params.get("part") == "body" else (b"", head + reply.body)
    connection.raw.write(at_once)
    for offset in range(len(slowly)):
        if connection.raw.is_closing():
            return
        connection.raw.write(slowly[offset : offset + 1])
        await asyncio.sleep(float(params.get("seconds", 0.2)))
    connection.raw.close()


async def _short_body(connection: Connection, reply: Reply, params: Params) -> None:
    """Send a shorter body than Content-Length announces."""
    connection.forget_request()
    connection.raw.write(_head(reply, len(reply.body)) + reply.body[: len(reply.body) // 2])
    connection.raw.close()


async def _reset(connection: Connection, reply: Reply, params: Params) -> None:
    reset(connection)


RAW: t.Mapping[str, t.Callable[[Connection, Reply, Params], t.Awaitable[None]]] = {
    "reset": _reset,
    "reset_after": _reset,
    "hang": _hang,
    "drip": _drip,
    "short_body": _short_body,
}


def _filler(size: int) -> t.Iterator[bytes]:
    """Yield a valid JSON envelope whose result is a very long string."""
    yield _HEAD
    for _unused in range(size // _MIB):
        yield b"a" * _MIB
    yield b"a" * (size % _MIB) + _TAIL


@functools.lru_cache(maxsize=4)
def _bomb(size: int) -> bytes:
    packer = zlib.compressobj(1, wbits=31)
    return b"".join([*(packer.compress(chunk) for chunk in _filler(size)), packer.flush()])


async def send_huge(kind: str, send: Send, params: Params) -> None:
    """Send a body above every limit, either uncompressed or with a compression that makes it small."""
    size = int(params.get("bytes", 70 * _MIB))
    headers = [(b"content-type", b"application/json")]
    if kind == "gzip_bomb":
        headers.append((b"content-encoding", b"gzip"))
        chunks: t.Iterable[bytes] = [_bomb(size)]
    else:
        chunks = _filler(size)
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for chunk in chunks:
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await asyncio.sleep(0)
    await send({"type": "http.response.body", "body": b"", "more_body": False})
