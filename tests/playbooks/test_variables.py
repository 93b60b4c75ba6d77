# SPDX-License-Identifier: GPL-3.0-or-later

"""Every place from which Ansible lets a variable of the collection come."""

import pytest

from harness import Playbook

pytestmark = pytest.mark.every_core


@pytest.mark.parametrize(
    ("name", "variables", "said"),
    [
        ("deliver", {"edgeops_max_changed_zones": 0}, "edgeops_max_changed_zones"),
        ("deliver", {"edgeops_approved_plan_id": "sha256:" + "0" * 64}, "edgeops_approved_plan_id"),
        ("check", {"edgeops_fail_on": ["drifted"]}, "edgeops_fail_on"),
        ("check", {"edgeops_fial_on": ["drifted"]}, "(did you mean 'edgeops_fail_on'?)"),
        ("check", {"edgeops_target": "nobody"}, "no host for 'nobody'"),
    ],
)
def test_variables_of_an_import(playbook: Playbook, name: str, variables: dict[str, object], said: str) -> None:
    """A rail or a gate holds where the guide for controllers puts it."""
    host = {"zone_id": playbook.zone, "log_delivery_script_monitor_enabled": True}
    imported = {"name": "Ours", "ansible.builtin.import_playbook": f"edgeops.observability.{name}", "vars": variables}
    report = playbook.launch([imported], inventory={"shop": host})
    assert report.returncode != 0 and said in report.stdout + report.stderr
    assert not [entry for entry in report.journal if entry["method"] != "GET"]
