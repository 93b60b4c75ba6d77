# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from support.samples.custom_fields import own
from zone_runs import DESTINATION, SECRET, job

from harness import Modules, prediction

MODULE = "edgeops.observability.zone_observability"
KEY = "planted-key-8c0db7"
JOB = {"name": "archive", "destination_conf": f"s3://archive/http?access-key-id=ID&secret-access-key={KEY}", "fields": ["RayID"]}
DESIRED = {
    "custom_fields": {"request_fields": ["X-A"], "raw_response_fields": ["server"]},
    "jobs": [JOB, {**JOB, "name": "events", "dataset": "firewall_events"}],
    "script_monitor_enabled": True,
}


def task(check: bool = False, **args: t.Any) -> dict[str, t.Any]:
    return {"name": "Zone", MODULE: args, "check_mode": check, "ignore_errors": True}


def ends(entries: t.Iterable[t.Mapping[str, t.Any]]) -> list[tuple[str, str]]:
    return [(entry["method"], entry["path"].rpartition("/zones/")[2].partition("/")[2].split("/")[0]) for entry in entries]


def test_everything_is_predicted_and_applied(modules: Modules) -> None:
    """Everything is predicted, applied, and then left alone."""
    runs = [task(True, **DESIRED), task(**DESIRED), task(True, **DESIRED), task(**DESIRED)]
    predicted, applied, rechecked, reapplied = modules.run(runs, secrets=[KEY]).ours
    prediction.check_predicted(predicted, applied)
    assert ends(applied.writes) == [
        ("POST", "rulesets"),
        ("PUT", "rulesets"),
        ("POST", "logpush"),
        ("POST", "logpush"),
        ("PUT", "script_monitor"),
    ]
    assert set(applied.result["diff"]["after"]) == {"custom_fields", "jobs", "script_monitor"}
    assert applied.result["coverage"]["arrives"] is True
    assert "RequestHeaders,ResponseHeaders" in applied.result["jobs"]["jobs"][0]["logpull_options"]
    assert applied.result["jobs"]["jobs"][1]["logpull_options"] == "fields=RayID"
    for again in (rechecked, reapplied):
        assert again.result["changed"] is False
        assert again.result["diff"] == {"before": {}, "after": {}}
        assert sorted(ends(again.journal)) == [("GET", "logpush"), ("GET", "rulesets"), ("GET", "script_monitor")]


def test_what_is_omitted_is_left_alone(modules: Modules) -> None:
    for part, args in (("custom_fields", {}), ("jobs", {"jobs": []}), ("jobs", {"unlisted_jobs": "absent"})):
        report = modules.run(task(**args))
        assert report.result[part] == {} and report.result["plan_ids"] == dict.fromkeys(report.result["plan_ids"])
        assert report.journal == [] and report.result["changed"] is False


def test_failed_read_names_its_request(modules: Modules) -> None:
    """The parts are read in parallel."""
    modules.simulator.faults({"kind": "rewrite", "method": "GET", "path": "*/script_monitor", "set": {"enabled": "x"}})
    error = modules.run(task(**DESIRED), fails="bad_response", secrets=[KEY]).failure["error"]
    assert (error["method"], error["path"], error["status"]) == ("GET", f"/zones/{modules.zone}/script_monitor", 200)


def test_each_part_is_approved_on_its_own(modules: Modules) -> None:
    approved = modules.run(task(True, **DESIRED), secrets=[KEY]).result["plan_ids"]
    other = {**DESIRED, "script_monitor_enabled": False, "expected_plan_ids": approved}
    report = modules.run(
        [task(**other), task(script_monitor_enabled=True, expected_plan_ids=approved)], fails="conflict", secrets=[KEY]
    )
    assert not report.writes
    assert "expected_plan_ids.script_monitor: the plan is sha256:" in report.ours[0].result["msg"]
    assert report.ours[0].result["plan_ids"]["jobs"] == approved["jobs"]
    assert "expected_plan_ids.custom_fields: the task does not manage this" in report.ours[1].result["msg"]
    for plan_ids, kind, words in (
        ({**approved, "custom_fields": ""}, "conflict", "expected_plan_ids.custom_fields is empty"),
        ({**approved, "custom_fields": None}, "conflict", "but no plan was approved"),
        ({"job": "a"}, "invalid_option", "expected_plan_ids.job: not a part of a zone (did you mean 'jobs'?)"),
        ({"jobs": 1}, "invalid_option", "expected_plan_ids.jobs: must be a plan id"),
    ):
        for check in (True, False):
            report = modules.run(task(check, **DESIRED, expected_plan_ids=plan_ids), fails=kind, secrets=[KEY])
            assert words in report.failure["msg"] and not report.writes
    partly = {name: plan for name, plan in approved.items() if name != "custom_fields"}
    assert modules.run(task(**DESIRED, expected_plan_ids=partly), secrets=[KEY]).result["changed"] is True


def test_one_invalid_part_writes_nothing(modules: Modules) -> None:
    """One part that cannot be planned stops all."""
    parts = {"jobs": [{"name": "new"}]}, {"custom_fields": {"request_fields": ["x-a"], "preserve_duplicates": ["x-b"]}}
    report = modules.run([task(**{**DESIRED, **part}) for part in parts], fails="invalid_option", secrets=[KEY])
    assert not report.writes
    job, fields = (outcome.result["msg"] for outcome in report.ours)
    assert job.startswith("jobs[0].destination_conf: is required")
    assert fields.startswith("custom_fields.preserve_duplicates: ")


def test_listed_jobs_are_those_of_the_zone(modules: Modules) -> None:
    """Every job of the zone as it was read, with its health; nothing where the task does not manage jobs."""
    seed = [
        {"id": 8, "name": "mine", "enabled": True, "error_message": "403", "destination_conf": "s3://b/x?region=r"},
        {"id": 7, "name": "other", "destination_conf": "s3://b/x?region=r"},
    ]
    modules.simulator.seed(jobs={modules.zone: seed})
    report = modules.run(
        [task(True, jobs=[{"name": "mine"}]), task(True, script_monitor_enabled=False)], warns=["its last delivery failed"]
    )
    listed, nothing = (outcome.result["listed_jobs"] for outcome in report.ours)
    assert [(job["id"], job["health"]["state"]) for job in listed] == [(7, "disabled"), (8, "failing")]
    assert nothing is None


def test_uncovered_fields_are_reported_only(modules: Modules) -> None:
    """Fields that reach no log are reported, and fail nothing."""
    rule = own("0a" * 16, request_fields=["x-a"], response_fields=["x-b"])
    modules.simulator.seed(rulesets={modules.zone: [{"kind": "zone", "phase": "http_log_custom_fields", "rules": [rule]}]})
    desired = {"job": job(fields=["Cookies"]), "custom_fields": {"request_fields": ["x-a"]}}
    coverage = modules.run(task(**desired), secrets=[SECRET]).result["coverage"]
    assert [finding["kind"] for finding in coverage["unselected"]] == ["response_fields"]
    assert [finding["field"] for finding in coverage["unconfigured"]] == ["Cookies"]
    assert len(coverage["sentences"]) == 2


@pytest.mark.parametrize("unlisted", ["ignore", "report", "absent"])
def test_several_jobs(modules: Modules, unlisted: str) -> None:
    """Defaults below each job; the carriers of custom fields in jobs of one dataset only; the rest ignored, reported or deleted."""
    seed = [{"name": name, "destination_conf": DESTINATION} for name in ("old", "stray")]
    modules.simulator.seed(jobs={modules.zone: seed})
    jobs = [
        job(enabled=True),
        job(name="errors", dataset="firewall_events", fields=["Action"]),
        {"name": "old", "state": "absent"},
    ]
    defaults = {"timestamp_format": "rfc3339", "enabled": False}
    custom = {"request_fields": ["X-Trace-Id", "x-forwarded-proto"], "cookie_fields": ["Cart"]}
    desired = {"jobs": jobs, "job_defaults": defaults, "unlisted_jobs": unlisted, "custom_fields": custom}
    predicted, done, *again = modules.run([task(check, **desired) for check in (True, False, True, False)], secrets=[SECRET]).ours
    prediction.check_predicted(predicted, done)
    assert [outcome.result["changed"] for outcome in again] == [False, False] and not again[1].writes
    found = {each["name"]: each for each in modules.simulator.state(modules.zone)["jobs"]}
    assert set(found) == {"edge-logs", "errors", *(() if unlisted == "absent" else ("stray",))}
    assert "RequestHeaders,Cookies&timestamps=rfc3339" in found["edge-logs"]["logpull_options"]
    assert found["errors"]["logpull_options"] == "fields=Action&timestamps=rfc3339"
    assert (found["edge-logs"]["enabled"], found["errors"]["enabled"]) == (True, False)
    assert [each["name"] for each in done.result["jobs"]["unlisted_jobs"]] == ([] if unlisted == "ignore" else ["stray"])
    assert ends(done.journal)[-1] == ("GET", "logpush"), "after a creation jobs are listed once more"
