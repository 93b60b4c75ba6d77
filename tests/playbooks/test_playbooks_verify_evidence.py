# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t
from pathlib import Path

from support.audited import task

from harness import Playbook

VERIFY = "edgeops.observability.verify_evidence"


def verify(playbook: Playbook, evidence: Path, *, fails: str | None = None, **variables: t.Any) -> str:
    """Return the output of the playbook, or its failure; it sends no requests."""
    # A limit restricts the hosts of a run; evidence is verified for all zones regardless of it.
    report = playbook.run(
        playbook=VERIFY,
        inventory={
            "localhost": {},
            "zone0": {},
            "shop.example": {"zone_id": playbook.zone.upper()},
            "blog.example": {"zone_id": "b" * 32},
        },
        extra_vars={"edgeops_evidence_dir": str(evidence), **variables},
        fails=fails,
        arguments=["--limit", "zone0"],
    )
    assert [outcome.name for outcome in report.outcomes][1:2] == ["Verify the chains"]
    assert report.journal == [] and (report.returncode == 0) is (fails is None)
    if fails:
        return str(report.failures[0].result["msg"])
    (lines,) = [outcome.result["msg"] for outcome in report.outcomes if outcome.name == "Show the chains"]
    return "\n".join(lines)


def test_verify_names_the_first_bad_record(playbook: Playbook, scripts: None, evidence: Path, zone: str) -> None:
    (evidence / "nothing").mkdir(parents=True)
    nothing = {"edgeops.observability.script_evidence_info": {"evidence_dir": str(evidence / "nothing")}, "name": "Nothing"}
    audits = [task(str(number), evidence_dir=str(evidence), details="none") for number in range(4)]
    done = playbook.run([*audits, nothing])
    assert done.named("Nothing").result["lines"] == ["There is no evidence in the folder."]
    heads = [outcome.result["evidence"]["head"] for outcome in done.ours[:4]]
    file = evidence / f"{zone}.jsonl"
    lines = verify(playbook, evidence, edgeops_expected_heads={zone: heads[2]})
    first, *_chains, last = lines.splitlines()
    assert first.startswith("Valid: 1 chain, ") and first.endswith("; nothing is said of 1 zone without evidence")
    assert last == "1 zone of the inventory has no evidence here, and nothing is said of it: blog.example"
    assert f"shop.example {zone}: 4 records are valid" in lines and f"shop.example {zone}: head {heads[3]}" in lines

    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:2]))
    assert f"{zone}: record 3 is missing" in verify(playbook, evidence, edgeops_expected_heads={zone: heads[2]}, fails="ansible")
