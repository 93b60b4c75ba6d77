# SPDX-License-Identifier: GPL-3.0-or-later

"""Every module returns the same in the controller's process and as an ordinary module."""

import ast
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
import yaml
from zone_runs import fleet, names, rules

from harness import CORE, Case, Playbook, documented
from harness.fixtures import TOKEN
from harness.modules import task_of
from harness.prediction import IDENTITY, MOVING
from harness.process import BIN, LOCAL, Place, execute

every_core = pytest.mark.every_core

ROOT = Path(__file__).resolve().parents[2]
AS_MODULE = "Using module file"
NAME = "edgeops.observability"
BUCKET = "s3://bucket/logs?region=eu-west-1&access-key-id=AKIAREADABLE&secret-access-key=planted-secret-3b1c77"
JOB = {"name": "main", "destination_conf": BUCKET, "fields": ["ClientIP"], "timestamp_format": "rfc3339", "enabled": True}
FILTER = {
    "and": [
        {"key": "ClientIP", "operator": "in", "value": ["192.0.2.1"]},
        {"key": "EdgeResponseStatus", "operator": "geq", "value": 500},
    ]
}
SCRIPTS = [
    {"script_id": f"{number:032x}", "status": status, "host": "a.example", "js_integrity_score": number * 20}
    for number, status in enumerate(("active", "infrequent", "active"))
]

Task = dict[str, t.Any]
LOOP: Task = {"loop_control": {"loop_var": "_each"}}


def task(module: str, **args: t.Any) -> Task:
    return {"name": f"{module} {sorted(args)}", f"{NAME}.{module}": args, "ignore_errors": True, "no_log": False}


MONITOR = task("script_monitor", enabled=True)
ZONE_FIELDS = {"request_fields": ["X-A"], "cookie_fields": ["Session"]}

# Each module; independent of the version of ansible-core. A module without a task here runs its first example.
MODULES = [
    MONITOR,
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
    task("logpush_ownership", destination_conf="gs://bucket/logs"),
    task("survey_info", statuses=["moved"]),  # no zone has this status
]
GROUP = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"))["action_groups"]["zone"]


def module_of(one: Task) -> str:
    (name,) = (key for key in one if key.startswith(NAME))
    return name.removeprefix(f"{NAME}.")


for further in sorted(set(GROUP) - set(map(module_of, MODULES))):
    MODULES.append(documented.example(further))
    MODULES[-1][f"{NAME}.{further}"].pop("account_id", None)  # the host has one

# Errors of arguments, whose texts are those of ansible-core.
REFUSED = [
    task("script_monitor"),
    task("script_monitor", enabled="perhaps"),
    task("script_monitor_info", script_id="ab", hosts=["a.example"]),
]

SECRETS = {"api_token": TOKEN, "ownership_challenge": "planted-challenge-51c0", "destination_conf": BUCKET}
KEPT = "kept.json"

# Features of ansible-core that affect options and results, and its own texts; no output has an id that the service makes. Each ordinary
# module takes half a second, so that what the file of a module does by itself is compared with it as a program, below.
CASES = {
    "nested values": Case(
        [
            task(
                "zone_observability",
                custom_fields=json.dumps(ZONE_FIELDS),
                jobs=[JOB, {**JOB, "filter": FILTER, "name": "second"}],
            ),
        ],
    ),
    "odd values, no diff, and check mode": Case(
        [
            task("log_custom_fields", request_fields="x-a,range", retries="{{ omit }}"),
            task("log_custom_fields", request_fields=["{{ 'X-' ~ _each }}"], purge=False)
            | LOOP
            | {"loop": [12345678901234567890]},
            task(
                "script_monitor",
                enabled="{{ flag | bool }}",
                **dict.fromkeys(("base_url", "api_token", "timeout", "request_budget"), ""),
            )
            | {"vars": {"flag": "off"}, "register": "found", "until": "found is succeeded", "check_mode": True},
        ],
        diff=False,
        warns=("range",),
    ),
    "refused arguments": Case(
        [
            task("script_monitor", enabled=True, rute="script_monitor", api_key="planted-key-5512"),
            task("zone_observability", jobs=[JOB, {**JOB, "bogus": BUCKET, "destination_conf": {"a": BUCKET}}]),
        ],
        fails="invalid_option",
    ),
    "refused credentials": Case([task("script_monitor", enabled=True, api_token="planted-other-token")], fails="authentication"),
    "registered": Case(
        [
            task("logpush_job", **{**JOB, **SECRETS}) | {"register": "created"},
            task("logpush_job", **{**JOB, **SECRETS, "kind": "sideways"}) | {"register": "failed"},
            task("logpush_job", **{**JOB, **SECRETS, "rubbish": SECRETS}) | {"register": "refused"},
            {
                "name": "Keep",
                "diff": False,
                "ansible.builtin.copy": {
                    "content": "{{ [created, failed, refused] | to_json }}",
                    "dest": f"{{{{ playbook_dir }}}}/{KEPT}",
                    "mode": "0600",
                },
            },
        ],
        warns=("proof of ownership",),
        fails="invalid_option",
    ),
}


def comparable(value: t.Any, *aside: str) -> t.Any:
    """Return a result without values that the service or the clock sets, and without the members of ansible-core."""
    if isinstance(value, dict):
        made = (*MOVING, *IDENTITY, "request_id", "filename", "exception", *aside)
        if isinstance(value.get("since"), str):  # a window up to the time of the run, of which only the length is compared
            start, end = (datetime.datetime.fromisoformat(value[name]) for name in ("since", "until"))
            value = {**value, "since": "", "until": str(end - start)}
        return {
            name: "" if name in made and member is not None else comparable(member, *aside)
            for name, member in value.items()
            if not name.startswith("_ansible_")
        }
    if isinstance(value, list):
        return [comparable(member, *aside) for member in value]
    return worded(value) if isinstance(value, str) else value


def worded(text: str) -> str:
    """Return text without ids of requests, and without words of ansible-core that differ between the two ways or have no fixed order."""
    text = re.sub(r"[0-9a-f]{16}-SIM", "request", re.sub(r"(Module|Action) failed", "failed", text))
    # Newer ansible-core stores warnings of ordinary modules outside of the result, so that they lack the name of the host.
    if CORE >= (2, 20):
        text = re.sub(r"\b0{31}\w: (?=\w+: )", "", text)
    return re.sub(r"(Valid booleans include:)[^\"\n]*", r"\1", text)


def as_text(result: t.Any, *aside: str) -> str:
    """Return a result as text, because true equals 1 in Python."""
    return json.dumps(comparable(result, *aside), sort_keys=True)


def requests_of(journal: t.Sequence[t.Mapping[str, t.Any]]) -> list[str]:
    """Return requests sorted, because the reads of a task may be sent in parallel, in any order."""
    paths = [re.sub(r"/[0-9a-f]{32}|/\d+$", "/id", entry["path"]) for entry in journal]
    each = zip(journal, paths, strict=True)
    return sorted(repr((entry["method"], path, entry["query"], comparable(entry["body"]))) for entry, path in each)


@every_core
def test_module_returns_the_same_in_process(playbook: Playbook, tmp_path: Path) -> None:
    """Results (with masked invocations), requests and what is printed are equal for the same zones; no registered result has a secret.

    ansible-core masks only what it displays, so that a registered result that is written to a file must not contain secrets.
    """
    zones = {name: f"{number:032x}" for number, name in enumerate(CASES, 1)}
    playbook.simulator.seed(
        zones=list(zones.values()),
        script_monitor={
            zones["odd values, no diff, and check mode"]: {"enabled": True},
            zones["nested values"]: {"enabled": True},
        },
    )
    start = playbook.simulator.snapshot()
    # At normal verbosity, nothing that is printed says how a task runs, so that the interpreter of ordinary modules counts its starts.
    (python := tmp_path / "python").write_text(f'#!/bin/sh\necho >>{tmp_path}/starts\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    env = {"ANSIBLE_INJECT_INVOCATION": "true"}
    run = {"verbosity": 0, "env": env, "timeout": 900, "extra_vars": {"ansible_python_interpreter": str(python)}}
    inside = playbook.run_cases(CASES, zones, in_process=True, **run)
    starts = [(tmp_path / "starts").stat().st_size]
    playbook.simulator.restore(start)
    as_modules = playbook.run_cases(CASES, zones, in_process=False, **run)
    starts.append((tmp_path / "starts").stat().st_size - starts[0])
    assert starts[0] <= 3, "only what writes the file"
    assert starts[1] - starts[0] >= sum(len(report.ours) for report in as_modules.values())
    for name, here in inside.items():
        there = as_modules[name]
        assert all("invocation" in result for outcome in here.ours for result in outcome.each())
        texts = [worded(report.stdout + report.stderr).replace(str(report.folder), "") for report in (here, there)]
        assert texts[0] == texts[1] and texts[0]
        # Plan ids contain ids of objects, which are new in each run that creates them.
        aside = ("plan_id", "plan_ids") if any(entry["method"] == "POST" for entry in here.journal) else ()
        assert [(one.name, one.status) for one in here.outcomes] == [(one.name, one.status) for one in there.outcomes]
        for one, other in zip(here.ours, there.ours, strict=True):
            assert as_text(one.result, *aside) == as_text(other.result, *aside), name
        assert requests_of(here.journal) == requests_of(there.journal), name
    for way in (inside, as_modules):
        text = (way["registered"].folder / "input" / KEPT).read_text(encoding="utf-8")
        created, failed, refused = json.loads(text)
        assert created["job"]["id"] and failed["failed"] and refused["failed"]
        assert not [secret for secret in (*SECRETS.values(), "planted-secret-3b1c77") if secret in text]


def test_each_module_returns_the_same_as_a_program(playbook: Playbook, tmp_path: Path) -> None:
    """Results and requests are those of the file of the module as a program, whose imports ansible-core can all send to a host."""
    simulator = playbook.simulator
    simulator.seed(scripts={playbook.zone: SCRIPTS})
    start = simulator.snapshot()
    (tmp_path / "every_import.py").write_text(every_import(), encoding="utf-8")
    inside = playbook.run(
        [*MODULES, *REFUSED, {"name": "Import", "every_import": {}}],
        in_process=True,
        env={"ANSIBLE_INJECT_INVOCATION": "true", "ANSIBLE_LIBRARY": str(tmp_path)},
        extra_vars={"account_id": simulator.account},
        fails={"not_found", "invalid_option"},
    )
    assert AS_MODULE not in inside.stdout.partition("TASK [Import]")[0]
    assert all("invocation" in outcome.result for outcome in inside.ours)
    simulator.restore(start)
    seen = len(simulator.journal())
    programs = Place(tmp_path)
    typed = []
    for number, one in enumerate([*MODULES, *REFUSED]):
        module = module_of(one)
        taken = task_of(module).options()
        addresses = {"zone_id": playbook.zone, "account_id": simulator.account}
        address = dict([(name, value) for name, value in addresses.items() if name in taken][:1])
        arguments = {**address, **one[f"{NAME}.{module}"], "_ansible_diff": True}
        typed.append([module, str(programs.write(f"{number}.json", {"ANSIBLE_MODULE_ARGS": arguments}))])
    environment = {**os.environ, **programs.environment(), **simulator.environment()}
    command = [sys.executable, str(ROOT / "tests" / "support" / "programs.py")]
    code, stdout, stderr = execute(command, environment, programs.input, timeout=300, typed=json.dumps(typed))
    assert code == 0, stderr
    printed = [json.loads(line) for line in stdout.splitlines() if line]
    for one, there in zip(inside.ours, printed, strict=True):
        # Of a program, newer ansible-core prints no invocation, and no place in its code where it failed.
        here = {name: value for name, value in one.result.items() if name not in ("invocation", "exception") or name in there}
        # To a result without `changed`, ansible-core adds that nothing was.
        assert as_text(here, "plan_id", "plan_ids") == as_text({"changed": False, **there}, "plan_id", "plan_ids"), one.name
    assert requests_of(inside.journal) == requests_of(simulator.journal()[seen:])


def every_import() -> str:
    """Return a module that imports what each of our modules imports."""
    trees = [ast.parse((ROOT / "plugins" / "modules" / f"{name}.py").read_text(encoding="utf-8")) for name in GROUP]
    imports = {ast.unparse(node) for tree in trees for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)}
    return "\n".join(
        ["from ansible.module_utils.basic import AnsibleModule", *sorted(imports), "AnsibleModule({}).exit_json(changed=False)\n"]
    )


def test_every_module_is_compared() -> None:
    """All modules of the action group are compared. The others run on the controller only, so there is nothing to compare."""
    assert sorted(GROUP) == sorted({module_of(one) for one in MODULES})


def test_no_import_is_hidden_from_ansible() -> None:
    """What a module imports later than at its start is found, too: ansible-core looks for statements, and sends nothing else."""
    files = (ROOT / "plugins" / "module_utils").rglob("*.py")
    assert not [path for path in files if re.search(r"importlib|__import__", path.read_text(encoding="utf-8"))]


BECOME = next((method for method in ("sudo", "su") if shutil.which(method)), None)


def by_task(stdout: str) -> dict[str, str]:
    """Return the output of each task."""
    return dict(re.findall(r"^TASK \[(.*?)\] \*+\n(.*?)(?=^TASK |^PLAY )", stdout, re.MULTILINE | re.DOTALL))


@every_core
def test_tasks_that_run_as_ordinary_modules(playbook: Playbook, tmp_path: Path) -> None:
    """Tasks run as ordinary modules on other hosts, when delegated to them, or with certain keywords; paths have the same base."""
    playbook.simulator.faults({"kind": "status", "status": 409, "code": 1, "message": "later", "count": 1})
    hosts: dict[str, Task] = {
        "here": LOCAL,
        "there": {"edgeops_in_process": "{{ switched }}", "switched": "no"},
        "far": {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1, "through": "here"},
    }
    ways: dict[str, tuple[Task, bool]] = {
        "retries": (LOOP | {"loop": [1, 2], "register": "found", "until": "found is succeeded", "delay": 0}, False),
        "condition": ({"run_once": True, "when": "found is changed"}, False),
        "environment": ({"environment": {"SOMETHING": "else"}}, True),
        "switch": ({"vars": {"edgeops_in_process": False}}, True),
    }
    if BECOME:
        ways["become"] = ({"become": True, "vars": {"ansible_become_method": BECOME}}, True)
    tasks = [{**task("script_monitor", enabled=True), "name": name, **keywords} for name, (keywords, _aside) in ways.items()]
    missing = task("script_monitor", enabled=True, ca_path="missing.pem")
    tasks += [
        missing,
        missing | {"vars": {"edgeops_in_process": False}},
        task("script_monitor", enabled=True, ca_path="found.pem"),
    ]
    working_directory = playbook.folder / "run-0" / "input"
    working_directory.mkdir(parents=True)
    (working_directory / "found.pem").touch()
    delegated = {**MONITOR, "name": "hosts", "delegate_to": "{{ through | default(inventory_hostname) }}"}
    defaults = {f"group/{NAME}.zone": {"zone_id": playbook.zone}}
    plays = [
        {"hosts": names, "gather_facts": False, "module_defaults": defaults, "tasks": play_tasks}
        for names, play_tasks in (("here", tasks), ("all", [delegated]))
    ]
    (tmp_path / "play.yml").write_text(json.dumps(plays), encoding="utf-8")
    # Here modules are sent as files, as they are by default.
    env = {"ANSIBLE_PIPELINING": None}
    report = playbook.run(playbook=tmp_path / "play.yml", inventory=hosts, env=env, fails="invalid_option")
    said = by_task(report.stdout)
    assert {name: AS_MODULE in said[name] for name in ways} == {name: aside for name, (_keywords, aside) in ways.items()}
    assert said["hosts"].count(AS_MODULE) == 1 and len([outcome for outcome in report.ours if outcome.name == "hosts"]) == len(
        hosts
    )
    assert [result["attempts"] for result in report.named("retries").each()] == [2, 1]
    assert not report.named("condition").result["changed"]
    paths = [outcome.result for outcome in report.ours if "ca_path" in outcome.name]
    assert ["ca_path" in result.get("msg", "") for result in paths] == [True, True, False]


@every_core
def test_async_no_log_and_timeout(playbook: Playbook, simulator: t.Any) -> None:
    """Tasks with async, no_log or a timeout: their printed results are not those of the module, so that only the output is checked."""
    simulator.faults({"kind": "hang", "seconds": 60, "method": "GET", "path": "*/script_monitor", "index": 1, "count": None})
    folder = {"vars": {"ansible_async_dir": "{{ playbook_dir }}/jobs"}}
    status = folder | {"ansible.builtin.async_status": {"jid": "{{ job.ansible_job_id }}"}, "register": "found"}
    tasks = [
        task("log_custom_fields", request_fields=["x-a"]) | folder | {"name": "waited", "async": 30, "poll": 1},
        task("log_custom_fields", cookie_fields=["b"]) | folder | {"name": "started", "async": 30, "poll": 0, "register": "job"},
        status | {"name": "asked", "until": "found is finished", "delay": 1, "retries": 30},
        MONITOR | {"name": "censored", "no_log": True},
        task("script_monitor", enabled=False) | {"name": "late", "timeout": 2},
    ]
    defaults = {f"group/{NAME}.zone": {"zone_id": playbook.zone}}
    report = playbook.launch([{"hosts": "all", "gather_facts": False, "module_defaults": defaults, "tasks": tasks}])
    assert report.returncode == 0, str(report)
    said = by_task(report.stdout)
    assert [name for name in said if AS_MODULE in said[name] and name != "asked"] == ["waited", "started"]
    state = simulator.state(playbook.zone)
    assert state["script_monitor"]["enabled"] is True
    (rule,) = rules(simulator, playbook.zone)
    assert names(rule, "request_fields") == ["x-a"] and names(rule, "cookie_fields") == ["b"]
    assert "censored" in said["censored"] and "updated_at" not in said["censored"]
    # Both texts are of ansible-core; a failure of the module would have an `error`.
    assert "ignored=1" in report.stdout and "request_id" not in said["late"]


def test_missing_http_library_fails(playbook: Playbook, tmp_path: Path) -> None:
    (tmp_path / "requests.py").write_text("raise ImportError('not installed')\n", encoding="utf-8")
    report = playbook.run(MONITOR, env={"PYTHONPATH": str(tmp_path)}, fails="unavailable")
    assert "requests" in report.failure["msg"] and str(BIN / "python") in report.failure["msg"]


@every_core
def test_budget_wait_is_displayed_before_it_begins(playbook: Playbook) -> None:
    """In the controller's process the message appears before the wait, once per run; from ordinary modules it comes with the result."""
    read = task("logpush_job_info", request_budget="2/9")
    announced = r"Waiting \d+ seconds before the next request: 2 requests in 9 seconds were sent "
    is_inside = playbook.in_process is not False
    # Two hosts, so that two tasks wait at the same time.
    hosts = fleet(playbook.simulator, [{}] * 2)
    plays = [{"hosts": "all", "gather_facts": False, "tasks": [{**read, "name": name} for name in ("first", "second")]}]
    report = playbook.run(playbook=plays, inventory=hosts, warns=[] if is_inside else [announced])
    assert not is_inside or len(re.findall(announced, report.stderr)) == 1
    warned = [bool(outcome.result.get("warnings")) for outcome in report.outcomes]
    assert warned == [False, False, not is_inside, not is_inside]


@every_core
def test_old_python_of_a_host_is_named(playbook: Playbook) -> None:
    """The task of a supported controller can still be sent to a Python that cannot compile the collection."""
    candidates = filter(None, (shutil.which(f"python{version}") for version in ("3.9", "3.8")))
    # A tool for several versions may leave a command of a version that is not selected.
    old = next(
        (
            python
            for python in candidates
            if subprocess.run([python, "--version"], capture_output=True, check=False).returncode == 0
        ),
        None,
    )
    if not old:
        pytest.skip("no Python that is too old is on this machine")
    variables = {"ansible_python_interpreter": old}
    report = playbook.run({**MONITOR, "vars": variables, "ignore_errors": False}, in_process=False, fails="invalid_option")
    assert "needs ansible-core 2.16 and Python 3.10 or newer, and this is" in report.failure["msg"]
    assert not report.journal
