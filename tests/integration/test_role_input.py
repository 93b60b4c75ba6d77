# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from zone_runs import DESTINATION, SECRET, job, lists, play, wish

from ansible_collections.edgeops.observability.plugins.modules.logpush_job import TASK

ROOT = Path(__file__).resolve().parents[2]
ROLE = ROOT / "roles" / "log_delivery"
SPEC = yaml.safe_load((ROLE / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
CHALLENGE = "planted-challenge-0c4f"
NO_PROOF = ["asks for no proof"]


def variables(zone, **changes):
    base = {**wish(zone, job=job(ownership_challenge=CHALLENGE), custom_fields=lists(request=["x-a"])), **changes}
    return {name: value for name, value in base.items() if value is not None}


REFUSED = [
    ({"log_delivery_job": None}, "log_delivery_job"),
    ({"log_delivery_zone_id": None}, "log_delivery_zone_id"),
    ({"log_delivery_state": "gone"}, "present, absent"),
    ({"log_delivery_job": job(bogus=1)}, "log_delivery_job.bogus"),
    ({"log_delivery_job": job(zone_id="abc")}, "log_delivery_job.zone_id"),
    ({"log_delivery_job": job(api_token=SECRET)}, "log_delivery_job.api_token"),
    ({"log_delivery_job": job(state="absent")}, "log_delivery_job.state"),
    ({"log_delivery_job": job(name=None)}, "name, job_id"),
    ({"log_delivery_job": job(logpull_options="fields=ClientIP")}, "mutually exclusive"),
    ({"log_delivery_job": job(output_options={"field_names": ["ClientIP"]})}, "mutually exclusive"),
    ({"log_delivery_job": job(job_id="seven")}, "job_id"),
    ({"log_delivery_job": job(destination_conf={"secret": SECRET}, max_upload_bytes="much")}, "max_upload_bytes"),
    # ansible-core 2.16 says no more about text that is no mapping than that it is none.
    ({"log_delivery_job": f"destination_conf={DESTINATION} and more"}, ""),
    ({"log_delivery_custom_fields": {"transformed_request_headers": ["x-a"]}}, "transformed_request_headers"),
    ({"log_delivery_custom_fields": ["x-a"]}, "log_delivery_custom_fields"),
    ({"log_delivery_script_monitor_enabled": "perhaps"}, "log_delivery_script_monitor_enabled"),
]


def test_refused_input_fails_before_any_request(playbook, zone):
    hosts = {f"host{number}": variables(zone, **changes) for number, (changes, _words) in enumerate(REFUSED)}
    report = playbook.run(playbook=[play({})], inventory=hosts, fails="ansible", secrets=[SECRET, CHALLENGE], verbosity=4)
    failures = {outcome.host: str(outcome.result) for outcome in report.failures}
    assert set(failures) == set(hosts)
    for host, (_changes, words) in zip(hosts, REFUSED, strict=True):
        assert words in failures[host]
    assert report.journal == []


def test_a_zone_id_that_is_none_is_refused_by_the_modules(playbook, zone):
    hosts = {f"host{number}": variables(zone_id) for number, zone_id in enumerate(["no-hex", "f" * 33, ""])}
    report = playbook.run(playbook=[play({})], inventory=hosts, fails="invalid_option")
    assert {outcome.host for outcome in report.failures if "zone_id" in outcome.result["msg"]} == set(hosts)
    assert report.journal == []


@pytest.mark.parametrize("check", [True, False])
def test_without_credentials_the_role_fails_and_skips_nothing(playbook, zone, check):
    hosts = {state: variables(zone, log_delivery_state=state) for state in ("present", "absent")}
    report = playbook.run(
        playbook=[play({})], inventory=hosts, check=check, env={"CLOUDFLARE_API_TOKEN": None}, fails="invalid_option"
    )
    assert {outcome.host for outcome in report.failures if "api_token" in outcome.result["msg"]} == set(hosts)
    assert report.journal == []


def test_secrets_of_a_good_run_and_of_a_service_failure_are_in_no_output(playbook, simulator, zone):
    given = variables(zone)
    playbook.run(playbook=[play(given)], check=True, secrets=[SECRET, CHALLENGE], verbosity=4, warns=NO_PROOF)
    simulator.faults(
        {"kind": "failure_200", "method": "POST", "path": "*/logpush/jobs", "message": f"bad {DESTINATION} {CHALLENGE}"}
    )
    playbook.run(playbook=[play(given)], fails="rejected", secrets=[SECRET, CHALLENGE], verbosity=4, warns=NO_PROOF)


def test_the_keys_of_the_job_are_the_options_of_the_module():
    options = set(TASK.arguments()["argument_spec"]) - {"state", "zone_id"}
    connection = {"base_url", "api_token", "api_email", "api_key", "timeout", "retries", "retry_wait_max"}
    connection |= {"validate_certs", "ca_path", "request_budget"}
    assert connection <= options
    assert set(SPEC["log_delivery_job"]["options"]) == options - connection


def test_types_and_secrecy_of_the_keys_are_those_of_the_module():
    module = TASK.arguments()["argument_spec"]
    for name, option in SPEC["log_delivery_job"]["options"].items():
        for member in ("type", "elements", "no_log"):
            assert option.get(member) == module[name].get(member), f"{member} of {name}"


def test_every_key_is_passed_on():
    tasks = yaml.safe_load((ROLE / "tasks" / "main.yml").read_text())
    (present,) = [task["edgeops.observability.logpush_job"] for task in tasks if task["name"] == "Deliver the logs"]
    assert set(present) - {"zone_id", "state"} == set(SPEC["log_delivery_job"]["options"])


def test_the_readme_names_every_variable_and_no_other():
    table = re.findall(r"^\| `(log_delivery_\w+)` \|", (ROLE / "README.md").read_text(), re.MULTILINE)
    assert table == list(SPEC)
