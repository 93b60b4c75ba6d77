# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure the evidence document of a year: daily audits of 20 zones with 500 scripts each, with changes on a third of the days."""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import subprocess
import sys
import tempfile
import typing as t
from pathlib import Path

from table import check_limit, show
from unit import in_turns

ZONES, SCRIPTS, DAYS, CHANGE_EVERY = 20, 500, 365, 3
CHILD = """
import json, resource, sys, time
from ansible_collections.edgeops.observability.plugins.plugin_utils._evidence.task import EvidenceReport
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import Run
params = {"evidence_dir": sys.argv[1], "dest": sys.argv[2], "since": "2026-01-01", "until": "2026-12-31", "at": "2026-12-31T12:00:00Z",
    "max_gap_days": None, "title": None, "expected_heads": None, "zone_names": None}
began = time.process_time()
result = Run(params, check_mode=False, diff_mode=False).finish(EvidenceReport())
seconds = time.process_time() - began
assert result["valid"], result
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(result["zones"])]))
"""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: t.Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _script(number: int) -> dict[str, t.Any]:
    url = f"https://cdn{number % 97}.example/{number}.js"
    script = {"script_id": f"{number:032x}", "script_url": url, "host": f"shop{number % 7}.example", "status": "active"}
    script |= {"hash": _digest(url), "js_integrity_score": 90, "first_seen_at": "2025-01-01T00:00:00Z", "malicious": False}
    return {"script": script, "entry": url, "findings": []}


def write_year(folder: Path, zones: int) -> None:
    """Write the evidence chains of the zones, without fsync, which would make this slow."""
    (folder / "baselines").mkdir()
    scripts = [_script(number) for number in range(SCRIPTS)]
    names = {"owner": "o", "justification": "j", "authorised_by": "a", "authorised_on": "2025-01-01", "hosts": [], "hashes": []}
    entries = [{**names, "name": script["entry"], "url": script["entry"], "integrity": "unpinned"} for script in scripts]
    baseline = _digest(_canonical(entries))
    (folder / "baselines" / f"{baseline}.json").write_text(_canonical(entries), encoding="ascii")
    first = datetime.datetime(2026, 1, 1, 6, tzinfo=datetime.timezone.utc)
    scope = {"hosts": [], "status": ["active"], "pages": [], "fail_on": [], "details": "findings", "route": "script_monitor"}
    for zone in range(zones):
        zone_id, before, same = _digest(f"zone {zone}")[:32], None, 0
        with (folder / f"{zone_id}.jsonl").open("w", encoding="ascii") as file:
            for day in range(DAYS):
                at = (first + datetime.timedelta(day)).strftime("%Y-%m-%dT%H:%M:%SZ")
                record: dict[str, t.Any] = {
                    "v": 1,
                    "seq": day + 1,
                    "at": at,
                    "written_at": at,
                    "zone_id": zone_id,
                    "prev": before,
                    "scope": scope,
                }
                record |= {"monitor": {"enabled": True, "updated_at": None, "sampled": True}, "baseline_digest": baseline}
                record |= {"findings": [], "passed": True, "collection_version": "0"}
                if day % CHANGE_EVERY == 0:
                    scripts[day]["script"]["hash"], same = _digest(f"{zone} {day}"), day + 1
                    record["inventory"] = scripts
                else:
                    record["inventory_same_as"] = same
                before = _digest(_canonical(record))
                file.write(_canonical({**record, "digest": before}) + "\n")


def report(options: argparse.Namespace) -> bool:
    """Measure and print; return whether all limits hold."""
    zones = ZONES // 4 if options.quick else ZONES
    with tempfile.TemporaryDirectory() as evidence, tempfile.TemporaryDirectory() as dest:
        write_year(Path(evidence), zones)
        command = [sys.executable, "-c", CHILD, evidence, dest]
        costs = in_turns({"evidence_report": lambda: _cost_of(command)}, 3, lambda cost: cost[0])
        (seconds, memory), in_c = costs["evidence_report"]
        megabytes = (Path(dest) / "evidence.html").stat().st_size / 1e6
    show(
        f"Document of a year, {zones} zones with {SCRIPTS} scripts",
        ["", "CPU s", "C", "peak MB", "page MB"],
        [["evidence_report", f"{seconds:.2f}", f"{in_c:.1f}", f"{memory:.0f}", f"{megabytes:.2f}"]],
    )
    limits = (
        (f"document of a year of {zones} zones, CPU in C", in_c, 80 * zones / ZONES),
        ("document of a year, peak MB", memory, 300),
        ("document of a year, MB of the page", megabytes, 5),
    )
    held = [check_limit(*limit) for limit in limits]
    return all(held)


def _cost_of(command: t.Sequence[str]) -> tuple[float, float]:
    """Return the processor seconds and the peak megabytes of a command that prints them."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # our own code
    seconds, memory, _count = json.loads(done.stdout)
    return seconds, memory
