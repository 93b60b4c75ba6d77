# SPDX-License-Identifier: GPL-3.0-or-later

"""Verification of archives with damaged files, and the report on each zone."""

import os
import typing as t
from pathlib import Path

import pytest
from support.chains import AT, SCOPE, record_line, write_baseline
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.verification import describe, desire, report

HEAD = "f" * 64


def record(zone_id: str, **members: t.Any) -> bytes:
    return record_line(zone_id=zone_id, **members)


def verified(folder: Path, **heads: str) -> dict[str, dict[str, t.Any]]:
    if folder.is_dir():
        write_baseline(folder)
    result = report(desire({"evidence_dir": str(folder), "expected_heads": heads or None})).result
    assert result["valid"] is all(row["valid"] for row in result["zones"])
    return {row["zone_id"]: row for row in result["zones"]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (record("ab"), "1 record is valid"),
        (b"", "record 1 is missing: the file is empty"),
        (b"half", "record 1 is missing: the file has no complete line"),
        (record("ab") + b"\0" * 100 + b"\n", "record 2 is not a record: the line is not JSON"),
        (b"[]\n" + record("ab"), "record 1 is not a record: the line is not a JSON object"),
        (record("ab", at=["x"]) + b"{}\n", "record 1 has no usable time, so what changed since cannot be found"),
        (record("ab") + b"{}\n", "record 2 was edited: its digest is not that of its content"),
    ],
)
def test_damaged_file_is_reported(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "ab.jsonl").write_bytes(content)
    (row,) = verified(tmp_path).values()
    assert (row["message"], row["valid"]) == (message, content == record("ab"))
    assert row["last"] == (AT if b'"at":"2026' in content and not content.startswith(b"[]") else None), content
    assert row["head"] in (None, *(seal_of(content)))


def test_incomplete_last_line_is_said_of_every_chain(tmp_path: Path) -> None:
    """Whether a run was killed or a user cut the end off, a record may be missing; an invalid chain says it, too."""
    write_baseline(tmp_path)
    (tmp_path / "aa.jsonl").write_bytes(record("aa") + b"half")
    (tmp_path / "ab.jsonl").write_bytes(record("ab"))
    torn = "an incomplete last line of 4 bytes is no record: a run was killed while it was writing, or the end of the file was cut off"
    lines = report(desire({"evidence_dir": str(tmp_path), "expected_heads": None})).result["lines"]
    assert lines[:2] == [
        "Valid: all 2 chains, 1 of them with an incomplete last line: records may be missing",
        f"aa: 1 record is valid; {torn}",
    ]
    assert verified(tmp_path, aa=HEAD)["aa"]["message"].endswith(f"has the expected head; {torn}")


def test_missing_baseline_is_said_first(tmp_path: Path) -> None:
    (tmp_path / "aa.jsonl").write_bytes(record("aa"))
    (tmp_path / "ab.jsonl").write_bytes(record("ab") + b"half")
    first = report(desire({"evidence_dir": str(tmp_path), "expected_heads": None})).result["lines"][0]
    assert first == (
        "Valid: all 2 chains, 1 of them with an incomplete last line: records may be missing,"
        " 2 of them without a baseline: what was authorised cannot be shown"
    )


def test_incomplete_line_that_moved_aside_is_said(tmp_path: Path) -> None:
    """Nobody but its file tells of it, once an audit has gone on after it."""
    write_baseline(tmp_path)
    (tmp_path / "ab.jsonl").write_bytes(record("ab"))
    finding = {"kind": "new", "script_url": 'https://cdn/"kind":"changed".js', "host": "shop", "entry": None, "message": "m"}
    (tmp_path / "ab.jsonl.torn").write_bytes(record("ab", findings=[finding, finding])[:-30] + b"\n")
    cut = "a run was killed while it was writing, or the end of the file was cut off; what is left has findings: 2 new"
    assert report(desire({"evidence_dir": str(tmp_path), "expected_heads": None})).result["lines"][:2] == [
        "Valid: 1 chain, 1 of them with an incomplete last line: records may be missing",
        f"ab: 1 record is valid; an incomplete line was moved to the file .torn beside it: {cut}",
    ]
    (tmp_path / "ab.jsonl").unlink()
    assert verified(tmp_path)["ab"]["message"].startswith(
        "record 1 is missing: there is no file for the zone; an incomplete line was moved"
    )


def seal_of(content: bytes) -> list[str]:
    return [part[:64].decode() for part in content.split(b'"digest":"')[1:]]


def test_unreadable_file_does_not_hide_others(tmp_path: Path) -> None:
    (tmp_path / "aa.jsonl").mkdir()
    (tmp_path / "ab.jsonl").write_bytes(record("ab").replace(b'"seq":1', b'"seq":2'))
    (tmp_path / "ac.jsonl").symlink_to(tmp_path / "ab.jsonl")
    os.mkfifo(tmp_path / "ad.jsonl")
    rows = verified(tmp_path)
    assert {zone: row["message"].partition(":")[0] for zone, row in rows.items()} == {
        "aa": "record 1 cannot be read",
        "ab": "record 1 was edited",
        "ac": "record 1 cannot be read",
        "ad": "record 1 cannot be read",
    }


def test_case_of_zone_ids_is_ignored(tmp_path: Path) -> None:
    """A zone id in capitals in the name of a file is the same zone, which is not reported as missing."""
    (tmp_path / "AB.jsonl").write_bytes(record("ab"))
    assert {zone: row["valid"] for zone, row in verified(tmp_path).items()} == {"AB": True}
    assert {zone: row["message"] for zone, row in verified(tmp_path, ab=HEAD).items()} == {
        "AB": "record 2 is missing: none of the 1 records has the expected head"
    }


@pytest.mark.parametrize(("name", "reason"), [("file", "Not a directory"), ("nowhere", "No such file or directory")])
def test_unreadable_folder_is_refused(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "file").write_text("")
    sentence = f"evidence_dir: {str(tmp_path / name)!r} cannot be read: {reason}"
    assert refusal(verified, tmp_path / name) == ("invalid_option", sentence)


def test_result_has_records_gaps_findings_and_scope_changes(tmp_path: Path) -> None:
    finding = {"kind": "new", "script_url": "https://cdn/1.js", "host": "shop", "entry": None, "message": "m"}
    times = ("2026-11-01T00:00:00Z", "2026-11-08T12:00:00Z", "2026-11-09T00:00:00Z")
    scopes = [{**SCOPE, "hosts": hosts} for hosts in ([], ["shop"], ["shop"])]
    content, head = b"", None
    for number, (at, scope) in enumerate(zip(times, scopes, strict=True), 1):
        members = {"seq": number, "at": at, "prev": head, "scope": scope, "findings": [finding] if number < 3 else []}
        content += record("ab", **members)
        head = seal_of(content)[-1]
    (tmp_path / "ab.jsonl").write_bytes(content + b"half")
    (row,) = verified(tmp_path).values()
    assert row["message"].startswith("3 records are valid; an incomplete last line of 4 bytes")
    assert (row["records"], row["first"], row["last"], row["head"]) == (3, times[0], times[2], head)
    assert (row["longest_gap_days"], row["findings"]["new"], row["open"]) == (7.5, 2, [])
    assert row["scope_changes"] == [{"seq": 2, "at": times[1], "before": {"hosts": []}, "after": {"hosts": ["shop"]}}]
    assert len(row) == 12, "the members that the documentation names"
    assert describe({**row, "open": [{**finding, "message": "m\n\u202e"}] * 21}) == [
        f"ab: {row['message']}",
        f"ab: audits from {times[0]} to {times[2]}, at most 7.5 days apart",
        f"ab: head {head}",
        "ab: findings in all records: 2 new; open in the last one: 21",
        *["ab: open: new: https://cdn/1.js on shop: m \ufffd"] * 20,
        "ab: open: 1 more",
        f'ab: record 2 ({times[1]}) looked at something else than the one before it: hosts was [], is ["shop"]',
    ]
    cut = describe({**row, "valid": False})
    assert cut[1].startswith("ab: valid audits from ") and cut[3].startswith("ab: findings in all valid records: 2 new")
    assert describe({**row, "first": None}, "shop.example") == [f"shop.example ab: {row['message']}"]
    assert describe({**row, "first": None}, "Valid: all is well;") == [f"'Valid: all is well;' ab: {row['message']}"]


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ({"shop": HEAD}, "expected_heads['shop']: 'shop' is not 1 to 32 hexadecimal digits"),
        ({"ab": "f"}, "expected_heads['ab']: 'f' is not 64 hexadecimal digits"),
        ({"ab": HEAD, "AB": "e" * 64}, "expected_heads['AB']: has another head in another spelling"),
        ({"ab": 7}, "expected_heads['ab']: 7 is not 64 hexadecimal digits"),
    ],
)
def test_invalid_heads_are_refused(heads: t.Any, message: str) -> None:
    assert refusal(desire, {"evidence_dir": "unread", "expected_heads": heads}) == ("invalid_option", message)


def test_file_that_is_not_read_is_said(tmp_path: Path) -> None:
    """A chain that was renamed or packed is not among those that are valid."""
    (tmp_path / "shop.jsonl").write_bytes(b"x")
    unread = "looks like evidence, and was not read, because no zone has such an id"
    archive = desire({"evidence_dir": str(tmp_path), "expected_heads": None})
    assert report(archive).result["lines"] == [
        "There is no evidence in the folder.",
        f"1 file of the folder {unread}: shop.jsonl",
    ]
    (tmp_path / "ab.jsonl").write_bytes(record("ab"))
    assert report(archive).result["lines"][-1] == f"1 file of the folder {unread}: shop.jsonl"
    (tmp_path / "shop.jsonl").rename(tmp_path / "ab.JSONL")
    assert report(archive).result["lines"][-1] == f"1 file of the folder {unread}: ab.JSONL"
