# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import itertools
import typing as t

from ...module_utils._chain.records import CheckedRecord
from ...module_utils._text import format_time, parse_time
from .._words import plural

# When a chain was audited, when not, and which audits could not see. Days are those of UTC.

# Testing procedure 11.6.1.d: at least once every seven days.
FREQUENCY_DAYS = 7
_DAY = datetime.timedelta(1)
# A record that is written later than this after the time that it names was not written by the audit of that time.
MAX_DELAY = datetime.timedelta(days=1)

# Why an audit could not see.
MONITOR_OFF, NOTHING_SEEN, NOT_READABLE, NO_BASELINE, PAGE_UNREAD = BLIND = (
    "monitor_off",
    "nothing_seen",
    "not_readable",
    "no_baseline",
    "page_unread",
)


class Period(t.NamedTuple):
    """The days of a document, both included, as `2026-01-31`; whether the first one was chosen, and when the document is made."""

    since: str
    until: str
    is_since_given: bool
    at: datetime.datetime

    def covers(self, at: datetime.datetime) -> bool:
        return self.since <= day_of(at) <= self.until

    @property
    def first(self) -> datetime.date:
        return datetime.date.fromisoformat(self.since)

    @property
    def last(self) -> datetime.date:
        """Return the last day of the period that is not in the future."""
        return min(datetime.date.fromisoformat(self.until), self.at.astimezone(datetime.timezone.utc).date())


class Audit(t.NamedTuple):
    """One audit of the period: whether it found anything, why it could not see, and how long after its time it was written."""

    at: datetime.datetime
    has_findings: bool
    blind: frozenset[str] = frozenset()
    delay: datetime.timedelta | None = None
    # What its scope left out, in words.
    left_out: str = ""
    has_broken_history: bool = False
    # Whether the setting of the script monitor, which is on, was changed since the audit before, in which it was on.
    is_new_setting: bool = False

    @property
    def day(self) -> datetime.date:
        return self.at.date()

    @property
    def proves_its_day(self) -> bool:
        """Return whether it could see, and its record was not written much later."""
        return self.can_see and (self.delay is None or self.delay <= MAX_DELAY)

    @property
    def can_see(self) -> bool:
        """Return whether anything can be said of this day; without its baseline, an audit still saw the scripts."""
        return not self.blind - {NO_BASELINE}


class Gap(t.NamedTuple):
    """Days of the period without an audit, both included: how many, when they ended, and a clause about them."""

    first: datetime.date
    last: datetime.date
    at: datetime.datetime
    days: int
    message: str

    @property
    def dates(self) -> set[datetime.date]:
        return {self.first + number * _DAY for number in range((self.last - self.first).days + 1)}


def delay_of(record: CheckedRecord, at: datetime.datetime) -> datetime.timedelta | None:
    """Return how long from its time a record was written; None if it does not say when."""
    written = parse_time(record.get("written_at"))
    return None if written is None else abs(written - at)


def day_of(at: datetime.datetime) -> str:
    return format_time(at)[:10]


def moment(at: datetime.datetime) -> str:
    """Return a time for people, in UTC; every time of the document has this form."""
    return format_time(at)[:16].replace("T", " ")


def find_gaps(
    times: t.Sequence[datetime.datetime],
    earlier: datetime.datetime | None,
    period: Period,
    max_gap_days: float,
    what: str = "no audit",
) -> list[Gap]:
    """Return the gaps of a chain in the period: between its audits, before the first and after the last; `what` there was none of.

    `earlier` is the last audit before the period. Without one, the days before the first audit count only if the period's first day was chosen.
    """
    if not times:
        return []
    spans: list[tuple[datetime.date, datetime.date, datetime.datetime, str]] = []
    first, last = times[0].date(), times[-1].date()
    if earlier is None and period.is_since_given and (first - period.first).days > max_gap_days:
        spans.append((period.first - _DAY, first, times[0], f"before the first one on {moment(times[0])}"))
    for before, after in itertools.pairwise([*([earlier] if earlier else []), *times]):
        if (after.date() - before.date()).days > max_gap_days:
            spans.append((before.date(), after.date(), after, f"between {moment(before)} and {moment(after)}"))
    if (period.last - last).days > max_gap_days:
        end = datetime.datetime.combine(period.last, datetime.time(23, 59, 59), datetime.timezone.utc)
        spans.append((last, period.last + _DAY, min(end, max(times[-1], period.at)), f"after {moment(times[-1])}"))
    gaps = []
    for before_day, after_day, at, where in spans:
        start, end_day = max(before_day + _DAY, period.first), after_day - _DAY
        days = (end_day - start).days + 1
        # Days before the period are none of its own.
        if days > 0:
            gaps.append(Gap(start, end_day, at, days, f"{what} on {plural(days, 'day')}, {where}"))
    return gaps


class Slow(t.NamedTuple):
    """Two days between which more than seven days had no audit that could see, and the payment page that it is about, if it is about one."""

    first: str
    last: str
    page: str = ""


def find_slow(audits: t.Sequence[Audit], seen: datetime.date | None, start: datetime.date, period: Period) -> Slow | None:
    """Return the first days of the period between which more than seven days had no audit that could see; None if there are none.

    They count from `seen`, the last day before the period with an audit that could see, or else from `start`.
    """
    # A record that is dated after the document proves nothing.
    days = [audit.day for audit in audits if audit.can_see and audit.day <= period.last]
    if seen is None and not days:
        # However few days these are, none of them was seen.
        return Slow(max(start, period.first).isoformat(), max(start, period.last).isoformat())
    for before, after in itertools.pairwise([seen or start, *days, period.last]):
        # An audit on the first day of the period leaves no day of it without one, whatever was before.
        if (after - before).days > FREQUENCY_DAYS and (after > period.first or after not in days):
            return Slow(max(before, period.first).isoformat(), after.isoformat())
    return None
