# SPDX-License-Identifier: GPL-3.0-or-later

"""Every module in the controller's process and as an ordinary module: one and the same, except for the way there."""

from __future__ import annotations

import dataclasses
import datetime
import json
import re
import shutil
import subprocess
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible.release import __version__

from harness import Case, Playbook, Report, documented
from harness.prediction import IDENTITY, MOVING
from harness.process import BIN, LOCAL

EVERY_CORE = pytest.mark.every_core

ROOT = Path(__file__).resolve().parents[2]
AS_MODULE = "Using module file"
NAME = "edgeops.observability"
BUCKET = "s3://bucket/logs?region=eu-west-1&access-key-id=AKIAREADABLE&secret-access-key=planted-secret-3b1c77"
JOB = {
    "name": "main",
    "destination_conf": BUCKET,
    "fields": ["ClientIP", "RayID"],
    "timestamp_format": "rfc3339",
    "enabled": True,
}
FILTER = {
    "and": [
        {"key": "ClientIP", "operator": "in", "value": ["192.0.2.1"]},
        {"key": "EdgeResponseStatus", "operator": "geq", "value": 500},
    ]
}
SCRIPTS = [
    {
        "script_id": f"{number:032x}",
        "status": ("active", "infrequent")[number % 2],
        "host": "a.example",
        "js_integrity_score": number * 20,
    }
    for number in range(5)
]

Task = dict[str, t.Any]
LOOP: Task = {"loop_control": {"loop_var": "_each"}}


def task(module: str, **args: t.Any) -> Task:
    return {"name": f"{module} {sorted(args)}", f"{NAME}.{module}": args, "ignore_errors": True, "no_log": False}


@dataclasses.dataclass(frozen=True)
class Scenario(Case):
    """A case with what is in its zone, and what befalls requests there."""

    seed: dict[str, t.Any] = dataclasses.field(default_factory=dict)
    faults: tuple[dict[str, t.Any], ...] = ()


MONITOR = task("script_monitor", enabled=True)
ZONE_FIELDS = {"request_fields": ["X-A"], "cookie_fields": ["Session"]}
ADOPTED = {
    "zone": "shop.example",
    "zone_id": "ab",
    "variables": {},
    "vault": [],
    "vault_destinations": [],
    "left_out": [],
    "notes": [],
}

# With every ansible-core: each module once, and what ansible-core itself has a part in.
ON_EVERY_CORE: dict[str, Scenario] = {
    "each module": Scenario(
        [
            task("script_monitor", enabled=True),
            task("script_monitor_info", status=["active", "infrequent"], malicious_only=True),
            task("script_audit", baseline=[], at="2026-11-21T00:00:00Z"),
            task("log_custom_fields", request_fields=["X-A", "x-b"], cookie_fields=["Session"]),
            task("log_custom_fields_info"),
            task("logpush_job", **JOB, filter=json.dumps(FILTER)),
            task("logpush_job_info", name="main"),
            task("logpush_jobs", jobs=[{**JOB, "enabled": False}, {**JOB, "name": "second", "filter": FILTER}]),
            task("zone_observability", custom_fields=json.dumps(ZONE_FIELDS), jobs=[JOB, {**JOB, "name": "second"}]),
            task("logpush_dataset_info", dataset="http_requests"),
            task("logpush_delivery_info"),
            task("zone_variables_info"),
            task("logpush_ownership", destination_conf=BUCKET),
        ],
        warns=("proof of ownership",),
        seed={"scripts": SCRIPTS},
    ),
    # Of all zones, so without the default that names one; the condition leaves none.
    "a survey": Scenario([task("survey_info", zone_id="{{ omit }}", statuses=["moved"])], fails="not_found"),
    "local files, check mode": Scenario(
        [task("zone_variables_files", dest="/nowhere/inventory", date="2026-11-21", zones=[ADOPTED])], check=True
    ),
    "local files, refused": Scenario(
        [
            task("audit_report", dest="/nowhere/report", zones=[]),
            task("script_evidence_info", evidence_dir="/nowhere/evidence"),
            task("zone_variables_files", dest="/nowhere/inventory", date="today", zones=[ADOPTED]),
        ],
        fails="invalid_option",
    ),
    "odd values": Scenario(
        [
            task("script_monitor", enabled="yes"),
            task("script_monitor", enabled="{{ 1 == 1 }}"),
            task("log_custom_fields", request_fields="x-a,x-b"),
            task("log_custom_fields", request_fields=["{{ 'X-' ~ _each }}"], purge=False)
            | LOOP
            | {"loop": [2, 12345678901234567890]},
            task("script_monitor", enabled="{{ flag | bool }}")
            | {"vars": {"flag": "on"}, "register": "found", "until": "found is succeeded"},
        ]
    ),
}

# With every ansible-core: what it words itself, compared as it is printed.
PRINTED: dict[str, Scenario] = {
    "check mode": Scenario([MONITOR], check=True),
    "refused by ansible-core": Scenario(
        [
            task("script_monitor"),
            task("script_monitor", enabled="perhaps"),
            task("script_monitor", enabled=True, rute="script_monitor", api_key="planted-key-5512"),
            task("script_monitor_info", script_id="ab", hosts=["a.example"]),
        ],
        fails="invalid_option",
    ),
    "refused credentials": Scenario(
        [task("script_monitor", enabled=True, api_token="planted-other-token")], fails="authentication"
    ),
    "a warning": Scenario([task("log_custom_fields", request_fields=["range", "x-a"])], warns=("range",)),
}


def compared(scenarios: t.Mapping[str, Scenario]) -> set[str]:
    """The modules in tasks of scenarios."""
    names = {key for each in scenarios.values() for one in each.tasks for key in one if key.startswith(NAME)}
    return {name.removeprefix(f"{NAME}.") for name in names}


GROUP = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"))["action_groups"]["zone"]
# Modules that no scenario names run their first example.
if further := sorted(set(GROUP) - compared(ON_EVERY_CORE)):
    ON_EVERY_CORE["examples"] = Scenario([documented.example(name) for name in further])

ON_ONE_CORE: dict[str, Scenario] = {
    "no diff": Scenario([MONITOR], diff=False),
    "one script": Scenario(
        [task("script_monitor_info", script_id=SCRIPTS[0]["script_id"])],
        seed={"scripts": SCRIPTS, "script_monitor": {"enabled": True}},
    ),
    "jobs": Scenario(
        [
            task("logpush_job", **JOB, filter=FILTER),
            task("logpush_job", name="main", state="absent"),
        ]
    ),
    "several jobs, refused": Scenario(
        [
            task("logpush_jobs", jobs=[JOB, {"name": "second", "destination_conf": {"a": BUCKET}, "filter": []}]),
            task("logpush_jobs", jobs=[{**JOB, "bogus": BUCKET}]),
        ],
        fails="invalid_option",
    ),
    "a zone as a whole, refused": Scenario(
        [
            task("zone_observability", job=JOB, jobs=[JOB]),
            task("zone_observability", jobs=[{**JOB, "bogus": BUCKET}], job_defaults={"destination_conf": {"a": BUCKET}}),
        ],
        fails="invalid_option",
    ),
    "ownership refused": Scenario(
        [task("logpush_ownership", destination_conf=BUCKET, ownership_challenge="planted-challenge-77")], fails="rejected"
    ),
    "refused by ansible-core": Scenario(
        [
            task("script_monitor", enabled=True, route="elsewhere"),
            task("script_monitor", enabled={"a": "planted"}, timeout="soon"),
            task("logpush_job", state="absent"),
            task("logpush_job", job_id="first"),
            task("logpush_job", name="a", fields=["A"], logpull_options="fields=A"),
            task("logpush_job", name="a", output_options={"filed_names": ["A"]}),
        ],
        fails="invalid_option",
    ),
    "refused before a request": Scenario(
        [
            task("script_monitor", enabled=True, base_url="ftp://user:planted-pass-11@example.com"),
            task("logpush_job", **{**JOB, "filter": {"key": "ClientIP", "operator": "lte", "value": "1"}}),
        ],
        fails="invalid_option",
    ),
    "a refusal of the service": Scenario(
        [task("script_monitor", enabled=True), task("log_custom_fields_info")],
        fails="rejected",
        faults=({"kind": "status", "status": 409, "code": 1234, "message": "not now", "count": None},),
    ),
}


def both_ways(playbook: Playbook, scenarios: t.Mapping[str, Scenario], **run: t.Any) -> t.Iterator[tuple[str, Report, Report]]:
    """The reports of scenarios inside the controller and as ordinary modules, each time in the same zones."""
    zones = {name: f"{number:032x}" for number, name in enumerate(scenarios, 1)}
    simulator = playbook.simulator
    simulator.seed(zones=list(zones.values()))
    for name, scenario in scenarios.items():
        simulator.seed(**{kind: {zones[name]: value} for kind, value in scenario.seed.items()})
    faults = [{**fault, "path": f"*/{zones[name]}/*"} for name, scenario in scenarios.items() for fault in scenario.faults]
    start = simulator.snapshot()
    reports = []
    for in_process in (True, False):
        simulator.restore(start)
        simulator.clear_faults()
        simulator.faults(*faults)
        reports.append(playbook.run_cases(scenarios, zones, in_process=in_process, **run))
    here, there = reports
    return ((name, here[name], there[name]) for name in scenarios)


def comparable(value: t.Any, *aside: str) -> t.Any:
    """A result without what the service or the clock makes each time, and without what ansible-core adds."""
    if isinstance(value, dict):
        made = (*MOVING, *IDENTITY, "request_id", "filename", "exception", *aside)
        if isinstance(value.get("since"), str):  # a window up to now: what stays is how long it is
            start, end = (datetime.datetime.fromisoformat(value[name]) for name in ("since", "until"))
            value = {**value, "since": "", "until": str(end - start)}
        return {name: "" if name in made and member is not None else comparable(member, *aside) for name, member in value.items()}
    if isinstance(value, list):
        return [comparable(member, *aside) for member in value]
    return worded(value) if isinstance(value, str) else value


def worded(text: str) -> str:
    """Text without the names of requests, and the words that ansible-core chooses by the way a task went or lists in no order."""
    text = re.sub(r"[0-9a-f]{16}-SIM", "request", re.sub(r"(Module|Action) failed", "failed", text))
    # Newer ansible-core keeps the warnings of an ordinary module apart from its result, so that they do not get the name of the host.
    if tuple(map(int, __version__.split(".")[:2])) >= (2, 20):
        text = re.sub(r"\b0{31}\w: (?=\w+: )", "", text)
    return re.sub(r"(Valid booleans include:)[^\"\n]*", r"\1", text)


def requests_of(report: Report) -> list[tuple[t.Any, ...]]:
    return [
        (entry["method"], re.sub(r"/[0-9a-f]{32}|/\d+$", "/id", entry["path"]), entry["query"], comparable(entry["body"]))
        for entry in report.journal
    ]


@pytest.mark.parametrize(
    ("scenarios", "verbosity"),
    [pytest.param(ON_EVERY_CORE, 3, marks=EVERY_CORE), pytest.param(PRINTED, 0, marks=EVERY_CORE), (ON_ONE_CORE, 3)],
    ids=["every", "printed", "one"],
)
def test_both_ways_give_the_same(playbook: Playbook, scenarios: dict[str, Scenario], verbosity: int) -> None:
    """Results, masked invocations included, requests, and, with the usual verbosity, the output."""
    run = {"verbosity": verbosity, "env": {"ANSIBLE_INJECT_INVOCATION": "true"}}
    for name, here, there in both_ways(playbook, scenarios, timeout=900, **run):  # many processes, on a machine with other work
        if verbosity:
            assert AS_MODULE not in here.stdout
            assert there.stdout.count(AS_MODULE) >= len(there.ours) > 0
            assert all("invocation" in result for outcome in here.ours for result in outcome.each())
        else:
            texts = [worded(report.stdout + report.stderr).replace(str(report.folder), "") for report in (here, there)]
            assert texts[0] == texts[1] and texts[0]
        # Plans name the ids of what is there, which are new in each run where the run itself makes it.
        aside = ("plan_id", "plan_ids") if any(entry["method"] == "POST" for entry in here.journal) else ()
        for one, other in zip(here.outcomes, there.outcomes, strict=True):
            assert (one.name, one.status) == (other.name, other.status)
            # As text, because true and 1 are equal.
            results = [json.dumps(comparable(outcome.result, *aside), sort_keys=True) for outcome in (one, other)]
            assert results[0] == results[1], name
        # Reads of one task may be side by side.
        assert sorted(map(repr, requests_of(here))) == sorted(map(repr, requests_of(there))), name


def test_every_module_is_compared() -> None:
    modules = {path.stem for path in (ROOT / "plugins" / "modules").glob("[a-z]*.py")} - {"run_step"}  # which only decides
    assert modules == compared(ON_EVERY_CORE)


@EVERY_CORE
@pytest.mark.skipif(shutil.which("sudo") is None and shutil.which("su") is None, reason="nothing to become another user with")
def test_steps_aside(playbook: Playbook) -> None:
    """For a host that asks for it, an environment and another user."""
    method = "sudo" if shutil.which("sudo") else "su"
    ways = [
        {"vars": {"edgeops_in_process": "{{ switched }}", "switched": "no"}},
        {"environment": {"SOMETHING": "else"}},
        {"become": True, "vars": {"ansible_become_method": method}},
    ]
    report = playbook.run([task("script_monitor", enabled=True) | way for way in ways])
    assert report.stdout.count(AS_MODULE) == len(ways)
    assert all(outcome.result["script_monitor"]["enabled"] is True for outcome in report.ours)


def bare(playbook: Playbook, *tasks: Task) -> str:
    """The output of a run whose results are not those of a module: still running, or censored."""
    defaults = {f"group/{NAME}.zone": {"zone_id": playbook.zone}}
    report = playbook.launch([{"hosts": "all", "gather_facts": False, "module_defaults": defaults, "tasks": list(tasks)}])
    assert report.returncode == 0, str(report)
    return report.stdout


@EVERY_CORE
def test_steps_aside_for_async(playbook: Playbook, simulator: t.Any) -> None:
    """Waited for, and asked for later."""
    folder = {"vars": {"ansible_async_dir": "{{ playbook_dir }}/jobs"}}
    waited = task("script_monitor", enabled=True) | folder | {"async": 30, "poll": 1}
    started = task("log_custom_fields", request_fields=["x-a"]) | folder | {"async": 30, "poll": 0, "register": "job"}
    asked: Task = folder | {"ansible.builtin.async_status": {"jid": "{{ job.ansible_job_id }}"}, "register": "found"}
    stdout = bare(playbook, waited, started, asked | {"until": "found is finished", "delay": 1, "retries": 30})
    assert stdout.count(AS_MODULE) >= 2
    state = simulator.state(playbook.zone)
    assert state["script_monitor"]["enabled"] is True and state["rulesets"]


@EVERY_CORE
def test_the_delegated_host_decides(playbook: Playbook) -> None:
    hosts = {"far": {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1}}
    report = playbook.run(task("script_monitor", enabled=True) | {"delegate_to": "localhost"}, inventory=hosts)
    assert AS_MODULE not in report.stdout
    assert report.result["changed"] is True


@EVERY_CORE
def test_loops_retries_and_conditions(playbook: Playbook, simulator: t.Any) -> None:
    simulator.faults({"kind": "status", "status": 409, "code": 1, "message": "later", "count": 1})
    report = playbook.run(
        [
            task("script_monitor", enabled="{{ _each }}")
            | LOOP
            | {"loop": [True, False, True], "register": "found", "until": "found is succeeded", "delay": 0},
            {"name": "seen", "ansible.builtin.debug": {"msg": "{{ found.results | map(attribute='attempts') }}"}},
            task("script_monitor", enabled=True) | {"run_once": True, "when": "found is changed"},
        ]
    )
    assert [result["script_monitor"]["enabled"] for result in report.ours[0].each()] == [True, False, True]
    assert report.named("seen").result["msg"] == [2, 1, 1]
    assert report.ours[1].result["changed"] is False


@EVERY_CORE
def test_vaulted_options(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("open sesame", encoding="utf-8")
    command = [str(BIN / "ansible-vault"), "encrypt_string", "--vault-password-file", str(tmp_path / "password"), simulator.token]
    vaulted = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # put together above
    indented = vaulted.replace("\n", "\n        ")
    text = f"""
- hosts: all
  gather_facts: false
  tasks:
    - {NAME}.script_monitor:
        zone_id: "{playbook.zone}"
        enabled: true
        api_token: {indented}
"""
    (tmp_path / "vaulted.yml").write_text(text, encoding="utf-8")
    arguments = ["--vault-password-file", str(tmp_path / "password")]
    report = playbook.run(playbook=tmp_path / "vaulted.yml", env={"CLOUDFLARE_API_TOKEN": None}, arguments=arguments)
    assert AS_MODULE not in report.stdout
    assert report.result["changed"] is True


@EVERY_CORE
def test_no_log_and_timeout(playbook: Playbook, simulator: t.Any) -> None:
    """A result that is not to be shown, and a task that takes too long."""
    simulator.faults({"kind": "hang", "seconds": 60, "index": 2, "count": None})
    stdout = bare(
        playbook,
        task("script_monitor", enabled=True) | {"no_log": True},
        task("script_monitor", enabled=False) | {"timeout": 2},
    )
    assert AS_MODULE not in stdout
    assert "censored" in stdout
    assert "updated_at" not in stdout
    # The words are ansible-core's own; the module's failure would have an `error`.
    assert "ignored=1" in stdout
    assert "request_id" not in stdout


@EVERY_CORE
def test_relative_paths_count_from_the_playbook(playbook: Playbook, tmp_path: Path) -> None:
    def named(path: str) -> Task:
        return task("script_monitor", enabled=True, ca_path=path, zone_id=playbook.zone)

    tasks = [named("missing.pem"), named("missing.pem") | {"vars": {"edgeops_in_process": False}}, named("authorities.pem")]
    (tmp_path / "authorities.pem").touch()
    (tmp_path / "relative.yml").write_text(
        json.dumps([{"hosts": "all", "gather_facts": False, "tasks": tasks}]), encoding="utf-8"
    )
    report = playbook.run(playbook=tmp_path / "relative.yml", fails="invalid_option")
    assert ["ca_path" in outcome.result["msg"] for outcome in report.failures] == [True, True]
    assert report.ours[-1].result["changed"] is True


@EVERY_CORE
def test_without_the_library(playbook: Playbook, tmp_path: Path) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "requests.py").write_text("raise ImportError('not installed')\n", encoding="utf-8")
    report = playbook.run(
        task("script_monitor", enabled=True), env={"PYTHONPATH": str(tmp_path / "without")}, fails="unavailable"
    )
    assert "requests" in report.failure["msg"]
    assert str(BIN / "python") in report.failure["msg"]


@EVERY_CORE
def test_inventory_variables_are_enough(playbook: Playbook) -> None:
    hosts = {"one": {"zone": playbook.zone, **LOCAL}, "two": {"zone": playbook.zone, "edgeops_in_process": False}}
    report = playbook.run(task("script_monitor", enabled=True, zone_id="{{ zone }}"), inventory=hosts, forks=1)
    assert report.stdout.count(AS_MODULE) == 1
    assert len(report.ours) == 2


# Callbacks are loaded before workers are forked, which inherit the hook.
IMPORTS = '''
import os, sys
from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: imports
type: notification
short_description: Notes each import with its process
description: For this test.
"""

def note(event, arguments):
    if event == "import":
        line = f"{os.getpid()} {arguments[0]}\\n".encode()
        file = os.open(os.environ["EDGEOPS_IMPORTS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, line)
        os.close(file)

sys.addaudithook(note)

class CallbackModule(CallbackBase):
    CALLBACK_NAME = "imports"
'''

LOOKUP = """
from ansible.plugins.lookup import LookupBase
import imported_by_a_worker
class LookupModule(LookupBase):
    def run(self, terms, variables=None, **options):
        return ["found"]
"""


@EVERY_CORE
def test_libraries_are_imported_before_forks(playbook: Playbook, tmp_path: Path) -> None:
    """The controller imports what tasks need once, and its workers import nothing again."""
    for name, text in {"callbacks/imports": IMPORTS, "imported_by_a_worker": "", "lookup/late": LOOKUP}.items():
        (tmp_path / f"{name}.py").parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    harness = Path(__file__).parents[1] / "harness" / "callback_plugins"
    env = {
        "PYTHONPATH": str(tmp_path),
        "ANSIBLE_LOOKUP_PLUGINS": str(tmp_path / "lookup"),
        "ANSIBLE_CALLBACK_PLUGINS": f"{harness}:{tmp_path / 'callbacks'}",
        "ANSIBLE_CALLBACKS_ENABLED": "edgeops_record,imports",
        "EDGEOPS_IMPORTS": str(tmp_path / "imports"),
    }
    report = playbook.run(
        # The lookup is imported where it is used, which shows that imports of workers are seen.
        [
            task("script_monitor_info"),
            task("logpush_job_info"),
            {"name": "l", "ansible.builtin.debug": {"msg": "{{ lookup('late') }}"}},
        ],
        inventory={f"h{number}": {**LOCAL, "zone_id": f"{number:032x}"} for number in (1, 2, 3)},
        env=env,
        warns=["script monitor of the zone is disabled"],
    )
    assert AS_MODULE not in report.stdout
    imports = [line.split() for line in (tmp_path / "imports").read_text(encoding="utf-8").splitlines()]
    controller = {process for process, name in imports if name == "requests"}
    assert len(controller) == 1
    elsewhere = [name for process, name in imports if process not in controller]
    assert "imported_by_a_worker" in elsewhere
    owned = ("requests", "urllib3", f"ansible_collections.{NAME}")
    assert not [name for name in elsewhere if name.startswith(owned)]
    here = {name for process, name in imports if process in controller}
    assert {"urllib3", f"ansible_collections.{NAME}.plugins.modules.script_monitor_info"} <= here
