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
from support.audited import SCRIPTS
from zone_runs import GO_ON, SECRET, fleet, imported, shown_lines

from harness import Playbook, Report

# One case of each kind of configuration, start and output; all further ones are the same with every core.
every_core = pytest.mark.every_core

DELIVER = "edgeops.observability.deliver"
CHECK = "edgeops.observability.check"
ON = {"script_monitor_enabled": True, "job": None}
# With --start-at-task Ansible gathers facts, of which no test needs any.
FEW_FACTS = {"ANSIBLE_FACTS_MODULES": "ansible.builtin.ping"}
# Several settings at once, because they are independent of each other.
SETTINGS = {
    "ANSIBLE_ANY_ERRORS_FATAL": "true",
    "ANSIBLE_PRIVATE_ROLE_VARS": "true",
    "ANSIBLE_HASH_BEHAVIOUR": "merge",
    "ANSIBLE_JINJA2_NATIVE": "true",
    "ANSIBLE_BECOME": "true",
    "ANSIBLE_BECOME_USER": "nobody-here",
    "ANSIBLE_FORKS": "1",
    "ANSIBLE_STRATEGY": "free",
    "ANSIBLE_CACHE_PLUGIN": "jsonfile",
    "ANSIBLE_CACHE_PLUGIN_CONNECTION": "cache",
    "ANSIBLE_GATHERING": "explicit",
    "ANSIBLE_STDOUT_CALLBACK": "minimal",
    "ANSIBLE_INJECT_FACT_VARS": "false",
}
# The last task of a playbook for each zone that failed.
ENDS = {
    "adopt": "Fail for a zone that was not adopted",
    "check": "Fail for a zone that could not be audited",
    "deliver": "Fail for a zone that failed",
    "survey": "Fail for zones that cannot be read",
}


def run(playbook: Playbook, plays: t.Any, hosts: t.Any, extra: dict[str, t.Any], env: dict[str, str], **more: t.Any) -> t.Any:
    return playbook.run(playbook=plays, inventory=hosts, extra_vars=extra, env=env, secrets=[SECRET], **more)


def failed_at_the_end(report: Report, name: str) -> dict[str, str]:
    """Return the messages with which a playbook failed its zones in the end."""
    return {
        outcome.host: outcome.result["msg"]
        for outcome in report.failures
        if outcome.name.startswith(ENDS[name]) and outcome.status == "failed"
    }


@every_core
def test_settings_change_neither_findings_nor_writes(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    hosts = dict(zip(("good", "bad", "same"), fleet(simulator, [ON, ON, ON]).values(), strict=True))
    # Before ansible-core 2.19, native templates convert this id to 0.0.
    hosts["same"] |= {"zone_id": "0e12", "log_delivery_zone_id": None}
    zones = {name: host["zone_id"] for name, host in hosts.items()}
    simulator.seed(zones=["0e12"], script_monitor={"0e12": {"enabled": True}}, scripts={"0e12": SCRIPTS})
    simulator.faults({"kind": "status", "status": 403, "zone": zones["bad"], "count": None})
    # A connection to this host would fail, and it has no zone.
    hosts["127.0.0.1"] = {"ansible_connection": "ssh", "ansible_port": 9}
    target = "all:!127.0.0.1"
    folder = tmp_path / "inventory"
    plays = [
        imported("check", edgeops_target=target, edgeops_fail_on="drifted", edgeops_report_dir=str(tmp_path / "report")),
        GO_ON,
        imported("deliver", edgeops_target=target),
        imported("adopt", edgeops_target="good:same", edgeops_adopt_dir=str(folder), edgeops_adopt_group="ours"),
    ]
    env = {**SETTINGS, "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(tmp_path / "cache")}
    report = run(playbook, plays, hosts, {}, env, fails=("ansible", "permission"))
    document = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert {zone["zone"]: zone["status"] for zone in document["zones"]} == {
        "good": "drifted",
        "bad": "unaudited",
        "same": "compliant",
    }
    said = failed_at_the_end(report, "check")
    assert set(said) == {"good", "bad"} and said["bad"].startswith("permission: ")
    assert shown_lines(report, "Show the outcomes")[0] == "3 zones: 1 changed, 1 unchanged, 1 failed, 0 not reached"
    assert {entry["zone"] for entry in report.writes} == {zones["good"]} and report.returncode == 2
    assert sorted(path.parent.name for path in folder.glob("host_vars/*/adopted.yml")) == ["good", "same"]
    assert "edgeops_script_baseline" in (folder / "host_vars" / "same" / "adopted.yml").read_text(encoding="utf-8")


def test_odd_hosts_and_empty_switches(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """Hosts with the name of a group, or with characters of host patterns, are written and fail like any other; empty switches count as omitted.

    Ordinary modules cannot run on localhost (no home, failing connection), but reports are written to temporary folders. No debugger starts.
    """
    *states, unchanged = [ON, ON, ON, {**ON, "script_monitor_enabled": False}]
    named = dict(zip(("edge", "shop example", "other", "same"), fleet(simulator, [*states, unchanged]).values(), strict=True))
    simulator.faults({"kind": "status", "status": 403, "zone": named["other"]["zone_id"], "count": None})
    localhost = {"ansible_connection": "ssh", "ansible_port": 9, "ansible_remote_tmp": "/proc/nowhere"}
    groups = {"edge": {"hosts": {"other": {}}}}
    inventory = tmp_path / "hosts.yml"
    names = dict.fromkeys([*named, "localhost"])
    inventory.write_text(yaml.safe_dump({"all": {"hosts": names, "children": groups}}), encoding="utf-8")
    # In the inventory file, Ansible would assign the variables of this host to the group of the same name.
    (tmp_path / "host_vars").mkdir()
    for name, variables in (named | {"localhost": localhost}).items():
        (tmp_path / "host_vars" / f"{name}.yml").write_text(yaml.safe_dump(variables), encoding="utf-8")
    switches = {"guard": None, "verify_token": "", "stop_on_failure": None, "audit_scripts": "", "deliver_partial": None}
    extra = {"edgeops_target": "all:!localhost", **{f"edgeops_{name}": value for name, value in switches.items()}}
    env = {"TMPDIR": str(tmp_path), "HOME": "/proc/nowhere", "ANSIBLE_LOCAL_TEMP": str(tmp_path / "local")}
    env |= {"ANSIBLE_STRATEGY": "debug", "ANSIBLE_ANY_ERRORS_FATAL": "true", "ANSIBLE_DISPLAY_SKIPPED_HOSTS": "false"}
    plays = [imported("check", edgeops_fail_on="drifted"), GO_ON, imported("deliver"), imported("survey")]
    report = run(playbook, plays, inventory, extra, env, fails=("ansible", "permission"))
    failed = {name: set(failed_at_the_end(report, name)) for name in ("check", "deliver")}
    assert failed == {"check": {"edge", "shop example", "other"}, "deliver": {"other"}}
    assert {entry["zone"] for entry in report.writes} == {named[name]["zone_id"] for name in ("edge", "shop example")}
    assert [entry["path"].endswith("/tokens/verify") for entry in report.journal].count(True) == 3
    shown = [outcome.result["msg"] for outcome in report.outcomes if outcome.name == "Show the findings"]
    assert ["The report is " in "".join(lines) for lines in shown] == [True, True]
    assert len(list(tmp_path.glob("edgeops-report-*/report.html"))) == 2


WRITING = pytest.param("Bring the zone into the desired state", marks=every_core)


def forging(hosts: dict[str, dict[str, t.Any]]) -> dict[str, dict[str, t.Any]]:
    """Return hosts of which the first has variables under the names of what a delivery registers."""
    ids = dict.fromkeys(("custom_fields", "jobs", "script_monitor", "content_security_rules"))
    plan = {
        "written": ["zone0"],
        "hosts": ["zone0"],
        "refused": {},
        "changed_zones": ["zone0"],
        "plan_ids": {"zone0": ids},
        "lines": [],
    }
    return {**hosts, "zone0": {**hosts["zone0"], "_edgeops_plan": plan, "_edgeops_validated": {"hosts": ["zone0"]}}}


@pytest.mark.parametrize("task", ["Show the plan", WRITING])
def test_delivery_with_start_at_task_writes_nothing(playbook: Playbook, simulator: t.Any, task: str) -> None:
    """No variable of the inventory replaces the results of skipped tasks."""
    hosts = forging(fleet(simulator, [ON]))
    report = playbook.launch(DELIVER, inventory=hosts, env=FEW_FACTS, arguments=["--start-at-task", task])
    assert not report.writes and report.returncode != 0


def test_check_with_start_at_task_fails(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    hosts = fleet(simulator, [ON])
    hosts["zone0"] |= {"log_delivery_result": {"zone_id": hosts["zone0"]["zone_id"], "changed": False}}
    extra = {"edgeops_report_dir": str(tmp_path)}
    report = playbook.launch(
        CHECK, inventory=hosts, extra_vars=extra, env=FEW_FACTS, arguments=["--start-at-task", "Report on the zones"]
    )
    assert report.returncode != 0


# The tasks that are accepted, and those that are declined after them. Units see what becomes of a zone without a prediction.
READS = ("Read the Logpush jobs of the zone, with their health", "Audit the scripts of the zone")
DECLINED = [
    (DELIVER, 0, ("Validate the variables of the run",)),
    (DELIVER, 4, ("Evaluate the predicted changes",)),
    (CHECK, 0, ("Validate the variables of the run",)),
    (CHECK, 5, ("Find what the prediction does not show",)),
    (CHECK, 6, READS),
]


@pytest.mark.parametrize(("name", "accepted", "declined"), DECLINED)
def test_declined_task_of_a_step_run_fails(
    playbook: Playbook, simulator: t.Any, tmp_path: Path, name: str, accepted: int, declined: tuple[str, ...]
) -> None:
    """If the user declines a task (`--step`), nothing is written or reported as written, and an audit fails; no variable of the inventory replaces a result."""
    hosts = forging(fleet(simulator, [ON, {**ON, "jobs": []}] if declined == READS else [ON]))
    if declined == READS:
        # An audit reads the jobs of the one, and the scripts of the other.
        hosts["zone1"]["edgeops_audit_scripts"] = True
    typed = "y\n" * accepted + "n\n" * len(declined) + "y\n" * 40
    extra = {"edgeops_report_dir": str(tmp_path)} if name == CHECK else {}
    report = playbook.launch(name, inventory=hosts, extra_vars=extra, arguments=["--step"], typed=typed, verbosity=0)
    asked = list(
        dict.fromkeys(re.findall(r"Perform task: TASK: (?:edgeops\.observability\.log_delivery : )?(.*?) \(N\)", report.stdout))
    )
    assert tuple(asked[accepted:][: len(declined)]) == declined and not report.writes and report.returncode == 2
    assert name == CHECK or "1 changed" not in report.stdout
    if declined == READS:
        said = failed_at_the_end(report, "check")
        assert "nothing is registered as _log_delivery_listed" in said["zone0"]
        assert "nothing is registered as _edgeops_scripts" in said["zone1"]


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


@pytest.mark.parametrize("fails", [False, pytest.param(True, marks=every_core)])
def test_summary_is_the_last_of_a_playbook(playbook: Playbook, simulator: t.Any, tmp_path: Path, fails: bool) -> None:
    """No banner is empty, and none stands between the summary and the end, whether zones fail or not."""
    hosts = fleet(simulator, [ON] * 2)
    if fails:
        simulator.faults({"kind": "status", "status": 403, "zone": hosts["zone1"]["zone_id"], "path": "*", "count": None})
    *plays, _end = itertools.chain.from_iterable(
        (imported(name, edgeops_report_dir=str(tmp_path / name)), GO_ON) for name in ENDS
    )
    extra = {"edgeops_adopt_dir": str(tmp_path / "adopted")}
    report = playbook.launch(plays, inventory=hosts, extra_vars=extra, verbosity=0)
    lines = [line for line in report.stdout.splitlines() if line.strip() and "[Forget failures]" not in line]
    heads = [number for number, line in enumerate(lines) if line.startswith(("TASK [", "PLAY [", "PLAY RECAP"))]
    assert not [
        lines[head] for head, following in itertools.pairwise(heads) if lines[head].startswith("TASK [") and following == head + 1
    ]
    ends = [before for before, head in itertools.pairwise(heads) if lines[head].startswith(("PLAY [Go on]", "PLAY RECAP"))]
    assert [lines[end].startswith("TASK [Show the ") for end in ends] == [True] * len(ENDS)
    assert (report.returncode != 0) is fails
    failed = {name: set(failed_at_the_end(report, name)) for name in ENDS}
    # The survey is about no host; a zone that does not fail prints no line of its own in the end.
    assert bool(failed.pop("survey")) is fails
    assert failed == dict.fromkeys(failed, {"zone1"} if fails else set())
    for name in ("check", "deliver"):
        skipped = [
            outcome.host for outcome in report.outcomes if outcome.name.startswith(ENDS[name]) and outcome.status == "skipped"
        ]
        assert skipped == ["zone0"], "one host that does not fail, so that the run goes on"
