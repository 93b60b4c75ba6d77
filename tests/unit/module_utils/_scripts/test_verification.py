# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Archives of which some files are damaged, and what is reported of each."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.chain import canonical, seal
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.verification import desire, report

HEAD = "f" * 64


def record(zone_id: str, **members: t.Any) -> bytes:
    return canonical(seal({"v": 1, "seq": 1, "zone_id": zone_id, "prev": None, "inventory": [], **members})) + b"\n"


def verified(folder: Path, **heads: str) -> dict[str, dict[str, t.Any]]:
    result = report(desire({"history": str(folder), "expected_heads": heads or None})).result
    assert result["valid"] is all(each["valid"] for each in result["histories"])
    return {each["zone_id"]: each for each in result["histories"]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (record("ab"), "1 records are valid"),
        (b"", "record 1 is missing: the file is empty"),
        (b"half", "record 1 is missing: the file has no complete line"),
        (b"\xff\xfe\n", "record 1 is not a record: the line is not JSON in ASCII, or repeats a name"),
        (b'{"a":1e999}\n', "record 1 is not a record: the line is not JSON in ASCII, or repeats a name"),
        (record("ab") + b"\0" * 100 + b"\n", "record 2 is not a record: the line is not JSON in ASCII, or repeats a name"),
        (b"[]\n" + record("ab"), "record 1 is not a record: the line is not a JSON object"),
        (record("ab", at=["x"]) + b"{}\n", "record 2 was edited: its digest is not that of its content"),
    ],
)
def test_a_damaged_file_is_reported(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "ab.jsonl").write_bytes(content)
    (found,) = verified(tmp_path).values()
    assert (found["message"], found["valid"]) == (message, content == record("ab"))
    assert found["at"] is None and found["head"] in (None, *(seal_of(content)))


def seal_of(content: bytes) -> list[str]:
    return [part[:64].decode() for part in content.split(b'"digest":"')[1:]]


def test_a_file_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "aa.jsonl").mkdir()
    (tmp_path / "ab.jsonl").write_bytes(record("ab").replace(b'"seq":1', b'"seq":2'))
    (tmp_path / "ac.jsonl").symlink_to(tmp_path / "ab.jsonl")
    found = verified(tmp_path)
    assert {zone: each["message"].partition(":")[0] for zone, each in found.items()} == {
        "aa": "record 1 cannot be read",
        "ab": "record 1 was edited",
        "ac": "record 1 cannot be read",
    }
    assert {each["first_bad_record"] for each in found.values()} == {1}


def test_zone_is_one_in_any_letter_case(tmp_path: Path) -> None:
    """A zone whose file has capitals is not missing besides."""
    (tmp_path / "AB.jsonl").write_bytes(record("ab"))
    assert {zone: each["valid"] for zone, each in verified(tmp_path).items()} == {"AB": True}
    assert {zone: each["message"] for zone, each in verified(tmp_path, ab=HEAD).items()} == {
        "AB": "record 2 is missing: none of the 1 records has the expected head"
    }


def test_a_history_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Failure, match=r"^history: .* is not a folder$"):
        verified(tmp_path / "file")
