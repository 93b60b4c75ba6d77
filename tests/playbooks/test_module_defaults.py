# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from zone_runs import lists, modules, play, role_variables

from harness import documented

GROUP = "group/edgeops.observability.zone"
EMPTY = {"CLOUDFLARE_BASE_URL": None, "CLOUDFLARE_API_TOKEN": None}
RUNTIME = Path(__file__).resolve().parents[2] / "meta" / "runtime.yml"
MODULES = yaml.safe_load(RUNTIME.read_text(encoding="utf-8"))["action_groups"]["zone"]
# It reads every zone, whatever the group says.
FLEET = "survey_info"


def connection(simulator, **further):
    """The whole connection, so that nothing is left to come from the environment."""
    return {GROUP: {"base_url": simulator.base_url, "api_token": "{{ token }}", **further}}


@pytest.mark.every_core
def test_group_defaults_apply_to_every_module(playbook, simulator, zone):
    """The group gives every module its connection and its zone, which only the survey ignores."""
    desired = {
        "name": "Use the defaults",
        "hosts": "all",
        "gather_facts": False,
        "module_defaults": connection(simulator, zone_id=zone),
        "tasks": [documented.example(name) for name in MODULES],
    }
    report = playbook.run(playbook=[desired], extra_vars={"token": simulator.token}, env=EMPTY)
    assert sorted(outcome.module for outcome in report.ours) == sorted(MODULES)
    assert all(outcome.journal for outcome in report.ours)
    requests = [entry for outcome in report.ours if outcome.module != FLEET for entry in outcome.journal]
    assert {entry["zone"] for entry in requests if not entry["path"].endswith("/graphql")} == {zone}


def test_the_group_reaches_the_tasks_of_the_role(playbook, simulator, zone):
    variables = role_variables(zone, custom_fields=lists(request=["x-a"]), script_monitor_enabled=True)
    ways = ("roles", "import_role", "include_role")
    plays = [play(variables, how=how, module_defaults=connection(simulator)) for how in ways]
    report = playbook.run(playbook=plays, extra_vars={"token": simulator.token}, env=EMPTY)
    assert [outcome.result["changed"] for outcome in modules(report, "zone_observability")] == [True, False, False]


def test_task_and_module_defaults_take_precedence(playbook, simulator, zone):
    """Options of the task, and defaults of the module, take precedence over those of the group."""
    tasks = [
        {"name": "The group's", "edgeops.observability.script_monitor_info": {}},
        {"name": "The module's", "edgeops.observability.logpush_job_info": {}},
        {"name": "The task's", "edgeops.observability.script_monitor_info": {"zone_id": zone}},
    ]
    defaults = {**connection(simulator, zone_id="ab"), "edgeops.observability.logpush_job_info": {"zone_id": "cd"}}
    report = playbook.run(
        [{**task, "ignore_errors": True} for task in tasks],
        module_defaults=defaults, extra_vars={"token": simulator.token}, env=EMPTY, fails="not_found", warns=["script monitor of the zone is disabled"],
    )  # fmt: skip
    assert [{entry["zone"] for entry in outcome.journal} for outcome in report.ours] == [{"ab"}, {"cd"}, {zone}]
    assert modules(report, "script_monitor_info")[1].status == "ok"


@pytest.mark.every_core
def test_a_task_takes_the_address_of_its_host(playbook, simulator, zone):
    """The first of zone_id, account_id and zone_name counts; an address of the task takes precedence, and it is not taken unasked."""
    simulator.seed(zones=[{"id": zone, "name": "shop.example"}])
    broken = "{{ nowhere }}"
    hosts = {
        "by_id": {"zone_id": zone, "account_id": broken, "zone_name": broken},
        "by_account": {"account_id": simulator.account, "zone_name": broken},
        "by_name": {"zone_name": "shop.example"},
        "as_module": {"zone_id": zone, "edgeops_in_process": False},
        "own": {"zone_id": broken, "own": {"zone_id": zone}},
        "broken": {"zone_id": broken, "zone_name": "shop.example"},
        "unasked": {"zone_id": zone, "asks": False},
        "nothing": {},
    }
    task = {
        "name": "Read the jobs",
        "edgeops.observability.logpush_job_info": {
            "zone_id": "{{ (own | default({})).zone_id | default(None) }}",
            "host_address": "{{ asks | default(true) }}",
        },
        "ignore_errors": True,
    }
    desired = {"name": "Read", "hosts": "all", "gather_facts": False, "tasks": [task]}
    report = playbook.run(playbook=[desired], inventory=hosts, fails=("invalid_option", "ansible"))
    results = {outcome.host: outcome.result for outcome in report.ours}
    assert {host: result["zone_id"] for host, result in results.items() if "zone_id" in result} == dict.fromkeys(
        ("by_id", "by_name", "as_module", "own"), zone
    )
    assert results["by_account"]["account_id"] == simulator.account
    assert {host for host, result in results.items() if result.get("failed")} == {"broken", "unasked", "nothing"}
    assert "nowhere" in results["broken"]["msg"]
