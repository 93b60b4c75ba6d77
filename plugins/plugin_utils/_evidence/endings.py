# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from ...module_utils._baseline.entries import PINNED, is_authorised
from ...module_utils._core import Json
from ...module_utils._scripts.facts import MaliciousScores
from ...module_utils._text import list_of
from .events import (
    COMPLETED,
    HIDDEN,
    LATER_REVIEW,
    NO_REVIEW,
    NOT_COVERED,
    NOT_KNOWN,
    NOT_PINNED,
    NOT_REQUIRED,
    OTHER_ENTRY,
    OTHER_HASH,
    OTHER_THRESHOLD,
    REMOVED,
    UNPROVEN,
    UNREPORTED,
    VERIFIED,
    Ended,
    Entries,
)

# How a finding ended, from what the next record shows. A good end needs a record that shows exactly that: what a record no longer says has no other
# meaning than that somebody may have changed what is asked.

Entry = t.Mapping[str, Json]


class Verdict(t.NamedTuple):
    """What a record says about the score of a script; None where it has no verdict, or no score."""

    is_malicious: bool | None
    score: float | None


def is_current(entry: Entry, today: str) -> bool:
    """Return whether an entry authorises anything on a day: it is complete, of no later day, and not past its review."""
    return is_authorised(entry, today) and today <= (_day(entry, "review_by") or today)


def end_of_entry(kind: str, was: Entry, now: Entry | None, today: str) -> Ended:
    """Return how a finding about an entry itself ended; `was` is the entry as it was when the finding was opened."""
    if now is None:
        return Ended(REMOVED)
    if kind == "expired":
        before, review = _day(was, "review_by"), _day(now, "review_by")
        if not review:
            return Ended(NO_REVIEW)
        return Ended(LATER_REVIEW, f"review is due by {review} now") if before < review and today <= review else Ended(UNPROVEN)
    return (
        Ended(COMPLETED, f"complete, authorised by {now.get('authorised_by')}") if is_authorised(now, today) else Ended(UNPROVEN)
    )


def end_of_missing(was: Entry, now: Entry | None, *, is_looked_at: bool) -> Ended:
    """Return how it ended that an entry matched nothing, although nothing is listed that it matched."""
    reasons = (
        (now is None, NOT_REQUIRED),
        (not is_looked_at, HIDDEN),
        (not was, NOT_KNOWN),
        (bool(was.get("required")) and not (now or {}).get("required"), NOT_REQUIRED),
        (True, OTHER_ENTRY),
    )
    return Ended(next(how for applies, how in reasons if applies), REMOVED if now is None else "")


def end_of_malicious(before: Verdict | None, now: Verdict, was: MaliciousScores | None, scores: MaliciousScores | None) -> Ended:
    """Return how it ended that a script of an inventory was malicious; `was` are the scores that meant it before, `scores` those that do now."""
    if now.is_malicious is None:
        return Ended(HIDDEN)
    if now.is_malicious:
        return Ended(UNPROVEN)
    is_same = before is not None and before.is_malicious is True and before.score == now.score
    if is_same or (was != scores and was is not None and now.score is not None and was.has(now.score)):
        return Ended(OTHER_THRESHOLD, "" if now.score is None else f"{OTHER_THRESHOLD}, its score is {now.score:g}")
    return Ended(UNREPORTED)


def end_of_unverified(value: str, findings: t.Collection[str], entries: Entries | None, entry: str, *, has_read: bool) -> Ended:
    """Return how it ended that nobody could verify a pinned script, of which a record shows this hash under this entry.

    `has_read` says that the audit has read which hashes it had in the meantime.
    """
    if entries is None:
        return Ended(NOT_KNOWN)
    declared = entries.get(entry)
    if declared is None or "new" in findings:
        return Ended(NOT_COVERED)
    if declared.get("integrity") != PINNED:
        return Ended(NOT_PINNED)
    if "changed" in findings or (value and value not in hashes_of(declared)):
        return Ended(OTHER_HASH)
    if not has_read:
        return Ended(HIDDEN, _NOT_READ if value else "")
    return Ended(VERIFIED, "a hash is shown that the entry lists") if value else Ended(UNPROVEN)


_NOT_READ = "its hash is shown again, but no audit read which one was in use in between (details=all)"


def hashes_of(declared: t.Mapping[str, Json]) -> frozenset[str]:
    return frozenset(value.lower() for value in list_of(declared.get("hashes")) if isinstance(value, str))


_HASH = re.compile(r"\b[0-9a-f]{64}\b")
_NUMBER = re.compile(r"[0-9]{1,9}(?= hash)")
# In place of a hash that a record does not name: no entry lists it.
_NOT_NAMED = ""


def not_authorised_hashes(kind: str, message: str, value: str, declared: Entry) -> frozenset[str]:
    """Return the hashes of a script that its entry does not list: those that the message of a finding names, and the one of the inventory."""
    named = {*_HASH.findall(message)}
    number = _NUMBER.match(message)
    hashes = {*named, *([value] if value or not named else [])} - hashes_of(declared)
    is_short = kind == "changed" and (not hashes or (number is not None and int(number[0]) > len(named)))
    return frozenset({*hashes, *([_NOT_NAMED] if is_short else [])})


def _day(entry: Entry, name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""
