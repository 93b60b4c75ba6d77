# SPDX-License-Identifier: GPL-3.0-or-later

"""Playbooks refuse invalid variables before any request: in their first task, and for the run as a whole."""

import typing as t
from pathlib import Path

import pytest
import yaml

from harness import CORE, Playbook

VALIDATE = "edgeops.observability.validate_variables"
# What `check` and `deliver` run after it, before they read any zone.
REPORT = {"edgeops.observability.audit_report": {"validate_only": True}}
PLAN = {"edgeops.observability.delivery_plan": {"validate_only": True}}
ANY: dict[str, t.Any] = {VALIDATE: {}}
# The first task of `check`, with variables of its play.
FIRST, *_others = yaml.safe_load((Path(__file__).resolve().parents[2] / "playbooks/check.yml").read_text(encoding="utf-8"))
(CHECK,) = FIRST["tasks"]
# Hosts with their variables, the task, and the start of the message.
CASES: tuple[tuple[dict[str, dict[str, t.Any]], dict[str, t.Any], str], ...] = (
    ({}, {VALIDATE: {"hosts": []}}, "edgeops_target: the inventory and its limit contain no host for 'all'"),
    ({"a0": {"edgeops_target": "a0"}}, ANY, "edgeops_target: is set in the inventory"),
    (
        {"a1": {"edgeops_fial_on": []}},
        ANY,
        "edgeops_fial_on: there is no such variable (did you mean 'edgeops_fail_on'?), set for a1",
    ),
    (
        {"a2": {"edgeops_waivers": [{"reason": "{{ nowhere }}"}]}},
        ANY,
        "edgeops_waivers: cannot be evaluated: 'nowhere' is undefined",
    ),
    (
        {"b0": {"log_delivery_jbos": []}, "b1": {}},
        ANY,
        "log_delivery_jbos: there is no such variable (did you mean 'log_delivery_jobs'?), set for b0",
    ),
    ({"b2": {"edgeops_approved_plan_id": "{{ nowhere }}"}}, ANY, "edgeops_approved_plan_id: cannot be evaluated: "),
    ({"b3": {"edgeops_allow": "{{ nowhere }}"}}, ANY, "edgeops_allow: cannot be evaluated: 'nowhere' is undefined"),
    # A rail applies to the whole run, so that the value of another host than the first would be ignored.
    (
        {"b4": {"edgeops_max_changed_zones": 5}, "b5": {"edgeops_max_changed_zones": 6}},
        ANY,
        "edgeops_max_changed_zones: is not the same for all hosts",
    ),
    ({"b6": {}}, CHECK | {"vars": {"edgeops_target": ["b6"]}}, "edgeops_target: must be a string"),
    (
        {"b7": {}},
        CHECK | {"vars": {"edgeops_target": "nobody"}},
        "edgeops_target: the inventory and its limit contain no host for 'nobody'",
    ),
    (
        {"b8": {}},
        CHECK | {"vars": {"edgeops_fial_on": ["drifted"]}},
        "edgeops_fial_on: there is no such variable (did you mean 'edgeops_fail_on'?)",
    ),
    ({"c0": {}}, {VALIDATE: {"required": ["edgeops_adopt_dir"]}}, "edgeops_adopt_dir: is required"),
    ({"d0": {"edgeops_survey": {"name": ["a"]}}}, ANY, "edgeops_survey.name: not an option of a survey"),
    ({"d3": {"edgeops_survey": {"account_ids": ["x y"]}}}, ANY, "edgeops_survey.account_ids[0]: 'x y' is not 1 to 32"),
    ({"d4": {"edgeops_audit_scripts": "ture"}}, ANY, "edgeops_audit_scripts: must be true or false"),
    ({"d1": {"edgeops_servey": {}}}, ANY, "edgeops_servey: there is no such variable"),
    ({"d2": {"edgeops_adopt_group": "../x"}}, ANY, "edgeops_adopt_group: '../x' cannot be"),
    ({"e0": {"edgeops_report_keep": -1}}, REPORT, "edgeops_report_keep: -1 is not a number from 0"),
    ({"e1": {"edgeops_report_formats": ["pdf"]}}, REPORT, "edgeops_report_formats: "),
    ({"e2": {"edgeops_report_put_url": "ftp://files.example"}}, REPORT, "edgeops_report_put_url: "),
    ({"e3": {"edgeops_report_put_url": "https://files.example/a?sig=b"}}, REPORT, "edgeops_report_put_url: it has a query"),
    (
        {"e4": {"edgeops_fail_on": "drifted, fnidings"}},
        REPORT,
        "edgeops_fail_on: 'fnidings' is no status, and no type of a finding or a note (did you mean 'findings'?)",
    ),
    ({"e5": {"edgeops_waivers": ["x"]}}, REPORT, "edgeops_waivers[0]: must be a dictionary"),
    ({"e6": {"edgeops_report_merge": "missing.json"}}, REPORT, "edgeops_report_merge[0]: "),
    ({"e7": {"edgeops_rates": {"foo": 1}}}, REPORT, "edgeops_rates.foo: unsupported parameter"),
    (
        {"e9": {"zone_id": "1", "edgeops_audit_delivery": True, "edgeops_monthly_budget_usd": 100}},
        REPORT,
        "edgeops_monthly_budget_usd: costs arise for an account, and no host of this run is one",
    ),
    (
        {"f0": {"edgeops_guard": False, "edgeops_approved_plan_id": "a"}},
        PLAN,
        "edgeops_approved_plan_id: needs edgeops_guard",
    ),
    ({"f1": {"edgeops_approved_report": "missing.json"}}, PLAN, "edgeops_approved_report: "),
)


def test_invalid_variables_are_refused(playbook: Playbook, tmp_path: Path) -> None:
    # The report in the folder is the previous one: what is wrong with it is said of the variable that was typed.
    (tmp_path / "report.json").write_text('{"schema_version": "1.0", "zo', encoding="utf-8")
    damaged = ({"e8": {"edgeops_report_dir": str(tmp_path)}}, REPORT, f"edgeops_report_dir: '{tmp_path}/report.json' is not JSON")
    cases = (*CASES, damaged)
    hosts = {name: variables for case_hosts, _task, _said in cases for name, variables in case_hosts.items()}
    plays = [
        {
            "hosts": [*case_hosts] or "localhost",
            "gather_facts": False,
            "vars": task.get("vars", {}),
            "tasks": [{**task, "vars": {}, "name": f"Case {number}", "run_once": True, "ignore_errors": True}],
        }
        for number, (case_hosts, task, _said) in enumerate(cases)
    ]
    # Newer versions of ansible-core add the warning to the result of the task.
    warns = ["Could not match supplied host pattern"] if CORE >= (2, 19) else []
    report = playbook.run(playbook=plays, inventory={"localhost": {}, **hosts}, fails="invalid_option", warns=warns)
    for number, (_hosts, _task, said) in enumerate(cases):
        message = report.named(f"Case {number}").result["msg"]
        assert message.startswith(said), message
    assert not report.journal


@pytest.mark.parametrize(
    ("name", "variables", "said"),
    [
        ("check", {"edgeops_target": "{{ nowhere }}"}, "edgeops_target: cannot be evaluated"),
        ("deliver", {"_edgeops_plan": {"written": ["zone0"]}}, "_edgeops_plan: is set by the collection itself"),
        ("adopt", {}, "edgeops_adopt_dir: is required"),
        (
            "survey",
            {"edgeops_survey": {"names": ["shop.example"]}, "edgeops_monthly_budget_usd": 5, "edgeops_verify_token": True},
            "edgeops_monthly_budget_usd: costs arise for an account, and a survey that names or statuses narrow reads none; add account_ids",
        ),
        ("verify_evidence", {}, "edgeops_evidence_dir: is required"),
    ],
)
def test_validation_is_the_first_task(playbook: Playbook, name: str, variables: dict[str, t.Any], said: str) -> None:
    """Each playbook validates its variables even if no zone can be reached, in each of the ways in which it does."""
    hosts = {"zone0": {"zone_id": playbook.zone, "ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 9}}
    report = playbook.run(playbook=f"edgeops.observability.{name}", inventory=hosts, extra_vars=variables, fails="invalid_option")
    assert report.failure["msg"].startswith(said), report.failure["msg"]
    assert report.returncode != 0 and not report.journal


def test_encrypted_variables_without_a_password_are_named(playbook: Playbook, tmp_path: Path) -> None:
    """The host whose file Ansible cannot read is named, with what to add, before any request."""
    (tmp_path / "host_vars").mkdir()
    (tmp_path / "host_vars" / "zone0.yml").write_text("$ANSIBLE_VAULT;1.1;AES256\n3030\n", encoding="utf-8")
    inventory = tmp_path / "hosts.yml"
    inventory.write_text(f"all: {{hosts: {{zone0: {{zone_id: '{playbook.zone}'}}}}}}\n", encoding="utf-8")
    report = playbook.run(playbook="edgeops.observability.check", inventory=inventory, fails="invalid_option")
    message = report.failure["msg"]
    assert message.startswith("the variables of zone0: cannot be read: ") and message.endswith("--vault-password-file"), message
    assert not report.journal
