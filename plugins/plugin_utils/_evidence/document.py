# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import hashlib
import json
import typing as t

from ...module_utils._address import is_zone_id
from ...module_utils._chain.folder import read_baseline
from ...module_utils._chain.kinds import SCRIPTS
from ...module_utils._core import Json, invalid_option
from ...module_utils._text import dict_of, format_time, list_of, need_date, need_time
from .._words import plural
from .history import CHANGED, DAY, GAP, Closed, Entries, Event, History, Listed, Period, days_between
from .verification import Archive, chains_of, is_valid, verify
from .verification import desire as desire_archive

# The evidence of a period as data, from which the page, the table and the printed lines are made.

DEFAULT_TITLE = "Evidence of script audits"
# Findings for which a script was not authorised; the others have their own words.
_UNAUTHORISED = {"new": "added", "changed": "changed"}


class Desired(t.NamedTuple):
    """What the document is about, and where it is written; without a first day, the year before the last one."""

    archive: Archive
    dest: str
    period: Period
    names: t.Mapping[str, str]
    max_gap_days: float
    title: str
    at: datetime.datetime

    def name_of(self, zone_id: str) -> str:
        return self.names.get(zone_id.lower(), zone_id)


def desire(params: t.Mapping[str, t.Any]) -> Desired:
    """Return the document that validated options describe; refuse invalid values."""
    at = need_time("at", params["at"]) if params["at"] else datetime.datetime.now(datetime.timezone.utc)
    at = at.astimezone(datetime.timezone.utc).replace(microsecond=0)
    until = need_date("until", params["until"]) if params["until"] else at.date().isoformat()
    since = need_date("since", params["since"]) if params["since"] else _a_year_before(until)
    if not 0 < params["max_gap_days"] < float("inf"):
        raise invalid_option("max_gap_days", f"{params['max_gap_days']!r} is not a number of days above 0")
    names = {}
    for zone_id, name in (params["zone_names"] or {}).items():
        if not is_zone_id(str(zone_id)) or not isinstance(name, str) or not name.strip():
            raise invalid_option(f"zone_names[{zone_id!r}]", "must be the name of the zone, under the zone's id")
        names[str(zone_id).lower()] = name
    return Desired(
        archive=desire_archive(params),
        dest=params["dest"],
        period=Period(since, until),
        names=names,
        max_gap_days=params["max_gap_days"],
        title=params["title"] or DEFAULT_TITLE,
        at=at,
    )


def _a_year_before(day: str) -> str:
    year, rest = int(day[:4]) - 1, day[4:]
    return f"{year:04d}{'-02-28' if rest == '-02-29' else rest}"


class Zone(t.NamedTuple):
    """What the evidence proves about one zone: the verified chain, and its history in the period."""

    name: str
    zone_id: str
    chain: t.Mapping[str, t.Any]
    history: History
    inventory: t.Sequence[Listed]


class Document(t.NamedTuple):
    """The evidence of a period, zone by zone in the order of their names, and its changes in the order of time."""

    desired: Desired
    zones: t.Sequence[Zone]
    changes: t.Sequence[Event]
    valid: bool

    @property
    def audits(self) -> int:
        return sum(len(zone.history.audits) for zone in self.zones)

    @property
    def audited(self) -> list[Zone]:
        """Return the zones that have a record in the period."""
        return [zone for zone in self.zones if zone.history.audits]

    def name_of(self, zone_id: str) -> str:
        return self.desired.name_of(zone_id)


def read(desired: Desired) -> Document:
    """Read all chains; raise `invalid_option` for a period in which no zone has a record."""
    period, baselines = desired.period, Baselines(desired.archive.folder)
    zones, days = [], []
    for source in chains_of(desired.archive):
        if source.kind is not SCRIPTS:
            continue
        zone_id = source.zone_id
        history = History(zone_id.lower(), period, desired.max_gap_days, baselines.read)
        verified, chain = verify(desired.archive, source, period.covers, history.add)
        verified["records"] = len(history.audits)
        days += [format_time(at)[:10] for at in (*chain.times[:1], *chain.times[-1:])]
        zones.append(Zone(desired.name_of(zone_id), zone_id, verified, history, history.inventory()))
    _check_period(
        period, days, any(zone.history.audits for zone in zones), is_broken=any(not zone.chain["valid"] for zone in zones)
    )
    zones.sort(key=lambda zone: (zone.name, zone.zone_id))
    changes = sorted((event for zone in zones for event in zone.history.events), key=lambda event: event.order)
    return Document(desired, zones, changes, is_valid([zone.chain for zone in zones]))


def _check_period(period: Period, days: t.Sequence[str], has_audits: bool, *, is_broken: bool) -> None:
    recorded = f"; the records are from {min(days)} to {max(days)}" if days else "; the folder has no record"
    if period.until < period.since:
        raise invalid_option("until", f"{period.until} is before {period.since}, the first day{recorded}")
    # A chain without a valid record must be said on the page, not hidden by a refusal.
    if not has_audits and not is_broken:
        raise invalid_option("since", f"no zone has a record from {period.since} to {period.until}{recorded}")


class Baselines:
    """The baselines that records name, each read once; None for one whose file is missing or was edited."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._entries: dict[str, Entries | None] = {}

    def read(self, digest: str) -> Entries | None:
        if digest not in self._entries:
            self._entries[digest] = self._parse(digest)
        return self._entries[digest]

    def _parse(self, digest: str) -> Entries | None:
        try:
            content = read_baseline(self._folder, digest)
            items: Json = json.loads(content)
        except (OSError, ValueError, RecursionError):
            return None
        if hashlib.sha256(content).hexdigest() != digest:
            return None
        entries = [dict_of(entry) for entry in list_of(items)]
        return {str(entry.get("name")): entry for entry in entries} if isinstance(items, list) else None


# What the document says first.


def verdict(document: Document) -> str:
    """Return the sentence that the page begins with."""
    broken = [zone for zone in document.zones if not zone.chain["valid"]]
    if broken:
        more = f", and {plural(len(broken) - 1, 'further zone')} with invalid evidence" if len(broken) > 1 else ""
        return f"The evidence is not valid: in {broken[0].name}, {broken[0].chain['message']}{more}"
    first = f"Every one of {plural(document.audits, 'audit')} of {plural(len(document.audited), 'zone')} is accounted for"
    parts = [first, *_unauthorised(document), *_reported(document)]
    gaps = [event for event in document.changes if event.what == GAP]
    parts += [f"{plural(len(gaps), 'gap')} of more than {document.desired.max_gap_days:g} days between audits"] if gaps else []
    return "; ".join(parts)


def _unauthorised(document: Document) -> t.Iterator[str]:
    """Yield how many scripts were added or changed without authorisation, and what became of it."""
    is_any = False
    for kind, word in _UNAUTHORISED.items():
        ended = [closed for zone in document.zones for closed in zone.history.closed if closed.kind == kind]
        waiting = sum(key[0] == kind for zone in document.zones for key in zone.history.open)
        total = len(ended) + waiting
        if not total:
            continue
        is_any = True
        was = "was" if total == 1 else "were"
        yield f"{plural(total, 'script')} {was} {word} without authorisation{_ends(ended, waiting)}"
    if not is_any:
        yield "no script was added or changed without authorisation"


def _ends(ended: t.Sequence[Closed], waiting: int) -> str:
    allowed = [each for each in ended if not each.is_gone]
    gone = len(ended) - len(allowed)
    parts = []
    if allowed:
        longest = max(allowed, key=lambda each: each.at - each.since)
        words = {1: "authorised", 2: "both authorised"}.get(len(allowed), "all authorised")
        words = words if not gone and not waiting else f"{len(allowed)} authorised"
        parts.append(f"{words} within {days_between(longest.since, longest.at)}")
    is_all = {gone: "gone since", waiting: "still open"}.get(len(ended) + waiting)
    if is_all:
        return f", {is_all}"
    parts += [f"{gone} gone since"] if gone else []
    parts += [f"{waiting} still open"] if waiting else []
    return ", " + ", ".join(parts)


def _reported(document: Document) -> t.Iterator[str]:
    for kind, words in (("malicious", "malicious"), ("reported", "reported as malicious")):
        ended = sum(closed.kind == kind for zone in document.zones for closed in zone.history.closed)
        waiting = sum(key[0] == kind for zone in document.zones for key in zone.history.open)
        if ended + waiting:
            yield (
                f"{plural(ended + waiting, 'script')} {words}, {waiting} still open"
                if waiting
                else (f"{plural(ended + waiting, 'script')} {words}, none of them any more")
            )


def numbers(document: Document) -> dict[str, int]:
    """Return the numbers of the page, by their names."""
    events = document.changes
    return {
        "zones audited": len(document.audited),
        "audits": document.audits,
        "scripts at the end": sum(len(zone.inventory) for zone in document.zones),
        "changes of a script": sum(event.what == CHANGED for event in events),
        "findings still open": sum(len(zone.history.open) for zone in document.zones),
        "gaps": sum(event.what == GAP for event in events),
    }


def not_audited(document: Document) -> list[str]:
    """Return the names of the zones that have evidence, and none in the period."""
    return [zone.name for zone in document.zones if not zone.history.audits and zone.chain["valid"]]


def silence(document: Document, zone: Zone) -> str:
    """Return how long the end of the period was without an audit, "" if that is no longer than a gap."""
    period, last = document.desired.period, zone.history.last_at
    end = datetime.datetime.fromisoformat(f"{period.until}T23:59:59+00:00")
    end = min(end, document.desired.at)
    if last is None or (end - last).total_seconds() <= document.desired.max_gap_days * DAY:
        return ""
    return f"no audit after {format_time(last)}, {days_between(last, end)} before the end of the period"
