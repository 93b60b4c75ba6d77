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
import json, sys
sys.modules["requests"] = sys.modules["urllib3"] = sys.modules["justhtml"] = None
from ansible.module_utils.basic import AnsibleModule
before = set(sys.modules)
import ansible_collections.edgeops.observability.plugins.modules.{module}
print(json.dumps(sorted(set(sys.modules) - before)))
"""


@pytest.mark.parametrize("module", MODULES)
def test_no_slow_import(module):
    command = [sys.executable, "-c", CHILD.format(module=module)]
    imported = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # our own code
    assert f"ansible_collections.edgeops.observability.plugins.modules.{module}" in imported
    assert not set(HEAVY.split()).intersection(imported)
    assert len([name for name in imported if not name.startswith("ansible_collections")]) < 20
