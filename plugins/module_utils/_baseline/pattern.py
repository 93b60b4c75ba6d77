# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
import re
import typing as t

from .._core import invalid_option
from .._text import quoted

_URL = re.compile(r"https?://[^/?#\\@\s]+(?:[/?][^#\s]*)?", re.IGNORECASE)
_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
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
SEGMENT = "*"
_ACROSS = re.compile(r"\*\*+")


class PlainUrl(t.NamedTuple):
    """The parts of a normalized URL that patterns compare one by one."""

    origin: str
    path: str
    query: str | None


class Pattern(t.NamedTuple):
    """A URL of the baseline; with stars, an expression for each part. If `**` stands for any host, `path` matches origin and path at once."""

    text: str
    origin: re.Pattern[str] | None = None
    path: re.Pattern[str] | None = None
    query: re.Pattern[str] | None = None

    @property
    def prefix(self) -> str:
        """Return the text before the first star."""
        return self.text.partition("*")[0]

    @property
    def host(self) -> str | None:
        """Return the origin of the URLs that the pattern matches; None if it has stars."""
        match = _ORIGIN.match(self.text)
        return match[0] if match and "*" not in match[0] else None

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
        if self.path is None or (self.query is not None and (url.query is None or not self.query.fullmatch(url.query))):
            return False
        if self.origin is None:
            return self.path.fullmatch(url.origin + url.path) is not None
        return self.path.fullmatch(url.path) is not None and self.origin.fullmatch(url.origin) is not None


def plain_url(url: str) -> PlainUrl | None:
    """Return the parts of a normalized URL; None if it could lead elsewhere than its text looks like, so that no pattern matches it."""
    match = _PLAIN.fullmatch(url) if url.isprintable() else None
    return None if match is None else PlainUrl(*match.groups())


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
            f"{quoted(text)} is not a URL: http:// or https://, a host, and no fragment, blank or user information;"
            " * stands for anything within a segment, ** across segments",
        )
    pattern = Pattern(normalize_url(text))
    if "*" not in text:
        return pattern
    if _OPEN_HOST.match(pattern.text):
        raise invalid_option(
            place, f"{quoted(text)} has a star at the end of its host, which other domains would match; write the host to its end"
        )
    plain = plain_url(pattern.text)
    if plain is None:
        raise invalid_option(
            place,
            f"{quoted(text)} has stars together with a . or .. segment, a backslash, an encoded slash or a port that is not a number;"
            " give such a URL without stars",
        )
    query = None if plain.query is None else _compile(plain.query)
    if _ANY_HOST.match(pattern.text):
        return pattern._replace(path=_compile(plain.origin + plain.path), query=query)
    return pattern._replace(origin=_compile(plain.origin), path=_compile(plain.path), query=query)


def _compile(text: str) -> re.Pattern[str]:
    """Return the expression of a text with stars: `*` within a segment, `**` across segments.

    What comes between two stars is looked for once, at its first place, as `fnmatch` does: a later place would match nothing more,
    and to try each of them would take a very long time for a URL that was made for it.
    """
    numbers = itertools.count()

    def once(expression: str) -> str:
        name = f"g{next(numbers)}"
        return f"(?=(?P<{name}>{expression}))(?P={name})"

    def segments(text: str, *, at_end: bool) -> str:
        first, *others = (re.escape(literal) for literal in text.split(SEGMENT))
        steps = [once(f"[^/]*?{literal}") for literal in others]
        if others and at_end:
            steps[-1] = f"[^/]*{others[-1]}"
        return first + "".join(steps)

    first, *others = _ACROSS.split(text)
    parts = [segments(first, at_end=not others)]
    parts += [once(f".*?{segments(part, at_end=False)}") for part in others[:-1]]
    parts += [f".*{segments(part, at_end=True)}" for part in others[-1:]]
    return re.compile("".join(parts), re.DOTALL)
