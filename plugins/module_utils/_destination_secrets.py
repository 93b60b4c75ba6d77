# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import json
import re
import typing as t
from urllib.parse import unquote, unquote_plus

from ._core import GATE, Json
from ._destination import Destination, endpoint_users, parse, public_destination
from ._destination_schemes import ALL_BUT_LAST
from ._redact import MASK, clean_text
from ._text import dict_of, list_of

# What no output may hold of a destination, wherever it comes from.

# `;NAME=VALUE` in a path, an older way to write options.
_PARAMETER = re.compile(r"(?<=;)([^;=]*)=([^;]*)")
# A value under another name that reads like a word, a number or a switch is masked, but too common to be searched for.
_COMMON_VALUE = re.compile(r"[A-Za-z_.-]{0,16}|[0-9]{1,5}")
_SECRET_WORDS = ("secret", "token", "pass", "pwd", "key", "sig", "auth", "jwt", "session", "cred", "code", "header_")
_NAMED = re.compile(r"([\w.-]+)=([^=?&;,#]+)")
# A word that is long enough to be a credential by itself.
_TELLING_PART = 8


def secret_parts(destination: Destination | None) -> frozenset[str]:
    """Return every string of a destination that no output may hold; all of it if it cannot be parsed with confidence."""
    if destination is None:
        return frozenset()
    if not destination.sound:
        return frozenset((destination.text, destination.text.partition("://")[2], *_named_secrets(destination.text))) - {""}
    secrets: set[str] = set()
    for option in destination.options:
        value = option.name if option.value is None else option.value
        if option.secret and (_sounds_secret(option.name) or not _COMMON_VALUE.fullmatch(value)):
            secrets |= {value, *_credentials(value), *_named_secrets(value)}
        if not option.plain_name:
            secrets |= {option.name, *option.name.split("#")}
    for user in filter(None, (destination.user, *endpoint_users(destination))):
        secrets |= {user, *user.split(":", 1)}
    last = next((part for part in reversed(destination.parts) if part.text), None)
    for part in destination.parts:
        is_key = part.named or (destination.facts.path == ALL_BUT_LAST and part is last)
        if part.secret and (is_key or not _COMMON_VALUE.fullmatch(part.text)):
            secrets |= {part.text, part.text.partition("#")[2]}
        secrets |= {value for name, value in _PARAMETER.findall(part.text) if _sounds_secret(name)}
        if part.secret and "=" in unquote(part.text):
            pieces = (piece.partition("=") for piece in re.split("[;#?&]", unquote(part.text)))
            secrets |= {value for name, _equals, value in pieces if _sounds_secret(name)}
    return frozenset(text for text in secrets if text)


def _named_secrets(text: str) -> t.Iterator[str]:
    """Yield what stands behind a name of a secret anywhere in a text, whatever separates it from the rest, encoded once too often or not."""
    for decoded in (unquote(text), unquote_plus(unquote_plus(text))):
        for name, value in _NAMED.findall(decoded):
            if _sounds_secret(name) and len(value) >= _TELLING_PART:
                yield from {value, *value.split()}


def _sounds_secret(name: str) -> bool:
    return any(word in name.lower() for word in _SECRET_WORDS)


def _credentials(value: str) -> t.Iterator[str]:
    """Yield what a service may quote of a value alone: the word behind its scheme, and what that holds in Base64."""
    for whole in {*unquote(value).split(), *unquote_plus(value).split()}:
        yield from (piece for piece in whole.split("#") if "#" in whole)
        word = whole.removeprefix("base64:")
        if len(word) < _TELLING_PART:
            continue
        yield word
        try:
            decoded = base64.b64decode(word, validate=True).decode()
        except ValueError:
            continue
        if decoded.isprintable():
            yield from (decoded, decoded.partition(":")[2])
        yield from _members(decoded)


def _members(text: str) -> t.Iterator[str]:
    """Yield the secrets of a key file, which is a JSON object."""
    try:
        members = dict_of(json.loads(text))
    except (ValueError, RecursionError):
        return
    for name, value in members.items():
        if isinstance(value, str) and _sounds_secret(name) and not _COMMON_VALUE.fullmatch(value):
            yield value


# Texts of the service may quote an unknown destination: an earlier one, or that of another client.

# Shorten text only after masking its secrets: half a secret would not be recognized.
_MAX_TEXT = 2000

# Match only at the start of a word; otherwise the search takes quadratic time.
_SCHEME_IN_TEXT = r"(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]*)"
_ADDRESS = re.compile(rf"{_SCHEME_IN_TEXT}:(?:\\?/){{2}}[^\s\"'<>`]+")
# The same percent-encoded, with or without its slashes; everything after the scheme is masked.
_ENCODED = re.compile(rf"{_SCHEME_IN_TEXT}(?:%3A(?:%2F|/){{2}}|:(?:%2F){{2}})[^\s\"'<>`]+", re.IGNORECASE)


def without_secrets(text: str) -> str:
    """Return the text with the secrets of every address in it masked."""
    return _ADDRESS.sub(_public, _ENCODED.sub(rf"\1://{MASK}", text))


def _public(match: re.Match[str]) -> str:
    return match[1] + public_text(match[0].replace("\\/", "/"))[len(match[1]) :]


def public_text(text: str) -> str:
    """Return a destination as one text with its secrets masked; all of what is none."""
    public = public_destination(parse(text))
    if public["scheme"] is None:
        return MASK
    options = "&".join(f"{name}={value}" for name, value in public["options"].items())
    return f"{public['scheme']}://{public['address']}{'?' if options else ''}{options}"


def readable_failure(result: dict[str, Json]) -> dict[str, Json]:
    """Return a failed result whose texts of the service have a readable length, and addresses without their secrets."""
    error = dict_of(result["error"])
    errors = [{**entry, "message": readable_text(str(entry["message"]))} for entry in map(dict_of, list_of(error["errors"]))]
    # A gate refuses addresses such as that of a script, which users have to read whole: they are not masked as destinations are.
    readable = clean_text if error["kind"] == GATE else readable_text
    return {**result, "msg": readable(str(result["msg"])), "error": {**error, "errors": errors}}


def readable_text(text: str) -> str:
    """Return what a message or a warning may show of a text: one printable line of a readable length, no address with its secrets."""
    return clean_text(without_secrets(text)[:_MAX_TEXT])
