# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import bisect
import re
import typing as t

from .._core import invalid_option
from .._text import shown

_URL = re.compile(r"https?://[^/?#\\@\s]+(?:[/?][^#\s]*)?", re.IGNORECASE)
_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
_STARS = re.compile(r"(\*+)")
# Origin, path and query of a URL that a browser requests as it is written: without user information, `.` and `..` segments,
# backslashes and encoded slashes. Any other could lead elsewhere than its text looks like.
_PLAIN = re.compile(
    r"(https?://(?:\[[0-9a-f:.]+\]|[^/?#@\\%:\s]+)(?::[0-9]+)?)"
    r"((?:/(?!(?:\.|%(?:25)*2e){1,2}(?:;|/|\?|$))(?:[^/?%\\]|%(?!(?:25)*(?:2f|5c)))*)*)"
    r"(?:\?(.*))?",
    re.IGNORECASE | re.DOTALL,
)
# A host with a star at its end, which other domains would match; a star alone means any host.
_OPEN_HOST = re.compile(r"https?://[^/?]*[^/?*]\*+(?:[/?]|$)")
_ANY_HOST = re.compile(r"https?://\*\*+(?:[/?]|$)")
SEGMENT, ANYTHING = "*", "**"


class Glob(t.NamedTuple):
    """Literal texts, and between each two of them `*` (within a segment) or `**` (across segments)."""

    literals: tuple[str, ...]
    stars: tuple[str, ...]

    def matches(self, text: str) -> bool:
        if not self.stars:
            return text == self.literals[0]
        prefix, suffix = self.literals[0], self.literals[-1]
        if not text.startswith(prefix):
            return False
        ends = [len(prefix)]
        for star, literal in zip(self.stars[:-1], self.literals[1:-1], strict=True):
            ends = [start + len(literal) for start in _starts(text, literal) if _reaches(text, ends, start, star)]
            if not ends:
                return False
        return text.endswith(suffix) and _reaches(text, ends, len(text) - len(suffix), self.stars[-1])


class PlainUrl(t.NamedTuple):
    """The parts of a normalized URL that patterns compare one by one."""

    origin: str
    path: str
    query: str | None


class Pattern(t.NamedTuple):
    """A URL of the baseline; with stars, a glob for each part. If `**` stands for any host, `path` matches origin and path at once."""

    text: str
    origin: Glob | None = None
    path: Glob | None = None
    query: Glob | None = None

    @property
    def is_exact(self) -> bool:
        """Return whether the pattern matches exactly one URL."""
        return self.path is None

    def covers(self, url: str) -> bool:
        """Return whether the pattern matches a normalized URL; the query is compared only if the pattern has one."""
        if self.is_exact:
            return self.text in (url, without_query(url))
        plain = plain_url(url)
        return plain is not None and self.matches(plain)

    def matches(self, url: PlainUrl) -> bool:
        """Return whether a pattern with stars matches a URL."""
        if self.path is None or (self.query is not None and (url.query is None or not self.query.matches(url.query))):
            return False
        if self.origin is None:
            return self.path.matches(url.origin + url.path)
        return self.path.matches(url.path) and self.origin.matches(url.origin)


def plain_url(url: str) -> PlainUrl | None:
    """Return the parts of a normalized URL; None if it could lead elsewhere than its text looks like, so that no pattern matches it."""
    found = _PLAIN.fullmatch(url) if url.isprintable() else None
    return None if found is None else PlainUrl(*found.groups())


def _starts(url: str, literal: str) -> t.Iterator[int]:
    start = url.find(literal)
    while start >= 0:
        yield start
        start = url.find(literal, start + 1)


def _reaches(url: str, ends: t.Sequence[int], start: int, star: str) -> bool:
    """Return whether a star can fill the gap from one of the ends (ascending) to a start."""
    if star == ANYTHING:
        return ends[0] <= start
    # The nearest end decides: the gap from any other one has all the slashes of this gap, and perhaps more.
    place = bisect.bisect_right(ends, start)
    return place > 0 and "/" not in url[ends[place - 1] : start]


def normalize_url(url: str) -> str:
    """Return a URL without its fragment, with scheme and host in lower case."""
    bare = url.partition("#")[0]
    return _ORIGIN.sub(lambda origin: origin[0].lower(), bare, count=1) if "://" in bare else bare


def without_query(url: str) -> str:
    return url.partition("?")[0]


def is_url(text: str) -> bool:
    """Return whether a text is a printable http or https URL without fragment, user information and blanks; stars may be in it."""
    return text.isprintable() and _URL.fullmatch(text) is not None


def parse_pattern(place: str, text: str) -> Pattern:
    """Parse the URL of a baseline entry; raise `invalid_option` if it is invalid."""
    if not is_url(text):
        raise invalid_option(
            place,
            f"{shown(text)} is not a URL: http:// or https://, a host, and no fragment, blank or user information;"
            " * stands for anything within a segment, ** across segments",
        )
    pattern = Pattern(normalize_url(text))
    if "*" not in text:
        return pattern
    if _OPEN_HOST.match(pattern.text):
        raise invalid_option(
            place, f"{shown(text)} has a star at the end of its host, which other domains would match; write the host to its end"
        )
    plain = plain_url(pattern.text)
    if plain is None:
        raise invalid_option(
            place,
            f"{shown(text)} has stars together with a . or .. segment, a backslash, an encoded slash or a port that is not a number;"
            " give such a URL without stars",
        )
    query = None if plain.query is None else _glob(plain.query)
    if _ANY_HOST.match(pattern.text):
        return pattern._replace(path=_glob(plain.origin + plain.path), query=query)
    return pattern._replace(origin=_glob(plain.origin), path=_glob(plain.path), query=query)


def _glob(text: str) -> Glob:
    parts = _STARS.split(text)
    return Glob(tuple(parts[::2]), tuple(SEGMENT if stars == SEGMENT else ANYTHING for stars in parts[1::2]))
