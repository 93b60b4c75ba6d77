# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
import zlib

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
