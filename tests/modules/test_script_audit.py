# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

import pytest

from harness import Modules

AUDIT = "edgeops.observability.script_audit"
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


def test_every_run_adds_a_record(modules: Modules, scripts: None, evidence: Path, zone: str) -> None:
    """Check mode and the real run add a record each."""
    tasks = [task(f"{check} {number}", check=check, evidence_dir=str(evidence)) for number in (1, 2) for check in (True, False)]
    report = modules.run(tasks)
    first, *others = [outcome.result for outcome in report.ours]
    for number, result in enumerate([first, *others], 1):
        assert {**result, "evidence": None} == {**first, "evidence": None}
        assert result["evidence"]["seq"] == number
    assert [(each["kind"], each["script_url"]) for each in first["findings"]] == [("new", "https://cdn.example.net/b.js")]
    assert [(item["entry"], item["findings"]) for item in first["inventory"]] == [("a", []), (None, ["new"])]
    assert first["inventory"][1]["script"]["versions"] == SCRIPTS[1]["versions"], "a script with a finding is read singly"
    assert (first["passed"], first["changed"]) == (False, False)
    assert [record["digest"] for record in records(evidence, zone)] == [
        outcome.result["evidence"]["head"] for outcome in report.ours
    ]
    assert {entry["method"] for entry in report.journal} == {"GET"}
    assert len(report.journal) == 4 * 4, "the status, a listing for each status, and one script"
    assert (evidence.stat().st_mode & 0o777, (evidence / f"{zone}.jsonl").stat().st_mode & 0o777) == (0o750, 0o640)


def test_fail_on_fails_after_writing_evidence(modules: Modules, scripts: None, evidence: Path, zone: str) -> None:
    refused = modules.run(task(evidence_dir=str(evidence), fail_on=["all"]), fails="gate").result
    adopting = task(baseline=[*refused["proposals"], KNOWN], evidence_dir=str(evidence), fail_on=["new", "changed"])
    adopted = modules.run(adopting).result
    assert refused["error"]["kind"] == "gate" and "1 new" in refused["msg"]
    assert refused["evidence"] == {"seq": 1, "head": records(evidence, zone)[0]["digest"]}
    assert (adopted["passed"], adopted["summary"]["unjustified"]) == (False, 1)


def test_page_shield_route_and_empty_zone(modules: Modules, simulator: t.Any, zone: str) -> None:
    """The page_shield route, and a zone that shows nothing."""
    simulator.seed(scripts={zone: [{"script_id": "0c" * 16, "script_url": KNOWN["url"], "host": "h", "status": "active"}]})
    tasks = [task("Hidden", route="page_shield"), task("Nothing", hosts=["blog.example.com"])]
    hidden, nothing = [outcome.result for outcome in modules.run(tasks).ours]
    assert [each["kind"] for each in hidden["findings"]] == ["unverified", "monitor_off"]
    assert [each["kind"] for each in nothing["findings"]] == ["unused", "monitor_off", "nothing_seen"]
    assert nothing["evidence"] == {"seq": None, "head": None}


def test_invalid_options_send_nothing(modules: Modules, scripts: None, evidence: Path, tmp_path: Path) -> None:
    """Options that cannot work are refused before any request."""
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path)
    os.lchown(tmp_path / "link", 12345, 12345)
    refused = {
        "baseline[0].url: 'stripe' is not a URL": {"baseline": [{**KNOWN, "url": "stripe"}]},
        "baseline[1].name: an entry needs it": {"baseline": [KNOWN, {"url": "https://a.example/"}]},
        "baseline[0].hashes[0]: 'abc' is not": {"baseline": [{**KNOWN, "hashes": ["abc"]}]},
        "baseline: a list of entries is needed": {"baseline": "stripe"},
        "Not a directory": {"evidence_dir": str(tmp_path / "file" / "below")},
        "is a symbolic link of another user": {"evidence_dir": str(tmp_path / "link" / "evidence")},
        "expected_head: 'f' is not 64": {"evidence_dir": str(evidence), "expected_head": "f"},
        "missing parameter(s) required by 'expected_head': evidence_dir": {"expected_head": A},
        "value of fail_on must be one or more of": {"fail_on": ["everything"]},
    }
    tasks = [{**task(text, **options), "ignore_errors": True} for text, options in refused.items()]
    report = modules.run(tasks, fails="invalid_option")
    for outcome in report.ours:
        assert outcome.name in outcome.result["msg"]
    assert report.journal == [] and len(report.failures) == len(refused)


def test_a_tie_is_refused_after_the_listing(modules: Modules, scripts: None, evidence: Path, zone: str) -> None:
    entries = [KNOWN, {**KNOWN, "name": "also a", "hosts": ["shop.example.com"]}]
    report = modules.run(task(baseline=entries, evidence_dir=str(evidence)), fails="invalid_option")
    assert "'a' (baseline[0]) and 'also a' (baseline[1])" in report.result["msg"] and report.journal
    assert not (evidence / f"{zone}.jsonl").exists(), "an audit that could not be made leaves no record"


def test_what_is_no_archive_is_refused(modules: Modules, tmp_path: Path) -> None:
    options: list[dict[str, t.Any]] = [
        {"evidence_dir": str(tmp_path / "nowhere")},
        {"evidence_dir": str(tmp_path), "expected_heads": {"shop": A}},
        {"evidence_dir": str(tmp_path), "expected_heads": {"ab": "f"}},
    ]
    tasks = [{"name": "Verify", "edgeops.observability.script_evidence_info": each, "ignore_errors": True} for each in options]
    report = modules.run(tasks, fails="invalid_option")
    assert [outcome.result["msg"].partition(":")[0] for outcome in report.ours] == [
        "evidence_dir",
        "expected_heads['shop']",
        "expected_heads['ab']",
    ]
