# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import abc
import datetime
import typing as t

from ...module_utils._chain.kinds import PAGES, SCRIPTS, UNUSED, Kind
from ...module_utils._chain.records import CheckedRecord
from ...module_utils._core import Json
from ...module_utils._text import parse_time
from .audits import Audit, Gap, Period, Slow, day_of, find_gaps, find_slow
from .dates import Dates
from .events import CLOSED, GAP, HIDDEN, NOT_RESOLVED, OPENED, SCOPE, STILL_OPEN, Ended, Episode, Event, Opened, days_between
from .scope import changes_of

# What the records of one chain prove about a period, as far as scripts and payment pages have it in common.

_EVIDENCE_GAP = "evidence_gap"


class Finding(t.NamedTuple):
    """What tells findings apart: the type, and the script with its host, the page with its subject, or the entry that it is about."""

    kind: str
    place: str = ""
    detail: str = ""
    rest: str = ""
    entry: str = ""


class Chronicle(abc.ABC):
    """The history of one chain, made of its valid records in their order; of later ones than the period, nothing is used.

    `earlier` is the time of the last audit before the period. `ongoing` are the times of what is not authorised, by identity,
    `episodes` those that ended in the period, and `ended_now` how some ended at the record at hand.
    """

    def __init__(self, kind: Kind, zone_id: str, period: Period, max_gap_days: float | None) -> None:
        self.kind, self.zone_id, self.period = kind, zone_id, period
        self.max_gap_days = kind.max_gap_days if max_gap_days is None else max_gap_days
        self.audits: list[Audit] = []
        self.earlier: datetime.datetime | None = None
        # The day of the last audit before the period that could see, and of the first one.
        self._start: datetime.date | None = None
        self._first: datetime.date | None = None
        self.last_at: datetime.datetime | None = None
        self.open: dict[Finding, Opened] = {}
        self.closed: list[Episode] = []
        self.hidden: dict[Finding, Opened] = {}
        # Those that ended although nobody put anything in order.
        self.dropped: dict[Finding, Opened] = {}
        self.ongoing: dict[t.Hashable, Episode] = {}
        self.episodes: list[Episode] = []
        self.ended_now: dict[t.Hashable, str] = {}
        self.dates = Dates(kind.name)
        # Those of the record at hand.
        self.day = ""
        self.scope: t.Mapping[str, t.Any] = {}
        self._events: list[Event] = []
        self._last_scope: t.Mapping[str, Json] = {}

    @property
    def is_first(self) -> bool:
        """Return whether the record at hand is the first one of the chain."""
        return self.last_at is None

    @abc.abstractmethod
    def audit_of(self, record: CheckedRecord, at: datetime.datetime) -> Audit:
        """Take what a record has seen, and return its audit."""

    @abc.abstractmethod
    def events_of(self, record: CheckedRecord, audit: Audit) -> t.Iterator[Event]:
        """Yield what happened since the record before."""

    @abc.abstractmethod
    def is_hidden(self, identity: t.Hashable) -> bool:
        """Return whether the last audit that could see did not look at something any more."""

    @abc.abstractmethod
    def is_followed(self, finding: Finding) -> bool:
        """Return whether `ongoing` has what a finding is about, whatever became of the finding."""

    @abc.abstractmethod
    def event_about(self, finding: Finding, at: datetime.datetime, what: str, message: str) -> Event:
        """Return the event of a finding."""

    def add(self, record: CheckedRecord) -> None:
        """Take the next valid record."""
        at = parse_time(record["at"])
        if at is None or day_of(at) > self.period.until:
            return
        self.ended_now, self.day, self.scope = {}, day_of(at), record["scope"]
        audit = self.audit_of(record, at)
        events = sorted([*self._scope_events(at), *self.events_of(record, audit)], key=lambda event: event.order)
        if self.period.covers(at):
            self._events += events
            self.audits.append(audit)
        else:
            self.earlier = at
            self._start = audit.day if audit.can_see else self._start
        self._first = self._first or audit.day
        self.last_at, self._last_scope = at, record["scope"]

    @property
    def gaps(self) -> list[Gap]:
        return find_gaps([audit.at for audit in self.audits], self.earlier, self.period, self.max_gap_days)

    @property
    def all_dates(self) -> list[Dates]:
        """Return what is to say of the dates of each baseline."""
        return [self.dates]

    @property
    def slow(self) -> Slow | None:
        """Return the first days between which more than seven days had no audit that could see."""
        # Without any that could see before, the days count from the first one, or from the first day that was chosen.
        start = self.period.first if self._first is None or (self.period.is_since_given and not self.earlier) else self._first
        return find_slow(self.audits, self._start, start, self.period)

    @property
    def events(self) -> list[Event]:
        gaps = [self._about_audits(GAP, gap.at, gap.message) for gap in self.gaps]
        return sorted([*gaps, *self._events], key=lambda event: event.at)

    @property
    def unauthorised(self) -> list[Episode]:
        """Return when something was not authorised: what ended in the period, and what did not end."""
        left = [
            episode._replace(how=HIDDEN if self.is_hidden(identity) else STILL_OPEN) for identity, episode in self.ongoing.items()
        ]
        return [*self.episodes, *left]

    def findings(self, kind: str) -> list[Episode]:
        """Return when findings of a type were open: those that ended in the period, and those that did not end."""
        left = [_episode(finding, opened) for finding, opened in self.open.items()]
        left += [_episode(finding, opened)._replace(how=HIDDEN) for finding, opened in self.hidden.items()]
        return [episode for episode in (*self.closed, *left) if episode.kind == kind]

    @property
    @abc.abstractmethod
    def left_out(self) -> list[tuple[str, datetime.datetime]]:
        """Return what audits knew, and the last one that could see did not look at: its name, and when it was last looked at."""

    @property
    def late_pages(self) -> list[tuple[str, str]]:
        """Return the day of the first audit of each payment page that came long after the first one of all, with its URL."""
        return []

    @property
    def unaudited_entries(self) -> list[str]:
        """Return the names of the entries at the end of the period that authorise a payment page which no audit looked at."""
        return []

    @property
    def unpinned(self) -> tuple[int, int]:
        """Return how many scripts that are not pinned changed in the period, and how often."""
        return 0, 0

    @abc.abstractmethod
    def not_authorised(self) -> t.Iterator[tuple[str, Opened]]:
        """Yield what is not authorised at the end of the period although no finding is open about it, each with its type."""

    @property
    def unresolved(self) -> list[tuple[str, Opened]]:
        """Return what is not resolved at the end of the period, each with its type; what audits no longer look at is among it."""
        hidden = {finding: _with_words(opened, HIDDEN) for finding, opened in self.hidden.items()}
        dropped = {finding: opened for finding, opened in self.dropped.items() if finding not in self.open}
        parts = [sorted(part.items()) for part in (self.open, hidden, dropped)]
        return [*((finding.kind, opened) for part in parts for finding, opened in part), *self.not_authorised()]

    @abc.abstractmethod
    def count_of(self, finding: Finding) -> int:
        """Return how many of what the record at hand has are what a finding is about."""

    @abc.abstractmethod
    def count_authorised(self) -> tuple[int, int]:
        """Return how much of what was last seen is authorised, and how much there is."""

    def end(self, identity: t.Hashable, at: datetime.datetime, how: str) -> None:
        """End the time during which something was not authorised."""
        self.ended_now[identity] = how
        episode = self.ongoing.pop(identity, None)
        if episode is not None and self.period.covers(at):
            self.episodes.append(episode._replace(end=at, how=how))

    def _close(self, finding: Finding, opened: Opened, at: datetime.datetime, ended: Ended) -> None:
        self.dropped.pop(finding, None)
        if ended.how == HIDDEN:
            self.hidden[finding] = opened
            return
        # What is about a script is not resolved until the script is gone, however long ago that was closed.
        is_lasting = self.kind is SCRIPTS and not finding.entry
        is_dropped = ended.how in NOT_RESOLVED and finding.kind != UNUSED and not self.is_followed(finding)
        if is_dropped and (is_lasting or self.period.covers(at)):
            self.dropped[finding] = _with_words(opened, ended.more or ended.how)
        if self.period.covers(at):
            self.closed.append(_episode(finding, opened)._replace(end=at, how=ended.how))

    def _about_audits(self, what: str, at: datetime.datetime, message: str) -> Event:
        return Event(at, self.zone_id, what, message=message, of_pages=self.kind is PAGES)

    def _scope_events(self, at: datetime.datetime) -> t.Iterator[Event]:
        changes = "" if self.is_first else changes_of(self._last_scope, self.scope)
        if changes:
            yield self._about_audits(SCOPE, at, changes)

    def finding_events(
        self, at: datetime.datetime, found: t.Mapping[Finding, str], why_closed: t.Callable[[Finding, Opened], Ended]
    ) -> t.Iterator[Event]:
        """Yield which findings were opened and closed; `found` are those of the record, with their messages."""
        for finding, message in found.items():
            if finding.kind == _EVIDENCE_GAP:
                # A gap is said once: here only if it is none for this document.
                if self.last_at is None or (at.date() - self.last_at.date()).days <= self.max_gap_days:
                    yield self._about_audits(GAP, at, message or "the last record was too old")
                continue
            if finding not in self.open:
                event = self.event_about(finding, at, OPENED, f"{finding.kind}: {message}".removesuffix(": "))
                opened = self.hidden.pop(finding, None) or Opened(event, at, message, self.is_first, self.scope)
                self.open[finding] = opened
                yield event
            if finding.rest:
                opened = self.open[finding]
                self.open[finding] = opened._replace(alike=max(opened.alike, self.count_of(finding)))
        hidden = list(self.hidden)
        for finding in [finding for finding in self.open if finding not in found]:
            opened = self.open.pop(finding)
            ended = why_closed(finding, opened)
            self._close(finding, opened, at, ended)
            how = ", ".join(filter(None, (ended.message, f"after {days_between(opened.since, at)}")))
            yield self.event_about(finding, at, CLOSED, f"{finding.kind}: {how}")
        # What is looked at again, and not found, has ended; that it was closed is said already.
        for finding in hidden:
            opened = self.hidden.pop(finding)
            self._close(finding, opened, at, why_closed(finding, opened))


def _with_words(opened: Opened, words: str) -> Opened:
    return opened._replace(message="; ".join(filter(None, (opened.message, words))))


def _episode(finding: Finding, opened: Opened) -> Episode:
    return Episode(finding.kind, opened.since, is_first=opened.is_first, place=finding.place, alike=opened.alike)
