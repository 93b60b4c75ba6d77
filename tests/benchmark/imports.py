# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What importing the code of a module costs over importing AnsibleModule, without the HTTP library."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

from table import show, stands

MODULES = sorted(path.stem for path in (Path(__file__).parents[2] / "plugins" / "modules").glob("[!_unused]*.py"))
REPETITIONS = 9
CHILD = """
import sys, time
sys.modules["requests"] = sys.modules["urllib3"] = None
from ansible.module_utils.basic import AnsibleModule
began = time.perf_counter()
import ansible_collections.edgeops.observability.plugins.modules.{module}
print(time.perf_counter() - began)
"""


def milliseconds(module: str) -> float:
    """The median of several fresh interpreters."""
    command = [sys.executable, "-c", CHILD.format(module=module)]
    outputs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _unused in range(REPETITIONS)]  # our own
    return 1000 * statistics.median(map(float, outputs))


def report(given: argparse.Namespace) -> bool:
    """Measure and print; whether the bar holds."""
    found = {module: milliseconds(module) for module in MODULES}
    show("Import over AnsibleModule alone", ["module", "ms"], [[module, f"{value:.1f}"] for module, value in found.items()])
    return stands("slowest import in ms", max(found.values()), 30)
