# SPDX-License-Identifier: GPL-3.0-or-later

from pathlib import Path

import pytest
import yaml
from zone_runs import lists, modules, play, role_variables

from harness import documented

pytestmark = pytest.mark.every_core

GROUP = "group/edgeops.observability.zone"
EMPTY = {"CLOUDFLARE_BASE_URL": None, "CLOUDFLARE_API_TOKEN": None}
RUNTIME = Path(__file__).resolve().parents[2] / "meta" / "runtime.yml"
MODULES = yaml.safe_load(RUNTIME.read_text(encoding="utf-8"))["action_groups"]["zone"]
# It reads every zone, whatever the group says.
FLEET = "survey_info"


def test_defaults_of_the_group(playbook, simulator, zone):
    """The group gives its connection and its zone to every module but the survey, and to tasks of the role; what is nearer takes precedence."""
    connection = {"base_url": simulator.base_url, "api_token": "{{ token }}"}
    each = [documented.example(name) for name in MODULES]
    info, jobs = "edgeops.observability.script_monitor_info", "edgeops.observability.logpush_job_info"
    nearer = [
        {"name": "the group's", info: {}, "ignore_errors": True},
        {"name": "the module's", jobs: {}, "ignore_errors": True},
        {"name": "the task's", info: {"zone_id": zone}},
    ]
    base = {"hosts": "all", "gather_facts": False}
    plays = [
        {**base, "module_defaults": {GROUP: {**connection, "zone_id": zone}}, "tasks": each},
        {**base, "module_defaults": {GROUP: {**connection, "zone_id": "ab"}, jobs: {"zone_id": "cd"}}, "tasks": nearer},
    ]
    variables = role_variables(zone, custom_fields=lists(request=["x-b"]), script_monitor_enabled=True)
    ways = ("roles", "import_role", "include_role")
    plays += [play(variables, how=how, module_defaults={GROUP: connection}) for how in ways]
    report = playbook.run(playbook=plays, extra_vars={"token": simulator.token}, env=EMPTY, fails="not_found")
    found, rest = report.ours[: len(MODULES)], report.ours[len(MODULES) :]
    assert sorted(outcome.module for outcome in found) == sorted(MODULES)
    assert all(outcome.journal for outcome in found)
    requests = [entry for outcome in found if outcome.module != FLEET for entry in outcome.journal]
    assert {entry["zone"] for entry in requests if not entry["path"].endswith("/graphql")} == {zone}
    assert [{entry["zone"] for entry in outcome.journal} for outcome in rest[:3]] == [{"ab"}, {"cd"}, {zone}]
    assert [outcome.status for outcome in modules(report, "zone_observability")[-3:]] == ["ok"] * 3


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
