# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure the memory of a module that lists 10 000 Logpush jobs of 2 KB, from the request to the result."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

from table import check_limit, show

from edgeops_simulator.testing import running

JOBS, BYTES = 10_000, 2000
ZONE = "5a1e0c47d2b94f6f8e3b7c9012d4a6f8"
CHILD = """
import json, resource, sys, time
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import Run
from ansible_collections.edgeops.observability.plugins.modules.logpush_job_info import TASK
from ansible_collections.edgeops.observability.plugins.plugin_utils._arguments import validated
given = {"base_url": sys.argv[1], "api_token": sys.argv[2], "zone_id": sys.argv[3], "request_budget": "none"}
began = time.process_time()
result = Run(validated(TASK.arguments(), given, "").params, check_mode=False, diff_mode=False).finish(TASK)
if result.get("failed"):
    sys.exit(result["msg"])
print(json.dumps([time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(result["jobs"])]))
"""


def report(_options: argparse.Namespace) -> bool:
    """Measure and print; return whether the limit holds."""
    fields = ",".join(f"Field{number:03}" for number in range(BYTES // 9))
    jobs = [
        {"id": number + 1, "name": f"job-{number}", "logpull_options": f"fields={fields}&timestamps=rfc3339", "enabled": True}
        for number in range(JOBS)
    ]
    with running(zones=[ZONE], process=True) as simulator:
        simulator.seed(jobs={ZONE: jobs})
        command = [sys.executable, "-c", CHILD, simulator.base_url, simulator.token, ZONE]
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # our own code
    seconds, memory, count = json.loads(done.stdout)
    size = len(json.dumps(jobs)) / 1e6
    show(
        f"Listing of {count} jobs, {size:.0f} MB",
        ["", "CPU s", "peak MB"],
        [["logpush_job_info", f"{seconds:.2f}", f"{memory:.0f}"]],
    )
    return check_limit(f"listing of {count} jobs of 2 KB, peak MB", memory, 400)
