# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from zone_runs import templates

from harness import Playbook

AUDIT = "edgeops.observability.script_audit"
VERIFY = "edgeops.observability.verify_evidence"
A, B = "a" * 64, "b" * 64
SCRIPTS = [
    {
        "script_id": "0a" * 16,
        "script_url": "https://cdn.example.net/a.js",
        "host": "shop.example.com",
        "status": "active",
        "hash": A,
    },
    {"script_id": "0b" * 16, "script_url": "https://cdn.example.net/b.js", "host": "shop.example.com", "status": "infrequent"}
    | {"hash": B, "versions": [{"hash": A, "fetched_at": "2026-11-01T00:00:00Z"}]},
]
KNOWN: dict[str, t.Any] = {
    "name": "a",
    "url": "https://cdn.example.net/a.js",
    "owner": "o",
    "justification": "j",
    "authorised_by": "me",
    "hashes": [A],
}


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    return tmp_path / "evidence"


@pytest.fixture
def scripts(simulator: t.Any, zone: str) -> None:
    simulator.seed(scripts={zone: SCRIPTS})
    simulator.request("PUT", f"/zones/{zone}/script_monitor", {"enabled": True})
    simulator.clear_journal()


def task(name: str = "Audit", *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
    return {"name": name, AUDIT: {"baseline": [KNOWN], **options}, "check_mode": check}


def records(evidence: Path, zone: str) -> list[dict[str, t.Any]]:
    return [json.loads(line) for line in (evidence / f"{zone}.jsonl").read_text(encoding="ascii").splitlines()]


def verify(playbook: Playbook, evidence: Path, *, fails: str | None = None, **variables: t.Any) -> str:
    """What the playbook that verifies shows, or its failure; it asks no service."""
    # A limit is for the zones of a run: the evidence of all of them is verified whatever it says.
    report = playbook.run(
        playbook=VERIFY,
        inventory={"localhost": {}, "zone0": {}, "shop.example": {"zone_id": playbook.zone.upper()}},
        extra_vars={"edgeops_evidence_dir": str(evidence), **variables},
        fails=fails,
        arguments=["--limit", "zone0"],
    )
    assert [outcome.name for outcome in report.outcomes][1:2] == ["Read the chains"]
    assert report.journal == [] and (report.returncode == 0) is (fails is None)
    if fails:
        return str(report.failures[0].result["msg"])
    (lines,) = [outcome.result["msg"] for outcome in report.outcomes if outcome.name == "Show the chains"]
    return "\n".join(lines)


@pytest.mark.every_core
def test_verify_names_the_first_bad_record(playbook: Playbook, scripts: None, evidence: Path, zone: str) -> None:
    """The playbook that verifies names the first bad record."""
    done = playbook.run([task(str(number), evidence_dir=str(evidence), details="none") for number in range(4)])
    heads = [outcome.result["evidence"]["head"] for outcome in done.ours]
    file = evidence / f"{zone}.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    shown = verify(playbook, evidence, edgeops_expected_heads={zone: heads[2]})
    assert f"shop.example {zone}: 4 records are valid" in shown and f"shop.example {zone}: head {heads[3]}" in shown

    file.write_bytes(b"".join(lines[:2]))
    assert f"{zone}: record 3 is missing" in verify(playbook, evidence, edgeops_expected_heads={zone: heads[2]}, fails="ansible")

    file.write_bytes(b"".join([lines[0], lines[1].replace(b'"passed":false', b'"passed":true'), *lines[2:]]))
    assert f"{zone}: record 2 was edited" in verify(playbook, evidence, fails="ansible")
    broken = playbook.run(task(evidence_dir=str(evidence), details="none")).result
    assert broken["findings"][-1]["kind"] == "history_broken" and broken["findings"][-1]["message"].startswith(
        "record 2 was edited"
    )

    (evidence / f"{zone}.jsonl").unlink()
    assert "There is no evidence" in verify(playbook, evidence, fails="ansible")


@pytest.mark.every_core
def test_texts_of_the_evidence_are_no_templates(playbook: Playbook, simulator: t.Any, evidence: Path, zone: str) -> None:
    """What the service said of a script is printed as it is, and evaluated nowhere."""
    marker = evidence.with_name("executed")
    texts = templates(marker)
    listed = [SCRIPTS[1] | {"script_id": f"{number:032x}", "host": text} for number, text in enumerate(texts)]
    simulator.seed(scripts={zone: listed})
    playbook.run(task(evidence_dir=str(evidence)))
    report = playbook.run(playbook=VERIFY, extra_vars={"edgeops_evidence_dir": str(evidence)})
    (lines,) = [outcome.result["msg"] for outcome in report.outcomes if outcome.name == "Show the chains"]
    assert not marker.exists()
    for text in texts:
        assert [line for line in lines if line.startswith(f"{zone}: open: new: ") and text.replace("\n", " ") in line]


def test_incomplete_line_is_moved_aside(playbook: Playbook, scripts: None, evidence: Path, zone: str) -> None:
    """An incomplete line is moved, with a warning."""
    playbook.run(task(evidence_dir=str(evidence)))
    with (evidence / f"{zone}.jsonl").open("ab") as file:
        file.write(b'{"v":1,"seq')
    verify(playbook, evidence)
    result = playbook.run(task(evidence_dir=str(evidence), check=True), warns=["was incomplete, because a run ended"]).result
    assert result["evidence"]["seq"] == 2 and result["summary"]["history_broken"] == 0
    assert (evidence / f"{zone}.jsonl.torn").read_bytes() == b'{"v":1,"seq\n'
