# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure the report of 1 000 zones with five items each: time, size and memory, compared with writing the zones as JSON."""

from __future__ import annotations

import argparse
import functools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from single_play import HEADER, Cost
from table import check_limit, show
from unit import in_turns

ZONES = 1000
CHILD = """
import json, pathlib, resource, sys, time
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import Run
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.task import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import validated
count, folder, way = int(sys.argv[1]), sys.argv[2], sys.argv[3]

def part(before, after):
    return {"changed": before != after, "diff": {"before": before, "after": after}, "plan_id": "sha256:" + "0f" * 32}

def zone(n):
    jobs = [{"id": 1, "name": "edge", "dataset": "http_requests", "enabled": True, "filter": None, "logpull_options": "fields=RayID",
             "last_complete": None, "error_message": None, "health": {"state": "failing", "since": None, "lag_seconds": None, "message": "403"}}]
    finding = {"kind": "new", "script_url": f"https://cdn.example.net/{n}.js", "host": f"shop{n}.example", "entry": None,
               "message": "no entry of the baseline covers it"}
    return {
        "zone": f"shop{n}.example", "zone_id": f"{n:032x}", "jobs": jobs,
        "scripts": {"findings": [finding], "inventory": [], "evidence": {"seq": 3, "head": "ab" * 32}},
        "result": {
            "custom_fields": part({"request_fields": []}, {"request_fields": ["x-trace-id"]}),
            "jobs": part({"edge": {"enabled": False}}, {"edge": {"enabled": True}}),
            "script_monitor": part({"enabled": False}, {"enabled": True}),
        },
    }

zones = [zone(n) for n in range(count)]
path = pathlib.Path(folder)
began, busy = time.perf_counter(), time.process_time()
if way == "json":
    items = count * 5
    path.joinpath("zones.json").write_text(json.dumps(zones, indent=2, sort_keys=True))
else:
    given = {"dest": folder, "zones": zones, "formats": ["json", "html", "junit", "markdown", "metrics"], "at": "2026-11-22T06:00:00Z"}
    result = Run(validated(TASK.arguments(), given, "").params, check_mode=False, diff_mode=False).finish(TASK)
    if result.get("failed"):
        sys.exit(result["msg"])
    items = result["counts"]["differences"] + result["counts"]["findings"] + result["counts"]["notes"]
spent = [time.perf_counter() - began, time.process_time() - busy, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]
print(json.dumps([*spent, items, sum(each.stat().st_size for each in path.glob("*.html")) / 1e6]))
"""


def report(options: argparse.Namespace) -> bool:
    """Measure and print; return whether all limits hold."""
    runs = {way: functools.partial(_made, way) for way in ("report", "json")}
    costs = in_turns(runs, 1 if options.quick else 3, lambda made: made[0].processor)
    ((files, items, page), in_c), ((plain, _items, _page), json_in_c) = costs["report"], costs["json"]
    show(
        f"Report of {ZONES} zones, {items} items, in five formats; the page has {page:.2f} MB",
        [*HEADER, "CPU / JSON"],
        [[*files.row("audit_report"), f"{in_c / json_in_c:.1f}"], [*plain.row("the zones written as JSON"), "1.0"]],
    )
    return all(
        [
            check_limit("report: items", items, 5 * ZONES, at_least=True),
            check_limit("report of 1 000 zones x 5 items, CPU in C", in_c, 21),
            check_limit("report: the page, MB", page, 4),
            check_limit("report: peak MB", files.memory, 300),
        ]
    )


def _made(way: str) -> tuple[Cost, int, float]:
    """Return the cost of a run, the number of items, and the size of the page in megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "report")
        target.mkdir()
        command = [sys.executable, "-c", CHILD, str(ZONES), str(target), way]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)  # our own code
    *spent, items, page = json.loads(done.stdout)
    return Cost(*spent), items, page
