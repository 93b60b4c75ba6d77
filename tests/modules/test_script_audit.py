# SPDX-License-Identifier: GPL-3.0-or-later

import os
from pathlib import Path

import pytest
from support.audited import KNOWN, SCRIPTS, A, records, task

from harness import Modules

pytestmark = pytest.mark.every_core


def test_every_run_adds_a_record(modules: Modules, scripts: None, evidence: Path, zone: str) -> None:
    """Both check mode and real runs add a record."""
    tasks = [task(f"{check} {number}", check=check, evidence_dir=str(evidence)) for number in (1, 2) for check in (True, False)]
    report = modules.run(tasks)
    first, *others = [outcome.result for outcome in report.ours]
    for number, result in enumerate([first, *others], 1):
        assert {**result, "evidence": None} == {**first, "evidence": None}
        assert result["evidence"]["seq"] == number
    assert [(finding["kind"], finding["script_url"]) for finding in first["findings"]] == [
        ("new", "https://cdn.example.net/b.js")
    ]
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


def test_invalid_options_send_nothing(modules: Modules, scripts: None, evidence: Path, tmp_path: Path) -> None:
    """Invalid options are refused before any request."""
    (tmp_path / "link").symlink_to(tmp_path)
    os.lchown(tmp_path / "link", 12345, 12345)
    refused = {
        "baseline[0].url: 'stripe' is not a URL": {"baseline": [{**KNOWN, "url": "stripe"}]},
        "is a symbolic link of another user": {"evidence_dir": str(tmp_path / "link" / "evidence")},
        "missing parameter(s) required by 'expected_head': evidence_dir": {"expected_head": A},
        "value of fail_on must be one or more of": {"fail_on": ["everything"]},
    }
    tasks = [{**task(text, **options), "ignore_errors": True} for text, options in refused.items()]
    report = modules.run(tasks, fails="invalid_option")
    for outcome in report.ours:
        assert outcome.name in outcome.result["msg"]
    assert report.journal == [] and len(report.failures) == len(refused)


def test_incomplete_listing_is_no_audit(modules: Modules, scripts: None, evidence: Path, zone: str) -> None:
    """If the service refuses to list scripts with the same content, a new one may not be listed: no audit passes, and no evidence says so."""
    modules.simulator.faults({"kind": "status", "status": 400, "code": 1999, "path": "*/page_shield/scripts"})
    listed = {"baseline": [{**KNOWN, "url": "https://cdn.example.net/*"}], "evidence_dir": str(evidence), "route": "page_shield"}
    refused = modules.run(task(**listed, fail_on=["new"]), fails="rejected").result
    assert refused["msg"].startswith("The list may be incomplete: the service refuses exclude_cdn_cgi and exclude_duplicates")
    assert not (evidence / f"{zone}.jsonl").exists()
    assert modules.run(task(**listed)).result["evidence"]["seq"] == 1


def test_incomplete_last_line_is_moved(modules: Modules, scripts: None, evidence: Path, zone: str) -> None:
    """An incomplete last line of a killed run is moved to another file with a warning, and all records remain valid."""
    modules.run(task(evidence_dir=str(evidence)))
    with (evidence / f"{zone}.jsonl").open("ab") as file:
        file.write(b'{"v":1,"seq')
    verified = modules.run({"edgeops.observability.script_evidence_info": {"evidence_dir": str(evidence)}}).result
    assert verified["valid"] is True
    result = modules.run(task(evidence_dir=str(evidence), check=True), warns=["was incomplete, because a run ended"]).result
    assert result["evidence"]["seq"] == 2 and result["summary"]["history_broken"] == 0
    assert (evidence / f"{zone}.jsonl.torn").read_bytes() == b'{"v":1,"seq\n'


def test_document_is_made_from_records(modules: Modules, scripts: None, evidence: Path, tmp_path: Path, zone: str) -> None:
    """The document can be made in check mode, too; it counts two audits in one second separately."""
    modules.run([task("first", evidence_dir=str(evidence)), task("second", baseline=[], evidence_dir=str(evidence))])
    make = {"evidence_dir": str(evidence), "dest": str(tmp_path / "assessment"), "zone_names": {zone: "shop.example.com"}}
    for check in (True, False):
        result = modules.run({"edgeops.observability.evidence_report": make}, check=check).result
        assert (result["changed"], result["valid"], [row["records"] for row in result["zones"]]) == (False, True, [2])
        verdict = result["lines"][0]
        assert verdict.startswith("2 scripts were added without authorisation, still not resolved after less than a day (1 of")
        assert (
            " At least every seven days: yes. Every one of 2 audits of 1 zone is accounted for. These answers count audits"
            in verdict
        )
        page, table = (Path(path) for path in result["files"])
        assert "shop.example.com" in page.read_text(encoding="utf-8") and (page.stat().st_mode & 0o777) == 0o640
        assert table.read_text(encoding="utf-8").count(",inventory,") == 2


def test_document_reports_forged_record(modules: Modules, scripts: None, evidence: Path, tmp_path: Path, zone: str) -> None:
    modules.run(task(evidence_dir=str(evidence)))
    path = evidence / f"{zone}.jsonl"
    path.write_text(path.read_text(encoding="ascii").replace('"passed":false', '"passed":true'), encoding="ascii")
    made = modules.run(
        {"edgeops.observability.evidence_report": {"evidence_dir": str(evidence), "dest": str(tmp_path / "assessment")}}
    ).result
    assert made["valid"] is False
    assert made["lines"][0].startswith(f"The evidence is not valid: in {zone}, record 1 was edited")
