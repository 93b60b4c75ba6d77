# SPDX-License-Identifier: GPL-3.0-or-later

"""Playbooks with secrets in every place where users keep them, at the highest verbosity; all output and files are searched."""

import typing as t
from pathlib import Path

import pytest
from planted import Plants, destinations

from harness import process

NAME = "edgeops.observability"
Tasks = list[tuple[str, dict[str, t.Any]]]


IN_PROCESS, IN_CHECK_MODE, AS_MODULE = ("in process", True, False), ("in check mode", True, True), ("as module", False, False)


@pytest.mark.parametrize(("output", "ways"), [("default", [IN_PROCESS]), ("minimal", [IN_CHECK_MODE, AS_MODULE])])
def test_output_contains_no_secret(
    service: t.Any, plants: Plants, run_and_search: t.Any, tmp_path: Path, output: str, ways: list[tuple[str, bool, bool]]
) -> None:
    service.reset()
    zone = service.zones[0]
    old, new = destinations(plants, "playbook old"), destinations(plants, "playbook new")
    old_job = {"name": "edge", "dataset": "http_requests", "destination_conf": old["https"], "error_message": old["https"]}
    service.seed(jobs={zone: [old_job], service.account: [{**old_job, "dataset": "gateway_dns"}]})
    secret = {place: plants.plant(place, "/") for place in ("list", "dict", "unsupported", "base_url", "challenge", "choice")}
    variables = {
        **{f"s_{name}": value for name, value in secret.items()},
        "base": service.base_url.replace("//", f"//u:{secret['base_url'].replace('/', '%2F')}@"),
        "zone": zone,
        "account": service.account,
    }
    variables |= {f"d_{name.split(',', 1)[0]}": value for name, value in new.items() if "," not in name}
    job = {"name": "edge", "fields": ["ClientIP"], "destination_conf": "{{ d_s3 }}", "ownership_challenge": "{{ s_challenge }}"}
    of_account = {"zone_id": "", "account_id": "{{ account }}"}
    account_job = {**job, "dataset": "gateway_dns", "fields": ["SrcIP"]}
    tasks: Tasks = [
        ("logpush_job", job),
        ("logpush_ownership", {"destination_conf": "{{ d_azure }}", "ownership_challenge": "{{ s_challenge }}"}),
        ("logpush_job", {**job, "destination_conf": {"a": "{{ s_dict }}"}}),
        ("logpush_job", {**job, "dataset": ["x"], "kind": "{{ s_challenge }}"}),
        ("script_monitor", {"enabled": True, "api_token": ["{{ s_list }}"]}),
        ("script_monitor", {"enabled": True, "api_tokn": "{{ s_unsupported }}"}),
        ("script_monitor", {"enabled": "{{ s_choice }}", "api_key": "{{ s_choice }}"}),
        ("logpush_jobs", {"jobs": [{**job, "enabled": True}, {**job, "name": "next", "destination_conf": "{{ d_sumo }}"}]}),
        ("logpush_jobs", {"jobs": [job, {**job, "destination_conf": {"a": "{{ s_dict }}"}, "kind": "{{ s_challenge }}"}]}),
        ("zone_observability", {"jobs": [job], "job_defaults": {"ownership_challenge": "{{ s_challenge }}"}}),
        ("zone_observability", {"job": {**job, "destination_conf": {"a": "{{ s_dict }}"}}, "jobs": [job]}),
    ]
    # More modules, for a zone and an account, whose failures and results are like those above; the last task deletes the jobs.
    further: Tasks = [
        ("logpush_job", {**job, "destination_conf": "{{ d_sumo }}"}),
        ("logpush_job_info", {}),
        ("logpush_job", {**job, "logpull_options": "fields=a"}),
        ("script_monitor", {"enabled": True, "base_url": "{{ base }}"}),
        ("logpush_jobs", {"jobs": [{**job, "ownership_chalenge": "{{ s_unsupported }}"}]}),
        ("logpush_jobs", {"jobs": [{"name": "edge", "enabled": False}], "unlisted_jobs": "absent"}),
        ("zone_observability", {"job": {"name": "edge"}, "job_defaults": {"destination_conf": "{{ d_azure }}"}}),
        ("zone_observability", {"job_defaults": {"ownership_chalenge": "{{ s_unsupported }}"}, "jobs": [job, job]}),
        ("logpush_job", {"name": "edge", "state": "absent"}),
        ("logpush_job_info", of_account),
        ("logpush_ownership", {**of_account, "destination_conf": "{{ d_azure }}", "ownership_challenge": "{{ s_challenge }}"}),
        ("logpush_job", {**account_job, **of_account}),
        ("zone_observability", {**of_account, "state": "absent", "job": {**account_job, "destination_conf": "{{ d_azure }}"}}),
    ]
    plays = [
        {
            "name": name,
            "hosts": "all",
            "gather_facts": False,
            "check_mode": check,
            "vars": {"edgeops_in_process": in_process},
            "module_defaults": {f"group/{NAME}.zone": {"zone_id": "{{ zone }}", "retries": 0}},
            "tasks": printed([*tasks, *(further if in_process else ())]),
        }
        for name, in_process, check in ways
    ]
    place = process.Place(tmp_path)
    command = [str(place.write("play.yml", plays)), "-i", str(place.write("i.yml", process.inventory(None)))]
    command += ["-e", f"@{place.write('vars.json', variables)}"]
    environment = {
        **place.environment(),
        **service.environment(),
        # As by default, modules are files, which have their arguments.
        "ANSIBLE_PIPELINING": "false",
        "ANSIBLE_STDOUT_CALLBACK": output,
        "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml",
        "ANSIBLE_CALLBACKS_ENABLED": "edgeops_record,junit",
        "JUNIT_OUTPUT_DIR": str(tmp_path / "junit"),
    }
    run = run_and_search(place, command, environment)
    assert len(run.outcomes) == sum(len(play["tasks"]) for play in plays), "tasks did not run"
    left = bool(service.state(account=service.account)["jobs"])
    assert left == (ways != [IN_PROCESS]), "the job of the account is not deleted, or in check mode"


def printed(tasks: Tasks) -> list[dict[str, t.Any]]:
    """Return tasks that may fail, and one that prints what they registered."""
    steps = [
        {"name": f"Task {number}", f"{NAME}.{module}": args, "ignore_errors": True, "register": f"found_{number}"}
        for number, (module, args) in enumerate(tasks)
    ]
    found = [f"{{{{ found_{number} }}}}" for number in range(len(steps))]
    return [*steps, {"name": "Show", "ansible.builtin.debug": {"msg": found}}]
