# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from ...module_utils._chain.kinds import PAGES, SCRIPTS, UNUSED
from ...module_utils._chain.records import CheckedRecord
from ...module_utils._core import Json
from ...module_utils._pages.facts import REDIRECTED, UNREAD
from ...module_utils._text import canonical
from .audits import NO_BASELINE, NOT_READABLE, PAGE_UNREAD, Audit, Gap, Period, Slow, day_of, delay_of
from .chronicle import Chronicle, Finding
from .dates import Dates, Entry, best_entry, covers, matches
from .endings import end_of_entry, is_current
from .events import (
    AUTHORISED,
    BACK,
    BY_AUTHORISATION,
    CHANGED,
    GONE_SINCE,
    HIDDEN,
    IN_USE,
    NOT_AUTHORISED,
    NOT_KNOWN,
    NOT_KNOWN_BY,
    NOT_REQUIRED,
    OPENED,
    READ_AGAIN,
    SEEN,
    STILL_NOT_AUTHORISED,
    UNAUTHORISED,
    UNPROVEN,
    Ended,
    Entries,
    Episode,
    Event,
    Opened,
)
from .looks import Looks
from .page_parts import (
    HAS,
    PARTS,
    Header,
    Look,
    Page,
    contents,
    differences,
    end_of_required,
    host_of,
    message_of,
    names_in,
    names_of,
    patterns_of,
    was_read,
)
from .scope import asked_of, leaves_out_of_pages

# What the records of a zone's payment pages prove about a period: what changed in a page, and who authorised it.

# Findings about an entry, whose name is their subject; with a page, about one of the baseline of scripts, and the subject is the script.
_OF_ENTRIES = frozenset(("expired", "unjustified", UNUSED))
# Findings about a script of a page, which the baseline of scripts may authorise as well.
_OF_SCRIPTS = frozenset(("script_new", "expired", "unjustified"))
_NO_EPISODE = _OF_ENTRIES | {UNREAD}
HEADER_CHANGED = "header_changed"
_OF_AUDITS = frozenset(("evidence_gap", "history_broken"))


class ListedPage(t.NamedTuple):
    """A payment page at the end of the period, with its entry, the entry's declaration and its findings."""

    page: str
    entry: str
    declared: t.Mapping[str, Json]
    is_authorised: bool
    has: str
    hashes: tuple[str, ...]
    message: str


class PageHistory(Chronicle):
    """The history of the payment pages of one zone; `baseline` returns the entries of a baseline by its digest, None if its file is missing."""

    def __init__(
        self, zone_id: str, period: Period, max_gap_days: float | None, baseline: t.Callable[[str], Entries | None]
    ) -> None:
        super().__init__(PAGES, zone_id, period, max_gap_days)
        self._baseline = baseline
        self.entries: Entries | None = None
        # What each page had when it was last read, since when, and the pages of the record at hand with what was found.
        self._read: dict[str, Page] = {}
        self._since: dict[str, str] = {}
        self._pages: list[Page] | None = []
        self._pages_seq = 0
        self._found: dict[Finding, str] = {}
        # By finding, what authorised the page when it was opened, how closely the audit looked, and the names of what it is about.
        self._authorised_by: dict[Finding, str] = {}
        self._looked_by: dict[Finding, Look] = {}
        self._names: dict[Finding, set[str]] = {}
        self._led_to: dict[Finding, str] = {}
        # What the last record with a finding about a header shows of it.
        self._header_at: dict[Finding, Header | None] = {}
        self._readable: t.Mapping[str, Page] = {}
        self._headers: list[str] = []
        self._fetches = 0
        self.looks = Looks(period)
        # The entries of the baseline of scripts, their dates, and when each script was first seen on a host.
        self._script_entries: Entries | None = None
        self.script_dates = Dates(SCRIPTS.name)
        self._script_days: dict[tuple[str, str], str] = {}

    @property
    def pages(self) -> list[ListedPage]:
        """Return the pages of the last record of the period."""
        return [self._listed(page) for page in sorted(self._pages or (), key=lambda page: str(page["url"]))]

    @property
    def is_readable(self) -> bool:
        """Return whether the last record says what it saw."""
        return self._pages is not None

    def count_of(self, _finding: Finding) -> int:
        return 1

    def count_authorised(self) -> tuple[int, int]:
        pages = self.pages
        return sum(page.is_authorised for page in pages), len(pages)

    def not_authorised(self) -> t.Iterator[tuple[str, Opened]]:
        left = {*self.open, *self.hidden}
        about = {(finding.place, finding.detail) for finding in left}
        ongoing = sorted(
            finding for finding in self.ongoing if isinstance(finding, Finding) and (finding.place, finding.detail) not in about
        )
        for finding in ongoing:
            since = self.ongoing[finding].since
            event = self.event_about(finding, since, OPENED, HIDDEN if self.is_hidden(finding) else STILL_NOT_AUTHORISED)
            yield finding.kind, Opened(event, since, event.message, False, self.scope)
        named = {finding.place or finding.detail for finding in (*left, *ongoing) if finding.kind != UNUSED} - {""}
        for page in self.pages:
            if self.last_at is not None and not page.is_authorised and not named & {page.page, page.entry}:
                words = NOT_KNOWN_BY if self.entries is None else UNAUTHORISED
                event = self.event_about(Finding(NOT_AUTHORISED, page.page), self.last_at, OPENED, words)
                yield NOT_AUTHORISED, Opened(event, self.last_at, words, False, self.scope)

    def _listed(self, page: Page) -> ListedPage:
        url, entry = page["url"], page["entry"] or ""
        declared = self.entry_of(entry)
        kinds = {finding.kind for finding in self._found if finding.place == url or (entry and finding.detail == entry)}
        named = [kind for kind in PAGES.findings if kind in kinds]
        is_ongoing = any(isinstance(finding, Finding) and finding.place == url for finding in self.ongoing)
        is_authorised = is_current(declared, self.day) and not is_ongoing and not kinds - {UNUSED} and was_read(page)
        return ListedPage(
            page=url,
            entry=entry,
            declared=declared,
            is_authorised=is_authorised,
            has=contents(page, kinds),
            hashes=tuple(sorted(str(code["hash"] or code["shape"] or "") for code in page["inline"])),
            message=", ".join(named or ([] if is_authorised else [NOT_AUTHORISED])),
        )

    def audit_of(self, record: CheckedRecord, at: datetime.datetime) -> Audit:
        self._headers = [name.lower() for name in record["scope"]["headers"]]
        if "pages" in record:
            self._pages, self._pages_seq = record["pages"], record["seq"]
        elif record["pages_same_as"] != self._pages_seq:
            self._pages = None
        urls = [page["url"] for page in self._pages or ()]
        if len({*urls}) < len(urls) or not {*record["scope"]["pages"]} <= {*urls}:
            # Nobody can tell what it saw: it has a page twice, or not every page that it asked for.
            self._pages = None
        self._fetches = record["scope"]["fetches"]
        self.entries = self._baseline(record["pages_baseline_digest"])
        self._script_entries = self._baseline(record["baseline_digest"])
        self._found = {
            Finding(finding["kind"], finding["page"] or "", finding["subject"] or ""): message_of(finding)
            for finding in record["findings"]
        }
        kinds = {finding.kind for finding in self._found}
        is_unread = UNREAD in kinds or not self._pages or any(map(self._is_unread, self._pages))
        blind = {PAGE_UNREAD} if is_unread else set()
        blind |= {NOT_READABLE} if self._pages is None else set()
        blind |= {NO_BASELINE} if self.entries is None or self._script_entries is None else set()
        audit = Audit(
            at,
            has_findings=not record["passed"] or bool(kinds - {UNUSED}),
            blind=frozenset(blind),
            delay=delay_of(record, at),
            left_out=leaves_out_of_pages(record["scope"], self.looks.known(self.earlier)),
            has_broken_history="history_broken" in kinds,
        )
        self._readable = {
            page["url"]: page for page in self._pages or () if not self._is_unread(page) and not self.looks.is_older(page, at)
        }
        self.looks.add(record["scope"]["pages"], {page["url"]: page for page in self._pages or ()}, self._readable, audit)
        return audit

    def events_of(self, _record: CheckedRecord, audit: Audit) -> t.Iterator[Event]:
        for url, page in self._readable.items():
            yield from self._page_events(url, page, audit.at)
        for finding in self._found.keys() - self.open.keys():
            self._authorised_by[finding] = self._authority(finding)
            self._looked_by[finding] = self._look_at(finding.place)
            self._led_to[finding] = self._address_of(finding.place)
            if finding.kind in HAS and finding.place in self._readable:
                self._names[finding] = names_of(self._readable[finding.place], finding)
        for finding in self._found:
            if finding.kind == HEADER_CHANGED and finding.place in self._readable:
                self._header_at[finding] = self._header(finding)
        yield from self._authorised_events(audit.at)
        yield from self.finding_events(
            audit.at, self._found, lambda finding, opened: self._why_closed(finding, opened.about.declared)
        )
        counts = self.period.covers(audit.at)
        self.dates.compare(audit.at, self.entries, self._was_seen_by, counts=counts)
        self.script_dates.compare(audit.at, self._script_entries, self._was_script_seen_by, counts=counts)

    def _authorised_events(self, at: datetime.datetime) -> t.Iterator[Event]:
        """Follow what is not authorised from its finding to its end, also while nobody looks at it."""
        for finding in self._found:
            if finding.place and finding.kind not in _NO_EPISODE:
                self.ongoing.setdefault(finding, Episode(finding.kind, at, is_first=self.is_first, place=finding.place))
        authorised: dict[tuple[str, str], Event] = {}
        for finding in [finding for finding in self.ongoing if isinstance(finding, Finding) and finding not in self._found]:
            how = self._why_closed(finding, {}).how
            if how in (BACK, BY_AUTHORISATION, NOT_REQUIRED):
                self.end(finding, at, how)
            if how == BY_AUTHORISATION:
                event = self._authorised(finding, at)
                authorised[event.page, event.subject] = event
        yield from (authorised[key] for key in sorted(authorised))

    def _authorised(self, finding: Finding, at: datetime.datetime) -> Event:
        """Return that something of a page is authorised: by the entry of the page, or a script by the one of the baseline of scripts."""
        page, entry = self._readable[finding.place], self._authoriser(finding)
        about = self._about(AUTHORISED, finding.place, page, at)
        if entry is about.declared:
            return about
        return about._replace(subject=finding.detail, entry=str(entry.get("name")), declared=entry)

    def _is_unread(self, page: Page) -> bool:
        """Return whether a page was not read; what led elsewhere shows another document."""
        kinds = {finding.kind for finding in self._found if finding.place == page["url"]}
        return not was_read(page) or bool(kinds & {UNREAD, REDIRECTED})

    def _page_events(self, url: str, page: Page, at: datetime.datetime) -> t.Iterator[Event]:
        last = self._read.get(url)
        self._read[url] = page
        # Another recording of the same page is no change of it.
        if last == {**page, "recorded_at": last and last["recorded_at"]}:
            return
        self._since[url] = day_of(at)
        for script in page["scripts"]:
            self._script_days.setdefault((script["url"], host_of(url)), day_of(at))
        if last is None:
            yield self._about(SEEN, url, page, at)
            return
        changes = differences(last, page)
        if changes:
            yield self._about(CHANGED, url, page, at)._replace(message="; ".join(changes))

    def _about(self, what: str, url: str, page: Page, at: datetime.datetime) -> Event:
        entry = page["entry"] or ""
        about = Event(at, self.zone_id, what, page=url, entry=entry, is_first=self.is_first, of_pages=True)
        return about._replace(declared=self.entry_of(entry))

    def _authoriser(self, finding: Finding) -> Entry:
        """Return the entry that a finding rests on: of a script that the entry of the page does not name, the one of the baseline of scripts."""
        declared = self.entry_of(self._entry_name(finding.place))
        is_named = any(matches(pattern, finding.detail) for pattern in patterns_of(declared.get("scripts")))
        if is_named or finding.kind not in _OF_SCRIPTS or not finding.place:
            return declared
        return best_entry(self._script_entries or {}, finding.detail, host_of(finding.place)) or {}

    def _authority(self, finding: Finding) -> str:
        """Return what authorises what a finding is about, so that two audits can be compared."""
        declared = self.entry_of(self._entry_name(finding.place))
        return canonical([dict(self._authoriser(finding)), *(declared.get(name) for name in ("page", "headers", *PARTS))])

    def _why_closed(self, finding: Finding, was: Entry) -> Ended:
        """Return how a finding ended that the record does not have any more; "" for the audit's own, which say it themselves."""
        if finding.kind in _OF_AUDITS:
            return Ended("")
        if self.entries is None or (finding.kind in _OF_SCRIPTS and self._script_entries is None):
            return Ended(NOT_KNOWN)
        if finding.place:
            return self._why_page_closed(finding, was)
        now = self.entries.get(finding.detail)
        is_used = finding.kind == UNUSED and (now is not None or self._has_line(finding.detail))
        return Ended(IN_USE) if is_used else end_of_entry(finding.kind, was, now, self.day)

    def _has_line(self, text: str) -> bool:
        """Return whether an entry has a line that names this."""
        entries = (self.entries or {}).values()
        return any(text in patterns_of(entry.get(part)) for entry in entries for part in PARTS)

    def _why_page_closed(self, finding: Finding, was: Entry) -> Ended:
        ended = self._end_on_page(finding, was)
        if ended.how in (BACK, GONE_SINCE) and self._is_asked_otherwise(finding):
            return Ended(HIDDEN, f"{HIDDEN} in the same way")
        return ended

    def _end_on_page(self, finding: Finding, was: Entry) -> Ended:
        page = self._readable.get(finding.place)
        if page is None or self._is_left_out(finding):
            return Ended(HIDDEN)
        if finding.kind == UNREAD:
            return Ended(READ_AGAIN)
        declared = self.entry_of(page["entry"] or "")
        if finding.kind == "gone":
            return end_of_required(finding.detail, page, declared)
        return self._end_of_header(finding, was) if finding.kind == HEADER_CHANGED else self._end_of_part(finding, page, was)

    def _end_of_part(self, finding: Finding, page: Page, was: Entry) -> Ended:
        if not self._has(page, finding):
            return Ended(GONE_SINCE if finding.kind in _OF_ENTRIES else BACK)
        is_back = finding.kind == REDIRECTED and page["final_url"] != finding.detail
        is_same = is_back or self._authorised_by.get(finding) == self._authority(finding)
        if not is_same or finding.kind in _OF_ENTRIES:
            return self._end_by_entry(finding, was)
        # What is still there has not changed back, and nothing that could authorise it has changed.
        return Ended(BACK if is_back else UNPROVEN)

    def _header(self, finding: Finding) -> Header | None:
        page = self._readable[finding.place]
        return Header.of(finding.detail, page, self.entry_of(page["entry"] or ""))

    def _end_of_header(self, finding: Finding, was: Entry) -> Ended:
        """Return how a difference of a header ended: its value changed back, or the entry names it now. The record has the value of one fetch."""
        if not self.entry_of(self._readable[finding.place]["entry"] or ""):
            return self._end_by_entry(finding, was)
        before, now = self._header_at.get(finding), self._header(finding)
        if before is None or now is None or now.value != now.should_be or now == before:
            return Ended(UNPROVEN)
        if now.value != before.value and now.value == before.should_be:
            return Ended(HIDDEN if self._looks_less(finding) else BACK)
        return self._end_by_entry(finding, was)

    def _end_by_entry(self, finding: Finding, was: Entry) -> Ended:
        """Return how a finding ended about something that the page still has, under another entry or another baseline."""
        entry = self._authoriser(finding)
        if finding.kind in _OF_ENTRIES and entry and was.get("name") == entry.get("name"):
            return end_of_entry(finding.kind, was, entry, self.day)
        return Ended(BY_AUTHORISATION if is_current(entry, self.day) else STILL_NOT_AUTHORISED)

    def _is_left_out(self, finding: Finding) -> bool:
        """Return whether audits do not compare a header any more, look less closely at a page than the one that found something, or read another one."""
        name = finding.detail
        led_to = self._led_to.get(finding, "")
        if finding.kind not in (UNREAD, REDIRECTED) and led_to and led_to != self._address_of(finding.place):
            return finding.kind not in HAS or not self._has(self._readable[finding.place], finding)
        if finding.kind == HEADER_CHANGED:
            return not name.startswith("meta:") and name not in (*self._headers, "base")
        page = self._readable.get(finding.place)
        return page is not None and self._looks_less(finding) and not self._has(page, finding)

    def _looks_less(self, finding: Finding) -> bool:
        return self._looked_by.get(finding, Look()).is_closer_than(self._look_at(finding.place))

    def _is_asked_otherwise(self, finding: Finding) -> bool:
        look = self._look_at(finding.place)
        return look.asks_otherwise_than(self._looked_by.get(finding, look))

    def _has(self, page: Page, finding: Finding) -> bool:
        """Return whether a page still has what a finding is about; of headers and addresses, what was found is a difference."""
        part, _names = HAS.get(finding.kind, ("", ()))
        return not part or bool(names_in(page, finding.kind) & self._names.get(finding, {finding.detail}))

    def _look_at(self, url: str) -> Look:
        """Return how closely the record at hand looked at a page."""
        page = self._readable.get(url)
        asked = asked_of(self.scope, url)
        return Look(asked=asked) if page is None else Look(page["source"] == "har", self._fetches, asked)

    def _address_of(self, url: str) -> str:
        """Return where a page led in the record at hand, without the query; "" if it was not read."""
        return str(self._readable.get(url, {}).get("final_url") or "").partition("?")[0].partition("#")[0]

    def _entry_name(self, url: str) -> str:
        return self._read.get(url, {}).get("entry") or ""

    def _was_seen_by(self, entry: Entry, _hashes: t.Collection[str], day: str) -> bool:
        """Return whether audits up to a day had seen the pages of an entry as they are now."""
        days = [self._since[url] for url, page in self._read.items() if page["entry"] == entry.get("name")]
        return bool(days) and max(days) <= day

    def _was_script_seen_by(self, entry: Entry, _hashes: t.Collection[str], day: str) -> bool:
        """Return whether audits up to a day had seen each script of a page that an entry of the baseline of scripts matches."""
        days = [first for (url, host), first in self._script_days.items() if covers(entry, url, host)]
        return bool(days) and max(days) <= day

    @property
    def all_dates(self) -> list[Dates]:
        def is_on_a_page(entry: Entry) -> bool:
            return any(covers(entry, url, host) for url, host in self._script_days)

        return [self.dates, self.script_dates.about(is_on_a_page)]

    @property
    def gaps(self) -> list[Gap]:
        return self.looks.gaps(super().gaps, self.max_gap_days)

    @property
    def slow(self) -> Slow | None:
        return self.looks.slow(super().slow, self.earlier)

    @property
    def late_pages(self) -> list[tuple[str, str]]:
        days = {audit.day.isoformat() for audit in self.audits[:1]}
        return [gap for gap in self.looks.late(self.earlier, self.max_gap_days) if gap[0] not in days]

    @property
    def unaudited_entries(self) -> list[str]:
        known = self.looks.known(self.earlier)
        return [name for name, entry in (self.entries or {}).items() if not any(matches(entry.get("page"), url) for url in known)]

    @property
    def left_out(self) -> list[tuple[str, datetime.datetime]]:
        return self.looks.left_out(self.earlier, self.last_at)

    def is_hidden(self, identity: t.Hashable) -> bool:
        if not isinstance(identity, Finding) or identity in self._found:
            return False
        return identity.place not in self._readable or self._is_left_out(identity) or self._is_asked_otherwise(identity)

    def is_followed(self, finding: Finding) -> bool:
        return finding in self.ongoing

    def event_about(self, finding: Finding, at: datetime.datetime, what: str, message: str) -> Event:
        entry = self._authoriser(finding) if finding.place else {}
        if not entry:
            name = self._entry_name(finding.place) if finding.place else finding.detail
            entry = {"name": name, **self.entry_of(name)}
        about = Event(at, self.zone_id, what, page=finding.place, subject=finding.detail, entry=str(entry["name"]), of_pages=True)
        return about._replace(message=message, declared=entry)

    def entry_of(self, name: str) -> t.Mapping[str, Json]:
        return (self.entries or {}).get(name, {})
