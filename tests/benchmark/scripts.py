# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory of 50 000 scripts of one zone: how long it takes, and how much memory."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from table import show, stands

from edgeops_simulator.testing import running

SCRIPTS = 50_000
ZONE = "5a1e0c47d2b94f6f8e3b7c9012d4a6f8"
CHILD = """
import json, resource, sys, time
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import Run
from ansible_collections.edgeops.observability.plugins.modules.script_monitor_info import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import validated
given = json.loads(sys.argv[1])
began, busy = time.perf_counter(), time.process_time()
result = Run(validated(TASK.arguments(), given, "").params, check_mode=False, diff_mode=False).finish(TASK)
seconds, processor = time.perf_counter() - began, time.process_time() - busy
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([seconds, processor, memory, len(result.get("scripts", ())), result.get("msg")]))
"""
PARENT = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


def _in_a_playbook(connection: dict[str, str]) -> tuple[float, float, float]:
    """Seconds, processor seconds and peak megabytes of any process, for one task that registers the whole list."""
    task = {"edgeops.observability.script_monitor_info": {"zone_id": ZONE, "request_budget": "none"}, "register": "found"}
    counted = {"ansible.builtin.assert": {"that": f"found.scripts | length == {SCRIPTS}"}}
    play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": [task, counted]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scripts.json"
        path.write_text(json.dumps([play]), encoding="utf-8")
        command = [
            sys.executable,
            "-c",
            PARENT,
            str(Path(sys.executable).parent / "ansible-playbook"),
            "-i",
            "localhost,",
            str(path),
        ]
        environment = {**os.environ, **connection, "HOME": folder}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # our own
    seconds, processor, memory = json.loads(done.stdout)
    return seconds, processor, memory


def report(given: argparse.Namespace) -> bool:
    """Measure and print; whether the bars hold."""
    scripts = [
        {
            "script_id": f"{number:032x}",
            "script_url": f"https://cdn.example/{number}.js",
            "host": "shop.example",
            "status": "active",
            "hash": f"{number:064x}",
            "js_integrity_score": number % 100,
            "added_at": "2024-01-01T00:00:00.000000Z",
            "first_seen_at": "2024-01-01T00:00:00Z",
            "last_seen_at": "2024-01-02T00:00:00Z",
        }
        for number in range(SCRIPTS)
    ]
    with running(zones=[ZONE], process=True) as simulator:
        simulator.seed(scripts={ZONE: scripts})
        args = {"zone_id": ZONE, "base_url": simulator.base_url, "api_token": simulator.token, "request_budget": "none"}
        whole = _in_a_playbook(simulator.environment())
        done = subprocess.run(
            [sys.executable, "-c", CHILD, json.dumps(args)], capture_output=True, text=True, check=True
        )  # our own
    seconds, processor, memory, count, message = json.loads(done.stdout)
    if count != SCRIPTS:
        raise SystemExit(f"{count} of {SCRIPTS} scripts were listed: {message}")
    rows = {"the module's code": (seconds, processor, memory), "a playbook, start and end included": whole}
    show(
        f"Inventory of {SCRIPTS} scripts",
        ["what", "seconds", "CPU s", "peak MB"],
        [[what, f"{took:.2f}", f"{busy:.2f}", f"{peak:.0f}"] for what, (took, busy, peak) in rows.items()],
    )
    return all([stands("seconds for 50 000 scripts", seconds, 5), stands("peak MB for 50 000 scripts", memory, 300)])
