# SPDX-License-Identifier: GPL-3.0-or-later

"""What the document says of payment pages, from records as an audit of pages writes them."""

import csv
import io
import typing as t
from pathlib import Path

import pytest
from support.chains import PAGES_SCOPE, page, write_baseline, write_chain
from support.years import ZONE, Audit, day_of, entry, write

from ansible_collections.edgeops.observability.plugins.module_utils._chain.kinds import PAGES
from ansible_collections.edgeops.observability.plugins.module_utils._pages.facts import COMPARED_HEADERS
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence import document as documents
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.page import render
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.table import COLUMNS, render_table

URL = "https://shop.example/checkout"
SCRIPT = "https://cdn.example/pay.js"
CODE = {"hash": "sha256-x", "shape": None, "kind": "script", "dynamic": False}
OPTIONS: dict[str, t.Any] = dict.fromkeys(("expected_heads", "until", "max_gap_days", "title"))
SEVEN = "At least every seven days: yes for payment pages"
LATE = (
    "At least every seven days: not met in 1 of 1 zone for payment pages, first pay.example ({}) from {} to {}"
    " without an audit in between that could see"
)
FIRST = " (already at the first audit, nobody knows since when)"
LEFT_OUT = " of payment pages did not look at everything, which proves nothing of what was left out: "
# Beside bad news, a sentence behind the last answer says what the answers are about.
YES = f"{SEVEN}. This counts audits from the first one on, whatever they found"


def checkout(**members: t.Any) -> dict[str, t.Any]:
    declared = {"name": "checkout", "page": URL, "owner": "payments", "justification": "card checkout", "authorised_by": "j.doe"}
    return {**declared, "authorised_on": "2026-01-01", "review_by": None, "headers": {}, "inline": [], **members}


def found(kind: str, subject: str | None = None, url: str | None = URL, **members: t.Any) -> dict[str, t.Any]:
    return {"kind": kind, "page": url, "subject": subject, **members}


Made = tuple[dict[str, t.Any], t.Mapping[str, t.Any]]


def audit(
    day: float,
    state: t.Mapping[str, t.Any],
    *findings: t.Mapping[str, t.Any],
    of: t.Mapping[str, t.Any] | None = None,
    also: t.Sequence[t.Mapping[str, t.Any]] = (),
    scripts: t.Sequence[t.Mapping[str, t.Any]] = (),
    scope: t.Mapping[str, t.Any] | None = None,
) -> Made:
    """Return the record of an audit of a page, perhaps of others too, with its baselines; a page without a state was not asked for."""
    pages = [page for page in (state, *also) if page]
    asked = {**PAGES_SCOPE, "pages": [page["url"] for page in pages], **(scope or {})}
    passed = not [finding for finding in findings if finding["kind"] != "unused"]
    record = {"at": day_of(day), "written_at": day_of(day), "pages": pages, "findings": list(findings), "passed": passed}
    return {**record, "scope": asked, "scripts": list(scripts)}, of or checkout()


def read(folder: Path, *audits: Made, **options: t.Any) -> documents.Document:
    records = []
    for record, of in audits:
        digests = {"pages_baseline_digest": write_baseline(folder, [of])}
        scripts = record.pop("scripts", None)
        digests |= {"baseline_digest": write_baseline(folder, scripts)} if scripts else {}
        records.append({**digests, **record})
    write_chain(folder, records, ZONE, PAGES)
    desired = {**OPTIONS, "evidence_dir": str(folder), "dest": "d", "since": "2026-01-01", "at": day_of(len(audits) - 1)}
    return documents.read(documents.desire({**desired, "zone_names": {ZONE: "pay.example"}, **options}, {}))


def rows(document: documents.Document) -> list[tuple[str, str, str]]:
    return [(event.what, event.subject, event.message) for event in document.changes if event.at.day > 1]


PLAIN = page()
SKIMMED = page(inline=[CODE])


def accounted(audits: int) -> str:
    noun = "audit" if audits == 1 else "audits"
    return f"Every one of {audits} {noun} of payment pages of 1 zone is accounted for"


def unbroken(audits: int) -> str:
    return f"{accounted(audits)}. This says that the records in the folder are unbroken, whatever they found"


def meant(audits: int) -> str:
    meaning = "These answers count audits from the first one on, and say that the records in the folder are unbroken, whatever they found"
    return f"{accounted(audits)}. {meaning}"


def test_page_that_stays_as_it_is_has_no_news(tmp_path: Path) -> None:
    document = read(tmp_path, audit(0, PLAIN), audit(1, PLAIN))
    assert [event.what for event in document.changes] == ["seen"]
    assert document.verdict == [SEVEN, accounted(2)]


def test_page_that_is_no_longer_looked_at(tmp_path: Path) -> None:
    """Each payment page counts: one that nobody looks at any more is no greener than one that could not be read."""
    both, one = {**PAGES_SCOPE, "pages": [URL, f"{URL}/pay"]}, PAGES_SCOPE
    audits = [
        audit(day, PLAIN, scope=one) if day else audit(day, PLAIN, also=[page(f"{URL}/pay")], scope=both) for day in range(12)
    ]
    document = read(tmp_path, *audits)
    assert document.verdict == [
        f"11 of 12 audits{LEFT_OUT}in pay.example not at the page {URL}/pay",
        LATE.format(f"{URL}/pay", "2026-01-01", "2026-01-12"),
        unbroken(12),
    ]


def test_headers_that_were_not_compared_are_said(tmp_path: Path) -> None:
    audits = [audit(day, PLAIN) for day in range(2)]
    audits[0][0]["scope"] = {**PAGES_SCOPE, "headers": ["x-frame-options", *PAGES_SCOPE["headers"][4:]]}
    audits[1][0]["scope"] = {**PAGES_SCOPE, "headers": []}
    document = read(tmp_path, *audits)
    assert document.verdict[0] == (
        f"2 of 2 audits{LEFT_OUT}in pay.example not at the headers content-security-policy,"
        " content-security-policy-report-only, strict-transport-security, in pay.example at no header"
    )
    (event,) = [event for event in document.changes if event.what == "scope"]
    assert event.message.endswith(", is none")


def test_inline_code_that_nobody_authorised(tmp_path: Path) -> None:
    document = read(tmp_path, audit(0, PLAIN), audit(1, SKIMMED, found("inline_new", "sha256-x")), audit(2, PLAIN))
    assert document.verdict == [
        "1 payment page with inline code that nobody authorised, changed back after 1 day",
        SEVEN,
        meant(3),
    ]
    assert rows(document) == [
        ("changed", "", "added 1 piece of inline code"),
        ("opened", "sha256-x", "inline_new"),
        ("changed", "", "removed 1 piece of inline code"),
        ("closed", "sha256-x", "inline_new: changed back, after 1 day"),
    ]


def test_inline_code_is_authorised(tmp_path: Path) -> None:
    newer = checkout(inline=["sha256-x"], authorised_on="2026-01-03")
    document = read(tmp_path, audit(0, PLAIN), audit(1, SKIMMED, found("inline_new", "sha256-x")), audit(2, SKIMMED, of=newer))
    assert document.verdict[0] == f"1 payment page with inline code that nobody authorised, {LATER}"
    assert rows(document)[2:] == [("authorised", "", ""), ("closed", "sha256-x", "inline_new: authorised, after 1 day")]


@pytest.mark.parametrize(("lines", "end"), [(["sha256-x"], "in use"), ([], "the entry removed")])
def test_line_that_nothing_fitted_is_in_use_or_removed(tmp_path: Path, lines: list[str], end: str) -> None:
    unused = found("unused", "sha256-x", None)
    document = read(
        tmp_path, audit(0, PLAIN, unused, of=checkout(inline=["sha256-x"])), audit(1, PLAIN, of=checkout(inline=lines))
    )
    (closed,) = [event for event in document.changes if event.what == "closed"]
    assert (closed.subject, closed.message) == ("sha256-x", f"unused: {end}, after 1 day")


def test_entry_that_nobody_authorised_is_no_authorisation(tmp_path: Path) -> None:
    newer = checkout(inline=["sha256-x"], authorised_by=None)
    unjustified = found("unjustified", "checkout", None)
    document = read(
        tmp_path, audit(0, PLAIN), audit(1, SKIMMED, found("inline_new", "sha256-x")), audit(2, SKIMMED, unjustified, of=newer)
    )
    assert document.verdict[:3] == [
        "1 payment page with inline code that nobody authorised, still not resolved after 1 day",
        NOBODY,
        "1 entry was without owner, justification or authorised_by and authorised nothing, still not resolved after less than a day",
    ]
    assert "authorised" not in [event.what for event in document.changes]
    complete = audit(3, SKIMMED, of=checkout(inline=["sha256-x"], authorised_on="2026-01-03"))
    days = [
        audit(0, PLAIN),
        audit(1, SKIMMED, found("inline_new", "sha256-x")),
        audit(2, SKIMMED, unjustified, of=newer),
        complete,
    ]
    assert read(tmp_path, *days).verdict[:2] == [
        "1 payment page with inline code that nobody authorised, authorised within 2 days but in use before that",
        "1 entry was without owner, justification or authorised_by and authorised nothing, completed after 1 day",
    ]


def test_hash_under_an_older_authorisation(tmp_path: Path) -> None:
    newer = checkout(inline=["sha256-x"], authorised_on="2025-09-01")
    document = read(tmp_path, audit(0, PLAIN), audit(1, PLAIN, of=newer))
    assert document.verdict == [
        "1 authorisation is older than what it authorises: dated back, or given for something else than what is in use",
        SEVEN,
        meant(2),
    ]


def test_page_that_could_not_be_read(tmp_path: Path) -> None:
    """It is not changed, its findings are no longer looked at, and the audit does not count."""
    unread = page(final_url=None, status=None, entry=None, headers={})
    days = [
        audit(0, SKIMMED, found("inline_new", "sha256-x")),
        *(audit(day, unread, found("page_unread")) for day in range(1, 11)),
    ]
    document = read(tmp_path, *days)
    assert document.verdict == [
        f"1 payment page with inline code that nobody authorised, no longer looked at and so not resolved after 10 days{FIRST}",
        "1 payment page could not be read in 10 of 11 audits, on 10 days: what browsers received then is not known",
        NOBODY,
        LATE.replace(" ({})", "").format("2026-01-01", "2026-01-11"),
        unbroken(11),
    ]
    assert [row for row in rows(document) if row[0] == "changed"] == []


def test_header_is_shown_with_what_it_should_be(tmp_path: Path) -> None:
    values = {"is": None, "should_be": "nosniff"}
    changed = found("header_changed", "x-content-type-options", **values)
    document = read(tmp_path, audit(0, page(headers={"x-content-type-options": "nosniff"})), audit(1, page(headers={}), changed))
    assert rows(document) == [
        ("changed", "", "header x-content-type-options was nosniff, is not set"),
        ("opened", "x-content-type-options", "header_changed: is not set, should be nosniff"),
    ]
    assert (
        document.verdict[0]
        == "1 payment page with headers that differ from the authorised ones, still not resolved after less than a day"
    )


def test_header_that_audits_do_not_compare_any_more_has_not_changed_back(tmp_path: Path) -> None:
    changed = found("header_changed", "refresh", **{"is": "0", "should_be": None})
    first, second = audit(0, page(headers={"refresh": "0"}), changed), audit(1, page(headers={}))
    second[0]["scope"] = {**PAGES_SCOPE, "headers": []}
    document = read(tmp_path, first, second)
    assert rows(document)[-1] == ("closed", "refresh", "header_changed: not resolved, no longer looked at, after 1 day")
    assert "no longer looked at" in document.verdict[0]


NOSNIFF, NONE = {"x-content-type-options": "nosniff"}, {"x-content-type-options": None}
NOT_SHOWN = "not resolved, ended in a way that no record shows"


@pytest.mark.parametrize(
    ("then", "of_then", "now", "of_now", "how"),
    [
        # The record shows that the value is the authorised one again, in any case.
        (NONE, NOSNIFF, {"x-content-type-options": "NoSniff"}, NOSNIFF, "changed back"),
        (NOSNIFF, {}, NONE, {}, "changed back"),
        # It changed back, although another line of the entry changed at the same time.
        (NONE, NOSNIFF, NOSNIFF, {**NOSNIFF, "referrer-policy": "origin"}, "changed back"),
        # The value is the same, and the entry names it now.
        (NONE, NOSNIFF, NONE, {}, "authorised"),
        (
            {"x-content-type-options": "off"},
            NOSNIFF,
            {"x-content-type-options": "0"},
            {"x-content-type-options": "0"},
            "authorised",
        ),
        # It differs still, it was as it should be in the fetch that is on record, or a record or an entry does not show it.
        (NONE, NOSNIFF, NONE, NOSNIFF, None),
        (NONE, NOSNIFF, {"x-content-type-options": "off"}, NOSNIFF, None),
        (NOSNIFF, NOSNIFF, NOSNIFF, NOSNIFF, None),
        ({}, NOSNIFF, NOSNIFF, NOSNIFF, None),
        (NONE, NOSNIFF, {}, NOSNIFF, None),
        (NONE, NOSNIFF, {"x-content-type-options": 1}, NOSNIFF, None),
        (NONE, {"x-content-type-options": 1}, NOSNIFF, NOSNIFF, None),
    ],
)
def test_end_of_a_header_is_what_records_show(
    tmp_path: Path, then: t.Any, of_then: t.Any, now: t.Any, of_now: t.Any, how: str | None
) -> None:
    """That a finding is not reported any more shows nothing."""
    changed = found("header_changed", "x-content-type-options", **{"is": None, "should_be": "nosniff"})
    first = audit(0, page(headers=then), changed, of=checkout(headers=of_then))
    document = read(tmp_path, first, audit(1, page(headers=now), of=checkout(headers=of_now)))
    closed = [message for what, _subject, message in rows(document) if what == "closed"]
    assert closed == [f"header_changed: {how or NOT_SHOWN}, after 1 day"]
    assert document.verdict[0].endswith(f"still not resolved after 1 day{FIRST}") is (how is None)


def test_header_that_fewer_fetches_do_not_show_has_not_changed_back(tmp_path: Path) -> None:
    changed = found("header_changed", "x-content-type-options", **{"is": None, "should_be": "nosniff"})
    of = checkout(headers=NOSNIFF)
    first = audit(0, page(headers=NONE), changed, of=of, scope={"fetches": 5})
    document = read(tmp_path, first, audit(1, page(headers=NOSNIFF), of=of, scope={"fetches": 1}))
    assert rows(document)[-1][2].startswith("header_changed: not resolved, no longer looked at")


def test_scope_change_and_gap_are_those_of_pages(tmp_path: Path) -> None:
    first, second = audit(0, PLAIN), audit(9, PLAIN)
    second[0]["scope"] = {**PAGES_SCOPE, "fetches": 5}
    document = read(tmp_path, first, second, at=day_of(9))
    assert rows(document) == [
        ("gap", "", "no audit on 8 days, between 2026-01-01 06:00 and 2026-01-10 06:00"),
        ("scope", "", "fetches was 2, is 5"),
    ]
    assert all(event.of_pages for event in document.changes)


def recorded(day: float) -> dict[str, t.Any]:
    return page(source="har", recorded_at=day_of(day))


def test_recording_is_of_its_own_day(tmp_path: Path) -> None:
    """Two audits of one recording looked at the page once."""
    days = [(0, 0), (7, 0), (14, 14), (21, 14)]
    document = read(tmp_path, *(audit(day, recorded(made)) for day, made in days), at=day_of(21))
    gap = f"{URL} was neither recorded nor fetched on 13 days, between 2026-01-01 06:00 and 2026-01-15 06:00"
    assert rows(document) == [("gap", "", gap)], "another recording of the same page is no change"
    assert document.verdict == [
        "There was no audit of payment pages on 13 days in 1 of 1 zone, from 2026-01-02 to 2026-01-14",
        LATE.format(URL, "2026-01-01", "2026-01-15"),
        unbroken(4),
    ]
    (chain,) = document.of_pages
    assert chain[1].pages[0].has.endswith("; read from a recording of 2026-01-15 06:00")


def test_recordings_in_time_have_no_gap(tmp_path: Path) -> None:
    days = [(0, -1), (7, 5), (14, 12), (15, 11), (21, 19)]
    document = read(tmp_path, *(audit(day, recorded(made)) for day, made in days), at=day_of(21), since=None)
    assert (rows(document), document.verdict[-2:]) == ([], [SEVEN, meant(5)])


def test_days_without_an_audit_are_counted_once(tmp_path: Path) -> None:
    audits = (audit(0, recorded(0)), audit(3, recorded(0)), audit(20, recorded(19)))
    document = read(tmp_path, *audits, at=day_of(20))
    assert document.verdict[0] == (
        "There was no audit of payment pages on 19 days in 1 of 1 zone, in 2 gaps,"
        " the longest in pay.example with 16 days from 2026-01-05 to 2026-01-20"
    )


def test_page_that_is_recorded_from_now_on(tmp_path: Path) -> None:
    document = read(tmp_path, audit(0, PLAIN), audit(1, recorded(1)), audit(2, PLAIN))
    assert rows(document) == [
        ("changed", "", "it is read from a recording from now on"),
        ("changed", "", "it is fetched from now on"),
    ]


def table(document: documents.Document) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render_table(document).decode())))


def test_table_has_columns_of_pages_only_with_a_chain_of_pages(tmp_path: Path) -> None:
    write(tmp_path, [Audit(0, {"a": "1"}, {"a": entry("1")})])
    options = {**OPTIONS, "evidence_dir": str(tmp_path), "dest": "d", "since": "2026-01-01", "at": day_of(0), "zone_names": None}
    assert tuple(table(documents.read(documents.desire(options, {})))[0]) == COLUMNS
    found_rows = table(read(tmp_path, audit(0, SKIMMED, found("inline_new", "sha256-x"))))
    assert tuple(found_rows[0]) == (*COLUMNS, "page", "subject")
    assert {row["what"] for row in found_rows if row["kind"] == "verdict"} == {"warning"}
    found_rows = [row for row in found_rows if row["kind"] != "verdict"]
    assert [(row["kind"], row["what"], row["script_url"] or row["page"], row["subject"]) for row in found_rows] == [
        ("inventory", "listed", "https://cdn.example/a.js", ""),
        ("page", "listed", URL, ""),
        ("change", "seen", "https://cdn.example/a.js", ""),
        ("page_change", "seen", URL, ""),
        ("page_change", "opened", URL, "sha256-x"),
    ]
    listed = found_rows[1]
    assert (listed["entry"], listed["authorised_by"], listed["hashes"]) == ("checkout", "j.doe", "sha256-x")
    assert listed["message"] == "inline_new; 0 compared headers, 0 scripts, 1 piece of inline code, 0 frames, 0 forms"


def test_document_with_both_kinds_says_so_of_each(tmp_path: Path) -> None:
    write(tmp_path, [Audit(day, {"a": "1"}, {"a": entry("1")}) for day in range(3)])
    document = read(tmp_path, *(audit(day, PLAIN) for day in range(3)))
    assert document.verdict == [
        "At least every seven days: yes for scripts",
        SEVEN,
        "Every one of 3 audits of scripts of 1 zone and every one of 3 audits of payment pages of 1 zone is accounted for",
    ]
    text = render(document).decode()
    assert "pay.example, payment pages" in text and "Payment pages at the end of the period" in text
    assert [row["kind"] for row in (chain.row for chain in document.chains)] == ["scripts", "pages"]


@pytest.mark.parametrize("name", ["pages_baseline_digest", "baseline_digest"])
def test_missing_baseline_of_pages(tmp_path: Path, name: str) -> None:
    record, of = audit(0, PLAIN)
    document = read(tmp_path, ({**record, "baseline_digest": "0" * 64}, of)) if name == "baseline_digest" else None
    if document is None:
        read(tmp_path, (record, of))
        digest = write_baseline(tmp_path, [of])
        (tmp_path / "baselines" / f"{digest}.json").unlink()
        options = {
            **OPTIONS,
            "evidence_dir": str(tmp_path),
            "dest": "d",
            "since": "2026-01-01",
            "at": day_of(0),
            "zone_names": None,
        }
        document = documents.read(documents.desire(options, {}))
    assert document.verdict[0] == "The baseline is missing of 1 of 1 audit, on 1 day: what was authorised then is not known"


def test_page_is_authorised_from_the_day_of_its_entry_on(tmp_path: Path) -> None:
    later = checkout(inline=["sha256-x"], authorised_on="2026-01-03")
    document = read(tmp_path, audit(0, PLAIN), audit(1, SKIMMED, of=later))
    assert document.verdict[:2] == [
        NOBODY,
        "1 authorisation has a date after an audit that relied on it: before that day it authorises nothing, and what was in use was not authorised",
    ]
    assert (
        "no authorisation"
        not in read(tmp_path, audit(0, PLAIN), audit(1, SKIMMED, of=later), audit(2, SKIMMED, of=later)).verdict[0]
    )


PAY_JS = "https://js.pay.example/v3/pay.js"
LOADED = {"url": PAY_JS, "integrity": None, "crossorigin": None, "kind": "script"}
PAYING = page(scripts=[LOADED])
OTHER = page("https://shop.example/pay")
SCRIPT_NEW = found("script_new", PAY_JS)
REQUIRED = checkout(scripts=[{"url": PAY_JS, "required": True}])
GONE = found("gone", PAY_JS)


def pay(**members: t.Any) -> dict[str, t.Any]:
    """Return an entry of the baseline of scripts for the script of the payment service."""
    return {**entry(), "name": "pay", "url": "https://js.pay.example/v3/*", **members}


def month(*audits: Made) -> tuple[Made, ...]:
    """Return these audits, and daily ones of the page as it is to the thirtieth day."""
    last = max(int(record["at"][8:10]) for record, _of in audits)
    return (*audits, *(audit(day, PLAIN) for day in range(last, 30)))


OLDER = "1 authorisation is older than what it authorises: dated back, or given for something else than what is in use"
UNAUTHORISED = f"1 payment page with scripts that nobody authorised, {{}}{FIRST}"
LATER = "authorised within 1 day but in use before that"
BEFORE = "and nothing is known of the days before"
NOBODY = "1 of 1 payment page has no authorisation on record"
HISTORIES: dict[str, tuple[tuple[Made, ...], list[str]]] = {
    "a page that only the first audit read": (
        month(audit(0, PLAIN, also=[OTHER])),
        [
            f"29 of 30 audits{LEFT_OUT}in pay.example not at the page https://shop.example/pay",
            LATE.format("https://shop.example/pay", "2026-01-01", "2026-01-30"),
            unbroken(30),
        ],
    ),
    "a page that is read every other week": (
        (*(audit(day, PLAIN, also=[OTHER] if day % 14 == 0 else []) for day in range(30)),),
        [
            f"27 of 30 audits{LEFT_OUT}in pay.example not at the page https://shop.example/pay",
            LATE.format("https://shop.example/pay", "2026-01-01", "2026-01-15"),
            unbroken(30),
        ],
    ),
    "two pages by turns": (
        (*(audit(day, OTHER if day % 2 else PLAIN) for day in range(30)),),
        [
            f"29 of 30 audits{LEFT_OUT}"
            + ", ".join(f"in pay.example not at the page {url}" for url in (URL, "https://shop.example/pay")),
            SEVEN,
            meant(30),
        ],
    ),
    "a page that was added later": (
        (*(audit(day, PLAIN, also=[OTHER] if day > 14 else []) for day in range(30)),),
        [
            f"1 payment page was first audited long after the period began: {OTHER['url']} in pay.example on 2026-01-16, {BEFORE}",
            SEVEN,
            meant(30),
        ],
    ),
    "a policy that no audit compared": (
        (*(audit(day, PLAIN, scope={"headers": list(COMPARED_HEADERS[3:])}) for day in range(3)),),
        [
            f"3 of 3 audits{LEFT_OUT}in pay.example not at the headers {', '.join(COMPARED_HEADERS[:3])}",
            SEVEN,
            meant(3),
        ],
    ),
    "a header that one audit did not compare": (
        (audit(0, PLAIN), audit(1, PLAIN, scope={"headers": list(COMPARED_HEADERS[1:])}), audit(2, PLAIN)),
        [
            f"1 of 3 audits{LEFT_OUT}in pay.example not at the header content-security-policy",
            SEVEN,
            meant(3),
        ],
    ),
    "no header at all": (
        (audit(0, PLAIN, scope={"headers": []}),),
        [
            f"1 of 1 audit{LEFT_OUT}in pay.example at no header",
            SEVEN,
            meant(1),
        ],
    ),
    "a script under an entry that is older than it": (
        (audit(0, PAYING, SCRIPT_NEW), audit(1, PAYING, scripts=[pay(authorised_on="2025-01-01")])),
        [UNAUTHORISED.format(LATER), OLDER, SEVEN, meant(2)],
    ),
    "a script under an entry without a date": (
        (audit(0, PAYING, SCRIPT_NEW), audit(1, PAYING, scripts=[pay(authorised_on=None)])),
        [
            UNAUTHORISED.format(LATER),
            "1 authorisation has no date, so that nobody can tell whether it was given in time",
            SEVEN,
            meant(2),
        ],
    ),
    "a script under an entry of its day": (
        (audit(0, PAYING, SCRIPT_NEW), audit(1, PAYING, scripts=[pay(authorised_on="2026-01-02")])),
        [UNAUTHORISED.format(LATER), SEVEN, meant(2)],
    ),
    "a script that came after its entry, which is older than the audits know it": (
        (
            audit(0, PLAIN),
            audit(1, PLAIN, scripts=[pay(authorised_on="2025-01-01")]),
            audit(2, PAYING, scripts=[pay(authorised_on="2025-01-01")]),
        ),
        [OLDER, SEVEN, meant(3)],
    ),
    "an entry of a script that no page has": (
        (audit(0, PLAIN), audit(1, PLAIN, scripts=[pay(authorised_on=None)])),
        [SEVEN, accounted(2)],
    ),
    "a script under an entry that nobody authorised": (
        (
            audit(0, PAYING, SCRIPT_NEW),
            audit(1, PAYING, found("unjustified", PAY_JS), scripts=[pay(authorised_by=None)]),
        ),
        [
            f"1 payment page with scripts that nobody authorised, still not resolved after 1 day{FIRST}",
            NOBODY,
            "1 entry was without owner, justification or authorised_by and authorised nothing, still not resolved after less than a day",
            SEVEN,
            meant(2),
        ],
    ),
    "a script under an entry that was completed": (
        (
            audit(0, PAYING, SCRIPT_NEW),
            audit(1, PAYING, found("unjustified", PAY_JS), scripts=[pay(authorised_by=None)]),
            audit(2, PAYING, scripts=[pay(authorised_on="2026-01-03")]),
        ),
        [
            f"1 payment page with scripts that nobody authorised, authorised within 2 days but in use before that{FIRST}",
            "1 entry was without owner, justification or authorised_by and authorised nothing, completed after 1 day",
            SEVEN,
            meant(3),
        ],
    ),
    "a script that is no longer found although no entry names it": (
        (audit(0, PAYING, SCRIPT_NEW), audit(1, PAYING, of=checkout(forms=["'self'"], authorised_on="2026-01-02"))),
        [
            f"1 payment page with scripts that nobody authorised, still not resolved after 1 day{FIRST}",
            NOBODY,
            SEVEN,
            meant(2),
        ],
    ),
    "a script that went while its entry came": (
        (audit(0, PAYING, SCRIPT_NEW), audit(1, PLAIN, scripts=[pay(authorised_on="2026-01-02")])),
        [UNAUTHORISED.format("changed back after 1 day"), SEVEN, meant(2)],
    ),
    "a script that only a recording shows": (
        (audit(0, page(source="har", recorded_at=day_of(0), scripts=[LOADED]), SCRIPT_NEW), audit(1, PLAIN)),
        [
            f"1 payment page with scripts that nobody authorised, no longer looked at and so not resolved after 1 day{FIRST}",
            NOBODY,
            SEVEN,
            meant(2),
        ],
    ),
    "code that went while the entry was changed": (
        (
            audit(0, SKIMMED, found("inline_new", "sha256-x")),
            audit(1, PLAIN, of=checkout(forms=["'self'"], authorised_on="2026-01-02")),
        ),
        [
            f"1 payment page with inline code that nobody authorised, changed back after 1 day{FIRST}",
            SEVEN,
            meant(2),
        ],
    ),
    "a script that is no longer required": (
        (audit(0, PLAIN, GONE, of=REQUIRED), audit(1, PLAIN)),
        [
            f"1 payment page without a script or frame that its entry requires, not resolved: no longer required after 1 day{FIRST}",
            SEVEN,
            meant(2),
        ],
    ),
    "a required script that is there again": (
        (audit(0, PLAIN, GONE, of=REQUIRED), audit(1, PAYING, of=REQUIRED)),
        [
            f"1 payment page without a script or frame that its entry requires, changed back after 1 day{FIRST}",
            SEVEN,
            meant(2),
        ],
    ),
    "an authorisation that is dated back": (
        (audit(0, PLAIN, of=checkout(authorised_on="2025-12-20")), audit(1, PLAIN, of=checkout(authorised_on="2025-12-01"))),
        ["1 authorisation was dated back: it has an earlier date than earlier records say", SEVEN, meant(2)],
    ),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_verdict_of_a_history(tmp_path: Path, name: str) -> None:
    audits, expected = HISTORIES[name]
    assert read(tmp_path, *((dict(record), of) for record, of in audits)).verdict == expected


@pytest.mark.parametrize("name", HISTORIES)
def test_what_is_not_resolved_is_listed(tmp_path: Path, name: str) -> None:
    document = read(tmp_path, *((dict(record), of) for record, of in HISTORIES[name][0]))
    said = [text for text in document.verdict if "not resolved" in text or "no authorisation on record" in text]
    assert bool(said) == any(chain.history.unresolved for chain in document.chains)


def test_page_is_counted_once_with_its_worst_end(tmp_path: Path) -> None:
    """Two pieces of code of one page are one page, and it is in order only if both are."""
    both = page(inline=[CODE, {**CODE, "hash": "sha256-y"}])
    one = checkout(inline=["sha256-x"], authorised_on="2026-01-03")
    findings = [found("inline_new", f"sha256-{code}") for code in "xy"]
    document = read(tmp_path, audit(0, PLAIN), audit(1, both, *findings), audit(2, both, findings[1], of=one))
    assert document.verdict[0] == "1 payment page with inline code that nobody authorised, still not resolved after 1 day"
    whole = checkout(inline=["sha256-x", "sha256-y"], authorised_on="2026-01-03")
    document = read(tmp_path, audit(0, PLAIN), audit(1, both, *findings), audit(2, both, of=whole))
    assert document.verdict[0] == f"1 payment page with inline code that nobody authorised, {LATER}"


def test_page_that_audits_left_out_has_a_row(tmp_path: Path) -> None:
    """Whoever filters the table for pages does not find those alone that were looked at."""
    found_rows = table(read(tmp_path, audit(0, PLAIN, also=[OTHER]), audit(1, PLAIN)))
    assert [
        (row["page"], row["what"], row["at"], row["entry"], row["message"]) for row in found_rows if row["kind"] == "page"
    ] == [
        (URL, "listed", day_of(1), "checkout", "0 compared headers, 0 scripts, 0 pieces of inline code, 0 frames, 0 forms"),
        (OTHER["url"], "not_audited", day_of(0), "", "the last audit did not look at this page"),
    ]


def test_zone_without_an_audit_of_a_kind_has_a_row(tmp_path: Path) -> None:
    write(tmp_path, [Audit(-30, {"a": "1"}, {"a": entry("1")})], "b" * 32)
    names = {ZONE: "shop", "b" * 32: "old", "c" * 32: "never"}
    document = read(tmp_path, audit(0, PLAIN), zone_names=names)
    unaudited = [(row["zone"], row["kind"], row["at"], row["message"]) for row in table(document) if row["what"] == "not_audited"]
    assert unaudited == [
        ("never", "inventory", "", "no audit of scripts in this period"),
        ("never", "page", "", "no audit of payment pages in this period"),
        ("old", "inventory", day_of(-30), "no audit of scripts in this period"),
        ("old", "page", "", "no audit of payment pages in this period"),
        ("shop", "inventory", "", "no audit of scripts in this period"),
    ]
    text = render(document).decode()
    assert "old: no audit of scripts in this period; the last one before was on 2025-12-02 06:00." in text


CART = page(final_url="https://shop.example/cart")


def test_page_that_led_elsewhere_was_not_read(tmp_path: Path) -> None:
    """What was found before is not gone because another document was read, and such an audit does not count."""
    led = [audit(day, CART, found("redirected", CART["final_url"])) for day in range(1, 12)]
    document = read(tmp_path, audit(0, PAYING, SCRIPT_NEW), *led)
    assert document.verdict == [
        UNAUTHORISED.format("no longer looked at and so not resolved after 11 days"),
        "1 payment page that led to another address than the authorised one, still not resolved after 10 days",
        "1 payment page could not be read in 11 of 12 audits, on 11 days: what browsers received then is not known",
        NOBODY,
        LATE.replace(" ({})", "").format("2026-01-01", "2026-01-12"),
        unbroken(12),
    ]
    assert not [event for event in document.changes if event.what == "changed"]
    assert [row.has for row in document.of_pages[0][1].pages] == ["not read, because it led to https://shop.example/cart"]


def test_page_that_leads_where_it_should_again_was_not_authorised(tmp_path: Path) -> None:
    led = audit(0, CART, found("redirected", CART["final_url"]))
    assert read(tmp_path, led, audit(1, PLAIN)).verdict[0] == (
        f"1 payment page that led to another address than the authorised one, changed back after 1 day{FIRST}"
    )
    wide = audit(1, CART, of=checkout(page="https://shop.example/**", authorised_on="2026-01-02"))
    assert LATER in read(tmp_path, led, wide).verdict[0]


def test_script_that_is_still_there_has_not_changed_back(tmp_path: Path) -> None:
    """A record that lacks a finding proves nothing."""
    document = read(tmp_path, audit(0, PAYING, SCRIPT_NEW), audit(1, PAYING))
    assert document.verdict[0] == UNAUTHORISED.format("still not resolved after 1 day")


@pytest.mark.parametrize("findings", [[found("header_changed", "refresh", **{"is": "0", "should_be": None})], [SCRIPT_NEW]])
def test_another_document_of_the_same_entry_resolves_nothing(tmp_path: Path, findings: list[dict[str, t.Any]]) -> None:
    """The entry allows for an empty cart, which is no payment page that changed back."""
    wide = checkout(page="https://shop.example/**")
    paying = {**PAYING, "headers": {"refresh": "0"}}
    document = read(tmp_path, audit(0, paying, *findings, of=wide), audit(1, CART, of=wide))
    assert "no longer looked at and so not resolved after 1 day" in document.verdict[0]
    query = page(final_url=f"{URL}?session=2", scripts=[])
    assert "changed back after 1 day" in read(tmp_path, audit(0, paying, *findings), audit(1, query)).verdict[0]


def test_recording_that_is_older_than_a_finding_resolves_nothing(tmp_path: Path) -> None:
    older = page(source="har", recorded_at=day_of(0))
    document = read(tmp_path, audit(0, PLAIN), audit(1, PAYING, SCRIPT_NEW), audit(2, older), audit(3, older))
    assert document.verdict[0] == (
        "1 payment page with scripts that nobody authorised, no longer looked at and so not resolved after 2 days"
    )
    assert not [event for event in document.changes if event.what == "changed" and event.at.day > 2]
    newer = page(source="har", recorded_at=day_of(1.5))
    document = read(tmp_path, audit(0, PLAIN), audit(1, PAYING, SCRIPT_NEW), audit(2, newer))
    assert document.verdict[0] == "1 payment page with scripts that nobody authorised, changed back after 1 day"


def test_entry_of_a_page_that_no_audit_looked_at(tmp_path: Path) -> None:
    record, _of = audit(0, PLAIN)
    digest = write_baseline(tmp_path, [checkout(), checkout(name="pay", page=OTHER["url"])])
    document = read(tmp_path, ({**record, "pages_baseline_digest": digest}, checkout()))
    assert document.verdict[0] == "1 entry of the baseline authorises a payment page that no audit looked at: pay in pay.example"


def test_table_begins_with_what_is_no_good_news(tmp_path: Path) -> None:
    """Nobody who has the table alone takes it for the one of a better period."""
    document = read(tmp_path, audit(0, PLAIN, scope={"headers": []}), audit(1, PLAIN, scope={"headers": []}))
    found_rows = table(document)
    assert [(row["kind"], row["what"], row["message"]) for row in found_rows[:2]] == [
        ("verdict", "warning", document.verdict[0]),
        ("page", "listed", "0 compared headers, 0 scripts, 0 pieces of inline code, 0 frames, 0 forms"),
    ]
    assert "verdict" not in {row["kind"] for row in table(read(tmp_path, audit(0, PLAIN), audit(1, PLAIN)))}


def test_script_is_authorised_by_the_entry_of_the_baseline_of_scripts(tmp_path: Path) -> None:
    """The entry of the page, which does not name the script, is not given for its authorisation."""
    document = read(
        tmp_path, audit(0, PAYING, SCRIPT_NEW), audit(1, PAYING, scripts=[pay(authorised_on="2026-01-02", authorised_by="m.roe")])
    )
    assert [
        (row["what"], row["subject"], row["entry"], row["authorised_by"], row["authorised_on"], row["message"])
        for row in table(document)
        if row["at"].startswith("2026-01-02") and row["kind"] == "page_change"
    ] == [
        ("authorised", PAY_JS, "pay", "m.roe", "2026-01-02", ""),
        ("closed", PAY_JS, "pay", "m.roe", "2026-01-02", "script_new: authorised, after 1 day"),
    ]


def test_one_authorisation_of_two_chains_is_counted_once(tmp_path: Path) -> None:
    late = entry(url="https://js.pay.example/v3/*", authorised_on=None)
    write(tmp_path, [Audit(0, {PAY_JS: "1"}), Audit(1, {PAY_JS: "1"}, {PAY_JS: late})])
    document = read(tmp_path, audit(0, PAYING, SCRIPT_NEW), audit(1, PAYING, scripts=[{"name": PAY_JS, **late}]))
    assert "1 authorisation has no date, so that nobody can tell whether it was given in time" in document.verdict


def test_empty_list_of_headers_is_none(tmp_path: Path) -> None:
    document = read(tmp_path, audit(0, PLAIN, scope={"headers": ["refresh"]}), audit(1, PLAIN, scope={"headers": []}))
    assert rows(document) == [("scope", "", "headers was refresh, is none")]


def test_page_that_the_last_audit_before_the_period_read(tmp_path: Path) -> None:
    audits = (audit(0, PLAIN, also=[OTHER]), *(audit(day, PLAIN) for day in range(1, 20)))
    assert read(tmp_path, *audits, since="2026-01-02").verdict == [
        f"19 of 19 audits{LEFT_OUT}in pay.example not at the page https://shop.example/pay",
        LATE.format("https://shop.example/pay", "2026-01-02", "2026-01-20"),
        unbroken(19),
    ]
    assert read(tmp_path, *audits, since="2026-01-03").verdict == [SEVEN, accounted(18)]


def test_each_kind_of_audits_is_missed_in_the_zone_that_lacks_it(tmp_path: Path) -> None:
    """A chain of the other kind does not stand for it; not every zone has a payment page, but where one is, there are scripts."""
    days = range(3)
    write(tmp_path, [Audit(day, {"a": "1"}, {"a": entry("1")}) for day in days], "b" * 32)
    names = {ZONE: "shop", "b" * 32: "pay"}
    expected = [
        "1 zone has no audit of scripts: shop, so that nothing is known of them there",
        "1 zone has no audit of payment pages: pay, so that nothing is known of them there",
        "At least every seven days: not met in 1 of 2 zones for scripts",
        "At least every seven days: yes for payment pages in 1 of 2 zones",
        meant(3).replace("Every", "Every one of 3 audits of scripts of 1 zone and every"),
    ]
    assert read(tmp_path, *(audit(day, PLAIN) for day in days), zone_names=names).verdict == expected
    write(tmp_path, [Audit(-30, {"a": "1"}, {"a": entry("1")})])
    expected[2] += ", first shop from 2026-01-01 to 2026-01-03"
    assert [
        text.partition(", first")[0] for text in read(tmp_path, *(audit(day, PLAIN) for day in days), zone_names=names).verdict
    ] == [text.partition(", first")[0] for text in expected]


def test_page_names_what_the_last_audit_left_out(tmp_path: Path) -> None:
    document = read(tmp_path, audit(0, PLAIN, also=[OTHER]), audit(1, PLAIN))
    text = render(document).decode()
    assert "https://shop.example/pay was not looked at by the last audit; it was last looked at on 2026-01-01 06:00." in text
    assert "No audit of scripts is on record in this period." in text


def test_finding_that_is_no_longer_looked_at_is_still_open(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        audit(0, page(headers={"refresh": "0"}), found("header_changed", "refresh")),
        audit(1, PLAIN, scope={"headers": []}),
    )
    assert ("1", "finding not resolved") in documents.numbers(document)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ({"user_agent": None}, {"user_agent": "AuditBot/1"}, "the user agent was the default, is AuditBot/1"),
        ({}, {"user_agent": "AuditBot/1"}, "the user agent was not known, is AuditBot/1"),
        (
            {"user_agent": None, "request_headers": {URL: {"accept-language": "de", "cookie": None}}},
            {"user_agent": None, "request_headers": None},
            f"what was sent in headers was accept-language de and cookie to {URL}, is none",
        ),
        # Before the records said it, nobody knows whether it is the same.
        ({}, {"user_agent": None, "request_headers": None}, None),
    ],
)
@pytest.mark.parametrize("kind", ["inline_new", "gone", "redirected"])
def test_page_that_is_asked_for_otherwise_has_not_changed_back(
    tmp_path: Path, before: dict[str, t.Any], after: dict[str, t.Any], words: str | None, kind: str
) -> None:
    """Servers send something else to others, as skimmers do; asked for again in the same way, the page has changed back."""
    required = checkout(scripts=[{"url": SCRIPT, "required": True}])
    finding = found(kind, {"inline_new": CODE["hash"], "gone": SCRIPT, "redirected": "https://elsewhere.example/"}[kind])
    bad = {"inline_new": SKIMMED, "gone": PLAIN, "redirected": page(final_url="https://elsewhere.example/")}[kind]
    good = page(scripts=[dict.fromkeys(("integrity", "crossorigin", "kind")) | {"url": SCRIPT}])
    audits = [
        audit(0, bad, finding, of=required, scope={**PAGES_SCOPE, **before}),
        audit(1, good, of=required, scope={**PAGES_SCOPE, **after}),
    ]
    document = read(tmp_path, *audits)
    text = " ".join(document.verdict)
    assert "no longer looked at and so not resolved" in text and "back after" not in text and "again after" not in text
    messages = [message for what, _subject, message in rows(document) if what in ("scope", "closed")]
    assert messages == [*([words] if words else []), f"{kind}: not resolved, no longer looked at in the same way, after 1 day"]
    again = audit(2, good, of=required, scope={**PAGES_SCOPE, **before})
    assert "no longer looked at" not in " ".join(read(tmp_path, *audits, again).verdict)
