# SPDX-License-Identifier: GPL-3.0-or-later

"""What playbooks refuse before they send a request: the step that begins each of them, and a few in its place."""

import typing as t

import pytest

from harness import Playbook

STEP = "edgeops.observability.run_step"
# A playbook, its hosts with their variables, and how the failure begins.
CASES: tuple[tuple[str, dict[str, dict[str, t.Any]], str], ...] = (
    ("check", {}, "edgeops_target: the inventory and its limit contain no host for 'all'"),
    ("check", {"zone{1}": {}, "zone~2": {}}, "the host names 'zone{1}', 'zone~2' contain"),
    ("check", {"a0": {"edgeops_target": "a0"}}, "edgeops_target: is set in the inventory"),
    ("check", {"a1": {"edgeops_fial_on": []}}, "edgeops_fial_on: there is no such variable (did you mean 'edgeops_fail_on'?)"),
    (
        "check",
        {"a2": {"edgeops_waivers": [{"reason": "{{ nowhere }}"}]}},
        "edgeops_waivers: cannot be evaluated: 'nowhere' is undefined",
    ),
    ("check", {"a3": {"edgeops_report_put_url": "ftp://files.example"}}, "edgeops_report_put_url: must be"),
    (
        "deliver",
        {"b0": {"log_delivery_jbos": []}, "b1": {}},
        "log_delivery_jbos: there is no such variable (did you mean 'log_delivery_jobs'?), set for b0",
    ),
    ("deliver", {"b2": {"edgeops_approved_plan_id": "{{ nowhere }}"}}, "edgeops_approved_plan_id: cannot be evaluated: "),
    ("deliver", {"b3": {"edgeops_allow": "{{ nowhere }}"}}, "edgeops_allow: cannot be evaluated: 'nowhere' is undefined"),
    # A rule is for the run as a whole: the one of another host than the first would be ignored.
    (
        "deliver",
        {"b4": {"edgeops_soak_seconds": 5}, "b5": {"edgeops_soak_seconds": 6}},
        "edgeops_soak_seconds: is not the same for all hosts",
    ),
    ("adopt", {"c0": {}}, "edgeops_adopt_dir: is required"),
    ("survey", {"d0": {"edgeops_survey": {"name": ["a"]}}}, "edgeops_survey.name: not an option of a survey"),
    ("survey", {"d1": {"edgeops_survey": "x"}}, "edgeops_survey: not JSON"),
    ("verify_evidence", {"e0": {}}, "edgeops_evidence_dir: is required"),
)


def test_variables_that_a_run_refuses(playbook: Playbook) -> None:
    hosts = {name: variables for _name, given, _said in CASES for name, variables in given.items()}
    plays = [
        {
            "hosts": [*given] or "localhost",
            "gather_facts": False,
            "tasks": [
                {
                    "name": f"Case {number}",
                    STEP: {"step": "validate", "playbook": name, "hosts": [*given]},
                    "run_once": True,
                    "ignore_errors": True,
                }
            ],
        }
        for number, (name, given, _said) in enumerate(CASES)
    ]
    report = playbook.run(playbook=plays, inventory={"localhost": {}, **hosts}, fails="invalid_option")
    for number, (_name, _given, said) in enumerate(CASES):
        message = report.named(f"Case {number}").result["msg"]
        assert message.startswith(said), message


@pytest.mark.parametrize(
    ("name", "variables", "said"),
    [
        ("check", {"edgeops_report_merge": "missing.json"}, "merge[0]: "),
        ("check", {"edgeops_target": "{{ nowhere }}"}, "edgeops_target: cannot be evaluated"),
        ("deliver", {"edgeops_target": ["zone0"]}, "edgeops_target: must be a string"),
        ("deliver", {"_edgeops_run": {"guard": False}}, "_edgeops_run: names with this prefix"),
        ("survey", {"edgeops_servey": {}}, "edgeops_servey: there is no such variable"),
    ],
)
def test_a_run_is_validated_first(playbook: Playbook, name: str, variables: dict[str, t.Any], said: str) -> None:
    """Even where no zone can be reached."""
    hosts = {"zone0": {"zone_id": playbook.zone, "ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 9}}
    warns = ["Could not match supplied host pattern"] if isinstance(variables.get("edgeops_target"), list) else []
    report = playbook.run(
        playbook=f"edgeops.observability.{name}", inventory=hosts, extra_vars=variables, fails="invalid_option", warns=warns
    )
    assert said in report.failure["msg"] and report.returncode != 0 and not report.journal
