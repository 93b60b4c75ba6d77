# SPDX-License-Identifier: GPL-3.0-or-later

"""Notes beside changes, and cells of the table that a spreadsheet would evaluate."""

import csv
import hashlib
import io
import typing as t
from pathlib import Path

import pytest
from support.refusals import refusal
from support.years import HOST, ZONE, Audit, day_of, entry, write

from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence import document as documents
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.page import render
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.table import render_table

URL = "https://cdn.example/b.js"
GOOD = f"""
- zone_id: {ZONE.upper()}
  script_url: HTTPS://CDN.example/b.js#top
  date: 2026-01-02
  text: "=the campaign; announced"
  author: j.doe
"""
OPTIONS: dict[str, t.Any] = dict.fromkeys(("expected_heads", "until", "zone_names", "max_gap_days", "title"))


def read(folder: Path) -> documents.Document:
    if not (folder / f"{ZONE}.jsonl").exists():
        write(folder, [Audit(0, {"a": "1"}, {"a": entry("1")}), Audit(1, {"a": "1", "b": "1"}, {"a": entry("1")})])
    options = {**OPTIONS, "evidence_dir": str(folder), "dest": "d", "since": "2026-01-01", "at": day_of(1)}
    return documents.read(documents.desire(options, {}))


def rows(document: documents.Document) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render_table(document).decode())))


def test_note_stands_beside_its_change(tmp_path: Path) -> None:
    (tmp_path / "notes.yml").write_text(GOOD)
    document = read(tmp_path)
    seen = next(row for row in rows(document) if row["script_url"] == URL and row["what"] == "seen")
    assert seen["message"] == "note by j.doe: =the campaign; announced"
    text = render(document).decode()
    assert "note by j.doe: =the campaign; announced" in text
    assert hashlib.sha256(GOOD.encode()).hexdigest() in text
    assert not document.notes_left


@pytest.mark.parametrize(("old", "new"), [("b.js", "c.js"), ("2026-01-02", "2026-01-01"), (ZONE.upper(), "b" * 32)])
def test_note_that_fits_nothing_is_listed(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "notes.yml").write_text(GOOD.replace(old, new))
    document = read(tmp_path)
    assert len(document.notes_left) == 1 and not document.words
    assert "Notes that fit no change of this period" in render(document).decode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "notes.yml: line 1 is not YAML"),
        ("a: 1", "notes.yml: must be a list of notes, not an object"),
        ("", "notes.yml: must be a list of notes, not null"),
        (GOOD + f"  zone_id: {'b' * 32}\n", "notes.yml: line 7 has 'zone_id' a second time in one note"),
        (GOOD + '  "text": other\n', "notes.yml: line 7 has 'text' a second time in one note"),
        (GOOD + GOOD + "  page: x\n  page: x\n", "notes.yml: line 14 has 'page' a second time in one note"),
        ("[7]", "notes.yml[0]: must be a dictionary with zone_id, script_url, page, date, text, author, not 7"),
        (GOOD + "  autor: x\n", "notes.yml[0]: 'autor' is not a member of a note (did you mean 'author'?)"),
        (GOOD + "  page: x\n", "notes.yml[0]: needs one of script_url and page"),
        (GOOD.replace(ZONE.upper(), "shop"), "notes.yml[0].zone_id: 'shop' is not 1 to 32 hexadecimal digits"),
        (GOOD.replace(ZONE.upper(), "7"), "notes.yml[0].zone_id: 7 is not a text; put it in quotes"),
        (GOOD.replace("2026-01-02", "yesterday"), "notes.yml[0].date: 'yesterday' is not a date such as 2027-04-01"),
        (GOOD.replace("j.doe", "''"), "notes.yml[0].author: '' is not a text; put it in quotes"),
        (GOOD.replace("  author: j.doe\n", ""), "notes.yml[0].author: null is not a text; put it in quotes"),
        ("- !!python/object/apply:os.system [id]", "notes.yml: line 1 is not YAML"),
        ("a" * (1 << 21), "notes.yml: is larger than 1 MiB"),
    ],
)
def test_wrong_notes_are_refused_with_their_place(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "notes.yml").write_text(content)
    assert refusal(read, tmp_path) == ("invalid_option", message)


def test_notes_behind_a_link_are_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text(GOOD)
    (tmp_path / "notes.yml").symlink_to(tmp_path / "elsewhere")
    assert refusal(read, tmp_path) == ("invalid_option", "notes.yml: cannot be read: notes.yml is a symbolic link")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("plain", "plain"),
        ("=1+1", "'=1+1"),
        (" =1+1", "' =1+1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("a;=1+1", "'a;'=1+1"),
        ("a; @SUM(1)", "'a; '@SUM(1)"),
        ("a|\uff0b1", "'a|'\uff0b1"),
        ("a\t=1", "a =1"),
        ('a;"=1', "'a;\"'=1"),
        ("card fields; checkout", "card fields; checkout"),
    ],
)
def test_cell_is_quoted_and_guarded(tmp_path: Path, text: str, cell: str) -> None:
    """Whatever a spreadsheet takes for a separator, no part of the cell is a formula."""
    write(tmp_path, [Audit(0, {"a": "1"}, {"a": entry("1", justification=text)})])
    document = read(tmp_path)
    assert {row["justification"] for row in rows(document)} == {cell}
    table = render_table(document).decode()
    assert (f'"{cell.replace(chr(34), chr(34) * 2)}"' in table) == any(mark in cell for mark in ";|'\"")
    for separator in ",;\t|":
        for line in csv.reader(io.StringIO(table), delimiter=separator):
            assert not [part for part in line if part.strip().startswith(("=", "+", "-", "@", "\uff1d", "\uff0b"))]
    assert HOST in table
