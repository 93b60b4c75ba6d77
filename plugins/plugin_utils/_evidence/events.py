# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from ...module_utils._core import Json

# What happened between the audits of a chain, in the order of time.

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

Entries = t.Mapping[str, t.Mapping[str, Json]]


class Event(t.NamedTuple):
    """One change. `entry` is the entry of the baseline that authorises the script; `hashes` are those seen, or those authorised.

    Of a script `script_url` and `host` are set, of a payment page `page` and `subject`.
    """

    at: datetime.datetime
    zone_id: str
    what: str
    script_url: str = ""
    host: str = ""
    page: str = ""
    subject: str = ""
    entry: str = ""
    message: str = ""
    hashes: tuple[str, ...] = ()
    declared: t.Mapping[str, Json] = {}
    is_first: bool = False
    of_pages: bool = False

    @property
    def order(self) -> tuple[datetime.datetime, str, int, str, str, str]:
        about = (self.script_url or self.page, self.host or self.subject, self.message)
        return (self.at, self.zone_id, _ORDER[self.what], *about)


class Opened(t.NamedTuple):
    """A finding that is open: what opened it, since when, what it says, and how many scripts that look the same it is about."""

    about: Event
    since: datetime.datetime
    message: str
    is_first: bool
    alike: int = 1


# How it ended that something was not authorised, or that a finding was open. Others end in words of their own.
(
    BY_AUTHORISATION,
    BACK,
    GONE_SINCE,
    REMOVED,
    HIDDEN,
    NOT_KNOWN,
    NOT_SHOWN,
    ENTRY_CHANGED,
    UNPINNED,
    NOT_REQUIRED,
    NO_REVIEW,
    STILL_OPEN,
) = ENDS = (
    "authorised",
    "changed back",
    "gone",
    "the entry removed",
    "no longer looked at",
    "not known how, because the baseline is missing",
    "no longer shown",
    # Nothing happened to what the finding is about: its entry asks for less.
    "the entry changed",
    "no longer pinned",
    "no longer required",
    "the day of review removed",
    "still open",
)


class Episode(t.NamedTuple):
    """The time during which a finding was open, or something was there that nobody had authorised: since when, until when, how it ended.

    `is_first` says that the first audit found it, so that nobody knows since when; `hashes` are those that were not authorised.
    """

    kind: str
    since: datetime.datetime
    end: datetime.datetime | None = None
    how: str = STILL_OPEN
    is_first: bool = False
    hashes: frozenset[str] = frozenset()
    # What the finding is about; the page, of payment pages.
    place: str = ""
    # Of how many scripts that nothing tells apart.
    alike: int = 1


def days_between(first: datetime.datetime, second: datetime.datetime) -> str:
    """Return a duration in days, for people."""
    days = (second - first).total_seconds() / 86400
    # Of weeks nobody asks for the hours.
    days = round(days, 1) if days < 10 else round(days)
    if days < 1:
        return "less than a day"
    return f"{days:g} day" if days == 1 else f"{days:g} days"
