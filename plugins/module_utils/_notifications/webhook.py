# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
from urllib.parse import SplitResult, urlsplit

from .._core import Json, bad_answer
from .._redact import FREELY_MASKED
from .._selection import Nouns
from .._text import dict_of, json_type
from .facts import GENERIC

NOUNS = Nouns("webhook", "webhooks", "webhook_id")
NAME, SCHEME, HOST, PATH, QUERY = "name", "scheme", "host", "path", "query"
_PORTS = {"http": 80, "https": 443}


class Webhook(t.NamedTuple):
    """A webhook of the service, parsed once. `url` is its address as far as the service shows it, and a secret."""

    id: str
    name: str
    type: str | None
    url: str | None
    last_success: str | None
    last_failure: str | None

    @property
    def host(self) -> str | None:
        parts = split(self.url)
        return parts.hostname if parts else None


def parse_webhook(sent: Json) -> Webhook:
    """Parse a webhook of the service; raise `bad_response` if a member has an undocumented type."""
    webhook = dict_of(sent)
    texts: dict[str, t.Any] = {}
    for member in ("id", "name", "type", "url", "last_success", "last_failure"):
        value = webhook.get(member)
        if not isinstance(value, str) and (value is not None or member in ("id", "name")):
            raise bad_answer(f"a webhook has {json_type(value)} as its {member}, not a string")
        texts[member] = value
    if not texts["id"]:
        raise bad_answer("a webhook has an empty id")
    return Webhook(**texts)


def view_webhook(webhook: Webhook) -> dict[str, Json]:
    """Return a webhook as a result, without its address; only the host of it."""
    return {
        "id": webhook.id,
        "name": webhook.name,
        "type": webhook.type or None,
        "host": webhook.host,
        "last_success": webhook.last_success,
        "last_failure": webhook.last_failure,
    }


def split(url: str | None) -> SplitResult | None:
    """Return the parts of an address; None if it cannot be told."""
    try:
        parts = urlsplit(url or "")
        return parts if parts.scheme and parts.hostname and parts.port is not False else None
    except ValueError:
        return None


def origin(url: str | None) -> tuple[str, str, int | None] | None:
    """Return scheme, host and port of an address; None if they cannot be told."""
    parts = split(url)
    if parts is None or parts.hostname is None:
        return None
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


def compare_url(webhook: Webhook, url: str) -> tuple[tuple[str, ...], bool]:
    """Return which parts of an address could be compared with what the service shows, and whether one of them differs.

    The service cuts the secret path out of the addresses of chat services: what it shows of the path is compared, and is all of it only for
    a generic webhook.
    """
    own, requested = split(webhook.url), split(url)
    if own is None or requested is None:
        return (), False
    compared, differs = [SCHEME, HOST], origin(webhook.url) != origin(url)
    one, other = _segments(own.path), _segments(requested.path)
    shows_path = webhook.type == GENERIC and "*" not in own.path
    if shows_path:
        compared.append(PATH)
        differs = differs or one != other
    elif one:
        differs = differs or other[: len(one)] != one
    if shows_path and own.query:
        compared.append(QUERY)
        differs = differs or own.query != requested.query
    return tuple(compared), differs


def is_whole(compared: t.Collection[str], url: str) -> bool:
    """Return whether the parts that could be compared are all of an address."""
    parts = split(url)
    return PATH in compared and (QUERY in compared or not (parts and parts.query))


def _segments(path: str) -> list[str]:
    """Return the parts of a path, up to one that is masked."""
    segments = [segment for segment in path.split("/") if segment]
    masked = [index for index, segment in enumerate(segments) if "*" in segment]
    return segments[: masked[0]] if masked else segments


def secrets_of(url: str | None) -> t.Iterator[str]:
    """Yield what of an address no output may contain: all but its host."""
    if not url:
        return
    yield url
    parts = split(url)
    if parts is None:
        return
    rest = url.partition(parts.netloc)[2] if parts.netloc else ""
    if len(rest) > 1:
        yield rest
    yield from (piece for piece in (*parts.path.split("/"), parts.fragment) if len(piece) >= _MIN_SECRET)
    values = (value if is_pair else name for name, is_pair, value in (pair.partition("=") for pair in parts.query.split("&")))
    yield from (value for value in values if len(value) >= FREELY_MASKED and value not in _SWITCHES)
    yield from (value for value in (parts.username, parts.password) if value)


# Shorter parts of a path, such as `hooks`, are words that messages need, and so are the values of switches.
_MIN_SECRET = 8
_SWITCHES = ("true", "false")
