# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from zone_runs import DESTINATION, SECRET, job, lists, modules, play, role_variables

from ansible_collections.edgeops.observability.plugins.module_utils._zone.facts import ZONE_SPEC

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
    ({"log_delivery_job": job(expected_plan_id="sha256:0")}, "log_delivery_job.expected_plan_id"),
    ({"log_delivery_custom_fields": {"headers": ["x-a"]}}, "log_delivery_custom_fields.headers"),
    ({"log_delivery_job_defaults": {"bogus": 1}}, "log_delivery_job_defaults.bogus"),
    ({"log_delivery_unlisted_jobs": "delete"}, "ignore, report, absent"),
    ({"log_delivery_script_monitor_route": "elsewhere"}, "page_shield"),
    ({"log_delivery_expected_plan_ids": {"job": "a"}}, "log_delivery_expected_plan_ids.job"),
    ({"log_delivery_custom_fields": ["x-a"]}, "log_delivery_custom_fields"),
    ({"log_delivery_script_monitor_enabled": "perhaps"}, "log_delivery_script_monitor_enabled"),
]


# A default in the place of one of these would leave alone what the user manages, or write without an approval.
UNDEFINED = [
    {"log_delivery_custom_fields": "{{ nowhere }}"},
    {"log_delivery_custom_fields": {"cookies": ["{{ nowhere }}"]}},
    {"log_delivery_job": job(kind="{{ nowhere }}")},
    {"log_delivery_job_defaults": {"kind": "{{ nowhere }}"}},
    {"log_delivery_state": "{{ nowhere }}"},
    {"log_delivery_unlisted_jobs": "{{ nowhere }}"},
    {"log_delivery_script_monitor_enabled": "{{ nowhere }}"},
    {"log_delivery_script_monitor_route": "{{ nowhere }}"},
    {"log_delivery_expected_plan_ids": {"jobs": "{{ nowhere }}"}},
]


def test_refused_input_fails_before_any_request(playbook, zone):
    hosts = {f"host{number}": variables(zone, **changes) for number, (changes, _words) in enumerate(REFUSED)}
    report = playbook.run(playbook=[play({})], inventory=hosts, fails="ansible", secrets=[SECRET, CHALLENGE], verbosity=4)
    failures = {outcome.host: str(outcome.result) for outcome in report.failures}
    assert set(failures) == set(hosts)
    for host, (_changes, words) in zip(hosts, REFUSED, strict=True):
        assert words in failures[host]
    assert report.journal == []


def test_deliver_refuses_the_same(playbook, zone):
    """The playbook says itself where a zone has no id. It saves the task that validates for the role; the module refuses the rest, also before any request."""
    cases = [changes for changes, _words in REFUSED[1:]] + UNDEFINED
    hosts = {f"host{number}": variables(zone, **changes) for number, changes in enumerate(cases)}
    fails = ["ansible", "invalid_option"]
    report = playbook.run(playbook=DELIVER, inventory=hosts, fails=fails, secrets=[SECRET, CHALLENGE], verbosity=4)
    refused = [
        outcome.host for outcome in modules(report, "zone_observability") if outcome.result["error"]["kind"] == "invalid_option"
    ]
    assert sorted(refused) == sorted(hosts)
    assert report.journal == []
    said = {outcome.host: outcome.result["msg"] for outcome in modules(report, "zone_observability")}
    for host, changes in zip(hosts, cases, strict=True):
        assert said[host].startswith(next(iter(changes))), "the variable is named as the user wrote it"
        assert changes not in UNDEFINED or said[host].endswith(": cannot be evaluated: 'nowhere' is undefined")


EQUALS = {"and": [{"key": "ClientIP", "operator": "equals", "value": "a"}]}
REFUSED_BY_THE_MODULE = [
    ({"log_delivery_jobs": [job(), job(name="b", filter=EQUALS)]}, "log_delivery_jobs[1].filter.where.and[0].operator: 'equals'"),
    ({"log_delivery_jobs": json.dumps([job(filter=EQUALS)])}, "log_delivery_jobs[0].filter.where.and[0].operator: 'equals'"),
    ({"log_delivery_jobs": [job(), job()]}, "log_delivery_jobs[1]: means the same job as log_delivery_jobs[0]"),
    ({"log_delivery_jobs": [job(name=None)]}, "log_delivery_jobs[0].name: "),
    ({"log_delivery_jobs": [job(bogus=SECRET)]}, "jobs.bogus"),
    ({"log_delivery_jobs": [job(max_upload_bytes="much")]}, "max_upload_bytes"),
    ({"log_delivery_jobs": [job(destination_conf={"secret": SECRET}, kind="odd")]}, "kind"),
    ({"log_delivery_jobs": [], "log_delivery_unlisted_jobs": "absent"}, "log_delivery_jobs: is empty"),
    (
        {"log_delivery_jobs": [job()], "log_delivery_job": job()},
        "log_delivery_jobs: cannot be used together with log_delivery_job",
    ),
    ({"log_delivery_job": job(filter=EQUALS)}, "log_delivery_job.filter.where.and[0].operator: 'equals'"),
    ({"log_delivery_custom_fields": lists(cookies=["a b"])}, "log_delivery_custom_fields.cookies[0]: "),
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


BROKEN = [
    f'[{{"name": "a", "destination_conf": "{DESTINATION}", ]',
    f"destination_conf={DESTINATION}",
    '[{"name": "a"}',
    "a,b",
    "[" * 5000,
]


@pytest.mark.parametrize("in_process", [True, False])
def test_text_that_is_no_json(playbook, zone, in_process):
    """A survey gives text: what is no JSON fails with its place, without a secret, before any request."""
    given = {"log_delivery_job": None, "edgeops_in_process": in_process}
    hosts = {f"host{number}": variables(zone, **given, log_delivery_jobs=text) for number, text in enumerate(BROKEN)}
    report = playbook.run(playbook=[play({})], inventory=hosts, fails="invalid_option", secrets=[SECRET, CHALLENGE], verbosity=4)
    assert [outcome.result["msg"].startswith("log_delivery_jobs: not JSON: ") for outcome in report.failures] == [True] * len(
        hosts
    )
    assert report.journal == []


@pytest.mark.parametrize("variable", ["custom_fields", "job", "job_defaults", "expected_plan_ids"])
def test_text_that_is_no_mapping(playbook, zone, variable):
    """The role's own validation names the variable; the playbooks that leave it to the module get the reason as well."""
    hosts = {"host": {**variables(zone), f"log_delivery_{variable}": f'{{"name": "{DESTINATION}", ]'}}
    report = playbook.run(playbook=[play({})], inventory=hosts, fails="ansible", secrets=[SECRET, CHALLENGE], verbosity=4)
    assert f"log_delivery_{variable}" in str(report.failures[0].result)
    delivered = playbook.run(
        playbook=DELIVER, inventory=hosts, fails=["ansible", "invalid_option"], secrets=[SECRET, CHALLENGE], verbosity=4
    )
    (refused,) = modules(delivered, "zone_observability")
    assert refused.result["msg"].startswith(f"log_delivery_{variable}: not JSON: ")
    assert [*report.journal, *delivered.journal] == []


@pytest.mark.parametrize("text", ["", " ", None])
def test_an_unanswered_question_leaves_jobs_alone(playbook, zone, text):
    """A survey gives empty text for a question without an answer."""
    report = playbook.run(
        playbook=[play(role_variables(zone, job=None, custom_fields=lists(request=["x-a"])) | {"log_delivery_jobs": text})]
    )
    assert report.result["jobs"] == {} and report.result["changed"]


def test_invalid_zone_id_is_refused(playbook, zone):
    """A zone id that is none is refused by the modules."""
    hosts = {f"host{number}": variables(zone_id) for number, zone_id in enumerate(["no-hex", "f" * 33, ""])}
    report = playbook.run(playbook=[play({})], inventory=hosts, fails="invalid_option")
    assert {outcome.host for outcome in report.failures if "zone_id" in outcome.result["msg"]} == set(hosts)
    assert report.journal == []


@pytest.mark.parametrize("check", [True, False])
def test_missing_credentials_fail_the_role(playbook, zone, check):
    """Without credentials the role fails, and skips nothing."""
    hosts = {state: variables(zone, log_delivery_state=state) for state in ("present", "absent")}
    report = playbook.run(
        playbook=[play({})], inventory=hosts, check=check, env={"CLOUDFLARE_API_TOKEN": None}, fails="invalid_option"
    )
    assert {outcome.host for outcome in report.failures if "api_token" in outcome.result["msg"]} == set(hosts)
    assert report.journal == []


def test_output_has_no_secrets(playbook, simulator, zone):
    """Secrets of a good run and of a failure of the service are in no output."""
    given = variables(zone)
    playbook.run(playbook=[play(given)], check=True, secrets=[SECRET, CHALLENGE], verbosity=4, warns=NO_PROOF)
    simulator.faults(
        {"kind": "failure_200", "method": "POST", "path": "*/logpush/jobs", "message": f"bad {DESTINATION} {CHALLENGE}"}
    )
    playbook.run(playbook=[play(given)], fails="rejected", secrets=[SECRET, CHALLENGE], verbosity=4, warns=NO_PROOF)


@pytest.mark.parametrize("variable", ["job", "job_defaults"])
def test_job_keys_are_module_options(variable):
    """The keys of a job are the options of the module."""
    found, module = SPEC[f"log_delivery_{variable}"]["options"], ZONE_SPEC[variable]["options"]
    assert set(found) == set(module)
    for name, option in found.items():
        for member in ("type", "elements", "no_log"):
            assert option.get(member) == module[name].get(member), f"{member} of {name}"


def test_every_module_option_has_a_variable():
    """Every option of the module has a variable."""
    (task,) = yaml.safe_load((ROLE / "tasks" / "main.yml").read_text())
    given = task["edgeops.observability.zone_observability"]
    assert set(given) == {*ZONE_SPEC, "zone_id"}
    assert {f"log_delivery_{name.replace('route', 'script_monitor_route')}" for name in given if name != "option_prefix"} == set(
        SPEC
    )


def test_readme_names_exactly_the_variables():
    """The README of the role names every variable, and no other."""
    table = re.findall(r"^\| `(log_delivery_\w+)` \|", (ROLE / "README.md").read_text(), re.MULTILINE)
    assert table == list(SPEC)
