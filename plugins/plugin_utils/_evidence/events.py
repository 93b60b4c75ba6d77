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
    def order(self) -> tuple[int, str, str, str]:
        """Return the place among the events of one record."""
        return (_ORDER[self.what], self.script_url or self.page, self.host or self.subject, self.message)


class Opened(t.NamedTuple):
    """A finding that is open: what opened it, since when, what it says, what was looked at then, and how many scripts that look the same it is about."""

    about: Event
    since: datetime.datetime
    message: str
    is_first: bool
    scope: t.Mapping[str, Json]
    alike: int = 1


# How it ended that something was not authorised, or that a finding was open. Each rests on a record that shows it: that a finding is not
# reported any more shows nothing, and ends in `UNPROVEN`.
BY_AUTHORISATION = "authorised"
BACK = "changed back"
GONE_SINCE = "gone"
LISTED = "listed again"
VERIFIED = "verified"
COMPLETED = "completed"
LATER_REVIEW = "given a later day of review"
UNREPORTED = "no longer reported"
READ_AGAIN = "read again"
REMOVED = "the entry removed"
NOT_KNOWN = "not known how, because the baseline is missing"
NOT_SHOWN = "no longer shown"
NO_REVIEW = "the day of review removed"
NOT_REQUIRED = "no longer required"
NOT_PINNED = "no longer pinned"
NOT_COVERED = "no longer covered by an entry"
OTHER_ENTRY = "the entry changed"
OTHER_HASH = "shown with a hash that is not authorised"
OTHER_THRESHOLD = "judged by another threshold"
STILL_NOT_AUTHORISED = "still not authorised"
HIDDEN = "no longer looked at"
UNPROVEN = "ended in a way that no record shows"
STILL_OPEN = "still not resolved"
# Of what no finding is about.
NOT_AUTHORISED = "not authorised"
UNAUTHORISED, NOT_KNOWN_BY = "no entry of the baseline authorises it", "not known by whom, because the baseline is missing"
# Of a note, which stands in no sentence.
IN_USE = "in use"
# What is in order since then, with the words of a sentence around the number of days. The first words of a sentence are read as good news, so each says
# what it does not prove.
_RESOLVED: t.Mapping[str, str] = {
    BY_AUTHORISATION: "authorised within {} but in use before that",
    BACK: "changed back after {}",
    GONE_SINCE: "gone after {}",
    LISTED: "listed again after {}",
    VERIFIED: "verified by its hash after {}",
    COMPLETED: "completed after {}",
    LATER_REVIEW: "given a later day of review after {} without a record that anybody reviewed it",
    UNREPORTED: "no longer reported as such after {} and still in use then",
    READ_AGAIN: "read again after {}",
    REMOVED: "removed after {}",
}
# What another finding goes on with.
_CONTINUED: t.Mapping[str, str] = {
    STILL_NOT_AUTHORISED: "still not authorised after {}",
    NOT_COVERED: "no longer covered by an entry after {}",
    OTHER_HASH: "shown with a hash that is not authorised after {}",
}
# What is not in order: somebody asked for less, or nothing is known of it.
NOT_RESOLVED: t.Mapping[str, str] = {
    NOT_KNOWN: "not known whether resolved after {}: the baseline is missing",
    NOT_SHOWN: "not known whether resolved: after {} the service no longer shows who reports it",
    NO_REVIEW: "not resolved: its day of review was removed after {}",
    NOT_REQUIRED: "not resolved: no longer required after {}",
    NOT_PINNED: "not resolved: no longer pinned after {}",
    OTHER_ENTRY: "not resolved: its entry was changed after {} and is about something else",
    OTHER_THRESHOLD: "not resolved: judged by another threshold after {}",
    HIDDEN: "no longer looked at and so not resolved after {}",
    UNPROVEN: "not known whether resolved: no longer found after {} although no record shows why",
    STILL_OPEN: "still not resolved after {}",
}
# In the order of a sentence.
ENDS: t.Mapping[str, str] = {**_RESOLVED, **_CONTINUED, **NOT_RESOLVED}


class Ended(t.NamedTuple):
    """How something ended, in one of the words of `ENDS`, and in more words; "" is said of the audit itself, whose own findings say it."""

    how: str
    more: str = ""

    @property
    def message(self) -> str:
        text = self.more or self.how
        return f"not resolved, {text}" if self.how in NOT_RESOLVED else text or "not found any more"


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
