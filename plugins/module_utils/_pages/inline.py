# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import typing as t
from urllib.parse import unquote_to_bytes

from .encoding import decode_text, encoding_of, parse_content_type
from .url import plain

_PACKED = re.compile(r";[ ]*base64[ ]*$", re.IGNORECASE | re.ASCII)

# Code that a document itself contains: its text as browsers execute it, and its hash as they compute it.


class Inline(t.NamedTuple):
    """Code that the document itself contains."""

    kind: str
    code: str
    line: int | None

    @property
    def hash(self) -> str:
        """Return the hash in the form of a content security policy."""
        return hash_of(self.code)


def hash_of(code: str) -> str:
    digest = hashlib.sha256(code.encode("utf-8", "surrogatepass")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def javascript_of(text: str) -> str:
    """Return the code of a `javascript:` address as browsers hash it: with its scheme, decoded."""
    rest = plain(text)[len("javascript:") :]
    return "javascript:" + unquote_to_bytes(rest.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")


def text_of_data(source: str) -> str:
    """Return the text in a `data:` address; the address itself where it cannot be decoded."""
    kind, comma, content = plain(source).partition("#")[0][len("data:") :].partition(",")
    if not comma:
        return source
    data = unquote_to_bytes(content.encode("utf-8", "surrogatepass"))
    stated, is_packed = _PACKED.subn("", kind)
    named = parse_content_type(stated if stated.partition(";")[0].strip() else f"text/plain{stated}")
    if named is None:
        return source
    if is_packed:
        packed = re.sub(rb"[\t\n\f\r ]", b"", data)
        try:
            data = base64.b64decode(packed.rstrip(b"=") + b"=" * (-len(packed.rstrip(b"=")) % 4), validate=True)
        except binascii.Error:
            return source
    return decode_text(data, encoding_of(named.label) or "utf-8")
