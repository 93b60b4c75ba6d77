# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
import typing as t

from .._core import Failure, Json, invalid_option
from .._text import did_you_mean, nearest, quoted, unique_members
from .facts import (
    COMMON_SCHEMES,
    DIRECTIVES,
    FALLBACKS,
    FRAME_ANCESTORS,
    FRAME_ANCESTORS_KEYWORDS,
    KEYWORDS,
    NONE,
    QUOTED_WORDS,
    REFINING,
    UPGRADE,
)

# Browsers split a policy at these alone. To ignore case without `ASCII`, two letters of other scripts would count as k and s.
BLANKS = " \t\n\f\r"
_BLANKS = re.compile(f"[{BLANKS}]+")
_ANY_CASE = re.IGNORECASE | re.ASCII
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", _ANY_CASE)
# Scheme, host, port and path of a host source. The service supports a star alone or as the leftmost label.
HOST_SOURCE = re.compile(
    r"(?:([a-z][a-z0-9+.-]*)://)?(\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::([0-9]{1,5}))?(/[\w.~!$&'()+=:@%/-]*)?",
    _ANY_CASE,
)
# What a path in it contains as it is; every other character is encoded, because with `;` and `,` a policy would end.
UNENCODED = "/%!$&'()+=:@~._-"
_HASH = re.compile(r"'(sha(?:256|384|512))-([A-Za-z0-9+/_-]+={0,2})'", _ANY_CASE)
_NAME = re.compile(r"[a-z][a-z0-9-]*", _ANY_CASE)
_KEYWORD = re.compile(r"'[a-z][a-z0-9-]*'", _ANY_CASE)
_NONCE = re.compile(r"'?nonce-", re.IGNORECASE)
_UNQUOTED_HASH = re.compile(r"sha(?:256|384|512)-", re.IGNORECASE)

Sources = tuple[str, ...]
PLACE = "directives"


class Policy(t.NamedTuple):
    """A policy in normal form: sources by directive, sorted and without duplicates.

    `kept` are the directives of the service's policy that this collection does not know, as they were written.
    """

    directives: t.Mapping[str, Sources]
    kept: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the only form in which policies are written."""
        known = (" ".join((name, *self.directives[name])) for name in sorted(self.directives))
        return "; ".join((*known, *self.kept))

    @property
    def unknown(self) -> list[str]:
        """Return the names of the directives that this collection does not know."""
        return [_words(text)[0] for text in self.kept]

    def sources(self, directive: str) -> Sources | None:
        """Return the sources of a directive, None if the policy lacks it."""
        if directive in self.directives:
            return self.directives[directive]
        kept = (_words(text) for text in self.kept)
        return next((tuple(words[1:]) for words in kept if words[0].lower() == directive), None)

    def governing(self, directive: str) -> tuple[str, Sources] | None:
        """Return the directive that governs what another one names, and its sources; None if nothing is restricted."""
        for name in (directive, *FALLBACKS.get(directive, ())):
            sources = self.sources(name)
            if sources is not None:
                return name, sources
        return None

    def with_sources(self, directive: str, sources: t.Iterable[str]) -> Policy:
        """Return the policy with sources added to those that are in effect for a directive, which may be those of its fallback."""
        governing = self.governing(directive)
        both = {*(governing[1] if governing else ()), *sources} - {NONE}
        return self._replace(directives={**self.directives, directive: tuple(sorted(both))})


def parse_policy(value: Json) -> Policy:
    """Parse a policy of a task, data or text; raise `invalid_option` with the place of what cannot be."""
    return Policy(_parse(_pairs(value)))


def read_policy(text: str) -> Policy | None:
    """Parse a policy of the service in the same way and keep directives that are not known; None if it cannot be parsed.

    With a comma it is more than one policy, and the strictest one wins.
    """
    if "," in text:
        return None
    pairs = _text_pairs(text)
    kept = [pair for pair in pairs if _directive(pair.name) not in DIRECTIVES]
    if not all(_NAME.fullmatch(pair.name) for pair in kept):
        return None
    try:
        return Policy(_parse([pair for pair in pairs if pair not in kept]), tuple(pair.text for pair in kept))
    except Failure:
        return None


def undocumented(policy: Policy) -> list[str]:
    """Return a warning for each directive and each quoted keyword that is not documented for the service."""
    warnings = [
        f"{PLACE}.{name}: is not documented for the service, which may refuse or ignore it."
        for name in REFINING
        if name in policy.directives
    ]
    for name, sources in sorted(policy.directives.items()):
        known = FRAME_ANCESTORS_KEYWORDS if name == FRAME_ANCESTORS else KEYWORDS
        for source in sources:
            is_hash = name != FRAME_ANCESTORS and _HASH.fullmatch(source)
            if source.startswith("'") and source not in known and not is_hash:
                warnings.append(f"{PLACE}.{name}: {source} is not documented for the service, which may refuse or ignore it.")
    return warnings


class _Pair(t.NamedTuple):
    """A directive as it was given: its name, its sources, and its whole text."""

    name: str
    sources: t.Sequence[Json]
    text: str = ""


def _pairs(value: Json) -> list[_Pair]:
    if isinstance(value, str):
        if not value.lstrip().startswith("{"):
            return _text_pairs(value)
        try:
            value = json.loads(value, object_pairs_hook=unique_members)
        except (ValueError, RecursionError):
            text = "this text is neither a policy nor a dictionary in JSON, or has a directive twice"
            raise invalid_option(PLACE, text) from None
    if not isinstance(value, dict):
        raise invalid_option(PLACE, f"must be a dictionary of directives, or the text of a policy, not {quoted(value)}")
    pairs = []
    for name, sources in value.items():
        if not isinstance(name, str):
            raise invalid_option(PLACE, f"{quoted(name)} is not a directive")
        words = _words(sources) if isinstance(sources, str) else sources
        if words is None:
            continue  # omitted
        if not isinstance(words, (list, tuple)):
            raise invalid_option(f"{PLACE}.{name}", f"must be a list of sources, not {quoted(words)}")
        pairs.append(_Pair(name, words))
    return pairs


def _text_pairs(text: str) -> list[_Pair]:
    segments = [(_words(segment), segment.strip(BLANKS)) for segment in text.split(";")]
    return [_Pair(words[0], words[1:], segment) for words, segment in segments if words]


def _words(text: str) -> list[str]:
    return list(filter(None, _BLANKS.split(text)))


def _directive(name: str) -> str:
    """Return the name of a directive in lower case; another text as it is."""
    return name.lower() if name.isascii() else name


def _parse(pairs: t.Sequence[_Pair]) -> dict[str, Sources]:
    directives: dict[str, Sources] = {}
    for pair in pairs:
        name = _directive(pair.name)
        place = f"{PLACE}.{pair.name}"
        if name not in DIRECTIVES:
            raise invalid_option(PLACE, f"{quoted(pair.name)} is not a directive{did_you_mean(nearest(name, DIRECTIVES))}")
        if name in directives:
            raise invalid_option(place, "the policy has this directive twice")
        directives[name] = _sources(place, name, pair.sources)
    return directives


def _sources(place: str, directive: str, values: t.Sequence[Json]) -> Sources:
    if directive == UPGRADE:
        if values:
            raise invalid_option(place, f"takes no sources; write {UPGRADE}: []")
        return ()
    if not values:
        raise invalid_option(place, "has no sources; to allow none, write 'none'")
    sources = [parse_source(f"{place}[{index}]", source) for index, source in enumerate(values)]
    if NONE in sources and len(set(sources)) > 1:
        raise invalid_option(f"{place}[{sources.index(NONE)}]", "'none' cannot stand beside other sources")
    return tuple(sorted(set(sources)))


def parse_source(place: str, value: Json) -> str:
    """Return a source in normal form; raise `invalid_option` for one that the service does not support."""
    if not isinstance(value, str):
        raise invalid_option(place, f"{quoted(value)} is not a string; put it in quotes")
    text = value.strip(BLANKS)
    lower = text.lower()
    if _NONCE.match(text):
        raise invalid_option(place, "the service does not support nonces; use a hash")
    if lower in QUOTED_WORDS or _UNQUOTED_HASH.match(text):
        word = lower if lower in QUOTED_WORDS else text
        raise invalid_option(place, f"{quoted(text)} lacks its single quotes (did you mean '{word[:60]}'?)")
    if lower in COMMON_SCHEMES:
        raise invalid_option(place, f"{quoted(text)} lacks the colon of a scheme (did you mean {lower}:?)")
    if match := _HASH.fullmatch(text):
        return f"'{match[1].lower()}-{match[2]}'"
    if _KEYWORD.fullmatch(text) or _SCHEME.fullmatch(text):
        return lower
    match = HOST_SOURCE.fullmatch(text)
    if match is None:
        raise invalid_option(place, f"{quoted(text)} {_reason(text)}")
    scheme, host, port, path = match.groups()
    return "".join((f"{scheme.lower()}://" if scheme else "", host.lower(), f":{port}" if port else "", path or ""))


def _reason(text: str) -> str:
    """Return why a text is not a source."""
    if any(character.isspace() for character in text):
        return "has a blank; each source is an item of the list"
    if "*" in text:
        return "has a * elsewhere than alone or as the leftmost label of a host, which the service does not support"
    if "?" in text or "#" in text:
        return "has a query or a fragment, which a source cannot have"
    return "is not a source: a scheme such as https:, a host, a URL, or a keyword or hash in single quotes"
