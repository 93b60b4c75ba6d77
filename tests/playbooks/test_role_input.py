# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from zone_runs import DESTINATION, SECRET, job, lists, modules, play, role_variables

ROOT = Path(__file__).resolve().parents[2]
DELIVER = "edgeops.observability.deliver"
ROLE = ROOT / "roles" / "log_delivery"
SPEC = yaml.safe_load((ROLE / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
CHALLENGE = "planted-challenge-0c4f"
NO_PROOF = ["requires no proof"]


def variables(zone, **changes):
    base = {**role_variables(zone, job=job(ownership_challenge=CHALLENGE), custom_fields=lists(request=["x-a"])), **changes}
    return {name: value for name, value in base.items() if value is not None}


REFUSED = [
    ({"log_delivery_zone_id": None}, "zone_id"),
    ({"log_delivery_state": "gone"}, "present, absent"),
    ({"log_delivery_jbos": []}, "log_delivery_jbos: there is no such variable (did you mean 'log_delivery_jobs'?)"),
    ({"log_delivery_job": job(bogus=1)}, "job.bogus"),
    ({"log_delivery_job": job(zone_id="abc")}, "job.zone_id"),
    ({"log_delivery_job": job(api_token=SECRET)}, "job.api_token"),
    ({"log_delivery_job": job(state="absent")}, "job.state"),
    ({"log_delivery_job": job(name=None)}, "job.name: "),
    ({"log_delivery_job": job(logpull_options="fields=ClientIP")}, "cannot be used together"),
    ({"log_delivery_job": job(output_options={"field_names": ["ClientIP"]})}, "cannot be used together"),
    ({"log_delivery_job": job(job_id="seven")}, "job_id"),
    ({"log_delivery_job": job(destination_conf={"secret": SECRET}, max_upload_bytes="much")}, "max_upload_bytes"),
    # For a string that is not a dictionary, ansible-core 2.16 says only that.
    ({"log_delivery_job": f"destination_conf={DESTINATION} and more"}, ""),
    ({"log_delivery_job": job(expected_plan_id="sha256:0")}, "job.expected_plan_id"),
    ({"log_delivery_custom_fields": {"headers": ["x-a"]}}, "custom_fields.headers"),
    ({"log_delivery_job_defaults": {"bogus": 1}}, "job_defaults.bogus"),
    ({"log_delivery_unlisted_jobs": "delete"}, "ignore, report, absent"),
    ({"log_delivery_script_monitor_route": "elsewhere"}, "page_shield"),
    ({"log_delivery_expected_plan_ids": {"job": "a"}}, "expected_plan_ids.job"),
    ({"log_delivery_custom_fields": ["x-a"]}, "custom_fields"),
    ({"log_delivery_script_monitor_enabled": "perhaps"}, "script_monitor_enabled"),
]


NO_MAPPING = tuple(
    {f"log_delivery_{name}": f'{{"name": "{DESTINATION}", ]'}
    for name in ("custom_fields", "job", "job_defaults", "expected_plan_ids")
)
REFUSED += [(changes, name) for changes in NO_MAPPING for name in changes]

# A default in the place of one of these would leave alone what the user manages, or write without an approval.
UNDEFINED = [
    {"log_delivery_custom_fields": "{{ nowhere }}"},
    {"log_delivery_custom_fields": {"cookie_fields": ["{{ nowhere }}"]}},
    {"log_delivery_job": job(kind="{{ nowhere }}")},
    {"log_delivery_job_defaults": {"kind": "{{ nowhere }}"}},
    {"log_delivery_state": "{{ nowhere }}"},
    {"log_delivery_unlisted_jobs": "{{ nowhere }}"},
    {"log_delivery_script_monitor_enabled": "{{ nowhere }}"},
    {"log_delivery_script_monitor_route": "{{ nowhere }}"},
    {"log_delivery_expected_plan_ids": {"jobs": "{{ nowhere }}"}},
]


@pytest.mark.every_core
def test_refused_input_fails_before_any_request(playbook, zone):
    hosts = {f"host{number}": variables(zone, **changes) for number, (changes, _words) in enumerate(REFUSED)}
    report = playbook.run(
        playbook=[play({})], inventory=hosts, fails=("ansible", "invalid_option"), secrets=[SECRET, CHALLENGE], verbosity=4
    )
    failures = {outcome.host: str(outcome.result) for outcome in report.failures}
    assert set(failures) == set(hosts)
    for host, (_changes, words) in zip(hosts, REFUSED, strict=True):
        assert words in failures[host], host
    assert report.journal == []


def test_deliver_refuses_the_same(playbook, zone):
    """Each zone fails by itself, before any request."""
    cases = [changes for changes, _words in REFUSED if "log_delivery_jbos" not in changes] + UNDEFINED
    hosts = {f"host{number}": variables(zone, **changes) for number, changes in enumerate(cases)}
    fails = ["ansible", "invalid_option"]
    report = playbook.run(playbook=DELIVER, inventory=hosts, fails=fails, secrets=[SECRET, CHALLENGE], verbosity=4)
    said = {outcome.host: str(outcome.result["msg"]) for outcome in modules(report, "zone_observability")}
    assert sorted(said) == sorted(hosts)
    assert report.journal == []
    for host, changes in zip(hosts, cases, strict=True):
        assert ("'nowhere' is undefined" in said[host]) == (changes in UNDEFINED)
        if changes in NO_MAPPING:
            (name,) = changes
            assert said[host].startswith(f"{name.removeprefix('log_delivery_')}: not JSON: ")


# A survey gives text, which may be no JSON.
BROKEN = [
    f'[{{"name": "a", "destination_conf": "{DESTINATION}", ]',
    f"destination_conf={DESTINATION}",
    '[{"name": "a"}',
    "a,b",
    "[" * 5000,
]
EQUALS = {"and": [{"key": "ClientIP", "operator": "equals", "value": "a"}]}
REFUSED_BY_THE_MODULE = [
    ({"log_delivery_jobs": [job(), job(name="b", filter=EQUALS)]}, "jobs[1].filter.where.and[0].operator: 'equals'"),
    ({"log_delivery_jobs": json.dumps([job(filter=EQUALS)])}, "jobs[0].filter.where.and[0].operator: 'equals'"),
    ({"log_delivery_jobs": [job(), job()]}, "jobs[1]: means the same job as jobs[0]"),
    ({"log_delivery_jobs": [job(name=None)]}, "jobs[0].name: "),
    ({"log_delivery_jobs": [job(bogus=SECRET)]}, "jobs[0].bogus: unsupported parameter"),
    ({"log_delivery_jobs": [job(max_upload_bytes="much")]}, "max_upload_bytes"),
    ({"log_delivery_jobs": [job(destination_conf={"secret": SECRET}, kind="odd")]}, "kind"),
    ({"log_delivery_jobs": [], "log_delivery_unlisted_jobs": "absent"}, "jobs: is empty"),
    ({"log_delivery_job": job(filter=EQUALS)}, "job.filter.where.and[0].operator: 'equals'"),
    ({"log_delivery_custom_fields": lists(cookies=["a b"])}, "custom_fields.cookie_fields[0]: "),
    *(({"log_delivery_jobs": text}, "jobs: not JSON: ") for text in BROKEN),
    ({"log_delivery_jobs": BROKEN[0], "edgeops_in_process": False}, "jobs: not JSON: "),
    *(({"log_delivery_zone_id": zone_id}, "zone_id") for zone_id in ("no-hex", "f" * 33, "")),
]


def test_module_refuses_what_the_role_accepts(playbook, zone):
    """The module refuses what the role's arguments accept, before any request."""
    hosts = {
        f"host{number}": variables(zone, **{"log_delivery_job": None, **changes})
        for number, (changes, _words) in enumerate(REFUSED_BY_THE_MODULE)
    }
    report = playbook.run(playbook=[play({})], inventory=hosts, fails="invalid_option", secrets=[SECRET, CHALLENGE], verbosity=4)
    failures = {outcome.host: outcome.result["msg"] for outcome in report.failures}
    for host, (_changes, words) in zip(hosts, REFUSED_BY_THE_MODULE, strict=True):
        assert words in failures[host]
    assert report.journal == []


def test_missing_credentials_fail_the_role(playbook, zone):
    """Without credentials the role fails, and skips nothing."""
    hosts = {state: variables(zone, log_delivery_state=state) for state in ("present", "absent")}
    plays = [play({}, check_mode=True, ignore_errors=True), play({})]
    report = playbook.run(playbook=plays, inventory=hosts, env={"CLOUDFLARE_API_TOKEN": None}, fails="invalid_option")
    failed = [(outcome.host, outcome.check_mode) for outcome in report.failures if "api_token" in outcome.result["msg"]]
    assert sorted(failed) == sorted((host, check) for host in hosts for check in (True, False))
    assert report.journal == []


def test_output_has_no_secrets(playbook, simulator, zone):
    """Secrets of a good run and of a failure of the service are in no output."""
    given = variables(zone)
    simulator.faults(
        {"kind": "failure_200", "method": "POST", "path": "*/logpush/jobs", "message": f"bad {DESTINATION} {CHALLENGE}"}
    )
    plays = [play(given, check_mode=True), play(given)]
    report = playbook.run(playbook=plays, fails="rejected", secrets=[SECRET, CHALLENGE], verbosity=4, warns=NO_PROOF)
    assert [outcome.status for outcome in modules(report, "zone_observability")] == ["ok", "failed"]


def test_every_module_option_has_a_variable():
    """Every option of the module has a variable with a default, and both ways to run the role pass each."""
    defaults = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text())
    assert list(defaults) == list(SPEC)
    for name in ("apply", "predict"):
        (task,) = yaml.safe_load((ROLE / "tasks" / f"{name}.yml").read_text())
        given = task["edgeops.observability.zone_observability"]
        names = given.keys() - {"host_address"}
        passed = {f"log_delivery_{option.replace('route', 'script_monitor_route')}" for option in names}
        assert passed == set(SPEC)


def test_readme_names_exactly_the_variables():
    """The README of the role names every variable, and no other."""
    table = re.findall(r"^\| `(log_delivery_\w+)` \|", (ROLE / "README.md").read_text(), re.MULTILINE)
    assert table == list(SPEC)
