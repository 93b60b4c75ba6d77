# SPDX-License-Identifier: GPL-3.0-or-later

"""Variables of the collection can be set in every place that Ansible supports."""

import itertools
import json
import typing as t
from pathlib import Path

import pytest
from zone_runs import GO_ON, fleet, imported

from harness import Playbook
from harness.process import LOCAL

every_core = pytest.mark.every_core


MONITORED = {"log_delivery_script_monitor_enabled": True}


def test_rails_and_gates_of_an_import(playbook: Playbook, simulator: t.Any) -> None:
    """A rail or a gate applies if it is set as in the guide for controllers."""
    hosts = fleet(simulator, [{"job": None, "script_monitor_enabled": enabled} for enabled in (True, False)])
    plays = [
        imported("deliver", edgeops_max_changed_zones=0),
        GO_ON,
        imported("check", edgeops_fail_on=["drifted"]),
        GO_ON,
        imported("deliver", edgeops_approved_plan_id="sha256:" + "0" * 64),
    ]
    report = playbook.run(playbook=plays, inventory=hosts, fails="ansible")
    said = [outcome.result["msg"] for outcome in report.failures if outcome.host == "zone0"]
    named = ("edgeops_max_changed_zones", "fail_on drifted", "edgeops_approved_plan_id")
    assert [name in message for name, message in zip(named, said, strict=True)] == [True] * 3, said
    assert report.returncode != 0 and not report.writes


# The places of variables in Ansible, from the lowest to the highest precedence.
PLACES = ("default", "all", "adjacent", "host", "play", "file", "role", "block", "task", "included", "fact", "extra")
ASKING = """
from ansible.plugins.action import ActionBase
from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import HostVariables


class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        hosts = HostVariables(self._task, task_vars, self._templar, self._loader)
        names = [name for name in hosts.of("second") if name.startswith("edgeops_")]
        return {"found": {name: hosts.host("second").value(name) for name in names}}
"""


@every_core
def test_variables_are_read_from_every_place(playbook: Playbook, tmp_path: Path) -> None:
    """Variables of other hosts than that of the task have the precedence that Ansible uses for a task of that host."""
    # One variable for each place, and one for each pair of neighbours; the value is the name of the place.
    names = {place: [f"edgeops_{place}", f"edgeops_{place}_and_more"] for place in PLACES}
    for lower, higher in itertools.pairwise(PLACES):
        names[higher].append(f"edgeops_{lower}_and_more")
    of = {place: dict.fromkeys(of_place, f"{{{{ '{place}' ~ own }}}}") for place, of_place in names.items()}
    writes = {
        "roles/ours/defaults/main.yml": of["default"],
        "roles/ours/vars/main.yml": of["role"],
        "group_vars/all.yml": of["adjacent"],
        "file.yml": of["file"],
        "included.yml": of["included"],
        "roles/ours/tasks/main.yml": [
            {"ansible.builtin.include_vars": {"file": "{{ playbook_dir }}/included.yml"}},
            {"ansible.builtin.set_fact": of["fact"]},
            {
                "block": [{"name": "Ask", "asking": {}, "vars": of["task"], "run_once": True}],
                "vars": of["block"],
            },
        ],
        "play.yml": [
            {"hosts": "all", "gather_facts": False, "vars_files": ["file.yml"], "roles": ["ours"]},
        ],
        "site.yml": [{"ansible.builtin.import_playbook": "play.yml", "vars": of["play"]}],
        "hosts.yml": {
            "all": {
                "vars": {**LOCAL, **of["all"]},
                "hosts": {"first": {"own": "-1"}, "second": {"own": "-2", **of["host"]}},
            }
        },
        "library/asking.py": "",
        "action_plugins/asking.py": ASKING,
    }
    for name, content in writes.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    report = playbook.launch(tmp_path / "site.yml", inventory=tmp_path / "hosts.yml", extra_vars=of["extra"])
    assert report.returncode == 0, str(report)
    (answer,) = [outcome.result["found"] for outcome in report.outcomes if outcome.name.endswith("Ask")]
    winners = {name: place for place in PLACES for name in names[place]}
    del answer["edgeops_verify_token"]  # set by the harness
    assert answer == {name: f"{place}-2" for name, place in winners.items()}


def test_audit_of_hosts_by_their_variables(playbook: Playbook, zone: str) -> None:
    """A forgotten baseline is no empty one: by that, every script would be new. The playbook `check` says for such a host that nothing is authorised.

    With both ids a host is a zone, in its tasks and in the report, even if its task fails before it has an address. The report is written
    to the working directory, whatever PWD says.
    """
    playbook.simulator.seed(zones=[zone], script_monitor={zone: {"enabled": True}})
    audited = {"zone_id": zone, "edgeops_audit_scripts": True, "log_delivery_script_monitor_enabled": True}
    name = "edgeops_script_baseline"
    hosts = {
        "unset": {},
        "null": {name: None},
        "empty_text": {name: ""},
        "empty": {name: []},
        "text": {name: "[]"},
        "own": {"own": []},
    }
    inventory = {host: audited | variables for host, variables in hosts.items()}
    task = {"edgeops.observability.script_audit": {"baseline": "{{ own | default(omit) }}"}, "ignore_errors": True}
    inventory["undefined"] = audited | {name: "{{ nowhere }}"}
    both = {"account_id": playbook.simulator.account, **MONITORED}
    inventory["both"] = {"zone_id": zone, **both}
    inventory["failed"] = {"zone_id": "f" * 32, **both, "log_delivery_job": {"name": "{{ nowhere }}"}}
    play = {"hosts": [*hosts], "gather_facts": False, "tasks": [task]}
    plays = [play, imported("check", edgeops_report_dir="report")]
    fails = ("ansible", "invalid_option")
    report = playbook.run(playbook=plays, inventory=inventory, fails=fails, env={"PWD": str(playbook.folder)})
    audits = [outcome for outcome in report.ours if outcome.module == "script_audit"]
    said = {outcome.host: outcome.result.get("msg", "") for outcome in audits[: len(hosts)]}
    refused = "edgeops_script_baseline: missing required arguments: baseline"
    assert said == {**dict.fromkeys(hosts, ""), **dict.fromkeys(("unset", "null", "empty_text"), refused)}
    of_check = {outcome.host: outcome for outcome in audits[len(hosts) :]}
    assert {host for host, outcome in of_check.items() if outcome.result.get("failed")} == {"undefined"}
    assert of_check.keys() == {*hosts, "undefined"} and "'nowhere' is undefined" in of_check["undefined"].result["msg"]
    rows = json.loads((report.folder / "input" / "report" / "report.json").read_text(encoding="utf-8"))["zones"]
    found = {row["zone"]: (row["scope"], row["zone_id"]) for row in rows}
    assert found == {**dict.fromkeys(inventory, ("zone", zone)), "failed": ("zone", "f" * 32)}
    assert {entry["zone"] for entry in report.journal} == {zone}
