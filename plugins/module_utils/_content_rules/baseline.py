# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t
from urllib.parse import quote

from .._baseline.entries import Entry
from .._baseline.pattern import without_query
from .._core import Failure, invalid_option
from .._policy.parse import HOST_SOURCE, UNENCODED
from .._text import quoted

_ORIGIN = re.compile(r"(https?)://([^/?]*)([^?]*)", re.DOTALL)
_DOTS = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)
# Browsers keep these characters, and the older form of internationalised names, which Python knows, replaces them.
_DEVIATIONS = frozenset("ßς\u200c\u200d")


class EntrySource(t.NamedTuple):
    """The source that an entry of the baseline becomes, and from which to which day the entry authorises it.

    `is_broader`: it allows other addresses than the entry. `has_hosts`: the entry names hosts, which a source cannot.
    """

    entry: str
    source: str
    is_broader: bool
    has_hosts: bool = False
    first_day: str | None = None
    last_day: str | None = None

    def why_not_on(self, today: str) -> str:
        """Return why the entry authorises nothing on a day, "" if it does."""
        if self.first_day is not None and today < self.first_day:
            return f"authorises nothing before {self.first_day}"
        return f"had to be reviewed by {self.last_day}" if self.last_day is not None and self.last_day < today else ""


def entry_sources(entries: t.Iterable[Entry]) -> list[EntrySource]:
    """Return the source of each authorised entry: a URL without query, or the longest form that a source can have of a pattern.

    Raise `invalid_option` for an entry that no source can express, or that would become a mere scheme.
    """
    return [
        EntrySource(entry.name, *_source(entry), bool(entry.hosts), entry.declared["authorised_on"], entry.declared["review_by"])
        for entry in entries
        if has_authoriser(entry)
    ]


def has_authoriser(entry: Entry) -> bool:
    """Return whether anybody authorised an entry; adopting is not authorising."""
    return bool(entry.declared["authorised_by"])


def _source(entry: Entry) -> tuple[str, bool]:
    pattern = entry.pattern.text
    match = _ORIGIN.match(pattern)
    if match is None:
        raise ValueError(f"{pattern!r} is no pattern of a baseline")
    scheme, host, path = match.groups()
    has_query = without_query(pattern) != pattern
    host, host_is_broader = _host(host)
    if not host:
        raise _inexpressible(entry, f"would become {scheme}:, which allows every host")
    literal, star, _rest = path.partition("*")
    if star:
        literal = literal[: literal.rfind("/") + 1]
    if _DOTS.search(literal):
        raise _inexpressible(entry, "has a . or .. segment, which browsers remove from addresses")
    # Only a pattern that ends with ** allows every path below a folder, as a source with a slash at its end does.
    path_is_broader = path != f"{literal}**" if star else path in ("", "/") or path.endswith("/")
    source = f"{scheme}://{_ascii(entry, host)}{quote(literal, safe=UNENCODED)}"
    if not HOST_SOURCE.fullmatch(source):
        raise _inexpressible(entry, f"has the host {host!r}, which no source can have")
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


def _ascii(entry: Entry, host: str) -> str:
    """Return a host as browsers send it: in its ASCII form, without the dot at its end."""
    name, colon, port = host.partition(":")
    name = name.removesuffix(".")
    if not name.isascii():
        try:
            if _DEVIATIONS & set(name):
                raise UnicodeError
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            raise _inexpressible(entry, f"has the host {host!r}; write it in its ASCII form (xn--...)") from None
    return f"{name}{colon}{port}"


def _inexpressible(entry: Entry, why: str) -> Failure:
    text = quoted(entry.declared["url"])
    return invalid_option(f"{entry.place}.url", f"entry {quoted(entry.name)} cannot become a source of script-src: {text} {why}")
