# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import contextlib
import re
import typing as t

from .._core import Json
from .._redact import scrub

# What of the headers that a page is asked with is a secret. A page may repeat a secret, which is then masked in results and records; but what
# says which variant of a page is asked for, as a language does, is in addresses and sentences, too, and masking it there would make two pages one.

# They describe what is asked for, and hold no credential.
_DESCRIPTIVE = frozenset(
    (
        "accept",
        "accept-charset",
        "accept-encoding",
        "accept-language",
        "cache-control",
        "dnt",
        "pragma",
        "save-data",
        "upgrade-insecure-requests",
        "user-agent",
    )
)
# Their names say that they hold one, however it looks.
_OF_CREDENTIALS = re.compile(r"auth|cookie|key|pass|secret|session|token", re.IGNORECASE)
# In a header of any other name, a credential is at least this long.
_SHORTEST = 8
# So is the shortest passphrase that is a single word.
_WORD = re.compile(r"[A-Za-z]{,15}")
_SEPARATORS = re.compile(r"[\s;,=\"]+")


def is_descriptive(name: str) -> bool:
    return name.lower() in _DESCRIPTIVE


def readable(headers: t.Mapping[str, str]) -> dict[str, str | None]:
    """Return headers by their names in lower case, without the values of those that may hold a credential, sorted."""
    return {name.lower(): headers[name] if is_descriptive(name) else None for name in sorted(headers, key=str.lower)}


def secrets_of_pages(pages: Json) -> set[str]:
    """Return the values of request headers that no output may contain; `pages` are the arguments, which need not be valid.

    What the URL of a page itself says is none: it is in every output.
    """
    items = [page for page in pages if isinstance(page, dict)] if isinstance(pages, (list, tuple)) else []
    addresses = [page.get("url") for page in items]
    given = [page["request_headers"] for page in items if isinstance(page.get("request_headers"), dict)]
    values = {str(value) for headers in given for name, value in headers.items() if _is_credential(str(name), str(value))}
    return {secret for value in values for secret in (value, *_parts_of(value)) if scrub(addresses, (secret,)) == addresses}


def _parts_of(value: str) -> t.Iterator[str]:
    """Yield what of a credential a page may repeat alone: a token without its scheme, a value of a cookie, what Basic encodes."""
    parts = [part for part in _SEPARATORS.split(value) if part]
    for part in parts[1:] if parts[0].lower() == "basic" else ():
        with contextlib.suppress(ValueError):
            decoded = base64.b64decode(f"{part}==").decode("utf-8")
            parts += [decoded, decoded.partition(":")[2]]
    yield from (part for part in parts if _looks_like_one(part))


def _is_credential(name: str, value: str) -> bool:
    if is_descriptive(name):
        return False
    return bool(_OF_CREDENTIALS.search(name)) or _looks_like_one(value)


def _looks_like_one(text: str) -> bool:
    return len(text) >= _SHORTEST and not _WORD.fullmatch(text)
