# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

import pytest

from harness import Playbook

AUDIT = "edgeops.observability.script_audit"
VERIFY = "edgeops.observability.verify_history"
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


@pytest.mark.parametrize("in_process", [True, False])
def test_every_run_adds_a_record(playbook: Playbook, scripts: None, evidence: Path, zone: str, in_process: bool) -> None:
    """Check mode and the real run add a record each."""
    tasks = [task(f"{check} {number}", check=check, history=str(evidence)) for number in (1, 2) for check in (True, False)]
    report = playbook.run(tasks, in_process=in_process)
    first, *others = [outcome.result for outcome in report.ours]
    for number, result in enumerate([first, *others], 1):
        assert {**result, "evidence": None, "invocation": None} == {**first, "evidence": None, "invocation": None}
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


def test_gate_fails_after_writing_evidence(playbook: Playbook, scripts: None, evidence: Path, zone: str) -> None:
    """The gate fails after the evidence is written."""
    tasks = [
        {**task("Refused", history=str(evidence), enforce=True), "ignore_errors": True, "register": "refused"},
        task(
            "Adopted", baseline="{{ refused.proposals + [known] }}", history=str(evidence), enforce=True, gate=["new", "changed"]
        ),
    ]
    report = playbook.run(tasks, fails="gate", extra_vars={"known": KNOWN})
    refused, adopted = [outcome.result for outcome in report.ours]
    assert refused["error"]["kind"] == "gate" and "1 new" in refused["msg"]
    assert refused["evidence"] == {"seq": 1, "head": records(evidence, zone)[0]["digest"]}
    assert (adopted["passed"], adopted["summary"]["unjustified"]) == (True, 1)


def test_page_shield_route_and_empty_zone(playbook: Playbook, simulator: t.Any, zone: str) -> None:
    """The page_shield route, and a zone that shows nothing."""
    simulator.seed(scripts={zone: [{"script_id": "0c" * 16, "script_url": KNOWN["url"], "host": "h", "status": "active"}]})
    tasks = [task("Hidden", route="page_shield"), task("Nothing", hosts=["blog.example.com"])]
    hidden, nothing = [outcome.result for outcome in playbook.run(tasks).ours]
    assert [each["kind"] for each in hidden["findings"]] == ["unverified", "monitor_off"]
    assert [each["kind"] for each in nothing["findings"]] == ["unused", "monitor_off", "nothing_seen"]
    assert nothing["evidence"] == {"seq": None, "head": None}


def test_unquoted_dates_in_host_variables(playbook: Playbook, scripts: None, zone: str, tmp_path: Path) -> None:
    """As users write them: YAML makes dates of them, and a template hands them on."""
    inventory = tmp_path / "hosts.yml"
    inventory.write_text(
        f"""all:
  hosts:
    shop:
      ansible_connection: local
      zone_id: {zone}
      script_gate: [expired]
      script_baseline:
        - name: a
          url: https://cdn.example.net/a.js
          owner: "it's me"
          justification: 'a "quoted" reason, with {{braces}}'
          authorised_by: me
          authorised_on: 2025-10-01
          review_by: 2027-04-01
          hashes: [{A}]
          required: true
        - name: b
          url: https://cdn.example.net/*
          owner: o
          justification: j
          authorised_by: me
          review_by: 2026-01-31
          integrity: unpinned
          integrity_reason: r
""",
        encoding="utf-8",
    )
    options = {"zone_id": "{{ zone_id }}", "at": "2026-11-21T06:00:00Z"}
    tasks = [
        {"name": "Templated", AUDIT: {**options, "baseline": "{{ script_baseline }}", "gate": "{{ script_gate }}"}},
        {"name": "Composed", AUDIT: {**options, "baseline": "{{ script_baseline[:1] + script_baseline[1:] }}"}},
        {
            "name": "A date of a template",
            AUDIT: {**options, "baseline": [{**KNOWN, "review_by": "{{ script_baseline[1].review_by }}"}]},
        },
    ]
    play = {"name": "Audit", "hosts": "shop", "gather_facts": False, "tasks": tasks}
    templated, composed, single = [outcome.result for outcome in playbook.run(playbook=[play], inventory=inventory).ours]
    assert [(each["kind"], each["entry"]) for each in templated["findings"]] == [("expired", "b")]
    assert templated["findings"] == composed["findings"] and templated["passed"] is False
    assert [each["kind"] for each in single["findings"]] == ["new", "expired"]


def test_invalid_options_send_nothing(playbook: Playbook, scripts: None, evidence: Path, tmp_path: Path) -> None:
    """Options that cannot work are refused before any request."""
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path)
    os.lchown(tmp_path / "link", 12345, 12345)
    refused = {
        "baseline[0].url: 'stripe' is not a URL": {"baseline": [{**KNOWN, "url": "stripe"}]},
        "baseline[1].name: an entry needs it": {"baseline": [KNOWN, {"url": "https://a.example/"}]},
        "baseline[0].hashes[0]: 'abc' is not": {"baseline": [{**KNOWN, "hashes": ["abc"]}]},
        "baseline: a list of entries is needed": {"baseline": "stripe"},
        "Not a directory": {"history": str(tmp_path / "file" / "below")},
        "is a symbolic link of another user": {"history": str(tmp_path / "link" / "evidence")},
        "expected_head: 'f' is not 64": {"history": str(evidence), "expected_head": "f"},
        "missing parameter(s) required by 'expected_head': history": {"expected_head": A},
        "value of gate must be one or more of": {"gate": ["everything"]},
    }
    tasks = [{**task(text, **options), "ignore_errors": True} for text, options in refused.items()]
    report = playbook.run(tasks, fails="invalid_option")
    for outcome in report.ours:
        assert outcome.name in outcome.result["msg"]
    assert report.journal == [] and len(report.failures) == len(refused)


def test_a_tie_is_refused_after_the_listing(playbook: Playbook, scripts: None, evidence: Path, zone: str) -> None:
    entries = [KNOWN, {**KNOWN, "name": "also a", "hosts": ["shop.example.com"]}]
    report = playbook.run(task(baseline=entries, history=str(evidence)), fails="invalid_option")
    assert "'a' (baseline[0]) and 'also a' (baseline[1])" in report.result["msg"] and report.journal
    assert not (evidence / f"{zone}.jsonl").exists(), "an audit that could not be made leaves no record"


def verify(playbook: Playbook, evidence: Path, *, fails: str | None = None, **variables: t.Any) -> str:
    """The message of the playbook that verifies, which asks no service."""
    # A limit is for the zones of a run: the evidence of all of them is verified whatever it says.
    report = playbook.run(
        playbook=VERIFY,
        inventory={"localhost": {}, "zone0": {}},
        extra_vars={"history": str(evidence), **variables},
        fails=fails,
        arguments=["--limit", "zone0"],
    )
    assert [outcome.name for outcome in report.outcomes][:1] == ["Read the chains"]
    assert report.journal == [] and (report.returncode == 0) is (fails is None)
    return str(report.failures[0].result["msg"]) if fails else ""


def test_verify_names_the_first_bad_record(playbook: Playbook, scripts: None, evidence: Path, zone: str) -> None:
    """The playbook that verifies names the first bad record."""
    done = playbook.run([task(str(number), history=str(evidence), details="none") for number in range(4)])
    heads = [outcome.result["evidence"]["head"] for outcome in done.ours]
    file = evidence / f"{zone}.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    verify(playbook, evidence, expected_heads={zone: heads[2]})

    file.write_bytes(b"".join(lines[:2]))
    assert f"{zone}: record 3 is missing" in verify(playbook, evidence, expected_heads={zone: heads[2]}, fails="ansible")

    file.write_bytes(b"".join([lines[0], lines[1].replace(b'"passed":false', b'"passed":true'), *lines[2:]]))
    assert f"{zone}: record 2 was edited" in verify(playbook, evidence, fails="ansible")
    broken = playbook.run(task(history=str(evidence), details="none")).result
    assert broken["findings"][-1]["kind"] == "history_broken" and broken["findings"][-1]["message"].startswith(
        "record 2 was edited"
    )

    (evidence / f"{zone}.jsonl").unlink()
    assert "There is no evidence" in verify(playbook, evidence, fails="ansible")


def test_incomplete_line_is_moved_aside(playbook: Playbook, scripts: None, evidence: Path, zone: str) -> None:
    """An incomplete line is moved, with a warning."""
    playbook.run(task(history=str(evidence)))
    with (evidence / f"{zone}.jsonl").open("ab") as file:
        file.write(b'{"v":1,"seq')
    verify(playbook, evidence)
    result = playbook.run(task(history=str(evidence), check=True), warns=["was incomplete, because a run ended"]).result
    assert result["evidence"]["seq"] == 2 and result["summary"]["history_broken"] == 0
    assert (evidence / f"{zone}.jsonl.torn").read_bytes() == b'{"v":1,"seq\n'


def test_what_is_no_archive_is_refused(playbook: Playbook, tmp_path: Path) -> None:
    options: list[dict[str, t.Any]] = [
        {"history": str(tmp_path / "nowhere")},
        {"history": str(tmp_path), "expected_heads": {"shop": A}},
        {"history": str(tmp_path), "expected_heads": {"ab": "f"}},
    ]
    tasks = [{"name": "Verify", "edgeops.observability.script_history_info": each, "ignore_errors": True} for each in options]
    report = playbook.run(tasks, fails="invalid_option")
    assert [outcome.result["msg"].partition(":")[0] for outcome in report.ours] == [
        "history",
        "expected_heads['shop']",
        "expected_heads['ab']",
    ]
