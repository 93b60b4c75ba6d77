# SPDX-License-Identifier: GPL-3.0-or-later

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.plugin_utils._in_process import InProcessAction

PLUGINS = Path(__file__).parents[4] / "plugins"
PACKAGE = "ansible_collections.edgeops.observability.plugins"


def names(folder: str) -> set[str]:
    return {path.stem for path in (PLUGINS / folder).glob("*.py")} - {"__init__"}


def test_every_module_has_an_action():
    assert names("action") == names("modules")


@pytest.mark.parametrize("name", sorted(names("modules")))
def test_action_runs_the_task_of_its_module(name):
    action = importlib.import_module(f"{PACKAGE}.action.{name}").ActionModule
    assert issubclass(action, InProcessAction)
    task = getattr(importlib.import_module(f"{PACKAGE}.modules.{name}"), "TASK", action.task)
    # Only the action of the survey differs: it shows progress, which a module cannot.
    assert action.task is task or (name == "survey_info" and isinstance(action.task, type(task)))
    assert task.name == name


def test_action_imports_the_libraries():
    code = f"import sys, {PACKAGE}.action.script_monitor; sys.exit(not {{'requests', 'urllib3'}} <= set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # our own code
