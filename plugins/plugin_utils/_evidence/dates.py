# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import functools
import typing as t

from ...module_utils._baseline.entries import PINNED, UNPINNED
from ...module_utils._baseline.pattern import Pattern, normalize_url, parse_pattern
from ...module_utils._core import Failure, Json
from ...module_utils._text import canonical, digest_of, has_text, list_of, parse_date
from .audits import day_of
from .events import Entries

# When somebody authorised what, compared with when audits saw it: an entry has a date that its author wrote, a record one that it has itself.

Entry = t.Mapping[str, Json]


class Dated(t.NamedTuple):
    """An entry of a baseline with the date at which it says that it was authorised, by the digest of all that it says.

    `of` is the kind of chain whose baseline it is, so that two chains which name one baseline say the same of it.
    """

    of: str
    name: str
    digest: str
    day: str = ""


Seen = t.Callable[[Entry, t.Collection[str], str], bool]


class Dates:
    """The dates of the entries of a zone's baseline, from audit to audit.

    `outdated` are older than what they authorise, `undated` have no date, `early` have one after an audit that relied on them, and of
    `redated` an earlier record has a later date.
    """

    def __init__(self, of: str) -> None:
        self._of = of
        self.outdated: set[Dated] = set()
        self.undated: set[Dated] = set()
        self.redated: set[Dated] = set()
        self.early: set[Dated] = set()
        self._entries: dict[Dated, Entry] = {}
        self._last: tuple[Entries, datetime.datetime] | None = None
        self._later: tuple[Entries | None, list[Dated]] = (None, [])

    def about(self, is_about: t.Callable[[Entry], bool]) -> Dates:
        """Return what is to say of some of the entries alone."""
        part = Dates(self._of)
        for name in ("outdated", "undated", "redated", "early"):
            setattr(part, name, {dated for dated in getattr(self, name) if is_about(self._entries[dated])})
        return part

    def compare(self, at: datetime.datetime, entries: Entries | None, was_seen: Seen, *, counts: bool) -> None:
        """Take what entered the baseline since the audit before, and its dates; nothing of it counts outside the period.

        `was_seen` tells whether audits had seen it by the day of the authorisation, which then is not older than what it authorises.
        """
        if entries is None:
            return
        if counts:
            self._take_early(entries, day_of(at))
        last, self._last = self._last, (entries, at)
        if last is None or last[0] is entries or not counts:
            return
        known, last_day = last[0], day_of(last[1])
        for name, declared in entries.items():
            if has_text(declared.get("authorised_by")):
                self._take(name, known.get(name), declared, last_day, was_seen)

    def _take(self, name: str, before: Entry | None, declared: Entry, last_day: str, was_seen: Seen) -> None:
        entered, day = entered_with(before, declared), date_of(declared)
        was = date_of(before) if before and has_text(before.get("authorised_by")) else ""
        if not day and (was or entered is not None):
            entries = self.undated
        elif entered is not None and day < last_day and not was_seen(declared, entered, day):
            entries = self.outdated
        elif day < was:
            entries = self.redated
        else:
            return
        dated = Dated(self._of, name, digest_of(dict(declared)), day)
        self._entries[dated] = declared
        entries.add(dated)

    def _take_early(self, entries: Entries, today: str) -> None:
        """Take what the audit at hand was compared with although it was authorised only on a later day."""
        if entries is not self._later[0]:
            later = {
                Dated(self._of, name, "", day): declared
                for name, declared in entries.items()
                if (day := date_of(declared)) > today
            }
            self._later = entries, list(later)
            self._entries |= later
        self.early |= {entry for entry in self._later[1] if entry.day > today}


_TEXTS = ("url", "page", "owner", "justification", "authorised_by", "authorised_on", "review_by", "integrity")
_LISTS = ("hosts", "hashes", "scripts", "inline", "frames", "forms")


def is_readable(entry: Entry) -> bool:
    """Return whether the members of an entry on which an authorisation rests are what an audit writes; each may be absent or null."""
    dates = [entry[name] for name in ("authorised_on", "review_by") if entry.get(name) is not None]
    return (
        all(isinstance(entry.get(name), (str, type(None))) for name in _TEXTS)
        and all(isinstance(entry.get(name), (list, type(None))) for name in _LISTS)
        and all(parse_date(date) == date for date in dates)
        and entry.get("integrity") in (PINNED, UNPINNED, None)
    )


def date_of(entry: Entry) -> str:
    day = entry.get("authorised_on")
    return day if isinstance(day, str) else ""


# What an entry authorises beside its hashes.
_AUTHORISES = ("url", "hosts", "integrity", "page", "headers", "scripts", "frames", "forms")


def entered_with(before: Entry | None, now: Entry) -> list[str] | None:
    """Return the hashes that an entry authorises and did not before, an empty list if it authorises something else than before; None for neither."""
    hashes, known = (
        {value for member in ("hashes", "inline") for value in list_of(entry.get(member)) if isinstance(value, str)}
        for entry in (now, before or {})
    )
    if hashes - known:
        return sorted(hashes - known)
    if before is None:
        return []
    return [] if any(canonical(before.get(name)) != canonical(now.get(name)) for name in _AUTHORISES) else None


def covers(entry: Entry, url: str, host: str) -> bool:
    """Return whether an entry of a baseline of scripts matches a script on a host."""
    hosts = list_of(entry.get("hosts"))
    return matches(entry.get("url"), url) and (not hosts or host in [str(name).lower() for name in hosts])


def best_entry(entries: Entries, url: str, host: str) -> Entry | None:
    """Return the entry of a baseline that a script on a host has: an exact one, or else the one with the longest text before its first star."""

    def rank(entry: Entry) -> tuple[bool, int]:
        text = str(entry.get("url"))
        return "*" not in text, len(text.partition("*")[0])

    return max((entry for entry in entries.values() if covers(entry, url, host)), key=rank, default=None)


def matches(pattern: Json, url: str) -> bool:
    """Return whether a pattern of an entry matches a URL; one that cannot be read matches nothing."""
    parsed = _parse(pattern) if isinstance(pattern, str) else None
    return parsed is not None and bool(url) and parsed.covers(normalize_url(url))


@functools.lru_cache(maxsize=4096)
def _parse(text: str) -> Pattern | None:
    try:
        return parse_pattern("", text)
    except Failure:
        return None
