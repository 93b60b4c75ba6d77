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
from harness import Playbook, Plays, Report, Scenario

REPORT = "edgeops.observability.audit_report"
DESIRED = {"script_monitor_enabled": True, "job": None}
HEADER = "planted-header-secret-77aa"
# What a delivery decides with the same results.
DELIVERY = [
    {"name": "Plan", "edgeops.observability.delivery_plan": {}, "register": "planned", "run_once": True},
    {"name": "Sum up", "edgeops.observability.delivery_summary": {"plan": "planned"}, "run_once": True},
]


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


def play_of(hosts: t.Iterable[str], *tasks: dict[str, t.Any], **options: t.Any) -> dict[str, t.Any]:
    """Return the play of these hosts, whose failures do not end the run of the other scenarios."""
    (made,) = play(*tasks, **options)
    *before, fail = made["tasks"]
    go_on = {"name": "Go on", "ansible.builtin.meta": "clear_host_errors"}
    return {**made, "hosts": list(hosts), "tasks": [*before, {"block": [fail], "rescue": [go_on]}]}


def statistics(report: Report) -> dict[str, t.Any]:
    (stats,) = [outcome.result["ansible_stats"] for outcome in report.outcomes if "ansible_stats" in outcome.result]
    assert (stats["per_host"], stats["aggregate"]) == (False, False)
    return t.cast("dict[str, t.Any]", stats["data"])


def failures(report: Report) -> dict[str, str]:
    return {outcome.host: outcome.result["msg"] for outcome in report.failures if outcome.name == "Fail"}


def play_of_three_tasks(simulator: t.Any, folder: Path, *, check: bool) -> Scenario:
    """Each host fails for its own reason, even an unreachable one and one whose variables cannot be evaluated."""
    name = "tried" if check else "real"
    hosts = fleet(simulator, [DESIRED, {"job": None}, DESIRED, DESIRED], name)
    first, plain, broken, remote = hosts
    hosts[broken]["log_delivery_zone_id"] = "{{ nowhere }}"
    hosts[remote] |= {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 9, "edgeops_in_process": False}
    hosts[first]["zone_account"] = {"id": "acc0" * 8, "name": "Example GmbH"}
    options = {"dest": str(folder), "fail_on": ["unaudited", "drifted"]}
    fails = {"ansible", "unreachable", *(["invalid_option"] if repeats_values() else [])}
    report = yield Plays([{**play_of(hosts, **options), "check_mode": check}], hosts, fails=fails)
    made = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert {zone["zone"]: zone["status"] for zone in made["zones"]} == {
        first: "drifted",
        plain: "unmanaged",
        broken: "unaudited",
        remote: "unaudited",
    }
    row = made["zones"][0]
    assert (row["zone_id"], row["account_name"]) == (hosts[first]["zone_id"], "Example GmbH")
    kept = statistics(report)
    assert kept["edgeops_check"]["statuses"]["unaudited"] == [broken, remote]
    assert kept["edgeops_check"]["failed"] == [first, broken, remote]
    assert kept["edgeops_plan_id"] is None and kept["edgeops_report"] == {"outcome": "unaudited", "counts": made["counts"]}
    reasons = failures(report)
    assert reasons[first] == "fail_on drifted: script monitor: enabled is false, should be true"
    assert "nowhere" in reasons[broken] and plain not in reasons
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


def ran_once(simulator: t.Any, folder: Path, *, by_name: bool) -> Scenario:
    """Ansible registers the result for all hosts; where no host has an id, nobody can tell of which one it is."""
    name = "named" if by_name else "known"
    hosts = fleet(simulator, [{"script_monitor_enabled": False, "job": None}, DESIRED, DESIRED], name)
    if by_name:
        simulator.seed(zones=[{"id": host.pop("zone_id"), "name": f"{name}.example"} for name, host in hosts.items()])
        hosts = {name: {**host, "zone_name": f"{name}.example", "log_delivery_zone_id": None} for name, host in hosts.items()}
    of_hosts = play_of(hosts, dest=str(folder), fail_on=["unaudited", "drifted"])
    of_hosts["tasks"][0]["run_once"] = True
    of_hosts["tasks"][1:1] = DELIVERY
    report = yield Plays([of_hosts], hosts, fails="ansible")
    unread = list(hosts) if by_name else list(hosts)[1:]
    assert sorted(failures(report)) == unread
    assert all("run_once" in reason and reason.startswith("unavailable: ") for reason in failures(report).values())
    planned, ended = (report.named(task["name"]).result for task in DELIVERY)
    assert planned["lines"][-1].endswith(f"{len(unread)} failed") and ended["failed_zones"] == unread


def compared_nothing(simulator: t.Any, folder: Path) -> Scenario:
    """A comparison that failed, whatever `failed_when` says, one that was skipped, and what another module registered, are no audit."""
    desired = [{"script_monitor_enabled": "perhaps"}, DESIRED, DESIRED, {"script_monitor_enabled": False}]
    hosts = fleet(simulator, desired, "odd")
    enabled = {"check_mode": True, "register": "log_delivery_result", "failed_when": False}
    of_hosts = play_of(hosts, dest=str(folder), fail_on=["unaudited", "drifted", "unmanaged"])
    of_hosts["tasks"][:1] = [
        {
            "name": "Compare",
            "edgeops.observability.zone_observability": {"script_monitor_enabled": "{{ log_delivery_script_monitor_enabled }}"},
            "when": "inventory_hostname != 'odd1'",
            **enabled,
        },
        {
            "name": "Enable",
            "edgeops.observability.script_monitor": {"enabled": True},
            "when": "inventory_hostname == 'odd2'",
            **enabled,
            "register": "enabled",
        },
        {
            "name": "Take one result for another",
            "ansible.builtin.set_fact": {"log_delivery_result": "{{ enabled }}"},
            "when": "inventory_hostname == 'odd2'",
        },
        *DELIVERY,
    ]
    report = yield Plays([of_hosts], hosts, fails="ansible")
    assert {host: reason.partition(":")[0] for host, reason in failures(report).items()} == {
        "odd0": "invalid_option",
        "odd1": "unavailable",
        "odd2": "bad_response",
    }
    planned, ended = (report.named(task["name"]).result for task in DELIVERY)
    assert planned["lines"][-1].endswith("0 would change (0 additions, 0 changes, 0 deletions), 1 unchanged, 3 failed")
    assert (ended["failed_zones"], ended["unchanged_zones"]) == (["odd0", "odd2"], ["odd3"])


def compared_in_a_loop(simulator: t.Any, folder: Path) -> Scenario:
    """Of several zones on one host, the result of the last one is all that is registered, and it says so; a host for each is audited."""
    zones = [host["zone_id"] for host in fleet(simulator, [DESIRED, DESIRED, DESIRED], "looped").values()]
    hosts = {name: {"log_delivery_script_monitor_enabled": False, "of_host": zones[:2]} for name in ("several", "single")}
    hosts["single"]["of_host"] = zones[2:]
    of_hosts = play_of(hosts, dest=str(folder), fail_on=["unaudited"])
    of_hosts["tasks"][:1] = [
        {
            "name": "Compare",
            "ansible.builtin.include_role": {"name": "edgeops.observability.log_delivery", "apply": {"check_mode": True}},
            "loop": "{{ of_host }}",
            "loop_control": {"loop_var": "one"},
            "vars": {"log_delivery_zone_id": "{{ one }}"},
        },
        *DELIVERY,
    ]
    report = yield Plays([of_hosts], hosts, fails="ansible")
    assert list(failures(report)) == ["several"]
    assert failures(report)["several"].startswith(
        f"unavailable: the results of 1 other zone were replaced in the variable of this host ({zones[0]})"
    )
    planned, ended = (report.named(task["name"]).result for task in DELIVERY)
    assert planned["lines"][-1].endswith("1 unchanged, 1 failed") and ended["failed_zones"] == ["several"]


def unreadable_jobs(simulator: t.Any, folder: Path) -> Scenario:
    """A zone with unreadable jobs is unaudited but shows all other parts; a refused script audit fails its host."""
    hosts = fleet(simulator, [DESIRED, DESIRED], "part")
    sealed = hosts["part1"]["zone_id"]
    simulator.faults({"kind": "status", "status": 403, "path": f"*/zones/{sealed}/logpush/jobs", "count": None})
    jobs = {"name": "Jobs", "edgeops.observability.logpush_job_info": {}, "register": "jobs_read", "ignore_errors": True}
    scripts = {
        "name": "Scripts",
        "edgeops.observability.script_audit": {"baseline": [], "fail_on": ["monitor_off"]},
        "register": "scripts_read",
        "ignore_errors": True,
    }
    options = {"dest": str(folder), "registered": {"jobs": "jobs_read", "scripts": "scripts_read"}}
    report = yield Plays([play_of(hosts, jobs, scripts, **options)], hosts, fails=("ansible", "permission", "gate"))
    made = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    zones = {zone["zone"]: zone for zone in made["zones"]}
    assert (zones["part0"]["status"], zones["part1"]["status"]) == ("drifted", "unaudited")
    assert zones["part1"]["error"]["permission"] == "Logs Write"
    assert {item["type"] for item in zones["part1"]["items"]} >= {"difference", "monitor_off"}
    assert made["counts"]["differences"] == 2 and zones["part0"]["jobs"] == []
    assert {host: reason.partition(":")[0] for host, reason in failures(report).items()} == {"part0": "gate", "part1": "gate"}


def delivery_of_all_hosts(simulator: t.Any, folder: Path) -> Scenario:
    """Zones of one connection share a query, an account has its own, and each host uses its own credentials."""
    account = secrets.token_hex(16)
    hosts = fleet(simulator, [{"job": None}] * 3, "lossy")
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600))
    lost = {"datetime": moment, "status": 403, "success": 0, "final": 1, "records": 7, "bytes": 70}
    owners = [*(host["zone_id"] for host in hosts.values()), account]
    simulator.seed(
        accounts=[account],
        jobs={owner: [{"id": 4, "name": "edge", "destination_conf": "s3://logs?region=x", "enabled": True}] for owner in owners},
        uploads={owner: [{"job_id": 4, **lost}] for owner in owners},
    )
    hosts["lossy2"] |= {"edgeops_api_email": simulator.email, "edgeops_api_key": simulator.key}
    hosts["account"] = {"account_id": account}
    jobs = {"name": "Jobs", "edgeops.observability.logpush_job_info": {}, "register": "jobs_read"}
    options = {"dest": str(folder), "registered": {"jobs": "jobs_read"}, "delivery": True}
    report = yield Plays([play_of(hosts, jobs, **options)], hosts)
    asked = [entry["credential"] for entry in report.journal if entry["path"] == "/graphql"]
    assert sorted(asked) == ["email_key", "token", "token"]
    made = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert [item["is"] for zone in made["zones"] for item in zone["items"] if item["type"] == "records_dropped"] == [
        "7 records dropped in 1 batch: HTTP 403 (the credentials may not write there) once"
    ] * 4
    assert made["counts"]["accounts"] == 1 and made["zones"][0]["scope"] == "account"


def files_that_are_not_uploaded(simulator: t.Any, folder: Path, store: file_store.Store) -> Scenario:
    """The first host fails for a file that could not be uploaded, without its headers."""
    hosts = fleet(simulator, [{"job": None}, {"job": None}], "sent")
    store.refused = ("report.html",)
    sent = {"put_url": f"{store.url}/audits/", "put_headers": {"Authorization": HEADER}}
    report = yield Plays([play_of(hosts, dest=str(folder), **sent)], hosts, fails="ansible")
    assert set(store.files) == {"/audits/report.json", "/audits/report.html", "/audits/report.xml"}
    assert list(failures(report)) == ["sent0"]
    assert failures(report)["sent0"].startswith("report.html could not be put to put_url: the answer has status 403.")


def zone_of_a_merged_report(simulator: t.Any, folder: Path) -> Scenario:
    """The first host fails for a zone of another report, which is no host of the play."""
    hosts = fleet(simulator, [DESIRED, {"job": None}], "slice")
    merge = {"merge": [str(folder / "one" / "report.json")], "fail_on": ["drifted"]}
    plays = [play_of(["slice0"], dest=str(folder / "one")), play_of(["slice1"], dest=str(folder / "two"), **merge)]
    report = yield Plays(plays, hosts, fails="ansible")
    assert list(failures(report)) == ["slice1"] and failures(report)["slice1"].startswith("fail_on: drifted in slice0.")


def only_validated(simulator: t.Any, folder: Path) -> Scenario:
    """Bad options fail before anything is read or written."""
    hosts = fleet(simulator, [DESIRED], "valid")
    of_hosts = play_of(hosts, dest=str(folder), validate_only=True, keep=-1)
    del of_hosts["tasks"][0]
    report = yield Plays([of_hosts], hosts, fails="invalid_option")
    assert report.failure["msg"] == "keep: -1 is not a number from 0 to 1000"
    assert not folder.exists() and not report.journal


def test_reports_of_plays(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    with file_store.running() as store:
        scenarios = {
            "three tasks": play_of_three_tasks(simulator, tmp_path / "real", check=False),
            "three tasks in check mode": play_of_three_tasks(simulator, tmp_path / "tried", check=True),
            "ran once, ids": ran_once(simulator, tmp_path / "ids", by_name=False),
            "ran once, names": ran_once(simulator, tmp_path / "names", by_name=True),
            "compared nothing": compared_nothing(simulator, tmp_path / "nothing"),
            "unreadable jobs": unreadable_jobs(simulator, tmp_path / "jobs"),
            "delivery": delivery_of_all_hosts(simulator, tmp_path / "delivery"),
            "not uploaded": files_that_are_not_uploaded(simulator, tmp_path / "sent", store),
            "merged": zone_of_a_merged_report(simulator, tmp_path / "merged"),
            # The last one, because a failed task with run_once ends a run.
            "only validated": only_validated(simulator, tmp_path / "new"),
        }
        playbook.run_scenarios(scenarios, secrets=[HEADER, simulator.key], verbosity=4)


@pytest.mark.every_core
def test_zones_in_a_loop(playbook: Playbook, simulator: t.Any, tmp_path: Path) -> None:
    """Newer cores name the registered variable in another way."""
    playbook.run_scenarios({"loop": compared_in_a_loop(simulator, tmp_path / "loop")})
