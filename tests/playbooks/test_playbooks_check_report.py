# SPDX-License-Identifier: GPL-3.0-or-later

import json
import typing as t
from pathlib import Path

import pytest
from support import file_store
from support.samples.fleet import WAIVER
from support.zone_runs import DESTINATION, SECRET, fleet, lists, shown_lines

CHECK = "edgeops.observability.check"
FIELDS = {"custom_fields": lists(request=["x-trace-id"]), "job": None}
MONITOR = {"script_monitor_enabled": True, "job": None}
HEADER = "planted-header-secret-77aa"


@pytest.fixture
def store() -> t.Iterator[file_store.Store]:
    """Run a storage that accepts uploads, except the files that a test names."""
    with file_store.running() as server:
        yield server


def kept(report):
    """Return the statistics of the run."""
    (stats,) = [outcome.result["ansible_stats"]["data"] for outcome in report.outcomes if "ansible_stats" in outcome.result]
    return stats


def test_reports_of_two_runs(playbook, simulator, tmp_path):
    """The second run compares with the report of the first one; waived differences do not fail it."""
    hosts = fleet(simulator, [FIELDS, MONITOR, {"job": None}])
    extra = {
        "edgeops_report_dir": str(tmp_path / "audit"),
        "edgeops_report_formats": ["json", "html", "junit", "markdown", "metrics"],
    }
    first = playbook.run(playbook=CHECK, inventory=hosts, extra_vars={**extra, "edgeops_fail_on": []})
    counts = kept(first)["edgeops_report"]["counts"]
    assert counts["statuses"] == {"unaudited": 0, "drifted": 2, "findings": 0, "unmanaged": 1, "compliant": 0}
    assert (counts["zones"], counts["accounts"], counts["differences"]) == (3, 0, 2)
    assert kept(first)["edgeops_report"]["outcome"] == "drifted"
    assert kept(first)["edgeops_check"]["statuses"]["unmanaged"] == ["zone2"]
    assert kept(first)["edgeops_check"]["failed"] == []
    lines = shown_lines(first)
    assert "zone1 difference: script monitor: enabled is false, should be true" in lines
    assert "2 zones drifted; 1 zone unmanaged." in lines
    assert "3 zones: 0 unaudited, 2 drifted, 0 with findings, 1 unmanaged, 0 compliant" in lines
    assert lines[-1] == f"The report is {tmp_path}/audit/report.html"
    made = json.loads((tmp_path / "audit" / "report.json").read_text(encoding="utf-8"))
    assert kept(first)["edgeops_plan_id"] == made["plan_id"]
    assert len(list((tmp_path / "audit").iterdir())) == 5
    assert [(item["resource"], item["member"]) for zone in made["zones"] for item in zone["items"]] == [
        ("custom_fields", "request_fields"),
        ("coverage", "RequestHeaders"),
        ("script_monitor", "enabled"),
    ]
    again = {**extra, "edgeops_fail_on": "drifted,findings", "edgeops_waivers": [WAIVER | {"until": "2099-01-01"}]}
    second = playbook.run(playbook=CHECK, inventory=hosts, extra_vars=again, arguments=["--check"])
    after = json.loads((tmp_path / "audit" / "report.json").read_text(encoding="utf-8"))
    assert after["comparison"]["previous_id"] == made["report_id"]
    assert len(after["comparison"]["persisting"]) == 3
    assert (after["outcome"], after["counts"]["differences"], after["counts"]["waived"]) == ("unmanaged", 0, 3)
    assert second.returncode == 0 and not first.writes and not second.writes


def test_fail_on_unmanaged_and_missing_fields(playbook, simulator):
    """Jobs are read if fields are required; without a folder the report is in a temporary one, whose path is shown."""
    hosts = fleet(simulator, [{}, {"job": None}])
    extra = {"edgeops_fail_on": ["missing_field", "unmanaged"], "edgeops_required_fields": {"http_requests": ["RayID"]}}
    report = playbook.run(playbook=CHECK, inventory=hosts, extra_vars=extra, fails="ansible")
    assert kept(report)["edgeops_report"]["counts"]["findings"] == 1
    assert shown_lines(report)[-1].startswith("The report is ")
    assert Path(shown_lines(report)[-1].removeprefix("The report is ")).is_file()
    reasons = {outcome.host: outcome.result["msg"] for outcome in report.failures}
    assert set(reasons) == {"zone0", "zone1"}, reasons


def test_report_files_are_uploaded(playbook, simulator, store):
    """All files are uploaded, even if the storage refuses one of them."""
    hosts = fleet(simulator, [MONITOR])
    store.refused = ("report.html",)
    url = f"{store.url}/audits/"
    extra = {"edgeops_report_put_url": url, "edgeops_report_put_headers": {"Authorization": HEADER}}
    report = playbook.run(playbook=CHECK, inventory=hosts, extra_vars=extra, secrets=[HEADER], verbosity=4, fails="ansible")
    message = "report.html could not be put to put_url: the answer has status 403. The report is in "
    assert report.failures[0].result["msg"].startswith(message)
    assert {path: (secret, kind) for path, (secret, kind, _body) in store.files.items()} == {
        "/audits/report.json": (HEADER, "application/json"),
        "/audits/report.html": (HEADER, "text/html; charset=utf-8"),
        "/audits/report.xml": (HEADER, "application/xml"),
    }
    made = json.loads(store.files["/audits/report.json"][2])
    assert made["counts"]["statuses"]["drifted"] == 1


def test_rule_that_would_block_makes_a_zone_drifted(playbook, simulator):
    """The zone is drifted and has the reason, and fails if configured; a delivery writes all zones but this one."""
    rule = {"description": "checkout", "action": "allow"}
    hosts = fleet(simulator, [{**FIELDS, "content_security_rules": [rule]}, MONITOR])
    zone = hosts["zone0"]["zone_id"]
    seen = {"policy_id": "r1", "url": "https://cdn.example/{{ 7 * 7 }}.js", "host": "shop.example", "count": 3}
    simulator.seed(
        policies={zone: [{"id": "r1", "description": "checkout"}]},
        violations={zone: [{**seen, "datetime": "2026-11-25T00:00:00Z"}]},
    )
    report = playbook.run(playbook=CHECK, inventory=hosts, extra_vars={"edgeops_fail_on": []}, fails="gate")
    assert report.returncode == 0 and not report.writes, report
    assert kept(report)["edgeops_check"]["statuses"]["drifted"] == ["zone0", "zone1"]
    lines = shown_lines(report)
    source = "script-src https://cdn.example/%7B%7B%207%20*%207%20%7D%7D.js"
    assert any(
        "zone0 finding enforcement_refused" in text and "would block 1 source" in text and "49" not in text for text in lines
    ), (lines, source)
    assert any("zone0 difference" in text and "action is log, should be allow" in text for text in lines), lines
    failing = playbook.run(
        playbook=CHECK, inventory=hosts, extra_vars={"edgeops_fail_on": ["enforcement_refused"]}, fails=["gate", "ansible"]
    )
    assert failing.returncode == 2 and [outcome.host for outcome in failing.failures][-1] == "zone0"
    delivered = playbook.run(playbook="edgeops.observability.deliver", inventory=hosts, fails=["gate", "ansible"])
    assert delivered.returncode == 2 and {entry["zone"] for entry in delivered.writes} == {hosts["zone1"]["zone_id"]}
    assert any("would block 1 source" in text for text in shown_lines(delivered, "Show the outcomes"))


def test_job_that_was_led_elsewhere_makes_a_zone_drifted(playbook, simulator):
    """The zone is drifted and fails if configured, as one with a job that nobody declared does not pass; a delivery writes neither of them."""
    item = {
        "name": "edge-logs",
        "destination_address": "s3://edge-logs/all?region=eu-west-1",
        "filter": "",
        "option_flags": {"sample": 1},
    }
    states = [{"jobs": [item], "script_monitor_enabled": True}, {"jobs": []}, MONITOR]
    hosts = fleet(simulator, [{"job": None, **state} for state in states])
    led, stolen, written = (host["zone_id"] for host in hosts.values())
    moved = {"name": "edge-logs", "enabled": True, "destination_conf": DESTINATION.replace("edge-logs", "evil")}
    other = {"name": "stolen", "enabled": True, "destination_conf": "https://evil.example/steal"}
    simulator.seed(jobs={led: [moved], stolen: [other]})
    report = playbook.run(playbook=CHECK, inventory=hosts, extra_vars={"edgeops_fail_on": []}, fails="conflict", secrets=[SECRET])
    assert report.returncode == 0 and not report.writes, report
    statuses = kept(report)["edgeops_check"]["statuses"]
    assert (statuses["drifted"], statuses["findings"]) == (["zone0", "zone2"], ["zone1"]), statuses
    lines = shown_lines(report)
    assert any(
        "zone0 difference" in text and "destination.address is evil/all, should be edge-logs/all" in text for text in lines
    ), lines
    assert any("zone1 finding unlisted_job" in text and "https://evil.example/steal" in text for text in lines), lines
    extra = {"edgeops_fail_on": ["drifted", "findings"]}
    failing = playbook.run(playbook=CHECK, inventory=hosts, extra_vars=extra, fails=["conflict", "ansible"])
    assert failing.returncode == 2 and {"zone0", "zone1"} <= {outcome.host for outcome in failing.failures}
    delivered = playbook.run(
        playbook="edgeops.observability.deliver", inventory=hosts, fails=["conflict", "ansible"], secrets=[SECRET]
    )
    assert delivered.returncode == 2 and {entry["zone"] for entry in delivered.writes} == {written}
    assert any(
        "zone0 failed: conflict: " in text and "delivers to another place" in text
        for text in shown_lines(delivered, "Show the outcomes")
    )
