# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from ...module_utils._baseline.entries import is_authorised
from ...module_utils._chain.kinds import PAGES, UNUSED
from ...module_utils._chain.records import CheckedRecord
from ...module_utils._core import Json
from ...module_utils._text import canonical, list_of, parse_time
from .._words import plural
from .audits import NO_BASELINE, NOT_READABLE, PAGE_UNREAD, Audit, Gap, Period, day_of, delay_of, find_gaps, find_slow, moment
from .chronicle import Chronicle, Finding, end_of_entry
from .events import (
    AUTHORISED,
    BACK,
    BY_AUTHORISATION,
    CHANGED,
    HIDDEN,
    NOT_KNOWN,
    NOT_REQUIRED,
    REMOVED,
    SEEN,
    Entries,
    Episode,
    Event,
)
from .scope import leaves_out_of_pages

# What the records of a zone's payment pages prove about a period: what changed in a page, and who authorised it.

_UNREAD = "page_unread"
# Findings about an entry, whose name is their subject.
_OF_ENTRIES = frozenset(("expired", "unjustified", UNUSED))
_NO_EPISODE = _OF_ENTRIES | {_UNREAD}
_OF_AUDITS = frozenset(("evidence_gap", "history_broken"))
# Parts of a page, with their words.
_PARTS: t.Mapping[str, tuple[str, str]] = {
    "scripts": ("script", "scripts"),
    "inline": ("piece of inline code", "pieces of inline code"),
    "frames": ("frame", "frames"),
    "forms": ("form", "forms"),
}

Page = t.Mapping[str, t.Any]


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
        # By finding, what authorised the page when it was opened.
        self._authorised_by: dict[Finding, str] = {}
        self._scripts_digest = ""
        self._readable: t.Collection[str] = ()
        self._headers: list[str] = []
        # Of each page the audits of the period that looked for it, of which those are blind that could not read it, each at the time at
        # which the page was looked at: that of a recording where one was read. And the pages of the last audit before the period.
        self._audits_of: dict[str, list[Audit]] = {}
        self._earlier_of: dict[str, datetime.datetime] = {}
        self._recorded: set[str] = set()

    @property
    def gaps(self) -> list[Gap]:
        """Return the gaps between audits, and those between recordings: an audit of a recording proves nothing about days after it."""
        gaps = super().gaps
        days = {day for gap in gaps for day in gap.dates}
        for url in sorted(self._recorded):
            looks = [audit.at for audit in self._audits_of.get(url, ())]
            own = find_gaps(
                looks, self._earlier_of.get(url), self.period, self.max_gap_days, f"{url} was neither recorded nor fetched"
            )
            new = [gap._replace(days=len(gap.dates - days)) for gap in own]
            gaps += [gap for gap in new if gap.days]
            days |= {day for gap in own for day in gap.dates}
        return gaps

    @property
    def slow(self) -> tuple[str, str] | None:
        """Return the first days between which more than seven days had no audit that could see, of all pages or of one of them."""
        spans = [find_slow(audits, self._earlier_of.get(url), self.period) for url, audits in self._audits_of.items()]
        return min((span for span in (super().slow, *spans) if span), default=None)

    @property
    def pages(self) -> list[ListedPage]:
        """Return the pages of the last record of the period."""
        return [self._listed(page) for page in sorted(self._pages or (), key=lambda page: str(page["url"]))]

    def count_of(self, _finding: Finding) -> int:
        return 1

    def count_authorised(self) -> tuple[int, int]:
        pages = self.pages
        return sum(page.is_authorised for page in pages), len(pages)

    def _listed(self, page: Page) -> ListedPage:
        url, entry = page["url"], page["entry"] or ""
        declared = self.entry_of(entry)
        kinds = {finding.kind for finding in self._found if finding.place == url or (entry and finding.detail == entry)}
        has = [plural(len(page[part]), *words) for part, words in _PARTS.items()]
        sent = sum(value is not None for value in page["headers"].values())
        return ListedPage(
            page=url,
            entry=entry,
            declared=declared,
            is_authorised=is_authorised(declared, self.day) and not kinds - {UNUSED},
            has="could not be read"
            if _UNREAD in kinds
            else ", ".join([plural(sent, "compared header"), *has]) + _recorded_when(page),
            hashes=tuple(sorted(str(code["hash"] or code["shape"] or "") for code in page["inline"])),
            message=", ".join(kind for kind in PAGES.findings if kind in kinds),
        )

    def audit_of(self, record: CheckedRecord, at: datetime.datetime) -> Audit:
        self._headers = [name.lower() for name in record["scope"]["headers"]]
        if "pages" in record:
            self._pages, self._pages_seq = record["pages"], record["seq"]
        elif record["pages_same_as"] != self._pages_seq:
            self._pages = None
        self.entries = self._baseline(record["pages_baseline_digest"])
        scripts = self._baseline(record["baseline_digest"])
        self._found = {
            Finding(finding["kind"], finding["page"] or "", finding["subject"] or ""): _message(finding)
            for finding in record["findings"]
        }
        kinds = {finding.kind for finding in self._found}
        blind = {PAGE_UNREAD} if _UNREAD in kinds or not self._pages or any(map(self._is_unread, self._pages)) else set()
        blind |= {NOT_READABLE} if self._pages is None else set()
        blind |= {NO_BASELINE} if self.entries is None or scripts is None else set()
        audit = Audit(
            at,
            has_findings=not record["passed"] or bool(kinds - {UNUSED}),
            blind=frozenset(blind),
            delay=delay_of(record, at),
            left_out=leaves_out_of_pages(record["scope"], {*self._audits_of, *self._earlier_of}),
            has_broken_history="history_broken" in kinds,
        )
        self._note_pages(record["scope"]["pages"], audit)
        return audit

    def _note_pages(self, urls: t.Iterable[str], audit: Audit) -> None:
        """Note which pages an audit could read, and when each was looked at: what holds for all of them holds for each."""
        pages = {page["url"]: page for page in self._pages or ()}
        is_earlier = not self.period.covers(audit.at)
        if is_earlier:
            self._earlier_of = {}
        for url in urls:
            page = pages.get(url, {})
            recorded = parse_time(page.get("recorded_at"))
            at = min(recorded, audit.at) if recorded else audit.at
            self._recorded |= {url} if recorded else set()
            if not self.period.covers(at):
                self._earlier_of[url] = max(at, self._earlier_of.get(url, at))
            if not is_earlier:
                blind = audit.blind - {PAGE_UNREAD} | ({PAGE_UNREAD} if page and self._is_unread(page) else frozenset())
                looks = self._audits_of.setdefault(url, [])
                looks += [audit._replace(at=at, blind=blind)] if self.period.covers(at) else []
                looks.sort(key=lambda look: look.at)

    def events_of(self, record: CheckedRecord, audit: Audit) -> t.Iterator[Event]:
        readable = {page["url"]: page for page in self._pages or () if not self._is_unread(page)}
        for url, page in readable.items():
            yield from self._page_events(url, page, audit.at)
        self._scripts_digest = record["baseline_digest"]
        self._readable = readable.keys()
        for finding in self._found.keys() - self.open.keys():
            self._authorised_by[finding] = self._authority(finding)
        yield from self._authorised_events(readable, audit.at)
        yield from self.finding_events(audit.at, self._found, lambda finding: self._why_closed(finding, readable))
        self.compare_baselines(audit.at, self.entries, self._was_seen_by)

    def _authorised_events(self, readable: t.Mapping[str, Page], at: datetime.datetime) -> t.Iterator[Event]:
        """Follow what is not authorised from its finding to its end, also while nobody looks at it."""
        for finding in self._found:
            if finding.place and finding.kind not in _NO_EPISODE:
                self.ongoing.setdefault(finding, Episode(finding.kind, at, is_first=self.is_first, place=finding.place))
        urls = set()
        for finding in [finding for finding in self.ongoing if isinstance(finding, Finding) and finding not in self._found]:
            how = self._why_closed(finding, readable)
            if how in (BACK, BY_AUTHORISATION, NOT_REQUIRED):
                self.end(finding, at, how)
            if how == BY_AUTHORISATION:
                urls.add(finding.place)
        for url in sorted(urls):
            yield self._about(AUTHORISED, url, readable[url], at)

    def _is_unread(self, page: Page) -> bool:
        return page["status"] is None or any(finding.kind == _UNREAD and finding.place == page["url"] for finding in self._found)

    def _page_events(self, url: str, page: Page, at: datetime.datetime) -> t.Iterator[Event]:
        last = self._read.get(url)
        self._read[url] = page
        # Another recording of the same page is no change of it.
        if last == {**page, "recorded_at": last and last["recorded_at"]}:
            return
        self._since[url] = day_of(at)
        if last is None:
            yield self._about(SEEN, url, page, at)
            return
        changes = _differences(last, page)
        if changes:
            yield self._about(CHANGED, url, page, at)._replace(message="; ".join(changes))

    def _about(self, what: str, url: str, page: Page, at: datetime.datetime) -> Event:
        entry = page["entry"] or ""
        about = Event(at, self.zone_id, what, page=url, entry=entry, is_first=self.is_first, of_pages=True)
        return about._replace(declared=self.entry_of(entry))

    def _authority(self, finding: Finding) -> str:
        """Return what authorises what a finding is about, so that two audits can be compared."""
        declared = self.entry_of(self._entry_name(finding.place))
        scripts = self._scripts_digest if finding.kind == "script_new" else ""
        return canonical([scripts, *(declared.get(name) for name in ("page", "headers", *_PARTS))])

    def _why_closed(self, finding: Finding, readable: t.Mapping[str, Page]) -> str:
        """Return how a finding ended that the record does not have any more; "" for the audit's own, which say it themselves."""
        declared = self.entry_of(finding.detail if finding.kind in _OF_ENTRIES else (self._entry_name(finding.place)))
        is_expired = any(other.kind == "expired" and other.detail == declared.get("name") for other in self._found)
        is_same = self._authorised_by.get(finding) == self._authority(finding)
        reasons = (
            (finding.kind in _OF_AUDITS, ""),
            (self.entries is None, NOT_KNOWN),
            (finding.kind in _OF_ENTRIES, self._end_of_entry(finding.kind, declared)),
            (finding.place not in readable or self._is_left_out(finding), HIDDEN),
            (finding.kind == _UNREAD, "read again"),
            (is_same, BACK),
            (finding.kind == "gone" and not _requires(declared, finding.detail), NOT_REQUIRED),
            (finding.kind == "gone", BACK),
            (is_authorised(declared, self.day) and not is_expired, BY_AUTHORISATION),
            (True, "still not authorised"),
        )
        return next(reason for applies, reason in reasons if applies)

    def _end_of_entry(self, kind: str, declared: t.Mapping[str, Json]) -> str:
        if not declared:
            return REMOVED
        return "in use" if kind == UNUSED else end_of_entry(kind, declared, self.day)

    def _is_left_out(self, finding: Finding) -> bool:
        """Return whether a finding is about a header that audits do not compare any more."""
        name = finding.detail
        return finding.kind == "header_changed" and not name.startswith("meta:") and name not in (*self._headers, "base")

    def _entry_name(self, url: str) -> str:
        return self._read.get(url, {}).get("entry") or ""

    def _was_seen_by(self, entry: str, _hashes: t.Collection[str], day: str) -> bool:
        """Return whether audits up to a day had seen the pages of an entry as they are now."""
        days = [self._since[url] for url, page in self._read.items() if page["entry"] == entry]
        return bool(days) and max(days) <= day

    def is_hidden(self, identity: t.Hashable) -> bool:
        return isinstance(identity, Finding) and (identity.place not in self._readable or self._is_left_out(identity))

    def event_about(self, finding: Finding, at: datetime.datetime, what: str, message: str) -> Event:
        entry = finding.detail if finding.kind in _OF_ENTRIES else self._entry_name(finding.place)
        about = Event(at, self.zone_id, what, page=finding.place, subject=finding.detail, entry=entry, of_pages=True)
        return about._replace(message=message, declared=self.entry_of(entry))

    def entry_of(self, name: str) -> t.Mapping[str, Json]:
        return (self.entries or {}).get(name, {})


def _message(finding: t.Mapping[str, Json]) -> str:
    if "is" not in finding or "should_be" not in finding:
        return ""
    return f"is {finding['is'] or 'not set'}, should be {finding['should_be'] or 'not set'}"


def _requires(declared: t.Mapping[str, Json], pattern: str) -> bool:
    """Return whether an entry requires what fits a pattern."""
    lines = [line for part in ("scripts", "frames") for line in list_of(declared.get(part))]
    return any(isinstance(line, dict) and line.get("required") is True and line.get("url") == pattern for line in lines)


def _differences(before: Page, now: Page) -> list[str]:
    """Return in words what differs between two states of a page."""
    changes = []
    for name in sorted({**before["headers"], **now["headers"]}):
        was, value = before["headers"].get(name), now["headers"].get(name)
        if was != value:
            changes.append(f"header {name} was {_text(was)}, is {_text(value)}")
    for part, words in _PARTS.items():
        was, are = ({canonical(item) for item in side[part]} for side in (before, now))
        counts = [
            f"{word} {plural(len(items), *words)}" for word, items in (("added", are - was), ("removed", was - are)) if items
        ]
        changes += counts
    if before["final_url"] != now["final_url"]:
        changes.append(f"it led to {_text(before['final_url'])}, and leads to {_text(now['final_url'])}")
    if before["source"] != now["source"]:
        changes.append(f"it is {'read from a recording' if now['source'] == 'har' else 'fetched'} from now on")
    return changes


def _recorded_when(page: Page) -> str:
    """Return a clause about the recording from which a page was read, "" for one that was fetched."""
    made = parse_time(page["recorded_at"])
    if page["source"] != "har":
        return ""
    return f"; read from a recording of {moment(made)}" if made else "; read from a recording without a date"


def _text(value: Json) -> str:
    return "not set" if value is None else value if isinstance(value, str) else canonical(value)
