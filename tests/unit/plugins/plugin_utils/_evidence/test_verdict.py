# SPDX-License-Identifier: GPL-3.0-or-later

"""What the document says first, for histories of audits: the worst first, and nothing green that no audit has seen."""

import typing as t
from pathlib import Path

import pytest
from support.chains import resealed
from support.years import ZONE, Audit, daily, day_of, entry, write

from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence import document as documents
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.answers import Frequency
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.events import OTHER_HASH

A, B = {"a": "1"}, {"a": "1", "b": "1"}
ONE = {"a": entry("1")}
BOTH = {"a": entry("1"), "b": entry("1")}
WHOLE = range(120)
OPTIONS: dict[str, t.Any] = {
    **dict.fromkeys(("expected_heads", "until", "zone_names", "max_gap_days", "title")),
    "since": "2026-01-01",
    "at": day_of(119),
    "dest": "unused",
}


def read(folder: Path, **options: t.Any) -> documents.Document:
    desired = {**OPTIONS, "evidence_dir": str(folder), "zone_names": {ZONE: "pay.example"}, **options}
    return documents.read(documents.desire(desired, {}))


def verdict(folder: Path, **options: t.Any) -> list[str]:
    return read(folder, **options).verdict


def year(*parts: list[Audit]) -> list[Audit]:
    return [audit for part in parts for audit in part]


def nobody(*hashes: str, **members: t.Any) -> dict[str, t.Any]:
    return entry(*hashes, authorised_by="", **members)


SEVEN = "At least every seven days: yes"
SEVERAL = "There was no audit on {}, the longest in {} with {} from {} to {}"
LATE = "At least every seven days: not met in 1 of 1 zone, first pay.example from {} to {} without an audit in between that could see"
LATER = "authorised within 3 days but in use before that"
LEFT_OUT = " did not look at everything, which proves nothing of what was left out: "
NOT_VERIFIED = "1 pinned script was not verified, because the service shows no hash, so that no audit could see a change, "
EXPIRED = "1 entry was past the day of review and authorised nothing any more, "
ALL = "Every one of 120 audits of 1 zone is accounted for"
# Beside bad news, a sentence behind the last answer says what the answers are about.
YES = f"{SEVEN}. This counts audits from the first one on, whatever they found"
UNBROKEN = ". This says that the records in the folder are unbroken, whatever they found"
MEANT = (
    ". These answers count audits from the first one on, and say that the records in the folder are unbroken, whatever they found"
)
BY_THEIR_TIMES = f"{SEVEN} by the times that the records name"
RECORDS, ANSWERS = f"{ALL}{UNBROKEN}", f"{ALL}{MEANT}"
FIRST = " (already at the first audit, nobody knows since when)"


# A script with a score that Page Shield calls malicious, and audits that do, too.
SCORED: dict[str, t.Any] = {"shown": {"b": {"js_integrity_score": 3, "malicious": False}}, "scope": {"route": "page_shield"}}
MALICIOUS: dict[str, t.Any] = {
    "shown": {"b": {"js_integrity_score": 3, "malicious": True}},
    "scope": {"route": "page_shield"},
    "more": [("malicious", "b")],
}
# Each history is of 120 days, from 2026-01-01 to 2026-04-30, if nothing else is said.
HISTORIES: dict[str, tuple[list[Audit], list[str]]] = {
    "all is well": (daily(WHOLE, B, BOTH), [SEVEN, ALL]),
    "monitor off in all audits": (
        daily(WHOLE, {}, BOTH, monitor=False),
        [
            "The script monitor was off in 120 of 120 audits, on 120 days: no script was watched then, and these audits prove nothing",
            LATE.format("2026-01-01", "2026-04-30"),
            RECORDS,
        ],
    ),
    "monitor off, and an old list": (
        daily(WHOLE, B, BOTH, monitor=False),
        [
            "The script monitor was off in 120 of 120 audits, on 120 days: no script was watched then, and these audits prove nothing",
            LATE.format("2026-01-01", "2026-04-30"),
            RECORDS,
        ],
    ),
    "monitor off on three days": (
        year(daily(range(50), B, BOTH), daily(range(50, 53), {}, BOTH, monitor=False), daily(range(53, 120), B, BOTH)),
        [
            "The script monitor was off in 3 of 120 audits, on 3 days: no script was watched then, and these audits prove nothing",
            SEVEN,
            ANSWERS,
        ],
    ),
    "monitor off for ten days": (
        year(daily(range(50), B, BOTH), daily(range(50, 60), {}, BOTH, monitor=False), daily(range(60, 120), B, BOTH)),
        [
            "The script monitor was off in 10 of 120 audits, on 10 days: no script was watched then, and these audits prove nothing",
            LATE.format("2026-02-19", "2026-03-02"),
            RECORDS,
        ],
    ),
    "nothing listed": (
        daily(WHOLE, {}, BOTH),
        [
            "No script was listed in 120 of 120 audits, on 120 days: that does not mean that there was none, and these audits prove nothing",
            LATE.format("2026-01-01", "2026-04-30"),
            RECORDS,
        ],
    ),
    "two audits of a day saw nothing": (
        year(daily(range(119), B, BOTH), daily([119, 119.1], {}, BOTH)),
        [
            "No script was listed in 2 of 121 audits, on 1 day: that does not mean that there was none, and these audits prove nothing",
            SEVEN,
            f"Every one of 121 audits of 1 zone is accounted for{MEANT}",
        ],
    ),
    "an audit found a broken history": (
        year(daily(range(60), B, BOTH), daily([60], B, BOTH, more=[("history_broken", None)]), daily(range(61, 120), B, BOTH)),
        [
            "1 audit found that the history was broken, first in pay.example on 2026-03-02: earlier records may have been changed or removed",
            SEVEN,
            ANSWERS,
        ],
    ),
    "two audits found a broken history": (
        year(daily(range(118), B, BOTH), daily([118, 119], B, BOTH, more=[("history_broken", None)])),
        [
            "2 audits found that the history was broken, first in pay.example on 2026-04-29: earlier records may have been changed or removed",
            SEVEN,
            ANSWERS,
        ],
    ),
    "nobody authorised any script": (
        daily(WHOLE, B, {"a": nobody("1"), "b": nobody("1")}),
        [
            "2 of 2 scripts have no authorisation on record",
            f"2 entries were without owner, justification or authorised_by and authorised nothing, still not resolved after 119 days{FIRST}",
            SEVEN,
            ANSWERS,
        ],
    ),
    "nobody can be seen who owns it": (
        daily(WHOLE, B, {**ONE, "b": entry("1", owner="\u200b")}),
        ["1 of 2 scripts has no authorisation on record", SEVEN, ANSWERS],
    ),
    "authorised on a later day": (
        daily(WHOLE, B, {"a": entry("1", authorised_on="2027-01-01"), "b": entry("1", authorised_on="2026-01-01")}),
        [
            "1 of 2 scripts has no authorisation on record",
            "1 authorisation has a date after an audit that relied on it: before that day it authorises nothing, and what was in use was not authorised",
            SEVEN,
            ANSWERS,
        ],
    ),
    "added, and authorised on a later day": (
        year(daily(range(60), A, ONE), daily(range(60, 120), B, {**ONE, "b": entry("1", authorised_on="2026-03-12")})),
        [
            "1 script was added without authorisation, authorised within 10 days but in use before that",
            "1 authorisation has a date after an audit that relied on it: before that day it authorises nothing, and what was in use was not authorised",
            SEVEN,
            ANSWERS,
        ],
    ),
    "no baseline at all": (
        daily(WHOLE, B),
        [
            f"2 scripts were added without authorisation, still not resolved after 119 days{FIRST}",
            "2 of 2 scripts have no authorisation on record",
            SEVEN,
            ANSWERS,
        ],
    ),
    "one of three has no entry": (
        daily(WHOLE, {**B, "c": "1"}, BOTH),
        [
            f"1 script was added without authorisation, still not resolved after 119 days{FIRST}",
            "1 of 3 scripts has no authorisation on record",
            SEVEN,
            ANSWERS,
        ],
    ),
    "audits stopped": (
        daily(range(60), B, BOTH),
        [
            "There was no audit on 60 days in 1 of 1 zone, from 2026-03-02 to 2026-04-30",
            LATE.format("2026-03-01", "2026-04-30"),
            f"Every one of 60 audits of 1 zone is accounted for{UNBROKEN}",
        ],
    ),
    "audits stopped six days before": (
        daily(range(114), B, BOTH),
        [
            "There was no audit on 6 days in 1 of 1 zone, from 2026-04-25 to 2026-04-30",
            SEVEN,
            f"Every one of 114 audits of 1 zone is accounted for{MEANT}",
        ],
    ),
    "last audit five days before": (
        daily(range(115), B, BOTH),
        [SEVEN, "Every one of 115 audits of 1 zone is accounted for"],
    ),
    "audits began late": (
        daily(range(60, 120), B, BOTH),
        [
            "There was no audit on 60 days in 1 of 1 zone, from 2026-01-01 to 2026-03-01",
            LATE.format("2026-01-01", "2026-03-02"),
            f"Every one of 60 audits of 1 zone is accounted for{UNBROKEN}",
        ],
    ),
    "a gap of nine days": (
        year(daily(range(50), B, BOTH), daily(range(59, 120), B, BOTH)),
        [
            "There was no audit on 9 days in 1 of 1 zone, from 2026-02-20 to 2026-02-28",
            LATE.format("2026-02-19", "2026-03-01"),
            f"Every one of 111 audits of 1 zone is accounted for{UNBROKEN}",
        ],
    ),
    "two gaps": (
        year(daily(range(50), B, BOTH), daily(range(56, 80), B, BOTH), daily(range(90, 120), B, BOTH)),
        [
            SEVERAL.format("16 days in 1 of 1 zone, in 2 gaps", "pay.example", "10 days", "2026-03-22", "2026-03-31"),
            LATE.format("2026-03-21", "2026-04-01"),
            f"Every one of 104 audits of 1 zone is accounted for{UNBROKEN}",
        ],
    ),
    "weekly audits": (
        daily(range(0, 120, 7), B, BOTH),
        [
            SEVERAL.format("102 days in 1 of 1 zone, in 17 gaps", "pay.example", "6 days", "2026-01-02", "2026-01-07"),
            SEVEN,
            f"Every one of 18 audits of 1 zone is accounted for{MEANT}",
        ],
    ),
    "a script was added and authorised": (
        year(
            daily(range(50), A, ONE),
            daily(range(50, 53), B, ONE),
            daily(range(53, 120), B, {**ONE, "b": entry("1", authorised_on="2026-02-22")}),
        ),
        ["1 script was added without authorisation, authorised within 3 days but in use before that", SEVEN, ANSWERS],
    ),
    "two scripts were changed and authorised": (
        year(
            daily(range(50), B, BOTH),
            daily(range(50, 53), {"a": "2", "b": "2"}, BOTH),
            daily(range(53, 120), {"a": "2", "b": "2"}, dict.fromkeys("ab", entry("1", "2", authorised_on="2026-02-22"))),
        ),
        ["2 scripts were changed without authorisation, both authorised within 3 days but in use before that", SEVEN, ANSWERS],
    ),
    "an entry that nobody authorised": (
        year(daily(range(50), A, ONE), daily(range(50, 53), B, ONE), daily(range(53, 120), B, {**ONE, "b": nobody("1")})),
        [
            "1 script was added without authorisation, still not resolved after 69 days",
            "1 of 2 scripts has no authorisation on record",
            "1 entry was without owner, justification or authorised_by and authorised nothing, still not resolved after 66 days",
            SEVEN,
            ANSWERS,
        ],
    ),
    "an entry that was authorised at last": (
        year(
            daily(range(50), A, ONE),
            daily(range(50, 53), B, ONE),
            daily(range(53, 60), B, {**ONE, "b": nobody("1")}),
            daily(range(60, 120), B, {**ONE, "b": entry("1", authorised_on="2026-03-01")}),
        ),
        [
            "1 script was added without authorisation, authorised within 10 days but in use before that",
            "1 entry was without owner, justification or authorised_by and authorised nothing, completed after 7 days",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a changed hash that changed back": (
        year(daily(range(50), B, BOTH), daily(range(50, 53), {"a": "1", "b": "2"}, BOTH), daily(range(53, 120), B, BOTH)),
        ["1 script was changed without authorisation, changed back after 3 days", SEVEN, ANSWERS],
    ),
    "a changed hash that the service hides": (
        year(
            daily(range(50), B, BOTH),
            daily(range(50, 53), {"a": "1", "b": "2"}, BOTH),
            daily(range(53, 120), {"a": "1", "b": None}, BOTH),
        ),
        [
            "1 script was changed without authorisation, still not resolved after 69 days",
            f"{NOT_VERIFIED}still not resolved after 66 days",
            "1 of 2 scripts has no authorisation on record",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a changed script whose entry is no longer pinned": (
        year(
            daily(range(50), B, BOTH),
            daily(range(50, 53), {"a": "1", "b": "2"}, BOTH),
            daily(range(53, 120), {"a": "1", "b": "2"}, {**ONE, "b": entry(authorised_on="2026-02-22")}),
        ),
        ["1 script was changed without authorisation, authorised within 3 days but in use before that", SEVEN, ANSWERS],
    ),
    "an added script is gone": (
        year(daily(range(50), A, ONE), daily(range(50, 53), B, ONE), daily(range(53, 120), A, ONE)),
        ["1 script was added without authorisation, gone after 3 days", SEVEN, ANSWERS],
    ),
    "three endings": (
        year(
            daily(range(50), A, ONE),
            daily(range(50, 53), {**B, "c": "1", "d": "1"}, ONE),
            daily(range(53, 120), {**B, "d": "1"}, {**ONE, "b": entry("1", authorised_on="2026-02-22")}),
        ),
        [
            f"3 scripts were added without authorisation, 1 {LATER}, 1 gone after 3 days, 1 still not resolved after 69 days",
            "1 of 3 scripts has no authorisation on record",
            SEVEN,
            ANSWERS,
        ],
    ),
    "an added script on a host that nobody looks at any more": (
        year(
            daily(range(50), A, ONE),
            daily(range(50, 53), B, ONE),
            daily(
                range(53, 120),
                {"https://x.example/x.js": "1"},
                {"https://x.example/x.js": entry("1")},
                scope={"hosts": ["x.example"]},
            ),
        ),
        [
            "1 script was added without authorisation, no longer looked at and so not resolved after 69 days",
            f"67 of 120 audits{LEFT_OUT}in pay.example only at the hosts x.example",
            "1 authorisation is older than what it authorises: dated back, or given for something else than what is in use",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a malicious script that the monitor did not see for a day": (
        year(
            daily(range(50), B, BOTH),
            daily(range(50, 60), B, BOTH, more=[("malicious", "b")]),
            daily([60], {}, BOTH, monitor=False),
            daily(range(61, 120), B, BOTH),
        ),
        [
            "1 script was malicious, no longer reported as such after 11 days and still in use then",
            "The script monitor was off in 1 of 120 audits, on 1 day: no script was watched then, and these audits prove nothing",
            SEVEN,
            ANSWERS,
        ],
    ),
    "only active scripts": (
        daily(WHOLE, B, BOTH, scope={"status": ["active"]}),
        [
            f"120 of 120 audits{LEFT_OUT}in pay.example not at infrequent scripts",
            SEVEN,
            ANSWERS,
        ],
    ),
    "no status at all": (
        daily(WHOLE, B, BOTH, scope={"status": []}),
        [
            f"120 of 120 audits{LEFT_OUT}in pay.example not at infrequent scripts",
            SEVEN,
            ANSWERS,
        ],
    ),
    "only a host": (
        daily(WHOLE, B, BOTH, scope={"hosts": ["shop.example"]}),
        [
            f"120 of 120 audits{LEFT_OUT}in pay.example only at the hosts shop.example",
            SEVEN,
            ANSWERS,
        ],
    ),
    "infrequent scripts are no longer asked for": (
        year(daily(range(50), B, BOTH), daily(range(50, 120), A, BOTH, scope={"status": ["active"]})),
        [
            f"70 of 120 audits{LEFT_OUT}in pay.example not at infrequent scripts",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a hash of November under an authorisation of September": (
        year(daily(range(50), A, ONE), daily(range(50, 120), A, {"a": entry("1", "2")})),
        [
            "1 authorisation is older than what it authorises: dated back, or given for something else than what is in use",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a new entry under an old authorisation": (
        year(daily(range(50), A, ONE), daily(range(50, 120), B, {**ONE, "b": entry()})),
        [
            "1 authorisation is older than what it authorises: dated back, or given for something else than what is in use",
            SEVEN,
            ANSWERS,
        ],
    ),
    "an entry that covers more under an old authorisation": (
        year(daily(range(50), A, ONE), daily(range(50, 120), A, {"a": entry("1", url="https://cdn.example/**")})),
        [
            "1 authorisation is older than what it authorises: dated back, or given for something else than what is in use",
            SEVEN,
            ANSWERS,
        ],
    ),
    "an authorisation without a date": (
        year(daily(range(50), A, ONE), daily(range(50, 120), A, {"a": entry("1", "2", authorised_on=None)})),
        ["1 authorisation has no date, so that nobody can tell whether it was given in time", SEVEN, ANSWERS],
    ),
    "an authorisation of the day after the script was seen": (
        year(
            daily(range(50), A, ONE),
            daily(range(50, 60), B, ONE),
            daily(range(60, 120), B, {**ONE, "b": entry("1", authorised_on="2026-02-21")}),
        ),
        ["1 script was added without authorisation, authorised within 10 days but in use before that", SEVEN, ANSWERS],
    ),
    "an expired entry": (
        year(daily(range(50), B, BOTH), daily(range(50, 120), B, {**ONE, "b": entry("1", review_by="2026-02-19")})),
        [
            "1 of 2 scripts has no authorisation on record",
            f"{EXPIRED}still not resolved after 69 days",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a required script is no longer required": (
        year(
            daily(range(50), A, {**ONE, "b": entry("1", required=True)}),
            daily(range(50, 120), A, {**ONE, "b": entry("1")}),
        ),
        [f"1 required script was not listed, not resolved: no longer required after 50 days{FIRST}", SEVEN, ANSWERS],
    ),
    "a required script is listed again": (
        year(
            daily(range(50), A, {**ONE, "b": entry("1", required=True)}),
            daily(range(50, 120), B, {**ONE, "b": entry("1", required=True)}),
        ),
        [f"1 required script was not listed, listed again after 50 days{FIRST}", SEVEN, ANSWERS],
    ),
    "the entry of a required script is for another one": (
        year(
            daily(range(50), A, {**ONE, "b": entry("1", required=True)}),
            daily(range(50, 120), A, {"a": entry("1", hosts=["x"]), "b": entry("1", required=True, hosts=["shop.example"])}),
        ),
        [
            "1 required script was not listed, still not resolved after 119 days" + FIRST,
            "2 authorisations are older than what they authorise: dated back, or given for something else than what is in use",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a script without a hash is no longer pinned": (
        year(daily(range(50), {"a": None}, ONE), daily(range(50, 120), {"a": None}, {"a": entry()})),
        [
            f"{NOT_VERIFIED}not resolved: no longer pinned after 50 days{FIRST}",
            "1 authorisation is older than what it authorises: dated back, or given for something else than what is in use",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a day of review is removed": (
        year(daily(range(50), A, {"a": entry("1", review_by="2025-12-31")}), daily(range(50, 120), A, ONE)),
        [
            f"{EXPIRED}not resolved: its day of review was removed after 50 days{FIRST}",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a required script is gone": (
        year(
            daily(range(50), B, {**ONE, "b": entry("1", required=True)}),
            daily(range(50, 120), A, {**ONE, "b": entry("1", required=True)}),
        ),
        ["1 required script was not listed, still not resolved after 69 days", SEVEN, ANSWERS],
    ),
    "a malicious script": (
        year(daily(range(50), B, BOTH), daily(range(50, 60), B, BOTH, more=[("malicious", "b")]), daily(range(60, 120), B, BOTH)),
        ["1 script was malicious, no longer reported as such after 10 days and still in use then", SEVEN, ANSWERS],
    ),
    "a script that is reported": (
        year(daily(range(50), B, BOTH), daily(range(50, 120), B, BOTH, more=[("reported", "b")])),
        ["1 script was reported as malicious, still not resolved after 69 days", SEVEN, ANSWERS],
    ),
    # What a record no longer says: nobody verified, listed, reviewed or cleared anything, but somebody asked for less.
    "a hash that was never shown, and is no longer asked for": (
        year(
            daily(range(50), B, ONE | {"b": entry("1")}),
            daily(range(50, 53), A | {"b": None}, ONE | {"b": entry("1")}),
            daily(range(53, 120), A | {"b": None}, ONE | {"b": entry(authorised_on="2026-02-22")}),
        ),
        [
            f"{NOT_VERIFIED}not resolved: no longer pinned after 3 days",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a hash that was not shown for three days": (
        year(daily(range(50), B, BOTH), daily(range(50, 53), A | {"b": None}, BOTH), daily(range(53, 120), B, BOTH)),
        [
            f"{NOT_VERIFIED}no longer looked at and so not resolved after 69 days",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a hash that was not shown for three days, until an audit read all versions": (
        year(
            daily(range(50), B, BOTH),
            daily(range(50, 53), A | {"b": None}, BOTH),
            daily(range(53, 55), B, BOTH),
            daily(range(55, 120), B, BOTH, scope={"details": "all"}),
        ),
        [
            f"{NOT_VERIFIED}verified by its hash after 5 days",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a hash that was not shown, and is another one": (
        year(daily(range(50), B, BOTH), daily(range(50, 53), A | {"b": None}, BOTH), daily(range(53, 120), A | {"b": "2"}, BOTH)),
        [
            "1 script was changed without authorisation, still not resolved after 66 days",
            f"{NOT_VERIFIED}{OTHER_HASH} after 3 days",
            "1 of 2 scripts has no authorisation on record",
            SEVEN,
            ANSWERS,
        ],
    ),
    "an entry without a hash that has another name": (
        year(
            daily(range(50), B, BOTH),
            daily(range(50, 60), A | {"b": None}, BOTH),
            daily(range(60, 120), A | {"b": None}, BOTH, rename={"b": "c"}),
        ),
        [
            f"{NOT_VERIFIED}still not resolved after 69 days",
            "1 authorisation is older than what it authorises: dated back, or given for something else than what is in use",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a hash that was not shown, and versions that nobody reads any more": (
        year(
            daily(range(50), B, BOTH),
            daily(range(50, 53), B, BOTH, more=[("unverified", "b")]),
            daily(range(53, 120), B, BOTH, scope={"details": "none"}),
        ),
        [
            f"{NOT_VERIFIED}no longer looked at and so not resolved after 69 days",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a required script whose entry matches another one": (
        year(
            daily(range(50), A, {**ONE, "b": entry("1", required=True)}),
            daily(
                range(50, 120), A, {**ONE, "b": entry("1", required=True, url="https://cdn.example/*")}, members={"findings": []}
            ),
        ),
        [
            f"1 required script was not listed, not resolved: its entry was changed after 50 days and is about something else{FIRST}",
            "1 authorisation is older than what it authorises: dated back, or given for something else than what is in use",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a later day of review": (
        year(
            daily(range(50), B, {**ONE, "b": entry("1", review_by="2025-12-31")}),
            daily(range(50, 120), B, {**ONE, "b": entry("1", review_by="2027-12-31")}),
        ),
        [
            f"{EXPIRED}given a later day of review after 50 days without a record that anybody reviewed it{FIRST}",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a malicious script that another threshold clears": (
        year(
            daily(range(50), B, BOTH, **SCORED),
            daily(range(50, 60), B, BOTH, **MALICIOUS),
            daily(range(60, 120), B, BOTH, **{**SCORED, "scope": {"route": "page_shield", "malicious": "below -1"}}),
        ),
        [
            "1 script was malicious, not resolved: judged by another threshold after 10 days",
            f"60 of 120 audits{LEFT_OUT}in pay.example a score counted as malicious only below -1 and not below 10",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a malicious script whose score got a little better, under another threshold": (
        year(
            daily(range(60), B, BOTH, **MALICIOUS),
            daily(
                range(60, 120),
                B,
                BOTH,
                shown={"b": {"js_integrity_score": 4, "malicious": False}},
                scope={"route": "page_shield", "malicious": "below -1"},
            ),
        ),
        [
            f"1 script was malicious, not resolved: judged by another threshold after 60 days{FIRST}",
            f"60 of 120 audits{LEFT_OUT}in pay.example a score counted as malicious only below -1 and not below 10",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a threshold that clears a malicious script from the first day": (
        daily(WHOLE, B, BOTH, **{**SCORED, "scope": {"route": "page_shield", "malicious": "above 200"}}),
        [
            f"120 of 120 audits{LEFT_OUT}in pay.example a score counted as malicious only above 200 and not below 10",
            SEVEN,
            ANSWERS,
        ],
    ),
    "a threshold that finds more": (
        daily(WHOLE, B, BOTH, scope={"route": "page_shield", "malicious": "below 50"}),
        [SEVEN, ALL],
    ),
    "a malicious script that got an entry": (
        year(
            daily(range(50), A, ONE),
            daily(range(50, 53), B, ONE, more=[("malicious", "b")]),
            daily(range(53, 120), B, {**ONE, "b": entry("1", authorised_on="2026-02-22")}, more=[("malicious", "b")]),
        ),
        [
            "1 script was malicious, still not resolved after 69 days",
            "1 script was added without authorisation, authorised within 3 days but in use before that",
            SEVEN,
            ANSWERS,
        ],
    ),
    "an authorisation that is dated back": (
        year(
            daily(range(50), A, ONE),
            daily(range(50, 60), B, ONE),
            daily(range(60, 61), B, {**ONE, "b": entry("1", authorised_on="2026-03-02")}),
            daily(range(61, 120), B, {**ONE, "b": entry("1", authorised_on="2026-02-19")}),
        ),
        [
            "1 script was added without authorisation, authorised within 10 days but in use before that",
            "1 authorisation was dated back: it has an earlier date than earlier records say",
            SEVEN,
            ANSWERS,
        ],
    ),
    "an authorisation that loses its date": (
        year(daily(range(60), B, BOTH), daily(range(60, 120), B, {**ONE, "b": entry("1", authorised_on=None)})),
        ["1 authorisation has no date, so that nobody can tell whether it was given in time", SEVEN, ANSWERS],
    ),
    "audits that could not see until the seventh day": (
        year(daily(range(-20, -10), B, BOTH), daily(range(-10, 6), {}, BOTH, monitor=False), daily(range(6, 120), B, BOTH)),
        [
            "The script monitor was off in 6 of 120 audits, on 6 days: no script was watched then, and these audits prove nothing",
            LATE.format("2026-01-01", "2026-01-07"),
            RECORDS,
        ],
    ),
    "an expired entry that the audit did not take for one": (
        daily(WHOLE, A, {"a": entry("1", review_by="2025-12-31")}, members={"findings": []}),
        ["1 of 1 script has no authorisation on record", SEVEN, ANSWERS],
    ),
    "a gap that ends with the period's first day": (
        daily([-40, *WHOLE], B, BOTH),
        [SEVEN, ALL],
    ),
    "records of two months written within minutes": (
        daily(WHOLE, B, BOTH, written=119.2),
        [
            "119 records were written more than a day from the time that they name, and do not prove an audit at that time",
            BY_THEIR_TIMES,
            ANSWERS,
        ],
    ),
    "one record written late": (
        year(daily(range(119), B, BOTH), daily([119], B, BOTH, written=121)),
        [
            "1 record was written more than a day from the time that it names, and does not prove an audit at that time",
            BY_THEIR_TIMES,
            ANSWERS,
        ],
    ),
    "records written late, and a gap": (
        daily([*range(50), *range(60, 120)], B, BOTH, written=119.2),
        [
            "There was no audit on 10 days in 1 of 1 zone, from 2026-02-20 to 2026-03-01",
            LATE.format("2026-02-19", "2026-03-02"),
            "109 records were written more than a day from the time that they name, and do not prove an audit at that time",
            f"Every one of 110 audits of 1 zone is accounted for{UNBROKEN}",
        ],
    ),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_verdict_of_a_history(tmp_path: Path, name: str) -> None:
    audits, expected = HISTORIES[name]
    write(tmp_path, audits)
    document = read(tmp_path)
    assert document.verdict == expected
    # The first sentences, the numbers and the list at the end of the page say the same of what is not resolved.
    left = sum(opened.alike for chain in document.chains for _kind, opened in chain.history.unresolved)
    assert (str(left), "finding not resolved" if left == 1 else "findings not resolved") in documents.numbers(document)
    said = [text for text in document.verdict if "not resolved" in text or "no authorisation on record" in text]
    assert left if said else not left or not document.verdict[0].startswith(SEVEN)


def test_there_are_forty_histories() -> None:
    assert len(HISTORIES) >= 40


def test_invalid_chain_is_first(tmp_path: Path) -> None:
    path = write(tmp_path, year(daily(range(50), A, ONE), daily(range(50, 120), B, ONE)))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:60], lines[60].replace(b'"passed":false', b'"passed":true'), *lines[61:]]))
    assert verdict(tmp_path) == [
        "The evidence is not valid: in pay.example, record 61 was edited: its digest is not that of its content",
        "1 script was added without authorisation, still not resolved after 69 days",
        "There was no audit on 60 days in 1 of 1 zone, from 2026-03-02 to 2026-04-30",
        "1 of 2 scripts has no authorisation on record",
        LATE.format("2026-03-01", "2026-04-30"),
    ]


TORN = (
    "The last line is incomplete in pay.example, so that audits may be missing:"
    " a run was killed while it was writing, or the end of the file was cut off; what is left has findings: 1 new"
)


def test_incomplete_last_line_is_said_first(tmp_path: Path) -> None:
    """The line may be the record of an audit that found something: nobody accounts for that."""
    path = write(tmp_path, year(daily(range(119), A, ONE), daily([119], B, ONE)))
    content = path.read_bytes()[:-9]
    path.write_bytes(content)
    assert verdict(tmp_path) == [TORN, YES]
    path.write_bytes(content.replace(b'"seq":119', b'"seq":118'))
    assert [text.partition(",")[0] for text in verdict(tmp_path)[:2]] == [
        "The evidence is not valid: in pay.example",
        TORN.partition(",")[0],
    ]


def test_incomplete_line_that_was_moved_away_is_said(tmp_path: Path) -> None:
    """The next audit moves the line aside and goes on; what it said is not in the chain for ever."""
    path = write(tmp_path, daily(WHOLE, A, ONE))
    Path(f"{path}.torn").write_bytes(b'{"at":"2026-02-0')
    said = verdict(tmp_path)
    assert said[0].startswith("A line was incomplete and moved to the file .torn in pay.example, so that audits may be missing: ")
    assert said[1:] == [YES]


def test_incomplete_line_that_moved_aside_is_said_as_long_as_it_lies_there(tmp_path: Path) -> None:
    """The next audit goes on after the line before, and makes no audit that is lost accounted for."""
    path = write(tmp_path, year(daily(range(119), A, ONE), daily([119], B, ONE)))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:119]))
    moved = tmp_path / f"{path.name}.torn"
    moved.write_bytes(lines[119][:-20] + b"\n")
    assert verdict(tmp_path) == [
        TORN.replace("The last line is incomplete", "A line was incomplete and moved to the file .torn"),
        YES,
    ]
    moved.write_bytes(b"")
    assert verdict(tmp_path) == [
        TORN.replace("The last line is incomplete", "A line was incomplete and moved to the file .torn").partition(";")[0],
        YES,
    ]
    moved.unlink()
    moved.symlink_to(path)
    assert "they cannot be read" in verdict(tmp_path)[0]


def test_audits_that_are_dated_after_the_document_are_said(tmp_path: Path) -> None:
    """They say nothing about days that are still to come; and a gap before them is none that they fill."""
    write(tmp_path, daily(WHOLE, B, BOTH))
    assert verdict(tmp_path, at=day_of(60), until="2026-04-30") == [
        "59 audits are dated after the day of this document, and prove nothing",
        SEVEN,
        ANSWERS,
    ]


def test_name_of_a_zone_is_no_sentence(tmp_path: Path) -> None:
    write(tmp_path, daily(range(60), B, BOTH))
    name = f"x. {SEVEN}. {ALL}"
    assert verdict(tmp_path, zone_names={ZONE: name})[1] == (
        "At least every seven days: not met in 1 of 1 zone, first 'x. At least every seven days: yes. Every one of 120 audit...'"
        " from 2026-03-01 to 2026-04-30 without an audit in between that could see"
    )
    assert verdict(tmp_path, zone_names={ZONE: "pay.example", "b" * 32: "never. All is well"})[1] == (
        "1 zone was not audited: 'never. All is well', so that nothing is known of what it had"
    )


def test_missing_baseline_authorises_nothing(tmp_path: Path) -> None:
    """The file of a baseline that was used for the last ten days is missing."""
    write(
        tmp_path,
        year(daily(range(110), B, BOTH), daily(range(110, 120), B, {**BOTH, "c": entry("1", authorised_on="2026-04-22")})),
    )
    max((tmp_path / "baselines").iterdir(), key=lambda path: path.stat().st_size).unlink()
    assert verdict(tmp_path) == [
        "The baseline is missing of 10 of 120 audits, on 10 days: what was authorised then is not known",
        "2 of 2 scripts have no authorisation on record",
        SEVEN,
        ANSWERS,
    ]


def test_script_whose_baseline_is_missing_is_not_authorised(tmp_path: Path) -> None:
    newer = {**ONE, "b": entry("1", authorised_on="2026-02-22")}
    write(tmp_path, year(daily(range(50), A, ONE), daily(range(50, 53), B, ONE), daily(range(53, 120), B, newer)))
    max((tmp_path / "baselines").iterdir(), key=lambda path: path.stat().st_size).unlink()
    assert verdict(tmp_path)[:3] == [
        "1 script was added without authorisation, still not resolved after 69 days",
        "The baseline is missing of 67 of 120 audits, on 67 days: what was authorised then is not known",
        "2 of 2 scripts have no authorisation on record",
    ]


def test_records_that_do_not_say_when_they_were_written(tmp_path: Path) -> None:
    path = write(tmp_path, daily([117, 118, 119], B, BOTH))
    prev, lines = None, []
    for line in path.read_bytes().splitlines():
        lines.append(resealed(line, "written_at", prev=prev))
        prev = lines[-1].split(b'"digest":"')[1][:64].decode()
    path.write_bytes(b"".join(lines))
    assert verdict(tmp_path, since="2026-04-28")[-3:] == [
        "3 records do not say when they were written, so that nobody can tell whether they were written at the time of the audit",
        SEVEN,
        f"Every one of 3 audits of 1 zone is accounted for{MEANT}",
    ]


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        (None, ["Zone pay.example was first audited on 2026-03-02: nothing is known of the days before", SEVEN]),
        ("2026-03-01", [SEVEN]),
        (
            "2026-01-15",
            [
                "There was no audit on 46 days in 1 of 1 zone, from 2026-01-15 to 2026-03-01",
                LATE.format("2026-01-15", "2026-03-02"),
            ],
        ),
    ],
)
def test_days_before_the_first_audit(tmp_path: Path, since: str | None, expected: list[str]) -> None:
    """They count if the period was chosen, and otherwise the day of the first audit is said."""
    write(tmp_path, daily(range(60, 120), B, BOTH))
    assert verdict(tmp_path, since=since)[:-1] == expected


def test_audit_before_the_period_shows_a_gap_at_its_beginning(tmp_path: Path) -> None:
    write(tmp_path, daily([0, *range(60, 120)], B, BOTH))
    assert verdict(tmp_path, since="2026-02-20")[:2] == [
        "There was no audit on 10 days in 1 of 1 zone, from 2026-02-20 to 2026-03-01",
        LATE.format("2026-02-20", "2026-03-02"),
    ]


def test_script_that_was_added_before_the_period_is_said(tmp_path: Path) -> None:
    write(tmp_path, year(daily(range(20), A, ONE), daily(range(20, 120), B, ONE)))
    assert (
        verdict(tmp_path, since="2026-03-01")[0] == "1 script was added without authorisation, still not resolved after 99 days"
    )


def test_zone_without_a_record_in_the_period_counts_in_no_number(tmp_path: Path) -> None:
    write(tmp_path, daily(WHOLE, B, BOTH))
    write(tmp_path, daily(range(-40, -30), {**B, "c": "1"}, BOTH), "b" * 32)
    sentences = verdict(tmp_path, zone_names={ZONE: "pay.example", "b" * 32: "old.example", "c" * 32: "never.example"})
    assert sentences == [
        "2 zones were not audited: never.example, old.example, so that nothing is known of what they had",
        "At least every seven days: not met in 2 of 3 zones, first old.example from 2026-01-01 to 2026-04-30 without an audit in between that could see",
        RECORDS,
    ]


def test_last_day_is_that_of_the_document_or_of_the_period(tmp_path: Path) -> None:
    write(tmp_path, daily(range(60), B, BOTH))
    assert verdict(tmp_path, at=day_of(62))[0] == SEVEN
    assert verdict(tmp_path, until="2026-03-04")[0] == SEVEN
    assert verdict(tmp_path, until="2026-03-20")[0].startswith("There was no audit on 19 days")


def test_a_given_number_of_days_is_a_gap(tmp_path: Path) -> None:
    write(tmp_path, daily(range(0, 120, 7), B, BOTH))
    assert verdict(tmp_path, max_gap_days=7.0) == [SEVEN, "Every one of 18 audits of 1 zone is accounted for"]


def test_an_audit_a_few_seconds_late_is_in_time(tmp_path: Path) -> None:
    """Days are those of UTC: seven days and the rest of a day are no more than seven days."""
    write(tmp_path, daily([0, 7.7, 14, 15], B, BOTH))
    assert verdict(tmp_path, max_gap_days=7.0, at=day_of(15))[0] == SEVEN
    (tmp_path / f"{ZONE}.jsonl").unlink()
    write(tmp_path, daily([0, 8, 14, 15], B, BOTH))
    assert verdict(tmp_path, max_gap_days=8.0, at=day_of(15))[0] == LATE.format("2026-01-01", "2026-01-09")


def test_several_zones_are_named(tmp_path: Path) -> None:
    for zone, name in zip("bcde", range(4), strict=True):
        write(tmp_path, daily(range(60 + name), B, BOTH, scope={"hosts": [f"shop{name}.example"]}), zone * 32)
    write(tmp_path, daily(WHOLE, B, BOTH))
    assert verdict(tmp_path) == [
        SEVERAL.format(
            "234 days in 4 of 5 zones, those of all zones added up, in 4 gaps", "b" * 32, "60 days", "2026-03-02", "2026-04-30"
        ),
        f"246 of 366 audits{LEFT_OUT}"
        + ", ".join(f"in {zone * 32} only at the hosts shop{name}.example" for name, zone in enumerate("bcd"))
        + " and 1 more",
        f"At least every seven days: not met in 4 of 5 zones, first {'b' * 32} from 2026-03-01 to 2026-04-30 without an audit in between that could see",
        f"Every one of 366 audits of 5 zones is accounted for{UNBROKEN}",
    ]


@pytest.mark.parametrize("words", ["", " for scripts", ": not met in 1 zone", ": yes"])
def test_answer_is_what_was_counted(words: str) -> None:
    """Its words, among which are names of zones, decide nothing."""
    met, unmet = Frequency(words, 0, 2, 0, None), Frequency(words, 1, 2, 0, None)
    assert (met.is_met, met.sentence().is_good) == (True, True)
    assert (unmet.is_met, unmet.sentence().is_good) == (False, False)
