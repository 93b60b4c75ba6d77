# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t
from urllib.parse import quote

from .._baseline.entries import Entry
from .._baseline.pattern import without_query
from .._policy.parse import HOST_SOURCE, UNENCODED

_ORIGIN = re.compile(r"(https?)://([^/?]*)([^?]*)", re.DOTALL)


class EntrySource(t.NamedTuple):
    """The source that an entry of the baseline becomes, and whether it allows more than the entry."""

    entry: str
    source: str
    is_broader: bool


def entry_sources(entries: t.Iterable[Entry]) -> list[EntrySource]:
    """Return the source of each entry: a URL without query, or the longest form that a source can have of a pattern."""
    return [EntrySource(entry.name, *_source(entry.pattern.text)) for entry in entries]


def _source(pattern: str) -> tuple[str, bool]:
    match = _ORIGIN.match(pattern)
    if match is None:
        raise ValueError(f"{pattern!r} is no pattern of a baseline")
    scheme, host, path = match.groups()
    has_query = without_query(pattern) != pattern
    host, host_is_broader = _host(host)
    literal, star, _rest = path.partition("*")
    if star:
        literal = literal[: literal.rfind("/") + 1]
    # Only a pattern that ends with ** allows every path below a folder, as a source with a slash at its end does.
    path_is_broader = path != f"{literal}**" if star else path in ("", "/") or path.endswith("/")
    source = f"{scheme}://{host}{quote(literal, safe=UNENCODED)}"
    if not host or not HOST_SOURCE.fullmatch(source):
        return f"{scheme}:", True
    # A source with http allows https, too.
    return source, has_query or host_is_broader or path_is_broader or scheme == "http"


def _host(host: str) -> tuple[str, bool]:
    """Return a host whose only star is its leftmost label, and whether it is broader; "" for any host."""
    if "*" not in host:
        return host, False
    labels = host.split(".")
    last = max(index for index, label in enumerate(labels) if "*" in label)
    rest = labels[last + 1 :]
    if not rest:
        return "", True
    return ".".join(["*", *rest]), last > 0 or labels[0].strip("*") != ""
