# SPDX-License-Identifier: GPL-3.0-or-later

"""What a document says of records that show less than usual, or contradict themselves: never anything better."""

import csv
import io
import typing as t
from pathlib import Path

import pytest
from support.chains import PAGES_SCOPE, page, script, write_baseline, write_chain
from support.years import HOST, ZONE, Audit, about, daily, day_of, digest, entry, record, url_of, write

from ansible_collections.edgeops.observability.plugins.module_utils._chain.kinds import PAGES
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence import document as documents
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.calendar import calendar
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.page import render
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.table import render_table

A, B = {"a": "1"}, {"a": "1", "b": "1"}
ONE = {"a": entry("1")}
BOTH = {**ONE, "b": entry("1")}
OTHER_ZONE = "b" * 32
OPTIONS: dict[str, t.Any] = dict.fromkeys(("expected_heads", "until", "max_gap_days", "title"))
UNSEEN = " without an audit in between that could see"
YES = "At least every seven days: yes"


def read(folder: Path, **options: t.Any) -> documents.Document:
    desired = {
        **OPTIONS,
        "evidence_dir": str(folder),
        "dest": "d",
        "zone_names": {ZONE: "pay.example"},
        "at": day_of(3),
        "since": "2026-01-01",
    }
    return documents.read(documents.desire({**desired, **options}, {}))


def rows_of(document: documents.Document) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render_table(document).decode())))


def ends(document: documents.Document) -> list[str]:
    return [event.message for event in document.changes if event.what == "closed"]


def write_records(folder: Path, *audits: tuple[Audit, t.Mapping[str, t.Any]]) -> None:
    """Write records of audits with other members than those of an audit."""
    records = []
    for each, members in audits:
        of_audit, entries = record(each, None)
        records.append({**of_audit, "baseline_digest": write_baseline(folder, entries), **members})
    write_chain(folder, records, ZONE)


# How often.


def test_audits_that_could_not_see_answer_nothing_in_a_short_period(tmp_path: Path) -> None:
    write(tmp_path, daily(range(3), {}, BOTH, monitor=False))
    assert not [text for text in read(tmp_path).verdict if text.startswith(YES)]


def test_zone_without_an_audit_in_a_short_period_was_not_audited_often_enough(tmp_path: Path) -> None:
    write(tmp_path, daily(range(20), A, ONE))
    write(tmp_path, daily([30], A, ONE), OTHER_ZONE)
    document = read(tmp_path, since="2026-01-05", until="2026-01-08", at=day_of(40))
    assert [text for text in document.verdict if text.startswith("At least")] == [
        f"At least every seven days: not met in 1 of 2 zones, first {OTHER_ZONE} from 2026-01-05 to 2026-01-08{UNSEEN}"
    ]


def test_zones_of_one_name_are_two(tmp_path: Path) -> None:
    for zone_id in (ZONE, OTHER_ZONE):
        write(tmp_path, daily([0, 20], A, ONE), zone_id)
    document = read(tmp_path, zone_names={ZONE: "pay.example", OTHER_ZONE: "pay.example"}, at=day_of(20))
    assert document.verdict[0].startswith("There was no audit on 38 days in 2 of 2 zones, ")


def test_two_files_of_one_zone_are_one_zone(tmp_path: Path) -> None:
    for zone_id in (ZONE, ZONE.upper()):
        write(tmp_path, daily(range(4), A, ONE), zone_id)
    assert "Every one of 8 audits of 1 zone is accounted for" in read(tmp_path).verdict


# What audits found.


def test_day_has_the_findings_of_its_inventory(tmp_path: Path) -> None:
    """Whichever part of a record lacks a finding, and whether the service says it of a script alone."""
    malicious = {"a": {"malicious": True}}
    write_records(
        tmp_path,
        (Audit(0, B, ONE), {"findings": [], "passed": True}),
        (Audit(1, A, ONE, shown=malicious), {}),
    )
    document = read(tmp_path)
    assert ", 2 of them with findings" in calendar(document.chains[0].history.audits, document.desired.period).label


def test_finding_about_a_script_that_is_not_in_the_inventory(tmp_path: Path) -> None:
    write_records(
        tmp_path,
        (Audit(0, A, ONE), {}),
        *((Audit(day, A, ONE), {"findings": [about("new", "b")], "passed": False}) for day in (1, 2)),
    )
    assert read(tmp_path).verdict[0].startswith("1 script was added without authorisation, ")


def test_hash_that_a_pinned_entry_does_not_list_is_not_authorised(tmp_path: Path) -> None:
    other = {"findings": [], "passed": True, "inventory": [{**script(url_of("a"), HOST, hash=digest("2")), "entry": "a"}]}
    write_records(tmp_path, (Audit(0, A, ONE), {}), (Audit(1, A, ONE), other))
    document = read(tmp_path)
    assert document.verdict[0] == "1 script was changed without authorisation, still not resolved after 2 days"
    assert [row["message"] for row in rows_of(document) if row["kind"] == "inventory"] == ["not authorised"]


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        ({"route": "another"}, "nobody knows which score counted as malicious"),
        ({"route": "another", "malicious": "above 99"}, "a score counted as malicious only above 99"),
    ],
)
def test_score_of_a_route_that_nobody_knows_is_said(tmp_path: Path, scope: dict[str, str], words: str) -> None:
    write(tmp_path, daily(range(4), A, ONE, scope=scope))
    assert read(tmp_path).verdict[0].endswith(f"proves nothing of what was left out: in pay.example {words}")


# How it ended.


@pytest.mark.parametrize("host", [None, HOST])
@pytest.mark.parametrize("url", [None, url_of("b")])
def test_script_is_not_gone_where_one_is_listed_that_may_be_it(tmp_path: Path, url: str | None, host: str | None) -> None:
    hidden = {**script(url, host, hash=digest("1")), "findings": ["new"]}
    write_records(
        tmp_path,
        (Audit(0, B, ONE), {}),
        (Audit(1, A, ONE), {"inventory": [*record(Audit(1, A, ONE), None)[0]["inventory"], hidden]}),
    )
    assert not [event for event in read(tmp_path).changes if event.what == "gone"]


@pytest.mark.parametrize("host", [None, HOST])
@pytest.mark.parametrize("url", [None, url_of("b")])
def test_script_is_not_gone_where_it_is_shown_with_more(tmp_path: Path, url: str | None, host: str | None) -> None:
    hidden = {**script(url, host, hash=digest("1")), "findings": ["new"]}
    write_records(
        tmp_path,
        (Audit(0, A, ONE), {"inventory": [*record(Audit(1, A, ONE), None)[0]["inventory"], hidden]}),
        (Audit(1, B, ONE), {}),
        (Audit(2, B, ONE), {}),
    )
    assert not [event for event in read(tmp_path).changes if event.what == "gone"]


def test_hashes_that_a_record_does_not_name_are_not_authorised(tmp_path: Path) -> None:
    """The message of a finding names three hashes."""
    names = [str(digest(text)) for text in ("2", "3", "4")]
    message = f"4 hashes seen that the entry does not list: {', '.join(names)}"
    changed = {"findings": [about("changed", "a", "a", message)], "passed": False}
    item = record(Audit(1, A, ONE), None)[0]["inventory"][0]
    write_records(
        tmp_path,
        (Audit(0, A, ONE), {}),
        (Audit(1, A, ONE), {**changed, "inventory": [{**item, "findings": ["changed"]}]}),
        (Audit(2, A, {"a": entry("1", "2", "3", "4", authorised_on="2026-01-03")}), {}),
    )
    assert ends(read(tmp_path)) == ["changed: changed back, after 1 day"]


@pytest.mark.parametrize("message", [None, "m"])
def test_change_without_a_hash_is_not_authorised_by_what_was_authorised_before(tmp_path: Path, message: str | None) -> None:
    item = record(Audit(1, A, ONE), None)[0]["inventory"][0]
    changed = {"findings": [{**about("changed", "a", "a"), "message": message}], "passed": False}
    write_records(
        tmp_path,
        (Audit(0, A, ONE), {}),
        (Audit(1, A, ONE), {**changed, "inventory": [{**item, "findings": ["changed"]}]}),
        (Audit(2, A, ONE), {}),
    )
    assert ends(read(tmp_path)) == ["changed: changed back, after 1 day"]


def test_script_whose_hash_nobody_has_seen_is_not_authorised_by_a_hash(tmp_path: Path) -> None:
    unseen = {"a": "1", "b": None}
    write(
        tmp_path,
        [Audit(0, A, ONE), Audit(1, unseen, ONE), Audit(2, unseen, {**ONE, "b": entry("1", authorised_on="2026-01-03")})],
    )
    assert read(tmp_path).verdict[0].startswith("1 script was added without authorisation, still not resolved")


def test_what_was_not_resolved_before_the_period_is_listed(tmp_path: Path) -> None:
    unpinned = {"a": entry(authorised_on="2026-01-02")}
    write(tmp_path, [Audit(0, {"a": None}, ONE), *daily(range(1, 6), {"a": None}, unpinned)])
    for since in ("2026-01-01", "2026-01-04"):
        (chain,) = read(tmp_path, since=since, at=day_of(5)).chains
        assert [kind for kind, _opened in chain.history.unresolved] == ["unverified"]


def test_what_two_records_of_one_time_say_is_in_their_order(tmp_path: Path) -> None:
    write(tmp_path, [Audit(0, A, ONE), Audit(1, B, ONE), Audit(2, A, ONE), Audit(2, B, ONE)])
    assert [event.what for event in read(tmp_path).changes if event.at.day == 3] == ["gone", "closed", "seen", "opened"]


# Who authorised it.


@pytest.mark.parametrize(
    "members",
    [
        {"authorised_on": 20260101},
        {"authorised_on": "01.02.2027"},
        {"review_by": 20270101},
        {"review_by": "never"},
        {"hashes": digest("1")},
        {"integrity": "Pinned"},
        {"hosts": HOST},
    ],
)
def test_entry_that_cannot_be_read_authorises_nothing(tmp_path: Path, members: dict[str, t.Any]) -> None:
    odd = {"name": "a", "url": url_of("a"), **entry("1"), **members}
    write_records(tmp_path, (Audit(0, A, ONE), {"baseline_digest": write_baseline(tmp_path, [odd])}))
    document = read(tmp_path)
    assert [row["message"] for row in rows_of(document) if row["kind"] == "inventory"] == ["not authorised"]


# What stands in the table and on the page.


def test_page_shows_every_script_that_is_not_authorised(tmp_path: Path) -> None:
    scripts = {f"{number:03d}": "1" for number in range(250)}
    baseline = {name: entry("1") for name in scripts} | {"249": entry("1", authorised_on="2027-01-01")}
    write(tmp_path, [Audit(0, scripts, baseline)])
    assert "https://cdn.example/249.js" in render(read(tmp_path)).decode()


# Payment pages.

URL = "https://shop.example/checkout"
CHECKOUT = {"name": "checkout", "page": URL, **entry(), "authorised_on": "2026-01-01", "headers": {}, "inline": []}


def read_pages(folder: Path, *records: dict[str, t.Any]) -> documents.Document:
    own = {"pages_baseline_digest": write_baseline(folder, [CHECKOUT])}
    times = [{"at": day_of(day), "written_at": day_of(day)} for day in range(len(records))]
    write_chain(folder, [{**own, **at, **members} for at, members in zip(times, records, strict=True)], ZONE, PAGES)
    return read(folder)


@pytest.mark.parametrize(
    "pages",
    [
        [],
        [page("https://shop.example/other")],
        [page(), page(inline=[{"hash": "sha256-x", "shape": None, "kind": "script", "dynamic": False}])],
        [page(status=None)],
        [page(status=503)],
        [page(source="har")],
        [page(source="har", recorded_at="yesterday")],
    ],
)
def test_page_that_a_record_does_not_have_was_not_read(tmp_path: Path, pages: list[dict[str, t.Any]]) -> None:
    document = read_pages(tmp_path, {}, {"pages": pages})
    assert document.verdict[0].startswith("1 payment page could not be read in 1 of 2 audits, on 1 day: ")
    assert [
        row
        for row in rows_of(document)
        if row["kind"] == "page" and row["authorised_by"] and "not authorised" not in row["message"]
    ] == []


def test_pages_that_cannot_be_read_any_more_are_not_none(tmp_path: Path) -> None:
    document = read_pages(tmp_path, {}, {"pages": [page(status=201)]}, {"pages_same_as": 1})
    assert ("0", "payment pages at the end (not known in 1 zone)") in documents.numbers(document)


def test_page_without_an_entry_was_not_changed_back(tmp_path: Path) -> None:
    new = {"pages": [page(entry=None)], "findings": [{"kind": "page_new", "page": URL, "subject": None}], "passed": False}
    document = read_pages(tmp_path, new, {"pages": [page(entry=None)]})
    assert "changed back" not in " ".join([*ends(document), *document.verdict])


@pytest.mark.parametrize("kind", ["history_broken", "unused"])
def test_page_that_nobody_authorised_is_listed_beside_other_findings(tmp_path: Path, kind: str) -> None:
    document = read_pages(tmp_path, {"pages": [page(entry=None)], "findings": [{"kind": kind, "page": None, "subject": None}]})
    (chain,) = document.chains
    assert "not authorised" in [kind for kind, _opened in chain.history.unresolved]


def test_address_of_a_page_that_cannot_be_read(tmp_path: Path) -> None:
    odd = "https://[shop.example/checkout"
    scope = {**PAGES_SCOPE, "pages": [odd]}
    new = {"kind": "script_new", "page": odd, "subject": "https://cdn.example/a.js"}
    loaded = [{"url": new["subject"], "integrity": None, "crossorigin": None, "kind": "script"}]
    document = read_pages(tmp_path, {"scope": scope, "pages": [page(odd, scripts=loaded)], "findings": [new], "passed": False})
    assert document.verdict[0].startswith("1 payment page with scripts that nobody authorised, still not resolved")
