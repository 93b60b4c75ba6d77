# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A few cells of the fault matrix through the real role and the real inventory: the way there makes no difference."""

from __future__ import annotations

import json

import pytest
from faults import scenarios
from faults.oracle import OK, ONCE, ROWS, expected
from faults.scenarios import SCENARIOS, ZONE
from zone_runs import job, lists, play, role_variables

from harness import Playbook
from harness.process import BIN, Place, execute

VARIABLES = role_variables(ZONE, job=job(), custom_fields=lists(["X-New"], [], ["Session"]), script_monitor_enabled=True)
# Waiting costs nothing here either: at most one further try.
PLAY = {**play(VARIABLES), "module_defaults": {"group/edgeops.observability.zone": {"retries": 1}}}


@pytest.mark.parametrize(
    ("index", "fault"), [(2, "504-after"), (3, "truncated"), (5, "reset-after"), (5, "502-html"), (6, "no-success"), (7, "503")]
)
def test_role_ends_as_the_table_says(simulator, tmp_path, cases, index, fault):
    """The role ends as the table says, and converges."""
    scenario = SCENARIOS["manage-zone"]
    simulator.reset(**scenario.seed())
    playbook = Playbook(simulator, ZONE, tmp_path)
    verdict, _tries = expected(ROWS[fault], scenario.requests, index, ONCE)
    simulator.faults({**ROWS[fault].fault, "index": index})
    report = playbook.run(playbook=[PLAY], fails=None if verdict == OK else verdict, verbosity=0)
    assert report.journal[index]["fault"]
    again = playbook.run(playbook=[PLAY, PLAY], verbosity=0)
    state = simulator.state(ZONE)
    ours = [found for found in state["jobs"] if (found["name"], found["dataset"]) == ("edge-logs", "http_requests")]
    assert len(ours) == 1 and state["script_monitor"]["enabled"] is True
    (ruleset,) = [found for found in state["rulesets"] if found["phase"] == scenarios.PHASE]
    assert [rule["action_parameters"]["request_fields"] for rule in ruleset["rules"]] == [[{"name": "x-new"}]]
    second = again.ours[len(again.ours) // 2 :]  # of the two plays
    assert not any(outcome.result["changed"] for outcome in second)
    assert verdict != OK or not again.writes
    cases["fault matrix: through the real role"] += 1


@pytest.mark.parametrize("fault", ["429-short", "reset", "no-result", "contradictory-info", "redirect"])
def test_the_inventory_lists_all_zones_or_none(simulator, tmp_path, cases, fault):
    place = Place(tmp_path)
    source = place.write("fleet.zones.yml", {"plugin": "edgeops.observability.zones"})
    verdict, _tries = expected(ROWS[fault], SCENARIOS["inventory"].requests, 1, ONCE)
    simulator.faults({**ROWS[fault].fault, "index": 1, **({"retry_after": 0} if fault == "429-short" else {})})
    environment = {**place.environment(1), **simulator.environment(), "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "true"}
    returncode, stdout, stderr = execute(
        [str(BIN / "ansible-inventory"), "-i", str(source), "--list"], environment, place.input, 60
    )
    if verdict == OK:
        assert returncode == 0, stderr
        assert len(json.loads(stdout)["_meta"]["hostvars"]) == len(simulator.zones)
    else:
        assert returncode != 0 and "hostvars" not in stdout and "Traceback" not in stderr
        assert f"{source}: " in stderr, stderr
    cases["fault matrix: through the real inventory"] += 1
