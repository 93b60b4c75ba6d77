# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import functools
import re
import typing as t

from .._core import Json, invalid_option
from .._templates import refuse_template
from .._text import did_you_mean, has_text, nearest, need_date, parse_data, quoted
from .pattern import Pattern, parse_pattern, plain_url, without_query

PINNED, UNPINNED = "pinned", "unpinned"
_HASH = re.compile(r"[0-9a-fA-F]{64}")
_HOST = re.compile(r"[^\s/*,:@?#]+")
_FLAGS = {**dict.fromkeys(("true", "yes", "on", "1"), True), **dict.fromkeys(("false", "no", "off", "0", ""), False)}


# An entry as plain data, with every member of MEMBERS.
Declared = dict[str, t.Any]
AUTHORISATION = ("owner", "justification", "authorised_by")


def why_unauthorised(declared: t.Mapping[str, Json], today: str) -> str:
    """Return what an entry lacks to be an authorisation on a day of UTC, as what is said of it; "" if it lacks nothing.

    It names who owns what it is for, why it is there, and who authorised it, and not on a later day.
    """
    missing = [name for name in AUTHORISATION if not has_text(declared.get(name))]
    day = declared.get("authorised_on")
    parts = [f"has no {', '.join(missing)}"] if missing else []
    parts += [f"is authorised only from {day} on"] if isinstance(day, str) and day > today else []
    return " and ".join(parts)


def is_authorised(declared: t.Mapping[str, Json], today: str) -> bool:
    return not why_unauthorised(declared, today)


def is_expired(declared: t.Mapping[str, t.Any], today: str) -> bool:
    """Return whether an entry had to be reviewed before a day of UTC."""
    return declared["review_by"] is not None and declared["review_by"] < today


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
    """Parse the entries of a baseline of scripts; raise `invalid_option` with the place of the first invalid one."""
    return parse_entries(value, option, _entry)


class Named(t.Protocol):
    """An entry of a baseline with its place in the options."""

    @property
    def place(self) -> str: ...

    @property
    def name(self) -> str: ...


OfBaseline = t.TypeVar("OfBaseline", bound=Named)


def parse_entries(value: Json, option: str, parse: t.Callable[[str, Json], OfBaseline]) -> tuple[OfBaseline, ...]:
    """Parse a list of entries, or its text; refuse two of one name."""
    items = value
    if isinstance(value, str):
        try:
            items = parse_data(value)
        except ValueError:
            raise invalid_option(option, "must be a list of entries; this text cannot be parsed as one") from None
    if not isinstance(items, (list, tuple)):
        raise invalid_option(option, f"must be a list of entries, not {quoted(items)}")
    entries = tuple(parse(f"{option}[{index}]", item) for index, item in enumerate(items))
    first: dict[str, OfBaseline] = {}
    for entry in entries:
        known = first.setdefault(entry.name, entry)
        if known is not entry:
            raise invalid_option(f"{entry.place}.name", f"{quoted(entry.name)} is already the name of {known.place}")
    return entries


_MAX_NAME_LENGTH = 60


def add_name(url: str, names: dict[str, int], otherwise: str) -> str:
    """Return a new name from host and path, without characters that templates use, and add it to the names in use."""
    place = url.partition("://")[2].partition("?")[0].lower()
    plain = re.sub(r"[^a-z0-9.]+", "-", place).strip("-.")[:_MAX_NAME_LENGTH] or otherwise
    name = plain
    while name in names:
        names[plain] += 1
        name = f"{plain}-{names[plain]}"
    names[name] = 1
    return name


def is_host(text: str) -> bool:
    return _HOST.fullmatch(text) is not None


def parse_members(place: str, item: Json, what: str, members: t.Mapping[str, t.Callable[[str, Json], t.Any]]) -> dict[str, t.Any]:
    """Parse every member of an entry; refuse an entry of another type than a dictionary with `what`, and unknown members."""
    if not isinstance(item, dict):
        raise invalid_option(place, f"must be a dictionary with {what}, not {quoted(item)}")
    for member in item:
        if member not in members:
            likely = did_you_mean(nearest(str(member), members))
            raise invalid_option(place, f"{quoted(member)} is not a member of an entry{likely}")
    return {name: parse(f"{place}.{name}", item.get(name)) for name, parse in members.items()}


def _entry(place: str, item: Json) -> Entry:
    declared = parse_members(place, item, "name and url", MEMBERS)
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


def optional_text(place: str, value: Json) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise invalid_option(place, f"{quoted(value)} is not a string; put it in quotes")
    return value.strip() if has_text(value) else None


def own_text(place: str, value: Json) -> str | None:
    """Return a text that only a user writes, never the service."""
    refuse_template(place, value)
    return optional_text(place, value)


def needed(place: str, value: Json) -> str:
    text = optional_text(place, value)
    if text is None:
        raise invalid_option(place, "an entry needs it")
    return text


def day(place: str, value: Json) -> str | None:
    text = optional_text(place, value if value is None or isinstance(value, str) else str(value))
    return None if text is None else need_date(place, text)


def flag(place: str, value: Json) -> bool:
    # Before ansible-core 2.19, a template turns a value into text; these words are Ansible's.
    flag = value if isinstance(value, bool) else _FLAGS.get(str(value if value is not None else False).strip().lower())
    if flag is None:
        raise invalid_option(place, f"{quoted(value)} is neither true nor false")
    return flag


def _integrity(place: str, value: Json) -> str:
    text = optional_text(place, value) or PINNED
    if text not in (PINNED, UNPINNED):
        raise invalid_option(place, f"{quoted(text)} is neither {PINNED!r} nor {UNPINNED!r}")
    return text


def _listed(place: str, value: Json, shape: re.Pattern[str], meaning: str) -> list[str]:
    if not isinstance(value, (list, tuple, type(None))):
        raise invalid_option(place, f"must be a list, not {quoted(value)}")
    for index, item in enumerate(value or ()):
        if not isinstance(item, str) or not shape.fullmatch(item.strip()):
            advice = "; put it in quotes" if not isinstance(item, str) else ""
            raise invalid_option(f"{place}[{index}]", f"{quoted(item)} is not {meaning}{advice}")
    return sorted({item.strip().lower() for item in value or ()})


MEMBERS: t.Mapping[str, t.Callable[[str, Json], t.Any]] = {
    "name": needed,
    "url": needed,
    "hosts": functools.partial(
        _listed, shape=_HOST, meaning="a host name; it is compared as a whole, and omitted hosts mean any"
    ),
    "owner": own_text,
    "justification": own_text,
    "authorised_by": own_text,
    "authorised_on": day,
    "review_by": day,
    "integrity": _integrity,
    "integrity_reason": own_text,
    "hashes": functools.partial(_listed, shape=_HASH, meaning="a SHA-256 of 64 hexadecimal digits"),
    "required": flag,
}


class Match(t.NamedTuple):
    """The entry of a script, and the names of all entries that match it, including those over which this one takes precedence."""

    entry: Entry | None = None
    names: frozenset[str] = frozenset()


class Baseline:
    """A baseline that finds the entry of a script: by its URL, or among the patterns for its host and for any host."""

    def __init__(self, entries: t.Sequence[Entry]) -> None:
        self.entries = tuple(entries)
        self._exact: dict[str, list[Entry]] = collections.defaultdict(list)
        # Of each pattern also the text before its first star, which rules most of them out.
        self._patterns: dict[str | None, list[tuple[str, Entry]]] = collections.defaultdict(list)
        for entry in self.entries:
            if entry.pattern.is_exact:
                self._exact[entry.pattern.text].append(entry)
            else:
                self._patterns[entry.pattern.host].append((entry.pattern.prefix, entry))

    def match(self, url: str | None, host: str | None) -> Match:
        """Return the entries that match a normalized URL on a host; raise `invalid_option` for a tie."""
        ranks = self._ranks(url, host)
        if ranks and len(ranks[0]) > 1:
            one, other = sorted(ranks[0], key=lambda entry: entry.name)[:2]
            raise invalid_option(
                "baseline",
                f"the entries {quoted(one.name)} ({one.place}) and {quoted(other.name)} ({other.place}) match {quoted(url)}"
                f" on {quoted(host)} equally well; make one of them more specific, or give them different hosts",
            )
        names = frozenset([entry.name for matching in ranks for entry in matching])
        return Match(ranks[0][0] if ranks else None, names)

    def authorises(self, url: str | None, host: str | None, today: str) -> bool:
        """Return whether the entry of a script is complete and not expired on a day of UTC; where several match equally well, each of them."""
        ranks = self._ranks(url, host)
        return bool(ranks) and all(
            is_authorised(entry.declared, today) and not is_expired(entry.declared, today) for entry in ranks[0]
        )

    def _ranks(self, url: str | None, host: str | None) -> list[list[Entry]]:
        """Return the entries that match, by precedence."""
        return list(filter(None, self._look_up(url, host))) if url else []

    def _look_up(self, url: str, host: str | None) -> t.Iterator[list[Entry]]:
        """Yield the entries that match, by precedence."""
        bare = without_query(url)
        for known in dict.fromkeys((url, bare)):
            yield [entry for entry in self._exact.get(known, ()) if entry.covers(host)]
        plain = plain_url(url)
        if plain is None:
            return
        by_length: dict[int, list[Entry]] = collections.defaultdict(list)
        for prefix, entry in (*self._patterns.get(plain.origin, ()), *self._patterns.get(None, ())):
            if url.startswith(prefix) and entry.covers(host) and entry.pattern.matches(plain):
                by_length[len(prefix)].append(entry)
        yield from (by_length[length] for length in sorted(by_length, reverse=True))
