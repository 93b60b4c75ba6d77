# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import datetime
import typing as t

from ...module_utils._baseline.entries import PINNED, is_authorised
from ...module_utils._chain.kinds import OF_SCRIPTS, SCRIPTS, UNUSED, UNVERIFIED
from ...module_utils._chain.records import CheckedRecord
from ...module_utils._core import Json
from ...module_utils._scripts.listing import asked_statuses, looks_at
from ...module_utils._text import list_of
from .audits import MONITOR_OFF, NO_BASELINE, NOT_READABLE, NOTHING_SEEN, Audit, Period, day_of, delay_of, moment
from .chronicle import Chronicle, Finding
from .dates import covers
from .endings import (
    end_of_entry,
    end_of_malicious,
    end_of_missing,
    end_of_unverified,
    hashes_of,
    is_current,
    not_authorised_hashes,
)
from .events import (
    AUTHORISED,
    BACK,
    BY_AUTHORISATION,
    CHANGED,
    GONE,
    GONE_SINCE,
    HIDDEN,
    IN_USE,
    LISTED,
    NOT_AUTHORISED,
    NOT_KNOWN,
    NOT_KNOWN_BY,
    NOT_SHOWN,
    OPENED,
    SCOPE,
    SEEN,
    STILL_NOT_AUTHORISED,
    UNAUTHORISED,
    UNREPORTED,
    Ended,
    Entries,
    Episode,
    Event,
    Opened,
)
from .inventory import (
    HASH_CHANGED,
    KINDS_NOT_AUTHORISED,
    NEW,
    UNJUSTIFIED,
    Identity,
    Inventory,
    Known,
    Likeness,
    Listed,
    Seen,
    count,
    how_many,
)
from .reader import Reader
from .scope import leaves_out, new_setting, scores_of

# What the records of a zone's scripts prove about a period: who saw which script, what changed, and who authorised it.

_EXPIRED = "expired"


class History(Chronicle):
    """The history of the scripts of one zone, made of its valid records in their order; of later ones than the period, nothing is used."""

    def __init__(
        self, zone_id: str, period: Period, max_gap_days: float | None, baseline: t.Callable[[str], Entries | None]
    ) -> None:
        super().__init__(SCRIPTS, zone_id, period, max_gap_days)
        self._baseline = baseline
        self.entries: Entries | None = None
        # What the last audit that could see has seen, with which baseline and scope.
        self.last_seen: Inventory = {}
        self._before: Inventory = {}
        self.last_seen_at: datetime.datetime | None = None
        # Of the first record of the chain, if it is in the period.
        self.first_counts: tuple[int, int] | None = None
        self._last_digest = ""
        self._monitor: t.Mapping[str, Json] | None = None
        self._switched_at: datetime.datetime | None = None
        self._asked = frozenset[str]()
        self._known: dict[Identity, Known] = {}
        self._hash_days: dict[str, str] = {}
        self._reader = Reader()
        # How often each script changed in the period under an entry that takes any hash.
        self._unpinned = collections.Counter[Identity]()

    @property
    def inventory(self) -> Inventory | None:
        """Return what the last record of the period lists, None if it refers to an inventory that is not there any more."""
        return self._reader.inventory

    def listed(self) -> list[Listed]:
        """Return the inventory of the last record of the period, sorted."""
        left: dict[Identity, tuple[str, ...]] = {}
        for finding in (*self.hidden, *self.dropped):
            identity = Identity(finding.place, finding.detail, finding.rest)
            left[identity] = (*left.get(identity, ()), finding.kind)
        inventory = sorted((self.inventory or {}).items())
        return [self._listed(identity, seen)._replace(left=left.get(identity, ())) for identity, seen in inventory]

    def count_authorised(self) -> tuple[int, int]:
        """Return how many of the scripts that were last seen are authorised, and how many there are."""
        listed = [self._listed(identity, seen) for identity, seen in self.last_seen.items()]
        return sum(script.seen.alike for script in listed if script.is_authorised), count(self.last_seen)

    @property
    def unpinned(self) -> tuple[int, int]:
        return len(+self._unpinned), self._unpinned.total()

    @property
    def left_out(self) -> list[tuple[str, datetime.datetime]]:
        known = sorted((*identity, known.last_at) for identity, known in self._known.items() if identity not in self.last_seen)
        return [(" on ".join(filter(None, (url or "a script without a URL", host))), at) for url, host, _rest, at in known]

    def not_authorised(self) -> t.Iterator[tuple[str, Opened]]:
        explain = (NEW, HASH_CHANGED, UNVERIFIED)
        present = {
            Identity(finding.place, finding.detail, finding.rest)
            for finding in (*self.open, *self.hidden)
            if finding.kind in explain
        }
        entries = {finding.entry for finding in self.open if finding.kind in (UNJUSTIFIED, _EXPIRED)}
        now = {identity for identity, seen in self.last_seen.items() if not self._listed(identity, seen).is_authorised}
        for identity in sorted({*now, *(item for item in self.ongoing if isinstance(item, Identity))} - present):
            seen, episode = self.last_seen.get(identity), self.ongoing.get(identity)
            at = episode.since if episode else self.last_seen_at
            if at is not None and (seen is None or seen.entry not in entries):
                words = HIDDEN if seen is None else NOT_KNOWN_BY if self.entries is None else UNAUTHORISED
                about = self.event_about(Finding(NOT_AUTHORISED, *identity), at, OPENED, words)
                yield NOT_AUTHORISED, Opened(about, at, words, False, self.scope, seen.alike if seen else 1)

    def count_of(self, finding: Finding) -> int:
        seen = (self.inventory or {}).get(Identity(finding.place, finding.detail, finding.rest))
        return seen.alike if seen else 1

    def _listed(self, identity: Identity, seen: Seen) -> Listed:
        declared = self.entry_of(seen.entry)
        return Listed(identity.url, identity.host, seen, declared, self._is_authorised(identity, seen, declared))

    def _is_authorised(self, identity: Identity, seen: Seen, declared: t.Mapping[str, Json]) -> bool:
        return (
            is_current(declared, self.day)
            and not seen.not_authorised_by(declared)
            and _EXPIRED not in seen.findings
            and identity not in self.ongoing
        )

    def audit_of(self, record: CheckedRecord, at: datetime.datetime) -> Audit:
        self._reader.take(record)
        self.entries = self._baseline(record["baseline_digest"])
        blind = set()
        findings = {finding["kind"] for finding in record["findings"]}
        self._switched_at = new_setting(record["monitor"], self._monitor, self.last_at)
        self._monitor = record["monitor"]
        if not record["monitor"]["enabled"] or MONITOR_OFF in findings:
            blind.add(MONITOR_OFF)
        elif self.inventory is None:
            blind.add(NOT_READABLE)
        elif not self.inventory or NOTHING_SEEN in findings:
            blind.add(NOTHING_SEEN)
        if self.entries is None:
            blind.add(NO_BASELINE)
        return Audit(
            at,
            has_findings=not record["passed"] or bool({*findings, *self._reader.kinds} - {UNUSED}),
            blind=frozenset(blind),
            delay=delay_of(record, at),
            left_out=leaves_out(record["scope"]),
            has_broken_history="history_broken" in findings,
            is_new_setting=self._switched_at is not None,
        )

    def events_of(self, record: CheckedRecord, audit: Audit) -> t.Iterator[Event]:
        now = (self.inventory or {}) if audit.can_see else {}
        if self._switched_at is not None:
            words = f"the setting of the script monitor was changed on {moment(self._switched_at)}, since the audit before"
            yield self._about_audits(SCOPE, audit.at, words)
        messages = {(f["kind"], *self._reader.name(f["script_url"], f["host"])): f["message"] or "" for f in record["findings"]}
        gone: set[Identity] = set()
        self._begin_without_inventory(record, audit, now)
        if audit.can_see:
            is_same = record["baseline_digest"] == self._last_digest
            for identity, seen in now.items():
                # A script with the same entry of the same baseline has no news: most of a year's records are like that.
                if not is_same or identity in self.ongoing or self.last_seen.get(identity) != seen:
                    yield from self._script_events(identity, seen, audit.at, messages)
            for identity in self._find_gone(now, record["scope"]):
                gone.add(identity)
                self.end(identity, audit.at, GONE_SINCE)
                for finding in [item for item in self.dropped if Identity(item.place, item.detail, item.rest) == identity]:
                    del self.dropped[finding]
                yield Event(audit.at, self.zone_id, GONE, identity.url, identity.host)
            self._before, self.last_seen, self.last_seen_at = self.last_seen, now, audit.at
            self._last_digest = record["baseline_digest"]
            self._asked = asked_statuses(record["scope"]["status"])
        if self.is_first and audit.can_see and self.period.covers(audit.at):
            self.first_counts = self.count_authorised()
        yield from self.finding_events(
            audit.at,
            self._reader.findings(record),
            lambda finding, opened: self._why_closed(finding, opened, audit, gone),
        )
        self.dates.compare(audit.at, self.entries, self._was_seen_by, counts=self.period.covers(audit.at))

    def _script_events(
        self, identity: Identity, seen: Seen, at: datetime.datetime, messages: t.Mapping[tuple[str, str, str], str]
    ) -> t.Iterator[Event]:
        declared, known, became = self.entry_of(seen.entry), self._known.get(identity), UNJUSTIFIED
        about = Event(
            at,
            self.zone_id,
            SEEN,
            identity.url,
            identity.host,
            entry=seen.entry,
            hashes=(seen.hash,) if seen.hash else (),
            declared=declared,
            is_first=self.is_first,
            message="; ".join(how_many(seen)),
        )
        if known is None:
            known = self._known[identity] = Known(seen, at)
            became = UNJUSTIFIED if self.is_first else NEW
            yield about
        elif seen.hash and known.hash and seen.hash != known.hash:
            became = HASH_CHANGED
            is_unpinned = bool(declared) and not seen.not_authorised_by(declared) and declared.get("integrity") != PINNED
            self._unpinned[identity] += is_unpinned and self.period.covers(at)
            more = "; its entry takes any hash, so that no authorisation names this one" if is_unpinned else ""
            yield about._replace(what=CHANGED, message=f"the hash was {known.hash}, is {seen.hash}{more}")
        known.hash, known.status = seen.hash or known.hash, seen.status
        if seen.hash:
            self._hash_days.setdefault(seen.hash, day_of(at))
        ongoing, kind = self.ongoing.get(identity), seen.not_authorised_by(declared)
        # Whatever the audit took for an authorisation; what came with an entry that authorises nothing was added or changed without one.
        if kind == UNJUSTIFIED or (declared and not kind and not is_authorised(declared, self.day)):
            kind = became
        if kind:
            named = messages.get((HASH_CHANGED, identity.url, identity.host), "") if kind == HASH_CHANGED else ""
            hashes = not_authorised_hashes(kind, named, seen.hash, declared)
            self._begin(identity, Episode(kind, at, is_first=self.is_first, hashes=hashes, alike=seen.alike))
        elif ongoing is not None:
            how = self._how_ended(ongoing, seen, declared)
            if how:
                self.end(identity, at, how)
            if how == BY_AUTHORISATION:
                allowed = tuple(map(str, list_of(declared.get("hashes"))))
                yield about._replace(what=AUTHORISED, hashes=allowed, message="")

    def _begin_without_inventory(self, record: CheckedRecord, audit: Audit, now: Inventory) -> None:
        """Begin that a script is not authorised which an audit found, and which it does not list, or could not see."""
        for finding, _message in self._reader.named(record):
            identity = Identity(finding.place, finding.detail, finding.rest)
            if finding.kind in (NEW, HASH_CHANGED) and identity not in now:
                self._begin(identity, Episode(finding.kind, audit.at, is_first=self.is_first))

    def _begin(self, identity: Identity, episode: Episode) -> None:
        """Begin that a script is not authorised, or go on with it: what was added or changed is worse than an entry that is not complete."""
        ongoing = self.ongoing.get(identity)
        if ongoing is not None and not (ongoing.kind == UNJUSTIFIED and episode.kind != UNJUSTIFIED):
            episode = ongoing._replace(hashes=ongoing.hashes | episode.hashes, alike=max(ongoing.alike, episode.alike))
        self.ongoing[identity] = episode

    def _how_ended(self, ongoing: Episode, seen: Seen, declared: t.Mapping[str, Json]) -> str:
        """Return how it ended that a script was not authorised, "" if it is not authorised yet."""
        allowed = ongoing.hashes <= hashes_of(declared)
        is_pinned = declared.get("integrity") == PINNED
        if ongoing.kind == HASH_CHANGED and is_pinned and not allowed:
            # Its hash is one of the entry again; where the service shows none any more, nobody knows.
            return BACK if seen.hash in hashes_of(declared) and UNVERIFIED not in seen.findings else ""
        if not is_current(declared, self.day) or _EXPIRED in seen.findings or (UNVERIFIED in seen.findings and not allowed):
            return ""
        return BY_AUTHORISATION

    def _find_gone(self, now: Inventory, scope: t.Mapping[str, t.Any]) -> list[Identity]:
        """Return the scripts that this audit would have listed, and did not; forget them."""
        asked, gone = asked_statuses(scope["status"]), []
        missing = sorted(self._known.keys() - now.keys())
        likeness = Likeness(now if missing else {}, self._known)
        for identity in missing:
            known = self._known[identity]
            if identity in self.last_seen:
                known.asked, known.last_at = self._asked, self.last_seen_at or known.last_at
            # A script of a status that nobody asks for any more may have got that status.
            if (
                not likeness.may_have(identity)
                and looks_at(scope["hosts"], identity.host)
                and known.asked <= asked
                and (not known.status or known.status in asked)
            ):
                gone.append(identity)
                del self._known[identity]
        return gone

    def _why_closed(self, finding: Finding, opened: Opened, audit: Audit, gone: t.Container[Identity]) -> Ended:
        """Return how a finding ended that the record does not have any more; "" for the audit's own, which say it themselves."""
        if finding.kind in OF_SCRIPTS:
            return self._why_script_closed(finding, opened, audit, gone)
        if not finding.entry:
            return Ended("")
        if self.entries is None:
            return Ended(NOT_KNOWN)
        was, now = opened.about.declared, self.entries.get(finding.entry)
        if finding.kind not in ("gone", UNUSED):
            return end_of_entry(finding.kind, was, now, self.day)
        if audit.can_see and any(covers(was, identity.url, identity.host) for identity in self.inventory or ()):
            return Ended(IN_USE if finding.kind == UNUSED else LISTED)
        hosts = list_of((now or {}).get("hosts"))
        is_looked_at = audit.can_see and (not hosts or any(looks_at(self.scope["hosts"], str(host)) for host in hosts))
        return end_of_missing(was, now, is_looked_at=is_looked_at)

    def _why_script_closed(self, finding: Finding, opened: Opened, audit: Audit, gone: t.Container[Identity]) -> Ended:
        identity = Identity(finding.place, finding.detail, finding.rest)
        seen = (self.inventory or {}).get(identity) if audit.can_see else None
        if seen is None or identity in gone:
            return Ended(GONE_SINCE if identity in gone else HIDDEN)
        if finding.kind == "malicious":
            before = self._before.get(identity)
            return end_of_malicious(before and before.verdict, seen.verdict, scores_of(opened.scope), scores_of(self.scope))
        if finding.kind == "reported":
            return Ended(UNREPORTED if seen.is_unreported else NOT_SHOWN)
        if finding.kind == UNVERIFIED:
            return end_of_unverified(seen.hash, seen.findings, self.entries, seen.entry, has_read=self.scope["details"] == "all")
        return self._why_authorised(identity, seen)

    def _why_authorised(self, identity: Identity, seen: Seen) -> Ended:
        """Return how it ended that a script was found to be new or changed."""
        how = self.ended_now.get(identity, "")
        if how in (BACK, BY_AUTHORISATION):
            return Ended(how)
        left = next((kind for kind in (*KINDS_NOT_AUTHORISED, _EXPIRED, UNVERIFIED) if kind in seen.findings), "")
        more = f"{STILL_NOT_AUTHORISED} ({left})" if left else ""
        return Ended(NOT_KNOWN) if self.entries is None else Ended(STILL_NOT_AUTHORISED, more)

    def _was_seen_by(self, entry: t.Mapping[str, Json], hashes: t.Collection[str], day: str) -> bool:
        """Return whether audits up to a day had seen what an entry authorises: each of these hashes, or without any each of its scripts."""
        if hashes:
            return all(self._hash_days.get(value, "9") <= day for value in hashes)
        name = entry.get("name")
        days = [self._known[identity].first_day for identity, seen in self.last_seen.items() if seen.entry == name]
        return bool(days) and max(days) <= day

    def is_hidden(self, identity: t.Hashable) -> bool:
        return identity not in self.last_seen

    def is_followed(self, finding: Finding) -> bool:
        return finding.kind in (NEW, HASH_CHANGED)

    def event_about(self, finding: Finding, at: datetime.datetime, what: str, message: str) -> Event:
        seen = self.last_seen.get(Identity(finding.place, finding.detail, finding.rest))
        entry = finding.entry or (seen.entry if seen else "")
        about = Event(at, self.zone_id, what, finding.place, finding.detail, entry=entry)
        return about._replace(message=message, declared=self.entry_of(entry))

    def entry_of(self, name: str) -> t.Mapping[str, Json]:
        return (self.entries or {}).get(name, {})
