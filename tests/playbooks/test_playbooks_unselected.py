# SPDX-License-Identifier: GPL-3.0-or-later

"""What Ansible asks of a playbook without running it (its syntax is part of that), and tags that select none of its plays."""

import pytest
from zone_runs import fleet, imported

NAMES = ("adopt", "check", "deliver", "survey", "verify_evidence")
OWN = {
    "name": "Mine",
    "hosts": "localhost",
    "gather_facts": False,
    "tags": ["mine"],
    "tasks": [{"ansible.builtin.debug": {"msg": "mine"}}],
}


LISTS = ("--list-hosts", "--list-tasks")
NOT_RUN = [
    LISTS,
    pytest.param(("--tags=mine",), marks=pytest.mark.every_core),
]


@pytest.mark.parametrize("arguments", NOT_RUN)
def test_playbooks_can_be_listed_and_left_out(playbook, simulator, arguments):
    """Plays whose hosts come from what the run registers have none of them then; nothing fails, and nothing is sent."""
    imports = [{**imported(name), "tags": [name]} for name in NAMES]
    report = playbook.run(playbook=[*imports, OWN], inventory=fleet(simulator, [{}]), arguments=arguments)
    assert report.returncode == 0 and not report.journal
    assert arguments != LISTS or ("    hosts (" in report.stdout and "    tasks:" in report.stdout)
    assert arguments != ("--tags=mine",) or [outcome.result["msg"] for outcome in report.outcomes] == ["mine"]
