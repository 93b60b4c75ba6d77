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
    """The actions of a fault on the connection of a request."""

    raw: asyncio.Transport

    def forget_request(self) -> None:
        """Tell the HTTP layer not to expect an answer to this request."""


def reset(connection: Connection) -> None:
    """End the connection by a TCP reset: what was not sent is thrown away and the peer gets an error, not an end of file."""
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
    """The right answer, a byte at a time, from its first byte on or from the first of its body on."""
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
    """Less body than the headers promise."""
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
    """JSON of the right form whose result is a very long text."""
    yield _HEAD
    for _unused in range(size // _MIB):
        yield b"a" * _MIB
    yield b"a" * (size % _MIB) + _TAIL


@functools.lru_cache(maxsize=4)
def _bomb(size: int) -> bytes:
    packer = zlib.compressobj(1, wbits=31)
    return b"".join([*(packer.compress(chunk) for chunk in _filler(size)), packer.flush()])


async def send_huge(kind: str, send: Send, params: Params) -> None:
    """A body above every limit: in full length, or small on the wire and large when it is unpacked."""
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
