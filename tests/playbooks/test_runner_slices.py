# SPDX-License-Identifier: GPL-3.0-or-later

"""A fleet in four slices side by side, as the example for it runs them: one budget of requests, one joined result."""

from __future__ import annotations

import json
import sys
import time
import typing as t
from pathlib import Path

import pytest

from harness.process import LOCAL, Place, execute

pytest.importorskip("ansible_runner")

EXAMPLE = Path(__file__).parents[2] / "examples" / "slices" / "run_slices.py"
ZONES = [f"{number:032x}" for number in range(1, 17)]
REQUESTS, SECONDS = 8, 4


def test_four_slices_keep_one_budget(simulator: t.Any, tmp_path: Path) -> None:
    """A zone that fails hides no other."""
    simulator.seed(zones=ZONES)
    hosts = {f"zone{number}": {"zone_id": zone} for number, zone in enumerate(ZONES)} | {"astray": {"zone_id": "none"}}
    options = {"zone_id": "{{ zone_id }}", "enabled": True, "request_budget": f"{REQUESTS}/{SECONDS}", "retries": 0}
    place = Place(tmp_path)
    play = {"hosts": "all", "gather_facts": False, "tasks": [{"edgeops.observability.script_monitor": options}]}
    playbook = place.write("play.yml", [play])
    inventory = place.write("inventory.yml", {"all": {"vars": LOCAL, "hosts": hosts}})
    command = [sys.executable, str(EXAMPLE), "--inventory", str(inventory), "--playbook", str(playbook), "--slices", "4"]
    started = time.monotonic()
    returncode, stdout, stderr = execute(command, {**place.environment(2), **simulator.environment()}, place.input, 300)
    assert returncode == 1, stdout + stderr
    assert json.loads(stdout[stdout.index("{") :]) == {**dict.fromkeys(hosts, "changed"), "astray": "failures"}
    assert all(simulator.state(zone)["script_monitor"]["enabled"] for zone in ZONES)
    moments = sorted(entry["monotonic"] for entry in simulator.journal())
    assert len(moments) == 2 * len(ZONES)
    # However late a request comes, it was not counted before its turn.
    assert moments[-1] - started >= (len(moments) // REQUESTS - 1) * SECONDS
    # A request is counted just before it is sent, and noted when it has come: on a busy machine some time is lost on the way.
    assert max(within(moments, SECONDS - 2)) <= REQUESTS
    assert max(within(moments, SECONDS)) > REQUESTS // 4, "no slice ran beside another"


def within(moments: list[float], seconds: float) -> list[int]:
    """How many moments there are in the seconds after each."""
    return [sum(begin <= moment < begin + seconds for moment in moments) for begin in moments]
