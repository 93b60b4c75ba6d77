# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from ...module_utils._text import parse_time
from .audits import PAGE_UNREAD, Audit, Gap, Period, Slow, day_of, find_gaps, find_slow
from .page_parts import Page

# When each payment page of a zone was looked at: what holds for all of them together need not hold for each.


class Looks:
    """The audits of each payment page, of which those are blind that could not read it.

    Each stands at the time at which the page was looked at: that of a recording where one was read.
    """

    def __init__(self, period: Period) -> None:
        self._period = period
        self._looks: dict[str, list[Audit]] = {}
        # When each page was asked for last, and as of when it is known.
        self._asked: dict[str, datetime.datetime] = {}
        self._newest: dict[str, datetime.datetime] = {}
        self._recorded: set[str] = set()

    def is_older(self, page: Page, at: datetime.datetime) -> bool:
        """Return whether a recording is older than what another audit has read of the page: it shows nothing that came after."""
        made = min(parse_time(page["recorded_at"]) or at, at)
        newest = self._newest.get(page["url"], made)
        self._newest[page["url"]] = max(made, newest)
        return made < newest

    def add(self, urls: t.Iterable[str], pages: t.Mapping[str, Page], readable: t.Container[str], audit: Audit) -> None:
        """Take an audit that asked for these pages, has a record of some, and could read some of those."""
        for url in urls:
            recorded = parse_time(pages[url].get("recorded_at")) if url in pages else None
            self._recorded |= {url} if recorded else set()
            blind = audit.blind - {PAGE_UNREAD} | (frozenset() if url in readable else {PAGE_UNREAD})
            looks = self._looks.setdefault(url, [])
            looks.append(audit._replace(at=min(recorded, audit.at) if recorded else audit.at, blind=blind))
            looks.sort(key=lambda look: look.at)
            self._asked[url] = audit.at

    def known(self, earlier: datetime.datetime | None) -> list[str]:
        """Return the pages that were asked for in the period, or by the last audit before it."""
        return [url for url, at in self._asked.items() if self._period.covers(at) or at == earlier]

    def left_out(self, earlier: datetime.datetime | None, last: datetime.datetime | None) -> list[tuple[str, datetime.datetime]]:
        """Return the pages that the last audit left out, each with the time at which it was last looked at."""
        return sorted((url, self._looks[url][-1].at) for url in self.known(earlier) if self._asked[url] != last)

    def late(self, earlier: datetime.datetime | None, max_gap_days: float) -> list[tuple[str, str]]:
        """Return the day on which each page was audited for the first time, long after the period began, with its URL."""
        first = {url: self._looks[url][0].day for url in self.known(earlier)}
        return sorted((day.isoformat(), url) for url, day in first.items() if (day - self._period.first).days > max_gap_days)

    def gaps(self, whole: list[Gap], max_gap_days: float) -> list[Gap]:
        """Return these gaps between audits, and those between recordings: an audit of a recording proves nothing about days after it."""
        gaps = list(whole)
        days = {day for gap in gaps for day in gap.dates}
        # Before the first audit of a page, only the audits of all pages have a gap.
        period = self._period._replace(is_since_given=False)
        for url in sorted(self._recorded):
            looks, what = self._of(url), f"{url} was neither recorded nor fetched"
            own = find_gaps([look.at for look in looks], self._earlier(url), period, max_gap_days, what)
            new = [gap._replace(days=len(gap.dates - days)) for gap in own]
            gaps += [gap for gap in new if gap.days]
            days |= {day for gap in own for day in gap.dates}
        return gaps

    def slow(self, whole: Slow | None, earlier: datetime.datetime | None) -> Slow | None:
        """Return the first days between which more than seven days had no audit, of all pages together or of one of them."""
        of_pages = []
        for url in self.known(earlier):
            looks, first = self._looks[url], self._period.first
            seen = max((look.day for look in looks if look.can_see and look.day < first), default=None)
            span = find_slow(self._of(url), seen, looks[0].day, self._period)
            of_pages += [span._replace(page=url)] if span else []
        return whole or min(of_pages, default=None)

    def _of(self, url: str) -> list[Audit]:
        return [look for look in self._looks[url] if self._period.covers(look.at)]

    def _earlier(self, url: str) -> datetime.datetime | None:
        return max((look.at for look in self._looks[url] if day_of(look.at) < self._period.since), default=None)
