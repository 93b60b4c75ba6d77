# SPDX-License-Identifier: GPL-3.0-or-later

"""Modules import nothing that only some runs need, because each run pays for it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

MODULES = sorted(path.stem for path in (Path(__file__).parents[3] / "plugins" / "modules").glob("[!_]*.py"))
# Slow imports; AnsibleModule and the libraries for HTTP and HTML, if installed, may load them anyway.
HEAVY = "asyncio concurrent dbm difflib email http inspect logging pathlib ssl unittest urllib.request yaml"
CHILD = """
import importlib, json, os, sys
sys.modules["requests"] = sys.modules["urllib3"] = sys.modules["justhtml"] = None
from ansible.module_utils.basic import AnsibleModule
before = set(sys.modules)
for module in sys.argv[1:]:
    # A process for each module, which has imported what each of them does anyway.
    if os.fork() == 0:
        importlib.import_module(f"ansible_collections.edgeops.observability.plugins.modules.{module}")
        print(json.dumps([module, sorted(set(sys.modules) - before)]), flush=True)
        os._exit(0)
    _, status = os.wait()
    assert status == 0, module
"""


@pytest.fixture(scope="module")
def imported():
    """Return what each module imports beyond AnsibleModule."""
    command = [sys.executable, "-c", CHILD, *MODULES]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()  # our own code
    return dict(map(json.loads, lines))


@pytest.mark.parametrize("module", MODULES)
def test_no_slow_import(imported, module):
    names = imported[module]
    assert f"ansible_collections.edgeops.observability.plugins.modules.{module}" in names
    assert not set(HEAVY.split()).intersection(names)
    assert len([name for name in names if not name.startswith("ansible_collections")]) < 20
