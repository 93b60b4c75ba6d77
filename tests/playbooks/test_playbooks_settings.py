# SPDX-License-Identifier: GPL-3.0-or-later

"""Playbooks have the same findings and writes with any configuration of Ansible, names of hosts, or start of the run."""

import itertools
import json
import re
import textwrap
import typing as t
from pathlib import Path

import pytest
import yaml
from zone_runs import SECRET, fleet, shown_lines

from harness import Playbook

# One case of each kind of configuration, start and output; all further ones are the same with every core.
every_core = pytest.mark.every_core

DELIVER = "edgeops.observability.deliver"
CHECK = "edgeops.observability.check"
ADOPT = "edgeops.observability.adopt"
SURVEY = "edgeops.observability.survey"
ON = {"script_monitor_enabled": True, "job": None}
# With --start-at-task Ansible gathers facts, which include the environment, so that it must not contain the token.
WITHOUT_TOKEN = {"CLOUDFLARE_API_TOKEN": None}
# Each case has several settings at once, because they are independent of each other.
SETTINGS: dict[str, dict[str, str]] = {
    "one": {
        "ANSIBLE_ANY_ERRORS_FATAL": "true",
        "ANSIBLE_PRIVATE_ROLE_VARS": "true",
        "ANSIBLE_HASH_BEHAVIOUR": "merge",
        "ANSIBLE_JINJA2_NATIVE": "true",
        "ANSIBLE_BECOME": "true",
        "ANSIBLE_BECOME_USER": "nobody-here",
        "ANSIBLE_FORKS": "1",
        "ANSIBLE_DISPLAY_SKIPPED_HOSTS": "false",
    },
    "other": {
        "ANSIBLE_STRATEGY": "free",
        "ANSIBLE_CACHE_PLUGIN": "jsonfile",
        "ANSIBLE_CACHE_PLUGIN_CONNECTION": "cache",
        "ANSIBLE_GATHERING": "explicit",
        "ANSIBLE_STDOUT_CALLBACK": "minimal",
        "ANSIBLE_INJECT_FACT_VARS": "false",
    },
    "debugger": {"ANSIBLE_STRATEGY": "debug", "ANSIBLE_ANY_ERRORS_FATAL": "true"},
}


def run(playbook: Playbook, name: str, hosts: t.Any, extra: dict[str, t.Any], env: dict[str, str], **more: t.Any) -> t.Any:
    """Run a playbook in which the zone `bad` fails."""
    return playbook.run(playbook=name, inventory=hosts, extra_vars=extra, env=env, secrets=[SECRET], **more)


@pytest.mark.parametrize("settings", [pytest.param("one", marks=every_core), pytest.param("other", marks=every_core), "debugger"])
def test_settings_change_neither_findings_nor_writes(playbook: Playbook, simulator: t.Any, tmp_path: Path, settings: str) -> None:
    hosts = dict(zip(("good", "bad", "same"), fleet(simulator, [ON, ON, ON]).values(), strict=True))
    zones = {name: host["zone_id"] for name, host in hosts.items()}
    simulator.seed(script_monitor={zones["same"]: {"enabled": True}})
    simulator.faults({"kind": "status", "status": 403, "zone": zones["bad"], "count": None})
    # A connection to this host would fail, and it has no zone.
    hosts["127.0.0.1"] = {"ansible_connection": "ssh", "ansible_port": 9}
    fails = ("ansible", "permission")
    env = {**SETTINGS[settings], "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(tmp_path / "cache")}
    extra = {"edgeops_report_dir": str(tmp_path / "report"), "edgeops_target": "all:!127.0.0.1"}
    report = run(playbook, CHECK, hosts, {**extra, "edgeops_fail_on": "drifted"}, env, fails=fails)
    document = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert {zone["zone"]: zone["status"] for zone in document["zones"]} == {
        "good": "drifted",
        "bad": "unaudited",
        "same": "compliant",
    }
    assert report.returncode == 2 and not report.writes
    said = {outcome.host: outcome.result["msg"] for outcome in report.failures if outcome.status == "failed"}
    assert set(said) == {"good", "bad"} and said["bad"].startswith("permission: ")

    delivered = run(playbook, DELIVER, hosts, {"edgeops_target": "all:!127.0.0.1"}, env, fails=fails)
    assert shown_lines(delivered, "Show the outcomes")[0] == "3 zones: 1 changed, 1 unchanged, 1 failed, 0 not reached"
    assert {entry["zone"] for entry in delivered.writes} == {zones["good"]} and delivered.returncode == 2

    folder = tmp_path / "inventory"
    adopted = run(
        playbook,
        ADOPT,
        hosts,
        {"edgeops_target": "good:same", "edgeops_adopt_dir": str(folder), "edgeops_adopt_group": "ours"},
        env,
    )
    assert sorted(path.parent.name for path in folder.glob("host_vars/*/adopted.yml")) == ["good", "same"] and not adopted.writes


@pytest.mark.parametrize("empty", [None, ""])
def test_empty_switches_count_as_omitted(playbook: Playbook, simulator: t.Any, tmp_path: Path, empty: str | None) -> None:
    hosts = fleet(simulator, [ON])
    switches = dict.fromkeys(("guard", "verify_token", "stop_on_failure", "audit_scripts", "deliver_partial"), empty)
    extra = {f"edgeops_{name}": value for name, value in switches.items()}
    report = run(playbook, CHECK, hosts, {**extra, "edgeops_report_dir": str(tmp_path)}, {})
    delivered = run(playbook, DELIVER, hosts, extra, {})
    assert len(delivered.writes) == 1
    for done in (report, delivered):
        assert any(entry["path"].endswith("/tokens/verify") for entry in done.journal)


def test_localhost_without_ordinary_modules(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """Ordinary modules cannot run on localhost (no home, failing connection), but the report is written to a temporary folder."""
    hosts = fleet(simulator, [ON])
    hosts["localhost"] = {"ansible_connection": "ssh", "ansible_port": 9, "ansible_remote_tmp": "/proc/nowhere"}
    env = {"TMPDIR": str(tmp_path), "HOME": "/proc/nowhere", "ANSIBLE_LOCAL_TEMP": str(tmp_path / "local")}
    checked = run(playbook, CHECK, hosts, {"edgeops_target": "zone0"}, env)
    assert "The report is " in "".join(shown_lines(checked)) and list(tmp_path.glob("edgeops-report-*/report.html"))
    surveyed = playbook.launch(SURVEY, inventory=hosts, env=env)
    assert "The report is " in surveyed.stdout and len(list(tmp_path.glob("edgeops-report-*"))) == 2


def test_host_with_the_name_of_a_group(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """Hosts with the name of a group, or with characters of host patterns, are written and fail like any other."""
    named = dict(zip(("edge", "shop example", "other"), fleet(simulator, [ON, ON, ON]).values(), strict=True))
    groups = {"edge": {"hosts": {"other": {}}}}
    inventory = tmp_path / "hosts.yml"
    inventory.write_text(yaml.safe_dump({"all": {"hosts": dict.fromkeys(named), "children": groups}}), encoding="utf-8")
    # In the inventory file, Ansible would assign the variables of this host to the group of the same name.
    (tmp_path / "host_vars").mkdir()
    for name, variables in named.items():
        (tmp_path / "host_vars" / f"{name}.yml").write_text(yaml.safe_dump(variables), encoding="utf-8")
    extra = {"edgeops_fail_on": "drifted", "edgeops_report_dir": str(tmp_path / "report")}
    checked = run(playbook, CHECK, inventory, extra, {}, fails="ansible")
    assert {outcome.host for outcome in checked.failures} == set(named) and checked.returncode == 2
    delivered = run(playbook, DELIVER, inventory, {}, {})
    assert {entry["zone"] for entry in delivered.writes} == {host["zone_id"] for host in named.values()}


WRITING = pytest.param("Bring the zone into the desired state", marks=every_core)


@pytest.mark.parametrize("task", ["Evaluate the predicted changes", "Show the plan", WRITING])
def test_delivery_with_start_at_task_writes_nothing(playbook: Playbook, simulator: t.Any, task: str) -> None:
    """No variable of the inventory replaces the results of skipped tasks."""
    hosts = fleet(simulator, [ON])
    ids = dict.fromkeys(("custom_fields", "jobs", "script_monitor", "content_security_rules"))
    plan = {
        "written": ["zone0"],
        "hosts": ["zone0"],
        "refused": {},
        "changed_zones": ["zone0"],
        "plan_ids": {"zone0": ids},
        "lines": [],
    }
    hosts["zone0"] |= {"edgeops_api_token": simulator.token, "_edgeops_plan": plan, "_edgeops_validated": {"hosts": ["zone0"]}}
    report = playbook.launch(DELIVER, inventory=hosts, env=WITHOUT_TOKEN, arguments=["--start-at-task", task])
    assert not report.writes and report.returncode != 0


def test_check_with_start_at_task_fails(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    hosts = fleet(simulator, [ON])
    hosts["zone0"] |= {"log_delivery_result": {"zone_id": hosts["zone0"]["zone_id"], "changed": False}}
    extra = {"edgeops_report_dir": str(tmp_path)}
    report = playbook.launch(
        CHECK, inventory=hosts, extra_vars=extra, env=WITHOUT_TOKEN, arguments=["--start-at-task", "Report on the zones"]
    )
    assert report.returncode != 0


DECLINED = [
    (DELIVER, 0, "Validate the variables of the run"),
    (DELIVER, 3, "Bring the zone into the desired state"),
    pytest.param(DELIVER, 4, "Evaluate the predicted changes", marks=every_core),
    (CHECK, 0, "Validate the variables of the run"),
    (CHECK, 4, "Bring the zone into the desired state"),
    (CHECK, 5, "Read the Logpush jobs of the zone, with their health"),
    (CHECK, 6, "Audit the scripts of the zone"),
]


@pytest.mark.parametrize(("name", "accepted", "task"), DECLINED)
def test_declined_task_of_a_step_run_fails(
    playbook: Playbook, simulator: t.Any, tmp_path: Path, name: str, accepted: int, task: str
) -> None:
    """If the user declines a task (`--step`), nothing is written or reported as written, and an audit fails."""
    extra = {"edgeops_report_dir": str(tmp_path), "edgeops_audit_scripts": True} if name == CHECK else {}
    typed = "y\n" * accepted + "n\n" + "y\n" * 40
    report = playbook.launch(
        name, inventory=fleet(simulator, [ON]), extra_vars=extra, arguments=["--step"], typed=typed, verbosity=0
    )
    asked = list(
        dict.fromkeys(re.findall(r"Perform task: TASK: (?:edgeops\.observability\.log_delivery : )?(.*?) \(N\)", report.stdout))
    )
    assert asked[accepted] == task and not report.writes and report.returncode == 2
    assert name == CHECK or "1 changed" not in report.stdout


def test_playbook_of_the_guide(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """The three tasks of the guide give the report of the playbook, and fail the same hosts."""
    guide = (Path(__file__).resolve().parents[2] / "docs/docsite/rst/guide_audits.rst").read_text(encoding="utf-8")
    block = guide.partition(":caption: audit.yml\n\n")[2].partition("\n\n.. code-block")[0]
    path = tmp_path / "audit.yml"
    path.write_text(textwrap.dedent(block).replace("dest: report", f"dest: {tmp_path}/report"), encoding="utf-8")
    hosts = fleet(simulator, [ON, {"job": None, "script_monitor_enabled": "perhaps"}])
    report = run(playbook, str(path), hosts, {}, {}, fails=("ansible", "invalid_option"))
    document = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert {zone["zone"]: zone["status"] for zone in document["zones"]} == {"zone0": "drifted", "zone1": "unaudited"}
    assert {outcome.host for outcome in report.failures} == {"zone0", "zone1"} and not report.writes


@pytest.mark.parametrize("name", [pytest.param(CHECK, marks=every_core), DELIVER, ADOPT, SURVEY])
@pytest.mark.parametrize("fails", [False, True])
def test_summary_is_the_last_before_the_recap(
    playbook: Playbook, simulator: t.Any, tmp_path: Path, name: str, fails: bool
) -> None:
    """No banner is empty, and none stands between the summary and the recap, whether zones fail or not."""
    hosts = fleet(simulator, [{**ON, "job": None}] * 5)
    if fails:
        for number in (1, 3):
            zone = {"zone": hosts[f"zone{number}"]["zone_id"], "path": "*", "count": None}
            simulator.faults({"kind": "status", "status": 403, **zone})
    extra = {"edgeops_report_dir": str(tmp_path / "report"), "edgeops_adopt_dir": str(tmp_path / "adopted")}
    report = playbook.launch(name, inventory=hosts, extra_vars=extra, diff=False, verbosity=0)
    lines = [line for line in report.stdout.splitlines() if line.strip()]
    heads = [number for number, line in enumerate(lines) if line.startswith(("TASK [", "PLAY [", "PLAY RECAP"))]
    tasks = [(lines[head], following - head) for head, following in itertools.pairwise(heads)]
    assert not [head for head, length in tasks if head.startswith("TASK [") and length < 2]
    assert tasks[-1][0].startswith("TASK [Show the ") and lines[heads[-1]].startswith("PLAY RECAP")
    assert (report.returncode != 0) is fails
    if fails and name != SURVEY:
        # The survey is about no host; a zone that does not fail prints no line of its own in the end.
        assert {outcome.host for outcome in report.failures if outcome.name.startswith("Fail for")} == {"zone1", "zone3"}
    if name in (CHECK, DELIVER):
        skipped = [
            outcome.host for outcome in report.outcomes if outcome.name.startswith("Fail for") and outcome.status == "skipped"
        ]
        assert skipped == ["zone0"], "one host that does not fail, so that the run goes on"
