# SPDX-License-Identifier: GPL-3.0-or-later

"""A fleet in slices side by side, as the example for it runs them: one joined result. What they share is asked in tests/budget."""

import json
import sys
import typing as t
from pathlib import Path

import pytest

from harness.process import LOCAL, Place, execute

pytest.importorskip("ansible_runner")

EXAMPLE = Path(__file__).parents[2] / "examples" / "slices" / "run_slices.py"


def test_slices_give_one_result(simulator: t.Any, tmp_path: Path) -> None:
    """A zone that fails hides no other."""
    zones = [f"{number:032x}" for number in range(1, 4)]
    simulator.seed(zones=zones)
    hosts = {f"zone{number}": {"zone_id": zone} for number, zone in enumerate(zones)} | {"astray": {"zone_id": "none"}}
    place = Place(tmp_path)
    task = {"edgeops.observability.script_monitor": {"zone_id": "{{ zone_id }}", "enabled": True}}
    playbook = place.write("play.yml", [{"hosts": "all", "gather_facts": False, "tasks": [task]}])
    inventory = place.write("inventory.yml", {"all": {"vars": LOCAL, "hosts": hosts}})
    command = [sys.executable, str(EXAMPLE), "--inventory", str(inventory), "--playbook", str(playbook), "--slices", "2"]
    returncode, stdout, stderr = execute(command, {**place.environment(2), **simulator.environment()}, place.input, 300)
    assert returncode == 1, stdout + stderr
    assert json.loads(stdout[stdout.index("{") :]) == {**dict.fromkeys(hosts, "changed"), "astray": "failures"}
    assert all(simulator.state(zone)["script_monitor"]["enabled"] for zone in zones)
