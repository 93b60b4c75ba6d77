# SPDX-License-Identifier: GPL-3.0-or-later

import shutil
import typing as t
from pathlib import Path

from support.audited import task

from harness import Modules, Playbook, Plays, Report, Scenario

VERIFY = "edgeops.observability.verify_evidence"


def verification(zone: str, evidence: Path, heads: dict[str, str], fails: str | None = None, **of_host: str) -> Plays:
    """Return the plays of the playbook. It sends no requests."""
    zones = {"shop.example": {"zone_id": zone.upper(), **of_host}, "blog.example": {"zone_id": "b" * 32}}
    hosts = {"localhost": {}, "zone0": {}, **zones}
    variables = {"edgeops_evidence_dir": str(evidence), "edgeops_expected_heads": heads or None}
    return Plays([{"import_playbook": VERIFY, "vars": variables}], hosts, fails=fails)


def check(report: Report) -> None:
    assert [outcome.name for outcome in report.outcomes][1:2] == ["Verify the chains"] and report.journal == []


def whole(zone: str, evidence: Path, heads: list[str]) -> Scenario:
    report = yield verification(zone, evidence, {zone: heads[2]})
    check(report)
    lines = report.named("Show the chains").result["msg"]
    assert lines[0].startswith("Valid: 1 chain, ") and lines[0].endswith("; nothing is said of 1 zone without evidence")
    assert lines[-1] == "1 zone of the inventory has no evidence here, and nothing is said of it: blog.example"
    lines = "\n".join(lines)
    assert f"shop.example {zone}: 4 records are valid" in lines and f"shop.example {zone}: head {heads[3]}" in lines
    assert report.returncode == 0


def cut(zone: str, evidence: Path, heads: list[str]) -> Scenario:
    report = yield verification(zone, evidence, {zone: heads[2]}, fails="ansible")
    check(report)
    assert f"{zone}: record 3 is missing" in report.failures[0].result["msg"]
    assert report.returncode != 0


def cut_by_host(zone: str, evidence: Path, heads: list[str]) -> Scenario:
    """The head that a host has for its audits is compared, too."""
    report = yield verification(zone, evidence, {}, fails="ansible", edgeops_expected_head=heads[2].upper())
    check(report)
    assert f"{zone}: record 3 is missing" in report.failures[0].result["msg"]


def no_pages(zone: str, evidence: Path, heads: list[str]) -> Scenario:
    report = yield verification(zone, evidence, {}, fails="ansible", edgeops_expected_pages_head=heads[2])
    assert f"{zone} (pages): record 1 is missing: there is no file" in report.failures[0].result["msg"]


def differing(zone: str, evidence: Path, heads: list[str]) -> Scenario:
    report = yield verification(zone, evidence, {zone: heads[1]}, fails="invalid_option", edgeops_expected_head=heads[2])
    assert f"another head of {zone} is given" in report.failures[0].result["msg"]


def audited(zone: str, evidence: Path, heads: list[str]) -> Scenario:
    """An audit compares what the run has for its zone, which verification takes, too."""
    audit = {
        "name": "Audit",
        "edgeops.observability.script_audit": {"baseline": [], "details": "none", "evidence_dir": str(evidence)},
    }
    variables = {"edgeops_expected_heads": {zone.upper(): heads[2]}}
    play = {"hosts": "shop.example", "gather_facts": False, "tasks": [audit], "vars": variables}
    report = yield Plays([play], {"shop.example": {"zone_id": zone}})
    assert report.named("Audit").result["summary"]["history_broken"] == 1


def test_verify_names_the_first_bad_record(playbook: Playbook, scripts: None, evidence: Path, zone: str, tmp_path: Path) -> None:
    """A limit restricts the hosts of a run; evidence is verified for all zones regardless of it."""
    (evidence / "nothing").mkdir(parents=True)
    nothing = {"edgeops.observability.script_evidence_info": {"evidence_dir": str(evidence / "nothing")}, "name": "Nothing"}
    audits: list[dict[str, t.Any]] = [task(str(number), evidence_dir=str(evidence), details="none") for number in range(4)]
    done = Modules(playbook.simulator, zone, tmp_path / "audits").run([*audits, nothing])
    assert done.named("Nothing").result["lines"] == ["There is no evidence in the folder."]
    heads = [outcome.result["evidence"]["head"] for outcome in done.ours[:4]]
    shutil.copytree(evidence, tmp_path / "cut")
    file = tmp_path / "cut" / f"{zone}.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:2]))
    scenarios = {"whole": whole(zone, evidence, heads), "cut": cut(zone, tmp_path / "cut", heads)}
    playbook.run_scenarios(scenarios, arguments=["--limit", "zone0"])
    # A failed host takes no part in what comes after it.
    by_host = {"cut by host": cut_by_host(zone, tmp_path / "cut", heads)}
    for last in (by_host, {"no pages": no_pages(zone, evidence, heads)}, {"differing": differing(zone, evidence, heads)}):
        playbook.run_scenarios(last, arguments=["--limit", "zone0"])
    playbook.run_scenarios({"audited": audited(zone, tmp_path / "cut", heads)})
