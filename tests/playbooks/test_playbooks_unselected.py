# SPDX-License-Identifier: GPL-3.0-or-later

"""What Ansible asks of a playbook without running it, and tags that select none of its plays."""

import pytest
from zone_runs import fleet

NAMES = ("adopt", "check", "deliver", "survey", "verify_evidence")
OWN = {
    "name": "Mine",
    "hosts": "localhost",
    "gather_facts": False,
    "tags": ["mine"],
    "tasks": [{"ansible.builtin.debug": {"msg": "mine"}}],
}


@pytest.mark.every_core
@pytest.mark.parametrize("argument", ["--syntax-check", "--list-tasks", "--list-hosts", "--tags=mine"])
def test_playbooks_can_be_listed_and_left_out(playbook, simulator, argument):
    """Plays whose hosts come from what the run registers have none of them then; nothing fails, and nothing is sent."""
    imported = [{"import_playbook": f"edgeops.observability.{name}", "tags": [name]} for name in NAMES]
    report = playbook.run(playbook=[*imported, OWN], inventory=fleet(simulator, [{}]), arguments=(argument,))
    assert report.returncode == 0 and not report.journal
    assert argument != "--tags=mine" or [outcome.result["msg"] for outcome in report.outcomes] == ["mine"]
