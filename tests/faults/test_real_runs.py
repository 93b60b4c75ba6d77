# SPDX-License-Identifier: GPL-3.0-or-later

"""A few cells of the fault matrix through the real role: the way there makes no difference."""

from __future__ import annotations

import pytest
from faults.observed import observed, start, undisturbed
from faults.oracle import OK, ONCE, ROWS, expected
from faults.scenarios import SCENARIOS
from zone_runs import play, role_variables

from harness import Playbook

# Waiting costs nothing here either: at most one further try.
DEFAULTS = {"group/edgeops.observability.zone": {"retries": 1}}


@pytest.mark.parametrize(
    ("name", "index", "fault"),
    [
        ("manage-zone", 3, "truncated"),
        ("manage-zone", 5, "reset-after"),
        ("manage-zone", 7, "503"),
        ("manage-account", 2, "504-after"),
    ],
)
def test_role_ends_as_the_table_says(simulator, tmp_path, cases, name, index, fault):
    """The role ends as the table says, and converges."""
    scenario = SCENARIOS[name]
    reference = undisturbed(simulator, name)
    start(simulator, name)
    playbook = Playbook(simulator, scenario.address.id, tmp_path)
    deliver = {**play(role_variables(**scenario.address.named, **scenario.args)), "module_defaults": DEFAULTS}
    verdict, _tries = expected(ROWS[fault], scenario.requests, index, ONCE)
    simulator.faults({**ROWS[fault].fault, "index": index})
    report = playbook.run(playbook=[deliver], fails=None if verdict == OK else verdict, verbosity=0)
    assert report.journal[index]["fault"]
    again = playbook.run(playbook=[deliver, deliver], verbosity=0)
    assert observed(simulator, name) == reference.after
    second = again.ours[len(again.ours) // 2 :]  # of the two plays
    assert not any(outcome.result["changed"] for outcome in second)
    assert verdict != OK or not again.writes
    cases["fault matrix: through the real role"] += 1
