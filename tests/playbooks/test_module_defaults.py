# SPDX-License-Identifier: GPL-3.0-or-later

from pathlib import Path

import pytest
import yaml
from zone_runs import lists, modules, play, role_variables

from harness import documented

GROUP = "group/edgeops.observability.zone"
EMPTY = {"CLOUDFLARE_BASE_URL": None, "CLOUDFLARE_API_TOKEN": None}
RUNTIME = Path(__file__).resolve().parents[2] / "meta" / "runtime.yml"
MODULES = yaml.safe_load(RUNTIME.read_text(encoding="utf-8"))["action_groups"]["zone"]
# The account in the examples of modules for accounts.
ACCOUNT = "9a7806061c88ada191ed06f989cc3dac"
# Reads all zones, so that the default zone of the group does not apply.
OF_A_TOKEN = ("survey_info", "token_info")


@pytest.mark.every_core
def test_group_defaults_apply_to_modules(playbook, simulator, zone):
    """The group sets connection and zone of all modules except those about a token, and of the role; options of a task take precedence."""
    connection = {"base_url": simulator.base_url, "api_token": "{{ token }}"}
    simulator.seed(accounts=[ACCOUNT])
    examples = [documented.example(name) for name in MODULES]
    info, jobs = "edgeops.observability.script_monitor_info", "edgeops.observability.logpush_job_info"
    nearer = [
        {"name": "the group's", info: {}, "ignore_errors": True},
        {"name": "the module's", jobs: {}, "ignore_errors": True},
        {"name": "the task's", info: {"zone_id": zone}},
    ]
    base = {"hosts": "all", "gather_facts": False}
    plays = [
        {**base, "module_defaults": {GROUP: {**connection, "zone_id": zone}}, "tasks": examples},
        {**base, "module_defaults": {GROUP: {**connection, "zone_id": "ab"}, jobs: {"zone_id": "cd"}}, "tasks": nearer},
    ]
    variables = role_variables(zone, custom_fields=lists(request=["x-b"]), script_monitor_enabled=True)
    ways = ("roles", "import_role", "include_role")
    plays += [play(variables, how=how, module_defaults={GROUP: connection}) for how in ways]
    report = playbook.run(
        playbook=plays, extra_vars={"token": simulator.token}, env=EMPTY, fails="not_found", warns=["ownership_challenge"]
    )
    outcomes, rest = report.ours[: len(MODULES)], report.ours[len(MODULES) :]
    assert sorted(outcome.module for outcome in outcomes) == sorted(MODULES)
    assert all(outcome.journal for outcome in outcomes)
    requests = [entry for outcome in outcomes if outcome.module not in OF_A_TOKEN for entry in outcome.journal]
    assert {entry["zone"] or entry["account"] for entry in requests if entry["path"] != "/graphql"} == {zone, ACCOUNT}
    assert [{entry["zone"] for entry in outcome.journal} for outcome in rest[:3]] == [{"ab"}, {"cd"}, {zone}]
    assert [outcome.status for outcome in modules(report, "zone_observability")[-3:]] == ["ok"] * 3


def test_address_of_the_host_applies_to_tasks(playbook, simulator, zone):
    """The first of zone_id, account_id and zone_name that the module supports is used; an address in the task takes precedence.

    An unsupported address is ignored in module_defaults, and refused in the task.
    """
    simulator.seed(zones=[{"id": zone, "name": "shop.example"}])
    broken = "{{ nowhere }}"
    hosts = {
        "by_id": {"zone_id": zone, "account_id": broken, "zone_name": broken},
        "by_account": {"account_id": simulator.account, "zone_name": broken},
        "by_name": {"zone_id": "", "account_id": None, "zone_name": "shop.example"},
        "as_module": {"zone_id": zone, "account_id": simulator.account, "edgeops_in_process": False},
        "own": {"zone_id": broken, "own": {"zone_id": zone}},
        "broken": {"zone_id": broken, "zone_name": "shop.example"},
        "nested": {"zone_id": "{{ inner }}", "inner": broken, "edgeops_in_process": False},
        "nothing": {},
        "nothing_as_module": {"edgeops_in_process": False},
    }
    own = {"zone_id": "{{ (own | default({})).zone_id | default('') }}"}
    jobs = {"name": "Jobs", "edgeops.observability.logpush_job_info": own, "ignore_errors": True}
    fields = {"name": "Fields", "edgeops.observability.log_custom_fields_info": own, "ignore_errors": True}
    fields["vars"] = {"edgeops_in_process": True}  # an ordinary module takes long
    # An empty list of zones does not mean the zone of the host.
    delivery = {"name": "Delivery", "edgeops.observability.logpush_delivery_info": {"zone_ids": []}, "ignore_errors": True}
    defaults = {GROUP: {"account_id": simulator.account, "zone_id": zone}}
    info = "edgeops.observability.log_custom_fields_info"
    tasks = [
        {"name": "defaults", info: {}},
        {"name": "survey", "edgeops.observability.survey_info": {"delivery": False}},
        {"name": "empty", "edgeops.observability.logpush_job_info": {"zone_id": ""}},
        {"name": "own", "edgeops.observability.notification_policy_info": {"zone_id": "ab"}, "ignore_errors": True},
        {"name": "names", "edgeops.observability.notification_policy_info": {"zone_name": "a.example"}, "ignore_errors": True},
    ]
    both = {"name": "task", info: {"zone_id": zone, "account_id": "ab"}, "ignore_errors": True}
    plays = [
        {"hosts": "all", "gather_facts": False, "tasks": [jobs, fields]},
        {"hosts": "by_id", "gather_facts": False, "tasks": [delivery]},
        {"hosts": "nothing", "gather_facts": False, "module_defaults": defaults, "tasks": tasks},
        {"hosts": "nothing", "gather_facts": False, "tasks": [both]},
    ]
    report = playbook.run(playbook=plays, inventory=hosts, fails=("invalid_option",))
    assert report.named("Delivery").result["msg"] == "zone_ids: the list is empty"
    read, fields_of = ({o.host: o.result for o in report.ours if o.name == name} for name in ("Jobs", "Fields"))
    in_zone = ("by_id", "by_name", "as_module", "own")
    failed = {"broken", "nested", "nothing", "nothing_as_module"}
    assert {host for host, result in read.items() if result.get("zone_id") == zone} == {*in_zone}
    assert read["by_account"]["account_id"] == simulator.account
    assert {host for host, result in read.items() if result.get("failed")} == failed
    for host in ("broken", "nested"):
        assert read[host]["msg"].startswith("zone_id: cannot be evaluated: ") and "nowhere" in read[host]["msg"]
    for host in ("nothing", "nothing_as_module"):
        assert repr(host) in read[host]["msg"] and "edgeops.observability.zones" in read[host]["msg"]
    # The module does not support accounts: it ignores the account of the host, and evaluates the zone name.
    assert {host for host, result in fields_of.items() if result.get("failed")} == {*failed, "by_account"}
    assert fields_of["by_account"]["msg"].startswith("zone_name: cannot be evaluated: ")
    assert report.named("defaults").result["zone_id"] == zone
    assert report.named("survey").result["zones"]
    assert report.named("empty").result["account_id"] == simulator.account
    assert "zone_id" in report.named("own").result["msg"] and "zone_name" in report.named("names").result["msg"]
    assert "account_id" in report.named("task").result["msg"]


def test_connection_of_the_host_applies_to_tasks(playbook, simulator, zone):
    """Options of the task or module_defaults take precedence; all credentials are those of the first place that has any."""
    address = {"zone_id": zone}
    right = {"edgeops_base_url": simulator.base_url, "edgeops_api_token": simulator.token}
    # Nothing listens on this port, so that its use fails at once.
    nowhere = "http://127.0.0.1:1"
    hosts = {
        "full": address | right | {"edgeops_timeout": "{{ 20 + 2 }}", "edgeops_retries": 0, "edgeops_request_budget": "none"},
        "as_module": address | right | {"edgeops_in_process": "{{ 1 > 2 }}"},
        "own": address | right | {"edgeops_base_url": nowhere, "given": {"base_url": simulator.base_url}},
        "own_empty": address | right | {"given": {"base_url": "", "api_token": ""}},
        "elsewhere": address | right | {"edgeops_base_url": nowhere, "edgeops_retries": 0},
        # The key of the task replaces the token of the host, and is wrong.
        "own_key": address | right | {"given": {"api_email": "me@shop.example", "api_key": "planted-key-77"}},
        "half": address | right | {"edgeops_api_token": None, "edgeops_api_key": "planted-key-78"},
        "half_as_module": address
        | right
        | {"edgeops_api_token": "", "edgeops_api_key": "planted-key-78", "edgeops_in_process": False},
        "text": address | right | {"edgeops_timeout": "soon"},
        "text_as_module": address | right | {"edgeops_timeout": "soon", "edgeops_in_process": False},
        "bound": address | right | {"edgeops_timeout": 4000},
        "undefined": address | right | {"edgeops_ca_path": "{{ certificates }}/ca.pem"},
        "switch": address | right | {"edgeops_in_process": "ture"},
    }
    options = ("base_url", "api_token", "api_email", "api_key")
    own = {name: f"{{{{ own.{name} | default(omit) }}}}" for name in options}
    task = {
        "name": "Read the jobs",
        "edgeops.observability.logpush_job_info": own,
        "vars": {"own": "{{ given | default({}) }}"},
        "ignore_errors": True,
    }
    play = {"name": "Read", "hosts": "all", "gather_facts": False, "tasks": [task]}
    fails = ("invalid_option", "unavailable", "authentication")
    report = playbook.run(playbook=[play], inventory=hosts, env=EMPTY, fails=fails, secrets=["planted-key-77", "planted-key-78"])
    results = {outcome.host: outcome.result for outcome in report.ours}
    assert {host for host, result in results.items() if not result.get("failed")} == {"full", "as_module", "own", "own_empty"}
    assert {host: results[host]["error"]["kind"] for host in ("elsewhere", "own_key")} == {
        "elsewhere": "unavailable",
        "own_key": "authentication",
    }
    for host, start in {
        "half": "edgeops_api_email: ",
        "text": "edgeops_timeout: ",
        "bound": "edgeops_timeout: 4000",
        "undefined": "edgeops_ca_path: cannot be evaluated: ",
        "switch": "edgeops_in_process: must be true or false",
    }.items():
        assert results[host]["msg"].startswith(start)
    for host in ("half", "text"):
        assert results[host]["msg"] == results[f"{host}_as_module"]["msg"]
