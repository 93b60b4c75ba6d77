# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure the import of the code of modules in addition to AnsibleModule, without the HTTP library."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from table import check_limit, show

MODULES = sorted(path.stem for path in (Path(__file__).parents[2] / "plugins" / "modules").glob("[!_]*.py"))
REPETITIONS, QUICK_REPETITIONS = 9, 4
CHILD = """
import sys, time
sys.modules["requests"] = sys.modules["urllib3"] = None
began = time.process_time()
from ansible.module_utils.basic import AnsibleModule
between = time.process_time()
import ansible_collections.edgeops.observability.plugins.modules.{module}
print(between - began, time.process_time() - between)
"""


def milliseconds(module: str, repetitions: int) -> tuple[float, float]:
    """Return the processor time for AnsibleModule, and for the module's own code in addition: the minimum of several new interpreters."""
    command = [sys.executable, "-c", CHILD.format(module=module)]
    outputs = [
        subprocess.run(command, capture_output=True, text=True, check=True).stdout for _unused in range(repetitions)
    ]  # our own code
    theirs, ours = zip(*(map(float, output.split()) for output in outputs), strict=True)
    return 1000 * min(theirs), 1000 * min(ours)


def report(options: argparse.Namespace) -> bool:
    """Measure and print; return whether all limits hold."""
    repetitions = QUICK_REPETITIONS if options.quick else REPETITIONS
    times = {module: milliseconds(module, repetitions) for module in MODULES}
    rows = [[module, f"{theirs:.1f}", f"{ours:.1f}", f"{ours / theirs:.2f}"] for module, (theirs, ours) in times.items()]
    show("Import, in ms of processor time", ["module", "AnsibleModule", "over it", "ratio"], rows)
    return check_limit(
        "slowest import, as a part of that of AnsibleModule", max(ours / theirs for theirs, ours in times.values()), 0.75
    )
