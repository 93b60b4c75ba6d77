# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import bisect
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._filter.suggest import shown

_URL = re.compile(r"https?://[^/?#\\@\s]+(?:[/?][^#\s]*)?", re.IGNORECASE)
_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
_STARS = re.compile(r"(\*+)")
SEGMENT, ANYTHING = "*", "**"


class Pattern(t.NamedTuple):
    """A URL of the baseline: literal texts, and between each two of them `*` (within a segment) or `**` (across segments)."""

    text: str
    literals: tuple[str, ...]
    stars: tuple[str, ...]

    @property
    def is_exact(self) -> bool:
        """Whether the pattern stands for one URL."""
        return not self.stars

    @property
    def has_query(self) -> bool:
        """Whether the query of a URL counts."""
        return "?" in self.text

    @property
    def prefix(self) -> str:
        """The literal text before the first star."""
        return self.literals[0]

    @property
    def suffix(self) -> str:
        """The literal text after the last star."""
        return self.literals[-1] if self.stars else ""

    def matches(self, url: str) -> bool:
        """Return whether a normalized URL, without its query unless that counts, fits the pattern as a whole."""
        if not self.stars:
            return url == self.text
        if not url.startswith(self.prefix):
            return False
        ends = [len(self.prefix)]
        for star, literal in zip(self.stars[:-1], self.literals[1:-1], strict=True):
            ends = [start + len(literal) for start in _starts(url, literal) if _reaches(url, ends, start, star)]
            if not ends:
                return False
        last = len(url) - len(self.suffix)
        return url.endswith(self.suffix) and _reaches(url, ends, last, self.stars[-1])


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
    """Return a URL up to its query."""
    return url.partition("?")[0]


def is_url(text: str) -> bool:
    """Return whether a text is an http or https URL without fragment, user information and blanks; stars may be in it."""
    return _URL.fullmatch(text) is not None


def parse_pattern(place: str, text: str) -> Pattern:
    """Parse the URL of a baseline entry; raise `invalid_option` if it is none."""
    if not is_url(text):
        raise invalid_option(
            place,
            f"{shown(text)} is not a URL: http:// or https://, a host, and no fragment, blank or user information;"
            " * stands for anything within a segment, ** across segments",
        )
    parts = _STARS.split(normalize_url(text))
    stars = tuple(SEGMENT if stars == SEGMENT else ANYTHING for stars in parts[1::2])
    return Pattern("".join(parts), tuple(parts[::2]), stars)
