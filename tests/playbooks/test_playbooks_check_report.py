# SPDX-License-Identifier: GPL-3.0-or-later

import json
import typing as t
from pathlib import Path

import pytest
from support import file_store
from support.samples.fleet import WAIVER
from support.zone_runs import DESTINATION, SECRET, fleet, lists, shown_lines

from harness import Plays

CHECK = "edgeops.observability.check"
DELIVER = "edgeops.observability.deliver"
FIELDS = {"custom_fields": lists(request=["x-trace-id"]), "job": None}
MONITOR = {"script_monitor_enabled": True, "job": None}
HEADER = "planted-header-secret-77aa"
REFUSED = ("gate", "conflict")
GO_ON = {"name": "Go on", "hosts": "all", "gather_facts": False, "tasks": [{"ansible.builtin.meta": "clear_host_errors"}]}


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


def check(hosts, **variables):
    """Return the check of these hosts; `variables` have no prefix."""
    named = {"target": ":".join(hosts), **variables}
    return {"import_playbook": CHECK, "vars": {f"edgeops_{name}": value for name, value in named.items()}}


def required_fields(simulator):
    """Jobs are read if fields are required; without a folder the report is in a temporary one, whose path is shown."""
    hosts = fleet(simulator, [{}, {"job": None}, MONITOR], "required")
    job = {"name": "edge-logs", "dataset": "http_requests", "destination_conf": DESTINATION, "enabled": True}
    simulator.seed(jobs={hosts["required2"]["zone_id"]: [{**job, "logpull_options": "fields=RayID"}]})
    needed = {"fail_on": ["missing_field", "unmanaged"], "required_fields": {"http_requests": ["RayID"]}}
    report = yield Plays([check(hosts, **needed)], hosts, fails="ansible")
    assert kept(report)["edgeops_report"]["counts"]["findings"] == 1
    assert shown_lines(report)[-1].startswith("The report is ")
    assert Path(shown_lines(report)[-1].removeprefix("The report is ")).is_file()
    reasons = {outcome.host: outcome.result["msg"].partition(":")[0] for outcome in report.failures}
    assert reasons == {"required0": "fail_on missing_field", "required1": "fail_on unmanaged"}


def uploaded(simulator, store):
    """All files are uploaded, even if the storage refuses one of them."""
    hosts = fleet(simulator, [MONITOR], "sent")
    store.refused = ("report.html",)
    put = {"report_put_url": f"{store.url}/audits/", "report_put_headers": {"Authorization": HEADER}}
    report = yield Plays([check(hosts, **put)], hosts, fails="ansible")
    message = "report.html could not be put to put_url: the answer has status 403. The report is in "
    assert report.failures[0].result["msg"].startswith(message)
    assert {path: (secret, kind) for path, (secret, kind, _body) in store.files.items()} == {
        "/audits/report.json": (HEADER, "application/json"),
        "/audits/report.html": (HEADER, "text/html; charset=utf-8"),
        "/audits/report.xml": (HEADER, "application/xml"),
    }
    made = json.loads(store.files["/audits/report.json"][2])
    assert made["counts"]["statuses"]["drifted"] == 1


def test_reports_without_a_folder(playbook, simulator, store):
    # The upload is the last one, because a run ends where all hosts of a play fail.
    scenarios = {"required fields": required_fields(simulator), "uploaded": uploaded(simulator, store)}
    playbook.run_scenarios(scenarios, secrets=[HEADER, SECRET], verbosity=4)


def attacked(simulator):
    """Return zones with a rule that would block, a job that was led elsewhere and one that nobody declared, and two others that drifted."""
    rule = {"description": "checkout", "action": "allow"}
    item = {
        "name": "edge-logs",
        "destination_address": "s3://edge-logs/all?region=eu-west-1",
        "filter": "",
        "option_flags": {"sample": 1},
    }
    states = {
        "blocking": {**FIELDS, "content_security_rules": [rule]},
        "drifted": MONITOR,
        "led": {"job": None, "jobs": [item], "script_monitor_enabled": True},
        "stolen": {"job": None, "jobs": []},
        "other": MONITOR,
    }
    hosts = dict(zip(states, fleet(simulator, list(states.values())).values(), strict=True))
    zones = {name: host["zone_id"] for name, host in hosts.items()}
    seen = {"policy_id": "r1", "url": "https://cdn.example/{{ 7 * 7 }}.js", "host": "shop.example", "count": 3}
    moved = {"name": "edge-logs", "enabled": True, "destination_conf": DESTINATION.replace("edge-logs", "evil")}
    other = {"name": "stolen", "enabled": True, "destination_conf": "https://evil.example/steal"}
    simulator.seed(
        policies={zones["blocking"]: [{"id": "r1", "description": "checkout"}]},
        violations={zones["blocking"]: [{**seen, "datetime": "2026-11-25T00:00:00Z"}]},
        jobs={zones["led"]: [moved], zones["stolen"]: [other]},
    )
    return hosts


def nothing_named(hosts):
    report = yield Plays([check(hosts, fail_on=[])], hosts, fails=REFUSED)
    assert report.returncode == 0 and not report.writes, report
    statuses = kept(report)["edgeops_check"]["statuses"]
    assert (sorted(statuses["drifted"]), statuses["findings"]) == (["blocking", "drifted", "led", "other"], ["stolen"]), statuses
    found = [line for line in shown_lines(report) if "blocking finding enforcement_refused" in line]
    assert any("would block 1 source" in line and "49" not in line for line in found), found
    lines = shown_lines(report)
    assert any("blocking difference" in line and "action is log, should be allow" in line for line in lines), lines
    assert any(
        "led difference" in line and "destination.address is evil/all, should be edge-logs/all" in line for line in lines
    ), lines
    assert any("stolen finding unlisted_job" in line and "https://evil.example/steal" in line for line in lines), lines


def enforcement_named(hosts):
    report = yield Plays([check(hosts, fail_on=["enforcement_refused"]), GO_ON], hosts, fails=[*REFUSED, "ansible"])
    assert report.returncode == 2 and [outcome.host for outcome in report.failures if outcome.status == "failed"] == ["blocking"]


def delivered(hosts):
    """A delivery writes all zones but these."""
    report = yield Plays([{"import_playbook": DELIVER}, GO_ON], hosts, fails=[*REFUSED, "ansible"])
    assert report.returncode == 2
    assert {entry["zone"] for entry in report.writes} == {hosts[name]["zone_id"] for name in ("drifted", "other")}
    lines = shown_lines(report, "Show the outcomes")
    assert any("would block 1 source" in line for line in lines)
    assert any("led failed: conflict: " in line and "delivers to another place" in line for line in lines)


def drifted_named(hosts):
    report = yield Plays([check(hosts, fail_on=["drifted", "findings"])], hosts, fails=[*REFUSED, "ansible"])
    assert report.returncode == 2
    assert {outcome.host for outcome in report.failures if outcome.status == "failed"} == {"blocking", "led", "stolen"}


def test_attacked_zones_are_drifted_or_have_findings(playbook, simulator):
    """A zone with a rule that would block, or a job that was led elsewhere, is drifted, and one with a job that nobody declared has a finding.

    They fail if configured, and a delivery writes none of them.
    """
    hosts = attacked(simulator)
    scenarios = {
        "nothing named": nothing_named(hosts),
        "enforcement named": enforcement_named(hosts),
        "delivered": delivered(hosts),
        "drifted named": drifted_named(hosts),
    }
    playbook.run_scenarios(scenarios, secrets=[SECRET])
