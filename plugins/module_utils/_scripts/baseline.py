# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._filter.suggest import shown
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.entries import Entry
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.pattern import PlainUrl, plain_url, without_query

# Entries of one literal prefix, by whether the query counts and how long the literal text after the last star is, and by this text.
Suffixes = dict[tuple[bool, int], dict[str, list[Entry]]]

_MAX_REMEMBERED = 100_000


class Match(t.NamedTuple):
    """The entry of a script, and the names of all entries that match it, also of those to which this one takes precedence."""

    entry: Entry | None = None
    names: frozenset[str] = frozenset()


class Baseline:
    """Finds the entry of a script without comparing each script with each entry: by URL, else by the pattern's literal ends."""

    def __init__(self, entries: t.Sequence[Entry]) -> None:
        self.entries = tuple(entries)
        self._found: dict[tuple[str, str | None], Match] = {}
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

    def find(self, url: str, host: str | None) -> Entry | None:
        """Return the entry of a normalized URL on a host, None if there is none; raise `invalid_option` for a tie."""
        return self.match(url, host).entry

    def match(self, url: str, host: str | None) -> Match:
        """Return what matches a normalized URL on a host; raise `invalid_option` for a tie."""
        key = (url, host)
        # An audit may ask twice, the first time for what to read singly; an event source asks for years.
        if key not in self._found:
            if len(self._found) >= _MAX_REMEMBERED:
                self._found.clear()
            ranks = list(filter(None, self._look_up(url, host)))
            entry = _only(ranks[0], url, host) if ranks else None
            self._found[key] = Match(entry, frozenset([each.name for matching in ranks for each in matching]))
        return self._found[key]

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


def _only(matching: t.Sequence[Entry], url: str, host: str | None) -> Entry:
    if len(matching) > 1:
        one, other = sorted(matching, key=lambda entry: entry.name)[:2]
        raise invalid_option(
            "baseline",
            f"the entries {shown(one.name)} ({one.place}) and {shown(other.name)} ({other.place}) match {shown(url)}"
            f" on {shown(host)} equally well; make one of them more specific, or give them different hosts",
        )
    return matching[0]
