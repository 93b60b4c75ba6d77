# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ast
import collections
import json
import re
import typing as t

from .._core import Failure, Json, invalid_option
from .._text import did_you_mean, nearest, need_date, shown
from .pattern import Pattern, PlainUrl, parse_pattern, plain_url, without_query

PINNED, UNPINNED = "pinned", "unpinned"
_HASH = re.compile(r"[0-9a-fA-F]{64}")
_HOST = re.compile(r"[^\s/*,:@?#]+")
_MEANING_OF_HOST = "a host name; it is compared as a whole, and omitted hosts mean any"
_FLAGS = {**dict.fromkeys(("true", "yes", "on", "1"), True), **dict.fromkeys(("false", "no", "off", "0", ""), False)}


class Declared(t.TypedDict):
    """An entry as plain data, with every member."""

    name: str
    url: str
    hosts: list[str]
    owner: str | None
    justification: str | None
    authorised_by: str | None
    authorised_on: str | None
    review_by: str | None
    integrity: str
    integrity_reason: str | None
    hashes: list[str]
    required: bool


AUTHORISATION: tuple[t.Literal["owner", "justification", "authorised_by"], ...] = ("owner", "justification", "authorised_by")


class Entry(t.NamedTuple):
    """One authorised script, or all scripts of a pattern."""

    place: str
    name: str
    pattern: Pattern
    hosts: frozenset[str]
    hashes: frozenset[str]
    pinned: bool
    declared: Declared

    def covers(self, host: str | None) -> bool:
        """Return whether the entry applies to a host; where the service shows none, only an entry for any host does."""
        return not self.hosts or (host is not None and host.lower() in self.hosts)


def parse_baseline(value: Json, option: str = "baseline") -> tuple[Entry, ...]:
    """Parse the entries of a baseline; raise `invalid_option` with the place of the first invalid one."""
    items = _parse_text(option, value) if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)):
        raise invalid_option(option, f"must be a list of entries, not {shown(items)}")
    entries = tuple(_entry(f"{option}[{index}]", item) for index, item in enumerate(items))
    first: dict[str, Entry] = {}
    for entry in entries:
        known = first.setdefault(entry.name, entry)
        if known is not entry:
            raise invalid_option(f"{entry.place}.name", f"{shown(entry.name)} is already the name of {known.place}")
    return entries


def _parse_text(option: str, text: str) -> Json:
    """Parse a list that ansible-core before 2.19 passes as text, in JSON or, if it has dates, in Python's notation; evaluate nothing."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise invalid_option(option, "must be a list of entries; this text cannot be parsed as one") from None


def _value(node: ast.expr) -> Json:
    """Return the data that an expression writes out, with dates as text."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Dict) and all(node.keys):
        return {_value(key): _value(value) for key, value in zip(node.keys, node.values, strict=True) if key is not None}
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("datetime.date", "datetime.datetime"):
        year, month, day = (_value(argument) for argument in node.args[:3])
        return f"{year:04d}-{month:02d}-{day:02d}"
    raise ValueError("neither data nor a date")


def is_host(text: str) -> bool:
    """Return whether a text can be a host of an entry."""
    return _HOST.fullmatch(text) is not None


def _entry(place: str, item: Json) -> Entry:
    if not isinstance(item, dict):
        raise invalid_option(place, f"must be a dictionary with name and url, not {shown(item)}")
    for member in item:
        if member not in Declared.__annotations__:
            likely = did_you_mean(nearest(str(member), Declared.__annotations__))
            raise invalid_option(place, f"{shown(member)} is not a member of an entry{likely}")
    declared: Declared = {
        "name": _needed(f"{place}.name", item.get("name")),
        "url": _needed(f"{place}.url", item.get("url")),
        "hosts": _listed(f"{place}.hosts", item.get("hosts"), _HOST, _MEANING_OF_HOST),
        "owner": _text(f"{place}.owner", item.get("owner")),
        "justification": _text(f"{place}.justification", item.get("justification")),
        "authorised_by": _text(f"{place}.authorised_by", item.get("authorised_by")),
        "authorised_on": _day(f"{place}.authorised_on", item.get("authorised_on")),
        "review_by": _day(f"{place}.review_by", item.get("review_by")),
        "integrity": _integrity(f"{place}.integrity", item.get("integrity")),
        "integrity_reason": _text(f"{place}.integrity_reason", item.get("integrity_reason")),
        "hashes": _listed(f"{place}.hashes", item.get("hashes"), _HASH, "a SHA-256 of 64 hexadecimal digits"),
        "required": _flag(f"{place}.required", item.get("required")),
    }
    if declared["integrity"] == UNPINNED and not declared["integrity_reason"]:
        raise invalid_option(f"{place}.integrity_reason", "a script that is not pinned needs a reason")
    return Entry(
        place=place,
        name=declared["name"],
        pattern=parse_pattern(f"{place}.url", declared["url"]),
        hosts=frozenset(declared["hosts"]),
        hashes=frozenset(declared["hashes"]),
        pinned=declared["integrity"] == PINNED,
        declared=declared,
    )


def _text(place: str, value: Json) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise invalid_option(place, f"{shown(value)} is not a string; put it in quotes")
    return value.strip() or None


def _needed(place: str, value: Json) -> str:
    text = _text(place, value)
    if text is None:
        raise invalid_option(place, "an entry needs it")
    return text


def _day(place: str, value: Json) -> str | None:
    text = _text(place, value if value is None or isinstance(value, str) else str(value))
    return None if text is None else need_date(place, text)


def _flag(place: str, value: Json) -> bool:
    # Before ansible-core 2.19, a template turns a value into text; these words are Ansible's.
    found = value if isinstance(value, bool) else _FLAGS.get(str(value if value is not None else False).strip().lower())
    if found is None:
        raise invalid_option(place, f"{shown(value)} is neither true nor false")
    return found


def _integrity(place: str, value: Json) -> str:
    text = _text(place, value) or PINNED
    if text not in (PINNED, UNPINNED):
        raise invalid_option(place, f"{shown(text)} is neither {PINNED!r} nor {UNPINNED!r}")
    return text


def _listed(place: str, value: Json, shape: re.Pattern[str], meaning: str) -> list[str]:
    if not isinstance(value, (list, tuple, type(None))):
        raise invalid_option(place, f"must be a list, not {shown(value)}")
    for index, item in enumerate(value or ()):
        if not isinstance(item, str) or not shape.fullmatch(item.strip()):
            quoted = "; put it in quotes" if not isinstance(item, str) else ""
            raise invalid_option(f"{place}[{index}]", f"{shown(item)} is not {meaning}{quoted}")
    return sorted({item.strip().lower() for item in value or ()})


# Entries with one literal prefix: by whether the query is compared and the length of the literal suffix, then by the suffix.
Suffixes = dict[tuple[bool, int], dict[str, list[Entry]]]


class Match(t.NamedTuple):
    """The entry of a script, and the names of all entries that match it, including those over which this one takes precedence."""

    entry: Entry | None = None
    names: frozenset[str] = frozenset()


class Baseline:
    """A baseline that finds the entry of a script without comparing it with each entry: by URL, or by a pattern's literal ends."""

    def __init__(self, entries: t.Sequence[Entry]) -> None:
        self.entries = tuple(entries)
        self._exact: dict[str, list[Entry]] = collections.defaultdict(list)
        prefixes: dict[int, dict[str, Suffixes]] = {}
        for entry in entries:
            pattern = entry.pattern
            if pattern.is_exact:
                self._exact[pattern.text].append(entry)
                continue
            suffixes = prefixes.setdefault(len(pattern.prefix), {}).setdefault(pattern.prefix, {})
            texts = suffixes.setdefault((pattern.has_query, len(pattern.suffix)), {})
            texts.setdefault(pattern.suffix, []).append(entry)
        self._prefixes = sorted(prefixes.items(), reverse=True)

    def match(self, url: str, host: str | None) -> Match:
        """Return the entries that match a normalized URL on a host; raise `invalid_option` for a tie."""
        ranks = list(filter(None, self._look_up(url, host)))
        if ranks and len(ranks[0]) > 1:
            raise _tie(ranks[0], url, host)
        names = frozenset([entry.name for matching in ranks for entry in matching])
        return Match(ranks[0][0] if ranks else None, names)

    def _look_up(self, url: str, host: str | None) -> t.Iterator[list[Entry]]:
        """Yield the entries that match, by precedence."""
        bare = without_query(url)
        for known in dict.fromkeys((url, bare)):
            yield [entry for entry in self._exact.get(known, ()) if entry.covers(host)]
        plain = plain_url(url)
        for length, prefixes in self._prefixes if plain else ():
            suffixes = prefixes.get(url[:length])
            if suffixes and plain:
                yield _matching(suffixes, plain, (bare, url), host)


def _matching(suffixes: Suffixes, url: PlainUrl, texts: tuple[str, str], host: str | None) -> list[Entry]:
    found: list[Entry] = []
    for (has_query, length), entries in suffixes.items():
        text = texts[has_query]
        same = entries.get(text[len(text) - length :]) if len(text) >= length else None
        if same:
            found += [entry for entry in same if entry.covers(host) and entry.pattern.matches(url)]
    return found


def _tie(matching: t.Iterable[Entry], url: str, host: str | None) -> Failure:
    one, other = sorted(matching, key=lambda entry: entry.name)[:2]
    return invalid_option(
        "baseline",
        f"the entries {shown(one.name)} ({one.place}) and {shown(other.name)} ({other.place}) match {shown(url)}"
        f" on {shown(host)} equally well; make one of them more specific, or give them different hosts",
    )
