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
    """A finding that is open: what opened it, since when, what it says, what was looked at then, and how many scripts that look the same it is about."""

    about: Event
    since: datetime.datetime
    message: str
    is_first: bool
    scope: t.Mapping[str, Json]
    alike: int = 1


class Ended(t.NamedTuple):
    """How something ended, in one of the words of `ENDS`, and in more words; "" is said of the audit itself, whose own findings say it."""

    how: str
    more: str = ""

    @property
    def message(self) -> str:
        return self.more or self.how


# How it ended that something was not authorised, or that a finding was open. Each rests on a record that shows it: that a finding is not
# reported any more shows nothing, and ends in `UNPROVEN`.
(
    BY_AUTHORISATION,
    BACK,
    GONE_SINCE,
    LISTED,
    VERIFIED,
    COMPLETED,
    LATER_REVIEW,
    UNREPORTED,
    READ_AGAIN,
    REMOVED,
    NOT_KNOWN,
    NOT_SHOWN,
) = _WITHIN = (
    "authorised",
    "changed back",
    "gone",
    "listed again",
    "verified",
    "completed",
    "given a later day of review",
    "no longer reported",
    "read again",
    "the entry removed",
    "not known how, because the baseline is missing",
    "no longer shown",
)
(
    NO_REVIEW,
    NOT_REQUIRED,
    NOT_PINNED,
    NOT_COVERED,
    OTHER_ENTRY,
    OTHER_HASH,
    OTHER_THRESHOLD,
    STILL_NOT_AUTHORISED,
    HIDDEN,
    UNPROVEN,
    STILL_OPEN,
) = _AFTER = (
    "the day of review removed",
    "no longer required",
    "no longer pinned",
    "no longer covered by an entry",
    "the entry changed",
    "shown with a hash that is not authorised",
    "judged by another threshold",
    "still not authorised",
    "no longer looked at",
    "ended in a way that no record shows",
    "still open",
)
# Of a note, which stands in no sentence.
IN_USE = "in use"
# In the order of a sentence; what nobody did anything about is open "after", not ended "within" some days.
ENDS: t.Mapping[str, str] = {**dict.fromkeys(_WITHIN, "within"), **dict.fromkeys(_AFTER, "after")}


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
