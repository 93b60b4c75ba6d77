# SPDX-License-Identifier: GPL-3.0-or-later

import json
import re

import pytest
from zone_runs import DESTINATION, OWN_FIELDS, SECRET, fleet, shown_lines

from harness import Plays

DELIVER = "edgeops.observability.deliver"
CHECK = "edgeops.observability.check"
ON = {"script_monitor_enabled": True}
OFF = {"script_monitor_enabled": False}
JOB = {"name": "edge-logs", "dataset": "http_requests", "destination_conf": DESTINATION, "enabled": True}
JOB["logpull_options"] = f"fields={','.join(OWN_FIELDS)}"


@pytest.fixture
def zones(simulator):
    """Return a function that makes zones with a job and the script monitor; its arguments are their desired states."""

    def made(*desired, name="zone"):
        hosts = fleet(simulator, desired, name)
        ids = [host["zone_id"] for host in hosts.values()]
        simulator.seed(jobs={zone: [JOB] for zone in ids}, script_monitor={zone: {"enabled": True} for zone in ids})
        return hosts

    return made


def delivery(hosts, **variables):
    """Return the play of a delivery to these hosts; `variables` have no prefix. By default, destructive effects are allowed."""
    named = {"target": ":".join(hosts), "allow": "all", **variables}
    return {"import_playbook": DELIVER, "vars": {f"edgeops_{name}": value for name, value in named.items() if value is not None}}


def lines(report):
    return shown_lines(report, "Show the outcomes")


def recap(report):
    """Return the number of changed tasks of each host from the recap."""
    counts = re.findall(r"^(\w+) +: ok=\d+ +changed=(\d+)", report.stdout, re.MULTILINE)
    return {host: int(number) for host, number in counts if host != "localhost"}


def test_only_changed_zones_are_written(zones, playbook):
    """An unchanged zone needs only the reads of its prediction; in check mode nothing is written, and the changes are shown."""
    hosts = zones(ON, OFF, ON)
    run = {"playbook": [delivery(hosts)], "inventory": hosts, "secrets": [SECRET]}
    predicted = playbook.run(**run, check=True)
    assert lines(predicted)[0] == "3 zones: 1 would be changed, 2 unchanged, 0 failed, 0 not reached"
    assert lines(predicted)[1:] == ["zone1 would be changed: script monitor: enabled is true, should be false"]
    assert recap(predicted) == dict.fromkeys(hosts, 0)
    report = playbook.run(**run)
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


def effect_not_allowed(zones):
    """No zone is written if one of them does not allow an effect."""
    hosts = zones(OFF, OFF, name="effect")
    hosts["effect0"]["edgeops_allow"] = ["disable_monitor"]
    report = yield Plays([delivery(hosts, allow=None)], hosts, fails="ansible")
    (failed,) = report.failures
    assert failed.host == "effect1" and failed.result["msg"].startswith("gate: edgeops_allow does not allow disable_monitor.")
    assert lines(report)[0] == "2 zones: 0 changed, 0 unchanged, 1 failed, 1 not reached"
    assert report.returncode != 0 and not report.writes


def failing_between_prediction_and_write(zones, simulator):
    """Nothing is written to a zone without a prediction, an unreachable zone, even if its rails pass, or one that changed after the prediction."""
    hosts = zones(OFF, OFF, OFF, OFF, name="lost")
    hosts["lost0"]["log_delivery_zone_id"] = "f" * 32
    hosts["lost1"].update(ansible_connection="ssh", ansible_host="127.0.0.1", ansible_port=9, edgeops_in_process=False)
    address = {"method": "GET", "zone": hosts["lost2"]["zone_id"], "path": "*/logpush/jobs", "index": 1, "count": None}
    simulator.faults({"kind": "rewrite", "set": {"0.enabled": False}, **address})
    report = yield Plays([delivery(hosts)], hosts, fails=("not_found", "ansible", "unreachable", "conflict"))
    assert lines(report)[0] == "4 zones: 1 changed, 0 unchanged, 2 failed, 1 not reached"
    assert [entry["zone"] for entry in report.writes] == [hosts["lost3"]["zone_id"]]


def partial_delivery_refused(zones, simulator):
    """The zone without a prediction fails with the rail and its own reason, and the last line says why nothing was written."""
    hosts = zones(OFF, OFF, ON, name="part")
    simulator.faults({"kind": "status", "status": 403, "path": "*", "zone": hosts["part1"]["zone_id"], "count": None})
    report = yield Plays([delivery(hosts, deliver_partial="n")], hosts, fails=("permission", "ansible"))
    ends = [outcome for outcome in report.failures if outcome.name.startswith("Fail for a zone")]
    assert [outcome.host for outcome in ends] == ["part1"] and not report.writes
    assert ends[0].result["msg"].startswith("gate: edgeops_deliver_partial: the zone could not be predicted: permission: ")
    printed = lines(report)
    assert printed[0] == "3 zones: 0 changed, 1 unchanged, 1 failed, 1 not reached"
    assert printed[-1].startswith(
        "Nothing was written. edgeops_deliver_partial: 1 zone could not be predicted: part1 (permission: "
    )


def failing_canary(zones, simulator):
    """It stops the run whichever strategy Ansible is configured with."""
    hosts = zones(OFF, OFF, OFF, ON, name="canary")
    fault = {"kind": "status", "status": 403, "method": "PUT", "count": 1}
    simulator.faults(*({**fault, "zone": host["zone_id"]} for host in hosts.values()))
    stop = {"zones_at_once": '[1, "100%"]', "stop_on_failure": "y"}  # text that Jinja's filter `bool` takes for false
    report = yield Plays([delivery(hosts, **stop)], hosts, fails=("permission", "ansible"))
    assert lines(report)[0] == "4 zones: 0 changed, 1 unchanged, 1 failed, 2 not reached"
    assert len([entry for entry in report.journal if entry["method"] == "PUT"]) == 1


def names_of_earlier_plays(zones, simulator, folder):
    """The plans of the evaluation are compared, whatever an earlier play has set under a name of the collection."""
    hosts = zones(OFF, OFF, name="early")
    names = {
        "_log_delivery_expected_plan_ids": {},
        "_log_delivery_predicts": True,
        "_log_delivery_evaluation": "nothing",
        "_edgeops_validated": {"run": {"edgeops_guard": False}},
    }
    included = folder / "names.yml"
    included.write_text(json.dumps(names), encoding="utf-8")
    tasks = [{"ansible.builtin.set_fact": names}, {"ansible.builtin.include_vars": str(included)}]
    address = {"method": "GET", "zone": hosts["early0"]["zone_id"], "path": "*/logpush/jobs"}
    simulator.faults({"kind": "rewrite", "set": {"0.enabled": False}, **address, "index": 1, "count": None})
    plays = [{"hosts": list(hosts), "gather_facts": False, "tasks": tasks}, delivery(hosts)]
    report = yield Plays(plays, hosts, fails=("conflict", "ansible"))
    assert [entry["zone"] for entry in report.writes] == [hosts["early1"]["zone_id"]], "a write is no prediction"
    assert any(line.startswith("early0 failed: conflict: ") for line in lines(report))
    changed = [outcome.host for outcome in report.outcomes if outcome.status == "ok" and outcome.result.get("changed")]
    assert changed.count("early1") == 1


def approved(hosts, path):
    report = yield Plays(
        [{"import_playbook": CHECK, "vars": {"edgeops_target": ":".join(hosts), "edgeops_report_dir": str(path.parent)}}], hosts
    )
    assert report.returncode == 0 and json.loads(path.read_text(encoding="utf-8"))["plan_id"]


def slice_of_an_approved_plan(hosts, path):
    report = yield Plays([delivery(["approved0"], approved_report=str(path))], hosts)
    assert len(report.writes) == 1 and lines(report)[0] == "1 zone: 1 changed, 0 unchanged, 0 failed, 0 not reached"


def plan_approved_before(hosts, path):
    """An approved plan is applied exactly once."""
    report = yield Plays([delivery(hosts, approved_report=str(path))], hosts, fails="ansible")
    assert "not the approved one for approved0" in shown_lines(report, "Show the plan")[-1] and not report.writes
    assert report.failure["msg"].startswith("conflict: edgeops_approved_report: the plan is not the approved one: ")


def plan_of_a_batch(zones):
    """With `serial`, hosts of later batches have no prediction when the rails count."""
    hosts = zones(OFF, OFF, OFF, name="batch")
    role = {"name": "edgeops.observability.log_delivery", "tasks_from": "apply"}
    tasks = [
        {"ansible.builtin.import_role": role, "check_mode": True},
        {"edgeops.observability.delivery_plan": {}, "register": "_plan", "run_once": True},
        {"ansible.builtin.import_role": role, "when": "inventory_hostname in _plan.written"},
    ]
    variables = {"edgeops_max_changed_zones": 1}
    play = {"hosts": list(hosts), "gather_facts": False, "serial": 1, "vars": variables, "tasks": tasks}
    report = yield Plays([play], hosts, fails="invalid_option")
    assert report.failure["msg"].startswith("serial: must be omitted or 100%: ") and not report.writes


def test_deliveries_that_are_refused_or_fail(zones, playbook, simulator, tmp_path):
    hosts, path = zones(OFF, OFF, name="approved"), tmp_path / "report.json"
    scenarios = {
        "effect": effect_not_allowed(zones),
        "failures": failing_between_prediction_and_write(zones, simulator),
        "partial": partial_delivery_refused(zones, simulator),
        "canary": failing_canary(zones, simulator),
        "names": names_of_earlier_plays(zones, simulator, tmp_path),
        "approval": approved(hosts, path),
        "slice": slice_of_an_approved_plan(hosts, path),
        "again": plan_approved_before(hosts, path),
        # The last one, because a failed task with run_once ends a run.
        "batch": plan_of_a_batch(zones),
    }
    playbook.run_scenarios(scenarios, secrets=[SECRET], env={"ANSIBLE_STRATEGY": "free"})


def test_two_deliveries_in_one_run(zones, playbook):
    """The second delivery does not use the evaluation of the first; plays without the selected tags are skipped, as zones outside of the limit."""
    hosts = zones(OFF, ON, OFF)
    plays = [{"import_playbook": DELIVER, "tags": [tag]} for tag in ("logs", "logs", "other")]
    extra = {"edgeops_allow": "all"}
    report = playbook.run(
        playbook=plays,
        inventory=hosts,
        extra_vars=extra,
        secrets=[SECRET],
        arguments=("--tags", "logs", "--limit", "zone0:zone1"),
    )
    summaries = [outcome.result["msg"][0] for outcome in report.outcomes if outcome.name == "Show the outcomes"]
    assert summaries == [
        "2 zones: 1 changed, 1 unchanged, 0 failed, 0 not reached",
        "2 zones: 0 changed, 2 unchanged, 0 failed, 0 not reached",
    ]
