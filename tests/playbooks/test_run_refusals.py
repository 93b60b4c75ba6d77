# SPDX-License-Identifier: GPL-3.0-or-later

"""Playbooks refuse invalid variables before any request: in their first task, and for the run as a whole."""

import typing as t
from pathlib import Path

import pytest

from harness import Playbook

VALIDATE = "edgeops.observability.validate_variables"
# Hosts with their variables, options of the task, and the start of the message.
CASES: tuple[tuple[dict[str, dict[str, t.Any]], dict[str, t.Any], str], ...] = (
    ({}, {"hosts": []}, "edgeops_target: the inventory and its limit contain no host for 'all'"),
    ({"a0": {"edgeops_target": "a0"}}, {}, "edgeops_target: is set in the inventory"),
    (
        {"a1": {"edgeops_fial_on": []}},
        {},
        "edgeops_fial_on: there is no such variable (did you mean 'edgeops_fail_on'?), set for a1",
    ),
    (
        {"a2": {"edgeops_waivers": [{"reason": "{{ nowhere }}"}]}},
        {},
        "edgeops_waivers: cannot be evaluated: 'nowhere' is undefined",
    ),
    (
        {"b0": {"log_delivery_jbos": []}, "b1": {}},
        {},
        "log_delivery_jbos: there is no such variable (did you mean 'log_delivery_jobs'?), set for b0",
    ),
    ({"b2": {"edgeops_approved_plan_id": "{{ nowhere }}"}}, {}, "edgeops_approved_plan_id: cannot be evaluated: "),
    ({"b3": {"edgeops_allow": "{{ nowhere }}"}}, {}, "edgeops_allow: cannot be evaluated: 'nowhere' is undefined"),
    # A rail applies to the whole run, so that the value of another host than the first would be ignored.
    (
        {"b4": {"edgeops_max_changed_zones": 5}, "b5": {"edgeops_max_changed_zones": 6}},
        {},
        "edgeops_max_changed_zones: is not the same for all hosts",
    ),
    ({"c0": {}}, {"required": ["edgeops_adopt_dir"]}, "edgeops_adopt_dir: is required"),
    ({"d0": {"edgeops_survey": {"name": ["a"]}}}, {}, "edgeops_survey.name: not an option of a survey"),
)


def test_invalid_variables_are_refused(playbook: Playbook) -> None:
    hosts = {name: variables for given, _options, _said in CASES for name, variables in given.items()}
    plays = [
        {
            "hosts": [*given] or "localhost",
            "gather_facts": False,
            "tasks": [{"name": f"Case {number}", VALIDATE: options, "run_once": True, "ignore_errors": True}],
        }
        for number, (given, options, _said) in enumerate(CASES)
    ]
    report = playbook.run(playbook=plays, inventory={"localhost": {}, **hosts}, fails="invalid_option")
    for number, (_given, _options, said) in enumerate(CASES):
        message = report.named(f"Case {number}").result["msg"]
        assert message.startswith(said), message


@pytest.mark.parametrize(
    ("name", "variables", "said"),
    [
        ("check", {"edgeops_report_merge": "missing.json"}, "edgeops_report_merge[0]: "),
        ("check", {"edgeops_target": "{{ nowhere }}"}, "edgeops_target: cannot be evaluated"),
        ("check", {"edgeops_report_keep": -1}, "edgeops_report_keep: -1 is not a number from 0"),
        ("check", {"edgeops_report_formats": ["pdf"]}, "edgeops_report_formats: "),
        ("check", {"edgeops_report_put_url": "ftp://files.example"}, "edgeops_report_put_url: "),
        ("check", {"edgeops_audit_scripts": "ture"}, "edgeops_audit_scripts: must be true or false"),
        ("check", {"edgeops_fail_on": "drifted, fnidings"}, "edgeops_fail_on"),
        ("check", {"edgeops_waivers": ["x"]}, "edgeops_waivers[0]: must be a dictionary"),
        ("check", {"edgeops_report_put_url": "https://files.example/a?sig=b"}, "edgeops_report_put_url: it has a query"),
        ("deliver", {"edgeops_target": ["zone0"]}, "edgeops_target: must be a string"),
        ("deliver", {"edgeops_approved_report": "missing.json"}, "edgeops_approved_report: "),
        ("deliver", {"edgeops_guard": False, "edgeops_approved_plan_id": "a"}, "edgeops_approved_plan_id: needs edgeops_guard"),
        ("deliver", {"_edgeops_plan": {"written": ["zone0"]}}, "_edgeops_plan: is set by the collection itself"),
        ("deliver", {"log_delivery_result": {"changed": False}}, "log_delivery_result: is set by the collection itself"),
        ("adopt", {"edgeops_adopt_dir": "x", "edgeops_adopt_group": "../x"}, "edgeops_adopt_group: '../x' cannot be"),
        ("adopt", {}, "edgeops_adopt_dir: is required"),
        ("survey", {"edgeops_servey": {}}, "edgeops_servey: there is no such variable"),
        ("survey", {"edgeops_survey": {"account_ids": ["x y"]}}, "edgeops_survey.account_ids[0]: 'x y' is not 1 to 32"),
        ("verify_evidence", {}, "edgeops_evidence_dir: is required"),
    ],
)
def test_validation_is_the_first_task(playbook: Playbook, name: str, variables: dict[str, t.Any], said: str) -> None:
    """Variables are validated even if no zone can be reached; the message names the variable as the user typed it."""
    hosts = {"zone0": {"zone_id": playbook.zone, "ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 9}}
    warns = ["Could not match supplied host pattern"] if isinstance(variables.get("edgeops_target"), list) else []
    report = playbook.run(
        playbook=f"edgeops.observability.{name}", inventory=hosts, extra_vars=variables, fails="invalid_option", warns=warns
    )
    assert report.failure["msg"].startswith(said), report.failure["msg"]
    assert report.returncode != 0 and not report.journal


def test_damaged_report_names_the_variable(playbook: Playbook, tmp_path: Path) -> None:
    """The report in the folder is the previous one: what is wrong with it is said of the variable that was typed, before any request."""
    folder = tmp_path / "audits"
    folder.mkdir()
    (folder / "report.json").write_text('{"schema_version": "1.0", "zo', encoding="utf-8")
    report = playbook.run(
        playbook="edgeops.observability.check",
        inventory={"zone0": {"zone_id": playbook.zone}},
        extra_vars={"edgeops_report_dir": str(folder)},
        fails="invalid_option",
    )
    assert report.failure["msg"].startswith(f"edgeops_report_dir: '{folder}/report.json' is not JSON"), report.failure["msg"]
    assert not report.journal
