# SPDX-License-Identifier: GPL-3.0-or-later

import csv
import datetime
import html.parser
import io
import json
import random
import re
from pathlib import Path

import pytest
from support.chains import write_chain
from support.histories import ModelZone, entry_of, hash_of, make_histories

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence import document as documents
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.page import render
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.table import COLUMNS, render_table

AT = "2026-12-31T12:00:00Z"
OPTIONS = {
    "expected_heads": None,
    "since": None,
    "until": None,
    "zone_names": None,
    "max_gap_days": None,
    "title": None,
    "at": AT,
}


OF_BOTH = (
    "These answers count audits from the first one on, and say that the records in the folder are unbroken, whatever they found"
)


def read(folder, **options):
    return documents.read(documents.desire({**OPTIONS, "evidence_dir": str(folder), "dest": "unused", **options}, {}))


def rows_of(document):
    return list(csv.DictReader(io.StringIO(render_table(document).decode())))


class Text(html.parser.HTMLParser):
    """The words of a page, and the cells of its tables by caption."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tables: dict[str, list[list[str]]] = {}
        self._caption = self._cell = False
        self._rows: list[list[str]] = []
        self.feed(page.decode())

    def handle_starttag(self, tag, attrs):
        if tag == "caption":
            self._caption = True
        if tag == "tr":
            self._rows.append([])
        if tag in ("td", "th"):
            self._rows[-1].append("")
            self._cell = True

    def handle_endtag(self, tag):
        if tag == "caption":
            self._caption = False
        if tag in ("td", "th"):
            self._cell = False

    def handle_data(self, data):
        self.words.append(data)
        if self._caption:
            self._rows = self.tables.setdefault(data, [])
        elif self._cell:
            self._rows[-1][-1] = f"{self._rows[-1][-1]}{data}".strip()


def written(models: list[ModelZone]) -> list[tuple[str, str, str, str]]:
    return sorted(change for model in models for change in model.changes)


@pytest.mark.parametrize("seed", range(4))
def test_table_has_exactly_the_changes(tmp_path, seed):
    models, gaps = make_histories(tmp_path, seed, days=90)
    document = read(tmp_path)
    assert document.valid and document.audits == sum(model.audits for model in models)
    rows = [row for row in rows_of(document) if row["kind"] == "change"]
    changes = sorted((row["at"], row["zone_id"], row["what"], row["script_url"]) for row in rows if row["what"] != "gap")
    assert changes == written(models)
    since_last = [(AT, model.zone_id) for model in models]
    assert sorted((row["at"], row["zone_id"]) for row in rows if row["what"] == "gap") == sorted([*gaps, *since_last])
    assert [row["at"] for row in rows] == sorted(row["at"] for row in rows)
    authorised = [row for row in rows if row["what"] == "authorised"]
    assert authorised and all(row["authorised_by"] == "j.doe" and row["hashes"] for row in authorised)


@pytest.mark.parametrize("seed", range(2))
def test_page_has_every_change_in_order(tmp_path, seed):
    models, gaps = make_histories(tmp_path, seed, days=90)
    page = Text(render(read(tmp_path)))
    rows = page.tables["Changes in the order of time"][1:]
    first = {model.zone_id: min(change[0] for change in model.changes) for model in models}
    later = [change for change in written(models) if change[0] != first[change[1]] or change[2] in ("opened", "closed", "scope")]
    expected = sorted([(at[:16].replace("T", " "), zone, what) for at, zone, what, _url in later])
    gaps += [(AT, model.zone_id) for model in models]
    expected = sorted(expected + [(at[:16].replace("T", " "), zone, "gap") for at, zone in gaps])
    assert sorted((row[0], row[1], row[2]) for row in rows) == expected
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)


def test_period_considers_earlier_records(tmp_path):
    """A script of an earlier record is not new, and a finding that was open before the period is not opened again."""
    models, _gaps = make_histories(tmp_path, 3, days=150)
    document = read(tmp_path, since="2026-03-01", until="2026-04-30")
    rows = [row for row in rows_of(document) if row["kind"] == "change" and row["what"] != "gap"]
    changes = sorted((row["at"], row["zone_id"], row["what"], row["script_url"]) for row in rows)
    assert changes == [change for change in written(models) if "2026-03-01" <= change[0][:10] <= "2026-04-30"]


def test_inventory_is_that_of_the_last_record(tmp_path):
    models, _gaps = make_histories(tmp_path, 5, days=60, zones=3)
    document = read(tmp_path)
    for model in models:
        rows = [row for row in rows_of(document) if row["kind"] == "inventory" and row["zone_id"] == model.zone_id]
        record = json.loads((tmp_path / f"{model.zone_id}.jsonl").read_text(encoding="ascii").splitlines()[-1])
        assert {row["at"] for row in rows} <= {record["at"]} and {row["what"] for row in rows} <= {"listed"}
        if "inventory" in record:
            scripts = [(item["script"]["script_url"], item["script"]["hash"]) for item in record["inventory"]]
            assert sorted((row["script_url"], row["hashes"]) for row in rows) == sorted(scripts)


def test_equal_evidence_gives_equal_bytes(tmp_path):
    make_histories(tmp_path, 1, days=40)
    first, second = (read(tmp_path) for _ in range(2))
    assert render(first) == render(second) and render_table(first) == render_table(second)


def test_forged_record_is_first(tmp_path):
    models, _gaps = make_histories(tmp_path, 2, days=60)
    path = tmp_path / f"{models[0].zone_id}.jsonl"
    lines = path.read_text(encoding="ascii").splitlines(keepends=True)
    lines[4] = lines[4].replace('"sampled":true', '"sampled":false')
    path.write_text("".join(lines), encoding="ascii")
    document = read(tmp_path, zone_names={models[0].zone_id: "shop.example"})
    assert not document.valid
    words = Text(render(document)).words
    verdict = next(text for text in words if "not valid" in text)
    assert verdict.startswith("The evidence is not valid: in shop.example, record 5 was edited")
    later = [
        row for row in rows_of(document) if row["zone"] == "shop.example" and row["kind"] == "change" and row["what"] != "gap"
    ]
    assert all(row["at"] < json.loads(lines[4])["at"] for row in later)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"since": "2026-02-01", "until": "2026-01-01"}, "until: 2026-01-01 is before 2026-02-01"),
        ({"since": "2025-01-01", "until": "2025-02-01"}, "since: no zone has a record from 2025-01-01 to 2025-02-01"),
    ],
)
def test_period_without_audits_is_refused(tmp_path, options, message):
    make_histories(tmp_path, 1, days=10)
    with pytest.raises(Failure, match=re.escape(message)) as refused:
        read(tmp_path, **options)
    assert "the records are from 2026-01-01 to 2026-01-" in str(refused.value)


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"since": "yesterday"}, "since"),
        ({"until": "2026-02-30"}, "until"),
        ({"at": "now"}, "at"),
        ({"max_gap_days": float("nan")}, "max_gap_days"),
        ({"max_gap_days": 0.5}, "max_gap_days"),
        ({"since": "0001-01-01"}, "since: 0001-01-01 is not a day from"),
        ({"until": "0001-05-05"}, "until: 0001-05-05 is not a day from"),
        ({"until": "9999-12-31", "at": "9998-12-31T00:00:00Z"}, "until: 9999-12-31 is not a day from"),
        ({"at": "9999-12-31T23:59:59Z"}, "at: 9999-12-31 is not a day from"),
        ({"zone_names": {"shop": "x"}}, "zone_names['shop']"),
        ({"zone_names": {"a1": ["x"]}}, "zone_names['a1']"),
        ({"zone_names": {"A1": "x", "a1": "y"}}, "zone_names['a1']"),
        ({"expected_heads": {"a1": "x"}}, "expected_heads['a1']"),
    ],
)
def test_invalid_option_is_named(tmp_path, options, place):
    with pytest.raises(Failure) as refused:
        read(tmp_path, **options)
    assert str(refused.value).startswith(place)


def test_default_period_is_a_year():
    desired = documents.desire({**OPTIONS, "evidence_dir": "e", "dest": "d"}, {})
    assert desired.period[:2] == ("2025-12-31", "2026-12-31")
    assert documents.desire({**OPTIONS, "evidence_dir": "e", "dest": "d", "until": "2024-02-29"}, {}).period.since == "2023-02-28"


HOSTILE = ("=cmd|'/c calc'!A1", "<script>alert(1)</script>", "{{ 7 * 7 }}", "\x1b[31mred", "+1", "-2+3", "@SUM(1)", "\u202eevil")


def test_hostile_texts_are_escaped(tmp_path):
    model = ModelZone("a" * 32, tmp_path, random.Random(0))
    for number, text in enumerate(HOSTILE):
        url = f"{text}{number}"
        model.scripts[url] = hash_of(url)
        model.entries[url] = entry_of(url, [hash_of(url)], justification=text, owner=text)
    model.audit(datetime.datetime(2026, 5, 1, tzinfo=datetime.timezone.utc))
    document = read(tmp_path, zone_names={"a" * 32: "<b>shop</b>"}, title="{{ title }}")
    page = render(document).decode()
    assert "<script>" not in page and "<b>shop" not in page and "\x1b" not in page and "\u202e" not in page
    assert "{{ 7 * 7 }}" in page and "{{ title }}" in page
    for row in rows_of(document):
        assert not any(value.startswith(("=", "+", "-", "@")) for value in row.values())
    assert tuple(rows_of(document)[0]) == COLUMNS


def test_page_loads_nothing(tmp_path):
    make_histories(tmp_path, 1, days=20)
    page = render(read(tmp_path)).decode()
    assert "default-src 'none'; style-src 'sha256-" in page
    assert not re.search(r"<(script|img|link|iframe)|\b(src|onclick)=|url\(", page)


def test_missing_baseline_authorises_nothing(tmp_path):
    model = ModelZone("b" * 32, tmp_path, random.Random(0))
    model.scripts["https://a.example/a.js"] = hash_of("a")
    model.entries["https://a.example/a.js"] = entry_of("https://a.example/a.js", [hash_of("a")])
    model.audit(datetime.datetime(2026, 5, 1, tzinfo=datetime.timezone.utc))
    for path in Path(tmp_path / "baselines").iterdir():
        path.unlink()
    document = read(tmp_path)
    assert "authorised" not in {event.what for event in document.changes}
    assert "1 of 1 baselines that they name are missing" in render(document).decode()


def test_verdict_counts_unauthorised_scripts(tmp_path):
    model = ModelZone("c" * 32, tmp_path, random.Random(0))
    url = "https://a.example/a.js"
    start = datetime.datetime(2026, 5, 1, tzinfo=datetime.timezone.utc)
    model.scripts[url] = hash_of("1")
    model.entries[url] = entry_of(url, [hash_of("1")])
    model.audit(start)
    model.scripts[url] = hash_of("2")
    model.audit(start + datetime.timedelta(1))
    options = {"at": "2026-05-04T12:00:00Z", "since": "2026-05-01"}
    assert read(tmp_path, **options).verdict[0] == "1 script was changed without authorisation, still not resolved after 2.5 days"
    model.entries[url] = entry_of(url, [hash_of("1"), hash_of("2")], authorised_on="2026-05-03")
    model.audit(start + datetime.timedelta(3))
    assert read(tmp_path, **options).verdict == [
        "1 script was changed without authorisation, authorised within 2 days but in use before that",
        "At least every seven days: yes",
        f"Every one of 3 audits of 1 zone is accounted for. {OF_BOTH}",
    ]


def test_monitor_without_a_time_has_no_new_setting(tmp_path: Path) -> None:
    """Of the monitor, a record needs to say only whether it is on."""
    monitors = [{"enabled": True}, {"enabled": True, "updated_at": "2026-11-21T12:00:00Z"}, {"enabled": True}]
    write_chain(tmp_path, [{"at": f"2026-11-2{day}T06:00:00Z", "monitor": monitor} for day, monitor in enumerate(monitors, 1)])
    (chain,) = read(tmp_path).chains
    assert [audit.is_new_setting for audit in chain.history.audits] == [False, True, False]
