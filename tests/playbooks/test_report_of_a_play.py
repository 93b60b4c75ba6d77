# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of a play without our playbooks: the role in check mode, `audit_report`, and a failure of each zone with a reason."""

import json
import secrets
import time
import typing as t
from pathlib import Path

import pytest
from support import file_store
from support.zone_runs import fleet

from ansible_collections.edgeops.observability.plugins.plugin_utils._ansible_core import repeats_values
from harness import Playbook

REPORT = "edgeops.observability.audit_report"
DESIRED = {"script_monitor_enabled": True, "job": None}
HEADER = "planted-header-secret-77aa"


def play(*tasks: dict[str, t.Any], **options: t.Any) -> list[dict[str, t.Any]]:
    """Return the play, with further tasks of the hosts and options of the report."""
    return [
        {
            "name": "Audit",
            "hosts": "all",
            "gather_facts": False,
            "ignore_unreachable": True,
            "tasks": [
                {
                    "name": "Compare",
                    "ansible.builtin.import_role": {"name": "edgeops.observability.log_delivery"},
                    "check_mode": True,
                    "diff": True,
                    "ignore_errors": True,
                },
                *tasks,
                {
                    "name": "Report",
                    REPORT: options,
                    "register": "audited",
                    "failed_when": "audited.failed_hosts is not defined",
                    "run_once": True,
                },
                {
                    "name": "Fail",
                    "ansible.builtin.fail": {"msg": "{{ audited.failed_hosts[inventory_hostname] }}"},
                    "when": "inventory_hostname in audited.failed_hosts",
                },
            ],
        }
    ]


def statistics(report: t.Any) -> dict[str, t.Any]:
    (stats,) = [outcome.result["ansible_stats"] for outcome in report.outcomes if "ansible_stats" in outcome.result]
    assert (stats["per_host"], stats["aggregate"]) == (False, False)
    return t.cast("dict[str, t.Any]", stats["data"])


def failures(report: t.Any) -> dict[str, str]:
    return {outcome.host: outcome.result["msg"] for outcome in report.failures if outcome.name == "Fail"}


@pytest.mark.parametrize("check", [False, True])
def test_play_of_three_tasks(playbook: Playbook, simulator: t.Any, tmp_path: Path, check: bool) -> None:
    """Each host fails for its own reason, even an unreachable one and one whose variables cannot be evaluated."""
    hosts = fleet(simulator, [DESIRED, {"job": None}, DESIRED, DESIRED])
    hosts["zone2"]["log_delivery_zone_id"] = "{{ nowhere }}"
    hosts["zone3"] |= {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 9, "edgeops_in_process": False}
    hosts["zone0"]["zone_account"] = {"id": "acc0" * 8, "name": "Example GmbH"}
    options = {"dest": str(tmp_path), "fail_on": ["unaudited", "drifted"]}
    fails = {"ansible", "unreachable", *(["invalid_option"] if repeats_values() else [])}
    report = playbook.run(playbook=play(**options), inventory=hosts, check=check, fails=fails)
    made = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert {zone["zone"]: zone["status"] for zone in made["zones"]} == {
        "zone0": "drifted",
        "zone1": "unmanaged",
        "zone2": "unaudited",
        "zone3": "unaudited",
    }
    first = made["zones"][0]
    assert (first["zone_id"], first["account_name"]) == (hosts["zone0"]["zone_id"], "Example GmbH")
    kept = statistics(report)
    assert kept["edgeops_check"]["statuses"]["unaudited"] == ["zone2", "zone3"]
    assert kept["edgeops_check"]["failed"] == ["zone0", "zone2", "zone3"]
    assert kept["edgeops_plan_id"] is None and kept["edgeops_report"] == {"outcome": "unaudited", "counts": made["counts"]}
    reasons = failures(report)
    assert reasons["zone0"] == "fail_on drifted: script monitor: enabled is false, should be true"
    assert "nowhere" in reasons["zone2"] and "zone1" not in reasons
    assert not report.writes


def test_skipped_task_makes_a_zone_unaudited(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """A host whose audit task was skipped with --start-at-task is unaudited, and nothing is read."""
    hosts = fleet(simulator, [DESIRED])
    options = {"dest": str(tmp_path), "fail_on": ["unaudited"]}
    report = playbook.run(playbook=play(**options), inventory=hosts, arguments=["--start-at-task", "Report"], fails="ansible")
    assert failures(report)["zone0"] == (
        "unavailable: nothing is registered as log_delivery_result: the task of this host did not run"
    )
    assert not report.journal


@pytest.mark.parametrize(
    ("addresses", "unread"),
    [("zone_id", ["zone1", "zone2"]), ("zone_name", ["zone0", "zone1", "zone2"])],
)
def test_comparison_that_ran_once_is_of_one_zone(
    playbook: Playbook, simulator: t.Any, tmp_path: Path, addresses: str, unread: list[str]
) -> None:
    """Ansible registers the result for all hosts; where no host has an id, nobody can tell of which one it is."""
    hosts = fleet(simulator, [{"script_monitor_enabled": False, "job": None}, DESIRED, DESIRED])
    if addresses == "zone_name":
        simulator.seed(zones=[{"id": host.pop("zone_id"), "name": f"{name}.example"} for name, host in hosts.items()])
        hosts = {name: {**host, "zone_name": f"{name}.example", "log_delivery_zone_id": None} for name, host in hosts.items()}
    tasks = play(dest=str(tmp_path), fail_on=["unaudited", "drifted"])
    tasks[0]["tasks"][0]["run_once"] = True
    plan = {"name": "Plan", "edgeops.observability.delivery_plan": {}, "register": "planned", "run_once": True}
    summary = {"name": "Sum up", "edgeops.observability.delivery_summary": {"plan": "planned"}, "run_once": True}
    tasks[0]["tasks"][1:1] = [plan, summary]
    report = playbook.run(playbook=tasks, inventory=hosts, fails="ansible")
    assert sorted(failures(report)) == unread
    assert all("run_once" in reason and reason.startswith("unavailable: ") for reason in failures(report).values())
    results = {outcome.name: outcome.result for outcome in report.outcomes if outcome.name in ("Plan", "Sum up")}
    assert results["Plan"]["lines"][-1].endswith(f"{len(unread)} failed") and results["Sum up"]["failed_zones"] == unread


def test_what_compared_nothing_is_no_audit(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """A comparison that failed, whatever `failed_when` says, one that was skipped, and what another module registered."""
    hosts = fleet(simulator, [{"script_monitor_enabled": "perhaps"}, DESIRED, DESIRED, {"script_monitor_enabled": False}])
    enabled = {"check_mode": True, "register": "log_delivery_result", "failed_when": False}
    tasks = play(dest=str(tmp_path), fail_on=["unaudited", "drifted", "unmanaged"])
    tasks[0]["tasks"][:1] = [
        {
            "name": "Compare",
            "edgeops.observability.zone_observability": {"script_monitor_enabled": "{{ log_delivery_script_monitor_enabled }}"},
            "when": "inventory_hostname != 'zone1'",
            **enabled,
        },
        {
            "name": "Enable",
            "edgeops.observability.script_monitor": {"enabled": True},
            "when": "inventory_hostname == 'zone2'",
            **enabled,
            "register": "enabled",
        },
        {
            "name": "Take one result for another",
            "ansible.builtin.set_fact": {"log_delivery_result": "{{ enabled }}"},
            "when": "inventory_hostname == 'zone2'",
        },
        {"name": "Plan", "edgeops.observability.delivery_plan": {}, "register": "planned", "run_once": True},
        {"name": "Sum up", "edgeops.observability.delivery_summary": {"plan": "planned"}, "run_once": True},
    ]
    report = playbook.run(playbook=tasks, inventory=hosts, fails="ansible")
    assert {host: reason.partition(":")[0] for host, reason in failures(report).items()} == {
        "zone0": "invalid_option",
        "zone1": "unavailable",
        "zone2": "bad_response",
    }
    results = {outcome.name: outcome.result for outcome in report.outcomes if outcome.name in ("Plan", "Sum up")}
    assert results["Plan"]["lines"][-1].endswith("0 would change (0 additions, 0 changes, 0 deletions), 1 unchanged, 3 failed")
    assert (results["Sum up"]["failed_zones"], results["Sum up"]["unchanged_zones"]) == (["zone0", "zone2"], ["zone3"])


def test_unreadable_jobs_and_refused_script_audit(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """A zone with unreadable jobs is unaudited but shows all other parts; a refused script audit fails its host."""
    hosts = fleet(simulator, [DESIRED, DESIRED])
    sealed = hosts["zone1"]["zone_id"]
    simulator.faults({"kind": "status", "status": 403, "path": f"*/zones/{sealed}/logpush/jobs", "count": None})
    jobs = {"name": "Jobs", "edgeops.observability.logpush_job_info": {}, "register": "jobs_read", "ignore_errors": True}
    scripts = {
        "name": "Scripts",
        "edgeops.observability.script_audit": {"baseline": [], "fail_on": ["monitor_off"]},
        "register": "scripts_read",
        "ignore_errors": True,
    }
    options = {"dest": str(tmp_path), "registered": {"jobs": "jobs_read", "scripts": "scripts_read"}}
    report = playbook.run(playbook=play(jobs, scripts, **options), inventory=hosts, fails=("ansible", "permission", "gate"))
    made = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    zones = {zone["zone"]: zone for zone in made["zones"]}
    assert (zones["zone0"]["status"], zones["zone1"]["status"]) == ("drifted", "unaudited")
    assert zones["zone1"]["error"]["permission"] == "Logs Write"
    assert {item["type"] for item in zones["zone1"]["items"]} >= {"difference", "monitor_off"}
    assert made["counts"]["differences"] == 2 and zones["zone0"]["jobs"] == []
    assert {host: reason.partition(":")[0] for host, reason in failures(report).items()} == {"zone0": "gate", "zone1": "gate"}


def test_delivery_of_all_hosts(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """Zones of one connection share a query, an account has its own, and each host uses its own credentials."""
    account = secrets.token_hex(16)
    hosts = fleet(simulator, [{"job": None}] * 3)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))
    lost = {"datetime": moment, "status": 403, "success": 0, "final": 1, "records": 7, "bytes": 70}
    owners = [*(host["zone_id"] for host in hosts.values()), account]
    simulator.seed(
        accounts=[account],
        jobs={owner: [{"id": 4, "name": "edge", "destination_conf": "s3://logs?region=x", "enabled": True}] for owner in owners},
        uploads={owner: [{"job_id": 4, **lost}] for owner in owners},
    )
    hosts["zone2"] |= {"edgeops_api_email": simulator.email, "edgeops_api_key": simulator.key}
    hosts["account"] = {"account_id": account}
    jobs = {"name": "Jobs", "edgeops.observability.logpush_job_info": {}, "register": "jobs_read"}
    options = {"dest": str(tmp_path), "registered": {"jobs": "jobs_read"}, "delivery": True}
    report = playbook.run(playbook=play(jobs, **options), inventory=hosts, secrets=[simulator.key])
    asked = [entry["credential"] for entry in report.journal if entry["path"] == "/graphql"]
    assert sorted(asked) == ["email_key", "token", "token"]
    made = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert [item["is"] for zone in made["zones"] for item in zone["items"] if item["type"] == "records_dropped"] == [
        "7 records dropped in 1 batch: HTTP 403 (the credentials may not write there) once"
    ] * 4
    assert made["counts"]["accounts"] == 1 and made["zones"][0]["scope"] == "account"


def test_reasons_without_a_host_fail_the_first_host(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """The first host fails for a file that could not be uploaded (without its headers), or for a zone of a merged report."""
    hosts = fleet(simulator, [{"job": None}, {"job": None}])
    with file_store.running() as store:
        store.refused = ("report.html",)
        sent = {"put_url": f"{store.url}/audits/", "put_headers": {"Authorization": HEADER}}
        report = playbook.run(
            playbook=play(dest=str(tmp_path / "one"), **sent), inventory=hosts, secrets=[HEADER], verbosity=4, fails="ansible"
        )
        assert set(store.files) == {"/audits/report.json", "/audits/report.html", "/audits/report.xml"}
    assert list(failures(report)) == ["zone0"]
    assert failures(report)["zone0"].startswith("report.html could not be put to put_url: the answer has status 403.")
    hosts["zone0"]["log_delivery_script_monitor_enabled"] = True
    playbook.run(playbook=play(dest=str(tmp_path / "slice")), inventory={"other": hosts["zone0"]})
    merge = {"merge": [str(tmp_path / "slice" / "report.json")], "fail_on": ["drifted"]}
    report = playbook.run(
        playbook=play(dest=str(tmp_path / "two"), **merge), inventory={"zone1": hosts["zone1"]}, fails="ansible"
    )
    assert failures(report)["zone1"].startswith("fail_on: drifted in other.")


def test_validate_only_reads_nothing(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    hosts = fleet(simulator, [DESIRED])
    task = {"name": "Validate", REPORT: {"dest": str(tmp_path / "new"), "validate_only": True, "keep": -1}, "run_once": True}
    plays = [{"name": "Validate", "hosts": "all", "gather_facts": False, "tasks": [task]}]
    report = playbook.run(playbook=plays, inventory=hosts, fails="invalid_option")
    assert report.failures[0].result["msg"] == "keep: -1 is not a number from 0 to 1000"
    assert not (tmp_path / "new").exists() and not report.journal
