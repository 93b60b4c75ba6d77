# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import datetime
import fnmatch
import typing as t

from ...module_utils._baseline.entries import AUTHORISATION
from ...module_utils._chain.records import CheckedRecord
from ...module_utils._core import Json
from ...module_utils._scripts.facts import SCRIPT_FINDINGS
from ...module_utils._text import dict_of, format_time, list_of, parse_time

# What the records of one zone prove about a period: who saw which script, what changed, and who authorised it.

# In one audit, what explains the rest comes first.
GAP, SCOPE, SEEN, CHANGED, GONE, AUTHORISED, OPENED, CLOSED = _IN_ORDER = (
    "gap",
    "scope",
    "seen",
    "changed",
    "gone",
    "authorised",
    "opened",
    "closed",
)
_ORDER = {what: place for place, what in enumerate(_IN_ORDER)}
# With one of these, no baseline of the record authorises the script as it was seen.
_UNAUTHORISED = frozenset(("new", "changed", "unverified", "expired", "unjustified"))
DAY = 86400

Identity = tuple[str, str]
Entries = t.Mapping[str, t.Mapping[str, Json]]
Items = dict[Identity, dict[str, Json]]
FindingKey = tuple[str, str, str, str]


class Period(t.NamedTuple):
    """The days of a document, both included, as `2026-01-31`."""

    since: str
    until: str

    def covers(self, at: datetime.datetime) -> bool:
        return self.since <= format_time(at)[:10] <= self.until


class Event(t.NamedTuple):
    """One change. `entry` is the entry of the baseline that authorises the script; `hashes` are those seen, or those authorised."""

    at: datetime.datetime
    zone_id: str
    what: str
    script_url: str = ""
    host: str = ""
    entry: str = ""
    message: str = ""
    hashes: tuple[str, ...] = ()
    declared: t.Mapping[str, Json] = {}
    is_first: bool = False

    @property
    def order(self) -> tuple[datetime.datetime, str, int, str, str, str]:
        return (self.at, self.zone_id, _ORDER[self.what], self.script_url, self.host, self.message)


class Opened(t.NamedTuple):
    """A finding that is open: since when, and what it says."""

    at: datetime.datetime
    message: str


class Closed(t.NamedTuple):
    """A finding that was open: its type, when it was opened, and when and how it ended."""

    kind: str
    script_url: str
    host: str
    since: datetime.datetime
    at: datetime.datetime
    is_gone: bool


class Listed(t.NamedTuple):
    """A script of the inventory, with its entry, the entry's declaration and its findings."""

    script_url: str
    host: str
    hash: str
    status: str
    entry: str
    declared: t.Mapping[str, Json]
    is_authorised: bool
    findings: tuple[str, ...]


@dataclasses.dataclass
class _Known:
    """What the audits know of a script: its last hash and status, and which authorisation they have reported."""

    hash: str
    status: str
    authorisation: tuple[Json, ...] | None = None


@dataclasses.dataclass
class History:
    """The history of one zone, made of its valid records in their order; of later ones than the period, nothing is used.

    `baseline` returns the entries of a baseline by its digest, None if its file is missing.
    `audits` are the times of the period, each with whether the audit had findings other than `unused`.
    """

    zone_id: str
    period: Period
    max_gap_days: float
    baseline: t.Callable[[str], Entries | None]
    events: list[Event] = dataclasses.field(default_factory=list)
    audits: list[tuple[datetime.datetime, bool]] = dataclasses.field(default_factory=list)
    closed: list[Closed] = dataclasses.field(default_factory=list)
    gaps: list[tuple[datetime.datetime, datetime.datetime]] = dataclasses.field(default_factory=list)
    open: dict[FindingKey, Opened] = dataclasses.field(default_factory=dict)
    last: CheckedRecord | None = None
    last_at: datetime.datetime | None = None
    _known: dict[Identity, _Known] = dataclasses.field(default_factory=dict)
    _scope: dict[str, Json] | None = None
    _inventory: Items = dataclasses.field(default_factory=dict)
    _inventory_seq: Json = None
    # The inventory and the baseline that the known scripts were compared with.
    _compared: Items = dataclasses.field(default_factory=dict)
    _baseline_digest: Json = None

    def add(self, record: CheckedRecord) -> None:
        """Take the next valid record."""
        at = parse_time(record.get("at"))
        if at is None or format_time(at)[:10] > self.period.until:
            return
        events = list(self._events(record, at))
        if self.period.covers(at):
            self.events += events
            self.audits.append((at, record.get("passed") is not True))
        self.last, self.last_at = record, at

    def inventory(self) -> list[Listed]:
        """Return the inventory of the last record of the period, sorted."""
        entries = self._entries(self.last) if self.last else None
        return [_listed(self._inventory[identity], entries or {}) for identity in sorted(self._inventory)]

    def _events(self, record: CheckedRecord, at: datetime.datetime) -> t.Iterator[Event]:
        if self.last_at is not None and (at - self.last_at).total_seconds() > self.max_gap_days * DAY:
            self.gaps.append((self.last_at, at))
            message = f"no audit for {days_between(self.last_at, at)}, since {format_time(self.last_at)}"
            yield Event(at, self.zone_id, GAP, message=message)
        scope = dict_of(record.get("scope"))
        yield from self._scope_events(scope, at)
        self._take_inventory(record)
        can_see = bool(self._inventory) and dict_of(record.get("monitor")).get("enabled") is not False
        entries, now = self._entries(record), self._inventory if can_see else {}
        if can_see:
            # A script with the same entry of the same baseline has no news: most of a year's records are like that.
            before = self._compared if record.get("baseline_digest") == self._baseline_digest else {}
            if now is not before:
                yield from self._script_events(now, before, entries, at)
            yield from self._gone_events(now, scope, at)
            self._compared, self._baseline_digest = now, record.get("baseline_digest")
        yield from self._finding_events(record, now, scope, entries, at, can_see=can_see)
        self._scope = scope

    def _take_inventory(self, record: CheckedRecord) -> None:
        """Take the inventory of a record; one that refers to another than the last one shows nothing."""
        if "inventory" in record:
            items = [item for item in map(dict_of, list_of(record["inventory"])) if item]
            self._inventory, self._inventory_seq = {_identity(item): item for item in items}, record.get("seq")
        elif record.get("inventory_same_as") != self._inventory_seq:
            self._inventory = {}

    def _entries(self, record: CheckedRecord) -> Entries | None:
        return self.baseline(str(record.get("baseline_digest")))

    def _scope_events(self, scope: dict[str, Json], at: datetime.datetime) -> t.Iterator[Event]:
        before = self._scope
        if before is None:
            return
        names = sorted(name for name in {**before, **scope} if before.get(name) != scope.get(name))
        words = [f"{name} was {_words(before.get(name))}, is {_words(scope.get(name))}" for name in names]
        if words:
            yield Event(at, self.zone_id, SCOPE, message="; ".join(words))

    def _script_events(self, now: Items, before: Items, entries: Entries | None, at: datetime.datetime) -> t.Iterator[Event]:
        is_first = self.last is None
        for (url, host), item in now.items():
            if (url, host) in self._known and before.get((url, host)) == item:
                continue
            seen, known = _listed(item, entries or {}), self._known.get((url, host))
            hashes = (seen.hash,) if seen.hash else ()
            if known is None:
                known = self._known[url, host] = _Known(seen.hash, seen.status)
                yield Event(
                    at, self.zone_id, SEEN, url, host, seen.entry, hashes=hashes, declared=seen.declared, is_first=is_first
                )
            elif seen.hash and known.hash and seen.hash != known.hash:
                message = f"the hash was {known.hash}, is {seen.hash}"
                yield Event(at, self.zone_id, CHANGED, url, host, seen.entry, message, hashes, seen.declared)
            known.hash, known.status = seen.hash or known.hash, seen.status
            if entries is None or not seen.is_authorised:
                continue
            pinned = seen.hash if seen.declared.get("integrity") == "pinned" else ""
            authorisation = (seen.entry, pinned, *(seen.declared.get(name) for name in (*AUTHORISATION, "authorised_on")))
            if authorisation != known.authorisation:
                known.authorisation = authorisation
                allowed = tuple(map(str, list_of(seen.declared.get("hashes"))))
                yield Event(
                    at, self.zone_id, AUTHORISED, url, host, seen.entry, hashes=allowed, declared=seen.declared, is_first=is_first
                )

    def _gone_events(
        self, now: t.Mapping[Identity, t.Any], scope: t.Mapping[str, Json], at: datetime.datetime
    ) -> t.Iterator[Event]:
        for url, host in self._known.keys() - now.keys():
            if _is_looked_at(scope, host, self._known[url, host].status):
                del self._known[url, host]
                yield Event(at, self.zone_id, GONE, url, host)

    def _finding_events(
        self,
        record: CheckedRecord,
        now: t.Mapping[Identity, t.Any],
        scope: t.Mapping[str, Json],
        entries: Entries | None,
        at: datetime.datetime,
        *,
        can_see: bool,
    ) -> t.Iterator[Event]:
        messages = {_key(finding): str(finding.get("message") or "") for finding in map(dict_of, list_of(record.get("findings")))}
        for key, message in messages.items():
            kind, url, host, entry = key
            if kind in SCRIPT_FINDINGS and key not in self.open:
                self.open[key] = Opened(at, message)
                declared = (entries or {}).get(entry, {})
                yield Event(
                    at, self.zone_id, OPENED, url, host, entry, f"{kind}: {message}".removesuffix(": "), declared=declared
                )
        for key in [key for key in self.open if key not in messages]:
            kind, url, host, entry = key
            if url and not can_see:
                continue
            is_gone = bool(url) and (url, host) not in now
            if is_gone and (url, host) in self._known:
                continue  # no longer looked at
            if not url and entry and not _is_entry_looked_at(scope, (entries or {}).get(entry, {})):
                continue
            opened = self.open.pop(key)
            if self.period.covers(at):
                self.closed.append(Closed(kind, url, host, opened.at, at, is_gone))
            why = ", because the script is gone" if is_gone else ""
            message = f"{kind}: after {days_between(opened.at, at)}{why}"
            yield Event(at, self.zone_id, CLOSED, url, host, entry, message, declared=(entries or {}).get(entry, {}))


def days_between(first: datetime.datetime, second: datetime.datetime) -> str:
    """Return a duration in days, for people."""
    days = round((second - first).total_seconds() / DAY, 1)
    return f"{days:g} day" if days == 1 else f"{days:g} days"


def _words(value: Json) -> str:
    items = list_of(value)
    if items:
        return ", ".join(map(str, items))
    return "not limited" if value in ([], None, "") else str(value)


def _identity(item: t.Mapping[str, Json]) -> Identity:
    script = dict_of(item.get("script"))
    url, host = script.get("script_url"), script.get("host")
    return str(url or ""), str(host or "")


def _key(finding: t.Mapping[str, Json]) -> FindingKey:
    kind, url, host, entry = (str(finding.get(name) or "") for name in ("kind", "script_url", "host", "entry"))
    return kind, url, host, entry


def _listed(item: t.Mapping[str, Json], entries: Entries) -> Listed:
    script = dict_of(item.get("script"))
    entry, findings = str(item.get("entry") or ""), tuple(map(str, list_of(item.get("findings"))))
    declared = entries.get(entry, {})
    return Listed(
        *_identity(item),
        hash=str(script.get("hash") or ""),
        status=str(script.get("status") or ""),
        entry=entry,
        declared=declared,
        is_authorised=bool(declared)
        and all(declared.get(name) for name in AUTHORISATION)
        and not _UNAUTHORISED.intersection(findings),
        findings=findings,
    )


def _is_looked_at(scope: t.Mapping[str, Json], host: str, status: str) -> bool:
    """Return whether the listing of an audit with this scope would show a script that still exists."""
    statuses = list_of(scope.get("status"))
    return _matches(host, scope) and (not status or not statuses or status in statuses)


def _is_entry_looked_at(scope: t.Mapping[str, Json], entry: t.Mapping[str, Json]) -> bool:
    hosts = list_of(entry.get("hosts"))
    return not hosts or any(_matches(str(host), scope) for host in hosts)


def _matches(host: str, scope: t.Mapping[str, Json]) -> bool:
    limits = list_of(scope.get("hosts"))
    return not limits or any(fnmatch.fnmatchcase(host, str(limit).lower()) for limit in limits)
