# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import hashlib
import json
import typing as t

from ...module_utils._address import is_zone_id
from ...module_utils._chain.evidence import check_gap
from ...module_utils._chain.folder import read_baseline
from ...module_utils._chain.kinds import KINDS, PAGES, SCRIPTS, Kind
from ...module_utils._chain.verification import Verified, unread_files
from ...module_utils._core import Json, invalid_option
from ...module_utils._text import format_time, has_text, need_date, need_time
from .._words import plural
from .answers import Sentence
from .audits import Period
from .chains import Lacking, Told
from .chronicle import Chronicle
from .dates import is_readable
from .events import CHANGED, GAP, Entries, Event
from .history import History
from .inventory import count
from .notes import Note, Notes, read_notes
from .page_history import PageHistory
from .verdict import sentences
from .verification import Archive, called, chains_of, incomplete_lines, is_valid, verify
from .verification import desire as desire_archive

# The evidence of a period as data, from which the page, the table and the printed lines are made.

DEFAULT_TITLE = "Evidence of script audits"


class DesiredEvidence(t.NamedTuple):
    """What the document is about, and where it is written.

    `zones` are those that it is about even without a file; of those of the `inventory`, it only says whether they have one.
    Without `max_gap_days`, each kind of chain has its own.
    """

    archive: Archive
    dest: str
    period: Period
    names: t.Mapping[str, str]
    zones: frozenset[str]
    inventory: frozenset[str]
    max_gap_days: float | None
    title: str

    def name_of(self, zone_id: str) -> str:
        return self.names.get(zone_id.lower(), zone_id)


def desire(params: t.Mapping[str, t.Any], inventory_names: t.Mapping[str, str]) -> DesiredEvidence:
    """Return the document that validated options describe; refuse invalid values. `inventory_names` are those of the zones of the inventory."""
    at = need_time("at", params["at"]) if params["at"] else datetime.datetime.now(datetime.timezone.utc)
    at = at.astimezone(datetime.timezone.utc).replace(microsecond=0)
    until = need_date("until", params["until"]) if params["until"] else at.date().isoformat()
    since = need_date("since", params["since"]) if params["since"] else _a_year_before(until)
    for place, day in (("at", at.date().isoformat()), ("until", until), ("since", since)):
        # There are days before and after the period.
        if not _FIRST_DAY <= day <= _LAST_DAY:
            raise invalid_option(place, f"{day} is not a day from {_FIRST_DAY} to {_LAST_DAY}")
    gap = params["max_gap_days"]
    if gap is not None:
        check_gap(gap)
    names: dict[str, str] = {}
    for zone_id, name in (params["zone_names"] or {}).items():
        if not is_zone_id(str(zone_id)) or not has_text(name):
            raise invalid_option(f"zone_names[{zone_id!r}]", "must be the name of the zone, under the zone's id")
        if names.setdefault(str(zone_id).lower(), name) != name:
            raise invalid_option(f"zone_names[{zone_id!r}]", "has another name in another spelling")
    return DesiredEvidence(
        archive=desire_archive(params),
        dest=params["dest"],
        period=Period(since, until, is_since_given=bool(params["since"]), at=at),
        names={**inventory_names, **names},
        zones=frozenset(names),
        inventory=frozenset(zone_id.lower() for zone_id in inventory_names),
        max_gap_days=gap,
        title=params["title"] or DEFAULT_TITLE,
    )


_FIRST_DAY, _LAST_DAY = "1900-01-01", "9998-12-31"


def _a_year_before(day: str) -> str:
    year, rest = int(day[:4]) - 1, day[4:]
    return f"{year:04d}{'-02-28' if rest == '-02-29' else rest}"


class ZoneChain(t.NamedTuple):
    """What the evidence proves about one kind of audits of a zone: the chain as in the result and as it was read, and its history."""

    name: str
    zone_id: str
    kind: Kind
    row: t.Mapping[str, t.Any]
    verified: Verified
    history: History | PageHistory

    @property
    def title(self) -> str:
        return self.name if self.kind is SCRIPTS else f"{self.name}, payment pages"


class Baseline(t.NamedTuple):
    """A baseline that records name: who named it first, and whether its file is there."""

    digest: str
    zone: str
    record: int
    is_missing: bool


class NotAudited(t.NamedTuple):
    """A zone without an audit of a kind in the period; `last_at` is the last one before it, None if there is none."""

    name: str
    zone_id: str
    kind: Kind
    last_at: datetime.datetime | None


class Document(t.NamedTuple):
    """The evidence of a period, chain by chain in the order of the zones' names, and its changes in the order of time.

    `words` are the notes beside changes, by the place of the change; `notes_left` fit none. `missing` are zones without any chain, each with its name and
    id; `unread` are files that look like chains.
    """

    desired: DesiredEvidence
    chains: t.Sequence[ZoneChain]
    changes: t.Sequence[Event]
    valid: bool
    missing: t.Sequence[tuple[str, str]]
    notes: Notes
    words: t.Mapping[int, str]
    notes_left: t.Sequence[Note]
    unread: t.Sequence[str]

    @property
    def audits(self) -> int:
        return sum(len(chain.history.audits) for chain in self.chains)

    @property
    def audited(self) -> list[ZoneChain]:
        """Return the chains that have a record in the period."""
        return [chain for chain in self.chains if chain.history.audits]

    @property
    def of_scripts(self) -> list[tuple[ZoneChain, History]]:
        """Return the audited chains of scripts with their histories."""
        return [(chain, chain.history) for chain in self.audited if isinstance(chain.history, History)]

    @property
    def of_pages(self) -> list[tuple[ZoneChain, PageHistory]]:
        """Return the audited chains of payment pages with their histories."""
        return [(chain, chain.history) for chain in self.audited if isinstance(chain.history, PageHistory)]

    @property
    def has_pages(self) -> bool:
        return any(chain.kind is PAGES for chain in self.chains)

    @property
    def baselines(self) -> list[Baseline]:
        """Return every baseline that a record names, by digest."""
        named: dict[str, Baseline] = {}
        for chain in self.chains:
            for digest, record in chain.verified.baselines.items():
                named.setdefault(digest, Baseline(digest, chain.name, record, digest in chain.verified.missing))
        return [named[digest] for digest in sorted(named)]

    @property
    def sentences(self) -> list[Sentence]:
        """Return what the document says first, sentence by sentence without full stops."""
        told = [
            Told(
                chain.zone_id.lower(),
                called(chain.name),
                chain.kind,
                chain.verified.problem,
                chain.history,
                *incomplete_lines(chain.verified),
            )
            for chain in self.chains
        ]
        known = {chain.zone_id.lower() for chain in self.chains} | self.desired.zones
        elsewhere = sorted(called(self.name_of(zone_id)) for zone_id in self.desired.inventory - known)
        lacking = Lacking([called(name) for name, _zone_id in self.missing], elsewhere, list(map(called, self.unread)))
        return sentences(told, self.desired.period, lacking)

    @property
    def verdict(self) -> list[str]:
        """Return the texts of the sentences."""
        return [sentence.text for sentence in self.sentences]

    @property
    def warnings(self) -> list[str]:
        """Return the sentences of the verdict that are no good news, with which the table begins, so that it never looks better than the page."""
        return [sentence.text for sentence in self.sentences if not sentence.is_good]

    @property
    def not_audited(self) -> list[NotAudited]:
        """Return the zones without any audit in the period, and those without one of a kind, each with its last audit before."""
        audited = {(chain.zone_id.lower(), chain.kind.name) for chain in self.audited}
        zones = {zone_id: name for name, zone_id in self.missing} | {chain.zone_id.lower(): chain.name for chain in self.chains}
        earlier = {(chain.zone_id.lower(), chain.kind.name): chain.history.earlier for chain in self.chains}
        kinds = [kind for kind in KINDS if any(chain.kind is kind for chain in self.chains)]
        return [
            NotAudited(zones[zone_id], zone_id, kind, earlier.get((zone_id, kind.name)))
            for zone_id in sorted(zones, key=lambda zone_id: (zones[zone_id], zone_id))
            for kind in kinds
            if (zone_id, kind.name) not in audited
        ]

    def name_of(self, zone_id: str) -> str:
        return self.desired.name_of(zone_id)


def read(desired: DesiredEvidence) -> Document:
    """Read all chains; raise `invalid_option` for a period in which no zone has a record."""
    period, baselines = desired.period, Baselines(desired.archive.folder)
    notes = read_notes(desired.archive.folder)
    chains, days = [], []
    for source in chains_of(desired.archive):
        make = PageHistory if source.kind is PAGES else History
        history = make(source.zone_id.lower(), period, desired.max_gap_days, baselines.read)
        row, verified = verify(desired.archive, source, period.covers, history.add)
        row["records"] = len(history.audits)
        times = verified.chain.times
        days += [format_time(at)[:10] for at in (*times[:1], *times[-1:])]
        chains.append(ZoneChain(desired.name_of(source.zone_id), source.zone_id, source.kind, row, verified, history))
    _check_period(
        period, days, any(chain.history.audits for chain in chains), is_broken=any(not chain.row["valid"] for chain in chains)
    )
    chains.sort(key=lambda chain: (chain.name, chain.zone_id, KINDS.index(chain.kind)))
    # Those of a chain are in the order of its records already, of which several may have one time.
    changes = sorted((event for chain in chains for event in chain.history.events), key=lambda event: (event.at, event.zone_id))
    zones = desired.zones - {chain.zone_id.lower() for chain in chains}
    missing = sorted((desired.name_of(zone_id), zone_id) for zone_id in zones)
    words, left = notes.beside(changes)
    valid = is_valid([chain.row for chain in chains])
    return Document(desired, chains, changes, valid, missing, notes, words, left, unread_files(desired.archive.folder))


def _check_period(period: Period, days: t.Sequence[str], has_audits: bool, *, is_broken: bool) -> None:
    recorded = f"; the records are from {min(days)} to {max(days)}" if days else "; the folder has no record"
    if period.until < period.since:
        raise invalid_option("until", f"{period.until} is before {period.since}, the first day{recorded}")
    # A chain without a valid record must be said on the page, not hidden by a refusal.
    if not has_audits and not is_broken:
        raise invalid_option("since", f"no zone has a record from {period.since} to {period.until}{recorded}")


class Baselines:
    """The baselines that records name, each read once; None for one whose file is missing, was edited, or is no list of entries.

    Of an entry with a member that cannot be read only the name is left, which authorises nothing.
    """

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
        if hashlib.sha256(content).hexdigest() != digest or not isinstance(items, list):
            return None
        entries = {
            item["name"]: item if is_readable(item) else {"name": item["name"]}
            for item in items
            if isinstance(item, dict) and isinstance(item.get("name"), str)
        }
        return entries if len(entries) == len(items) else None


def _at_the_end(noun: str, histories: t.Sequence[Chronicle], unseen: int = 0) -> tuple[str, str]:
    """Return the noun of what was listed at the end, one and many, with what the number leaves out; `unseen` zones could not be seen."""
    left = sum(len(history.left_out) for history in histories)
    without = [f"{left:,} more no longer looked at"] if left else []
    without += [f"not known in {plural(unseen, 'zone')}"] if unseen else []
    more = f" ({', '.join(without)})" if without else ""
    return f"{noun} at the end{more}", f"{noun}s at the end{more}"


def numbers(document: Document) -> list[tuple[str, str]]:
    """Return the numbers of the page, each with its noun."""
    events = document.changes
    audited = {chain.zone_id.lower() for chain in document.audited}
    without = {zone.zone_id for zone in document.not_audited} - audited
    scripts = [history for _chain, history in document.of_scripts]
    pages = sum(len(history.pages) for _chain, history in document.of_pages)
    unseen = sum(not history.audits[-1].can_see for history in scripts)
    unread = sum(not history.is_readable for _chain, history in document.of_pages)
    counted = [history for history in scripts if history.audits[-1].can_see]
    counts = [
        (len(audited), "zone audited", "zones audited"),
        *([(len(without), "zone without audits", "zones without audits")] if without else []),
        (document.audits, "audit", "audits"),
        *([(sum(count(history.inventory) for history in counted), *_at_the_end("script", scripts, unseen))] if scripts else []),
        *(
            [(pages, *_at_the_end("payment page", [history for _chain, history in document.of_pages], unread))]
            if document.has_pages
            else []
        ),
        *(
            [(sum(event.what == CHANGED and not event.of_pages for event in events), "change of a script", "changes of scripts")]
            if scripts
            else []
        ),
        *(
            [(sum(event.what == CHANGED and event.of_pages for event in events), "change of a page", "changes of pages")]
            if document.has_pages
            else []
        ),
        (
            sum(opened.alike for chain in document.audited for _kind, opened in chain.history.unresolved),
            "finding not resolved",
            "findings not resolved",
        ),
        (sum(event.what == GAP for event in events), "gap", "gaps"),
    ]
    return [(f"{number:,}", one if number == 1 else many) for number, one, many in counts]
