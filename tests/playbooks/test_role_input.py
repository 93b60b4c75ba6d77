# SPDX-License-Identifier: GPL-3.0-or-later

import re
from pathlib import Path

import yaml
from zone_runs import DESTINATION, SECRET, job, lists, modules, play, role_variables

ROOT = Path(__file__).resolve().parents[2]
DELIVER = "edgeops.observability.deliver"
ROLE = ROOT / "roles" / "log_delivery"
SPEC = yaml.safe_load((ROLE / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
CHALLENGE = "planted-challenge-0c4f"


def variables(zone, **changes):
    base = {**role_variables(zone, job=job(ownership_challenge=CHALLENGE), custom_fields=lists(request=["x-a"])), **changes}
    return {name: value for name, value in base.items() if value is not None}


BROKEN = f'{{"name": "{DESTINATION}", ]'
# Refused by the argument specification of the role; playbooks leave this to the module.
OF_WRONG_TYPE = [
    ({"log_delivery_job": f"destination_conf={DESTINATION} and more"}, "job"),
    ({"log_delivery_custom_fields": ["x-a"]}, "custom_fields"),
    ({"log_delivery_script_monitor_enabled": "perhaps"}, "script_monitor_enabled"),
    *(({f"log_delivery_{name}": BROKEN}, name) for name in ("custom_fields", "job", "job_defaults", "expected_plan_ids")),
]
# The module names the key and the nearest one; the argument specification lists no keys, which ansible-core would all print.
MISSPELT = "job.destination_cnf: unsupported parameter (did you mean 'destination_conf'?)"
REFUSED = [
    *OF_WRONG_TYPE,
    ({"log_delivery_zone_id": None}, "zone_id"),
    ({"log_delivery_zone_id": "no-hex"}, "zone_id"),
    ({"log_delivery_state": "gone"}, "present, absent"),
    ({"log_delivery_jbos": []}, "log_delivery_jbos: there is no such variable (did you mean 'log_delivery_jobs'?)"),
    ({"log_delivery_job": job(destination_conf={"secret": SECRET}, max_upload_bytes="much")}, "max_upload_bytes"),
    ({"log_delivery_job": None, "log_delivery_jobs": [job(bogus=SECRET)]}, "jobs[0].bogus: unsupported parameter"),
    ({"log_delivery_job": None, "log_delivery_jobs": f"[{BROKEN}"}, "jobs: not JSON: "),
    ({"log_delivery_job": None, "log_delivery_jobs": f"[{BROKEN}", "edgeops_in_process": False}, "jobs: not JSON: "),
    ({"log_delivery_unlisted_jobs": "delete"}, "ignore, report, absent"),
    ({"log_delivery_script_monitor_route": "elsewhere"}, "page_shield"),
    ({"log_delivery_job": job(destination_cnf="x")}, MISSPELT),
]
# If these fell back to defaults, managed parts would be skipped, or plans written without an approval.
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
TYPED = {
    "number": ({"log_delivery_zone_id": 493}, "log_delivery_zone_id: must be text, not a number"),
    "name": ({"log_delivery_zone_id": "no-hex"}, "log_delivery_zone_id: "),
    "state": ({"log_delivery_state": "gone"}, "log_delivery_state: "),
    "route": ({"log_delivery_script_monitor_route": "elsewhere"}, "log_delivery_script_monitor_route: "),
    "both": ({"log_delivery_jobs": [job()]}, "log_delivery_job: excludes log_delivery_jobs"),
    "two": (
        {"log_delivery_zone_name": "shop.example"},
        "log_delivery_zone_id: log_delivery_zone_id, log_delivery_zone_name or log_delivery_account_id: only one",
    ),
    # This one was typed as the address of the host.
    "host": ({"log_delivery_zone_id": None, "zone_id": 493}, "zone_id: must be text, not a number"),
}


def test_refused_input_fails_before_any_request(playbook, zone):
    hosts = {f"host{number}": variables(zone, **changes) for number, (changes, _words) in enumerate(REFUSED)}
    fails = ("ansible", "invalid_option")
    report = playbook.run(playbook=[play({})], inventory=hosts, fails=fails, secrets=[SECRET, CHALLENGE], verbosity=4)
    failures = {outcome.host: outcome.result for outcome in report.failures}
    assert set(failures) == set(hosts) and not report.journal
    assert [words for host, (_changes, words) in zip(hosts, REFUSED, strict=True) if words not in str(failures[host])] == []
    misspelt = failures[f"host{len(REFUSED) - 1}"]["msg"]
    assert misspelt.endswith(MISSPELT) and len(misspelt) < 120 and "\n" not in misspelt
    assert not [name for name, option in SPEC.items() if "options" in option]


def test_deliver_refuses_the_same(playbook, zone):
    """Each zone fails on its own, before any request, with a message that names the variable that was typed."""
    cases = [changes for changes, _words in OF_WRONG_TYPE] + UNDEFINED
    hosts = {f"host{number}": variables(zone, **changes) for number, changes in enumerate(cases)}
    typed = {name: {"zone_id": zone, **variables(zone)} | changes for name, (changes, _said) in TYPED.items()}
    fails = ("ansible", "invalid_option")
    report = playbook.run(playbook=DELIVER, inventory=hosts | typed, fails=fails, secrets=[SECRET, CHALLENGE], verbosity=4)
    # Before ansible-core 2.19, a zone whose variables cannot be evaluated fails without a task of its own.
    said = {outcome.host: str(outcome.result["msg"]) for outcome in reversed(report.failures)}
    assert sorted(said) == sorted(hosts | typed) and not report.journal
    for host, changes in zip(hosts, cases, strict=True):
        assert ("'nowhere' is undefined" in said[host]) == (changes in UNDEFINED)
        if BROKEN in changes.values():
            (name,) = changes
            assert said[host].startswith(f"{name}: not JSON: ")
    assert {name: said[name] for name, (_changes, start) in TYPED.items() if not said[name].startswith(start)} == {}


def test_output_has_no_secrets(playbook, simulator, zone):
    """Secrets are in no output of a successful run, or of a failure of the API."""
    declared = variables(zone)
    simulator.faults(
        {"kind": "failure_200", "method": "POST", "path": "*/logpush/jobs", "message": f"bad {DESTINATION} {CHALLENGE}"}
    )
    plays = [play(declared, check_mode=True), play(declared)]
    report = playbook.run(playbook=plays, fails="rejected", secrets=[SECRET, CHALLENGE], verbosity=4, warns=["requires no proof"])
    assert [outcome.status for outcome in modules(report, "zone_observability")] == ["ok", "failed"]


def test_every_module_option_has_a_variable():
    """Every option of the module has a variable with a default; the role passes it, and the README documents it."""
    defaults = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text())
    assert list(defaults) == list(SPEC)
    (task,) = yaml.safe_load((ROLE / "tasks" / "apply.yml").read_text())
    passed = {
        f"log_delivery_{option.replace('route', 'script_monitor_route')}"
        for option in task["edgeops.observability.zone_observability"]
    }
    assert passed == set(SPEC)
    assert re.findall(r"^\| `(log_delivery_\w+)` \|", (ROLE / "README.md").read_text(), re.MULTILINE) == list(SPEC)
