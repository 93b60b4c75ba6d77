# SPDX-License-Identifier: GPL-3.0-or-later

import json
import re

import pytest
from zone_runs import DESTINATION, OWN_FIELDS, SECRET, fleet, shown_lines

DELIVER = "edgeops.observability.deliver"
CHECK = "edgeops.observability.check"
ON = {"script_monitor_enabled": True}
OFF = {"script_monitor_enabled": False}
JOB = {"name": "edge-logs", "dataset": "http_requests", "destination_conf": DESTINATION, "enabled": True}
JOB["logpull_options"] = f"fields={','.join(OWN_FIELDS)}"


@pytest.fixture
def zones(simulator):
    """Return a function that makes zones with a job and the script monitor; its arguments are their desired states."""

    def made(*desired):
        hosts = fleet(simulator, desired)
        ids = [host["zone_id"] for host in hosts.values()]
        simulator.seed(jobs={zone: [JOB] for zone in ids}, script_monitor={zone: {"enabled": True} for zone in ids})
        return hosts

    return made


def deliver(playbook, hosts, *, allow="all", env=None, limit=None, fails=None, check=False, warns=(), **variables):
    """Run the playbook; `variables` are extra variables without their prefix. By default, destructive effects are allowed."""
    extra_vars = {f"edgeops_{name}": value for name, value in {"allow": allow, **variables}.items() if value is not None}
    run = {"env": env, "fails": fails, "check": check, "warns": warns, "arguments": ("--limit", limit) if limit else ()}
    return playbook.run(playbook=DELIVER, inventory=hosts, extra_vars=extra_vars, secrets=[SECRET], **run)


def lines(report):
    return shown_lines(report, "Show the outcomes")


def recap(report):
    """Return the number of changed tasks of each host from the recap."""
    counts = re.findall(r"^(\w+) +: ok=\d+ +changed=(\d+)", report.stdout, re.MULTILINE)
    return {host: int(number) for host, number in counts if host != "localhost"}


def test_only_changed_zones_are_written(zones, playbook):
    """An unchanged zone needs only the reads of its prediction; in check mode nothing is written, and the changes are shown."""
    hosts = zones(ON, OFF, ON)
    predicted = deliver(playbook, hosts, check=True)
    assert lines(predicted)[0] == "3 zones: 1 would be changed, 2 unchanged, 0 failed, 0 not reached"
    assert lines(predicted)[1:] == ["zone1 would be changed: script monitor: enabled is true, should be false"]
    assert recap(predicted) == dict.fromkeys(hosts, 0)
    report = deliver(playbook, hosts)
    assert lines(report) == [
        "3 zones: 1 changed, 2 unchanged, 0 failed, 0 not reached",
        "zone1 changed: script monitor: enabled was true, now false",
    ]
    assert recap(report) == {"zone0": 0, "zone1": 1, "zone2": 0}
    assert len(report.writes) == 1
    for name, reads in (("zone0", 2), ("zone1", 4)):
        assert (
            len([entry for entry in report.journal if hosts[name]["zone_id"] in entry["path"] and entry["method"] == "GET"])
            == reads
        )


def test_effect_not_allowed_by_one_zone(zones, playbook):
    """No zone is written, unless the guard is off."""
    hosts = zones(OFF, OFF)
    hosts["zone0"]["edgeops_allow"] = ["disable_monitor"]
    refused = deliver(playbook, hosts, fails="ansible", allow=None)
    (failed,) = refused.failures
    assert failed.host == "zone1" and failed.result["msg"].startswith("gate: edgeops_allow does not allow disable_monitor.")
    assert lines(refused)[0] == "2 zones: 0 changed, 0 unchanged, 1 failed, 1 not reached"
    assert refused.returncode != 0 and len(refused.writes) == 0
    assert len(deliver(playbook, hosts, guard="off", allow=None).writes) == 2


def test_approved_plan(zones, playbook, tmp_path):
    """The plan of a check is applied exactly once."""
    hosts = zones(OFF, OFF)
    free = {"ANSIBLE_STRATEGY": "free"}
    checked = playbook.run(
        playbook=CHECK, inventory=hosts, extra_vars={"edgeops_report_dir": str(tmp_path)}, secrets=[SECRET], env=free
    )
    plan_id = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["plan_id"]
    assert checked.returncode == 0 and plan_id
    path = str(tmp_path / "report.json")
    sliced = deliver(playbook, hosts, approved_report=path, limit="zone0")
    assert len(sliced.writes) == 1 and lines(sliced)[0] == "1 zone: 1 changed, 0 unchanged, 0 failed, 0 not reached"
    again = deliver(playbook, hosts, approved_report=path, fails="ansible")
    assert "not the approved one for zone0" in shown_lines(again, "Show the plan")[-1] and not again.writes
    assert again.failure["msg"].startswith("conflict: edgeops_approved_report: the plan is not the approved one: ")


def test_zones_that_fail_between_prediction_and_write(zones, playbook):
    """Nothing is written to a zone without a prediction, an unreachable zone, even if its rails pass, or one that changed after the prediction."""
    hosts = zones(OFF, OFF, OFF, OFF)
    hosts["zone0"]["log_delivery_zone_id"] = "f" * 32
    hosts["zone1"].update(ansible_connection="ssh", ansible_host="127.0.0.1", ansible_port=9, edgeops_in_process=False)
    address = {"method": "GET", "zone": hosts["zone2"]["zone_id"], "path": "*/logpush/jobs", "index": 1, "count": None}
    playbook.simulator.faults({"kind": "rewrite", "set": {"0.enabled": False}, **address})
    report = deliver(playbook, hosts, fails=("not_found", "ansible", "unreachable", "conflict"))
    assert lines(report)[0] == "4 zones: 1 changed, 0 unchanged, 2 failed, 1 not reached"
    assert [entry["zone"] for entry in report.writes] == [hosts["zone3"]["zone_id"]]


def test_partial_delivery_can_be_refused(zones, playbook):
    """The zone without a prediction fails with the rail and its own reason, and the last line says why nothing was written."""
    hosts = zones(OFF, OFF, ON)
    refused = {"kind": "status", "status": 403, "path": "*", "zone": hosts["zone1"]["zone_id"], "count": None}
    playbook.simulator.faults(refused)
    report = deliver(playbook, hosts, fails=("permission", "ansible"), deliver_partial="n")
    ends = [outcome for outcome in report.failures if outcome.name.startswith("Fail for a zone")]
    assert [outcome.host for outcome in ends] == ["zone1"] and not report.writes
    assert ends[0].result["msg"].startswith("gate: edgeops_deliver_partial: the zone could not be predicted: permission: ")
    printed = lines(report)
    assert printed[0] == "3 zones: 0 changed, 1 unchanged, 1 failed, 1 not reached"
    assert printed[-1].startswith(
        "Nothing was written. edgeops_deliver_partial: 1 zone could not be predicted: zone1 (permission: "
    )


def test_failing_canary_stops_the_run(zones, playbook):
    """The run stops whichever strategy Ansible is configured with."""
    hosts = zones(OFF, OFF, OFF)
    playbook.simulator.faults({"kind": "status", "status": 403, "method": "PUT", "count": 1})
    stop = {"zones_at_once": '[1, "100%"]', "stop_on_failure": "y"}  # text that Jinja's filter `bool` takes for false
    report = deliver(playbook, hosts, fails=("permission", "ansible"), env={"ANSIBLE_STRATEGY": "free"}, **stop)
    assert lines(report)[0] == "3 zones: 0 changed, 0 unchanged, 1 failed, 2 not reached"
    assert len([entry for entry in report.journal if entry["method"] == "PUT"]) == 1


def test_deliveries_to_different_zones_in_one_run(zones, playbook):
    """The second one writes the zones of its own plan, whatever the first one left undone."""
    hosts = zones(OFF, OFF)
    plays = [{"import_playbook": DELIVER, "vars": {"edgeops_target": name}} for name in hosts]
    report = playbook.run(playbook=plays, inventory=hosts, extra_vars={"edgeops_allow": "all"}, secrets=[SECRET])
    assert [entry["zone"] for entry in report.writes] == [of_host["zone_id"] for of_host in hosts.values()]


def test_earlier_plays_unlock_nothing(zones, playbook, tmp_path):
    """The plans of the evaluation are compared, whatever an earlier play has set under a name of the collection."""
    hosts = zones(OFF)
    names = {
        "_log_delivery_expected_plan_ids": {},
        "_log_delivery_predicts": True,
        "_log_delivery_evaluation": "nothing",
        "_edgeops_validated": {"run": {"edgeops_guard": False}},
    }
    included = tmp_path / "names.yml"
    included.write_text(json.dumps(names), encoding="utf-8")
    tasks = [{"ansible.builtin.set_fact": names}, {"ansible.builtin.include_vars": str(included)}]
    plays = [{"hosts": "all", "gather_facts": False, "tasks": tasks}, {"ansible.builtin.import_playbook": DELIVER}]
    address = {"method": "GET", "zone": hosts["zone0"]["zone_id"], "path": "*/logpush/jobs"}
    run = {"playbook": plays, "inventory": hosts, "extra_vars": {"edgeops_allow": "all"}, "secrets": [SECRET]}
    playbook.simulator.faults({"kind": "rewrite", "set": {"0.enabled": False}, **address, "index": 1, "count": None})
    report = playbook.run(**run, fails=("conflict", "ansible"))
    assert not report.writes and lines(report)[1].startswith("zone0 failed: conflict: ")
    assert recap(playbook.run(**run)) == {"zone0": 1}, "a write is no prediction"


def test_plan_of_a_batch_is_refused(zones, playbook):
    """With `serial`, hosts of later batches have no prediction when the rails count."""
    role = {"name": "edgeops.observability.log_delivery", "tasks_from": "apply"}
    tasks = [
        {"ansible.builtin.import_role": role, "check_mode": True},
        {"edgeops.observability.delivery_plan": {}, "register": "_plan", "run_once": True},
        {"ansible.builtin.import_role": role, "when": "inventory_hostname in _plan.written"},
    ]
    play = {"hosts": "all", "gather_facts": False, "serial": 1, "vars": {"edgeops_max_changed_zones": 1}, "tasks": tasks}
    report = playbook.run(playbook=[play], inventory=zones(OFF, OFF, OFF), secrets=[SECRET], fails="invalid_option")
    assert report.failure["msg"].startswith("serial: must be omitted or 100%: ") and not report.writes


def test_two_deliveries_in_one_run(zones, playbook):
    """The second delivery does not use the evaluation of the first; plays without the selected tags are skipped."""
    hosts = zones(OFF, ON)
    plays = [{"import_playbook": DELIVER, "tags": [tag]} for tag in ("logs", "logs", "other")]
    extra = {"edgeops_allow": "all"}
    report = playbook.run(playbook=plays, inventory=hosts, extra_vars=extra, secrets=[SECRET], arguments=("--tags", "logs"))
    summaries = [outcome.result["msg"][0] for outcome in report.outcomes if outcome.name == "Show the outcomes"]
    assert summaries == [
        "2 zones: 1 changed, 1 unchanged, 0 failed, 0 not reached",
        "2 zones: 0 changed, 2 unchanged, 0 failed, 0 not reached",
    ]
