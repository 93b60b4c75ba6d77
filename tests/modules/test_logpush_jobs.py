# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from harness import Modules

pytestmark = pytest.mark.every_core

MODULE = "edgeops.observability.logpush_jobs"
KEY = "planted-key-8c0db7"
KEYED = f"s3://archive/http?region=auto&access-key-id=ID&secret-access-key={KEY}"
S3 = "s3://bucket/logs?region=eu-west-1&endpoint=store.example.com"
ARCHIVE = {"name": "archive", "destination_conf": KEYED, "fields": ["ClientIP", "RayID"], "enabled": True}
ERRORS = {
    "name": "errors",
    "enabled": True,
    "destination_conf": S3,
    "fields": ["RayID"],
    "filter": {"key": "EdgeResponseStatus", "operator": "geq", "value": 500},
}
EVENTS = {"name": "errors", "enabled": True, "dataset": "firewall_events", "destination_conf": S3, "fields": ["RayID"]}


def task(*jobs: dict[str, t.Any], **args: t.Any) -> dict[str, t.Any]:
    return {"name": "Jobs", MODULE: {"jobs": list(jobs), **args}, "ignore_errors": True}


def state(modules: Modules) -> list[dict[str, t.Any]]:
    return t.cast("list[dict[str, t.Any]]", modules.simulator.state(modules.zone)["jobs"])


def methods(entries: t.Iterable[t.Mapping[str, t.Any]]) -> list[str]:
    return [entry["method"] for entry in entries]


def test_twelve_steps(modules: Modules) -> None:
    created, modified, deleted = modules.lifecycle(
        "logpush_jobs",
        create={"jobs": [ARCHIVE, ERRORS, EVENTS]},
        modify={"jobs": [{"name": "archive", "state": "absent"}, {**ERRORS, "filter": ""}, EVENTS], "unlisted_jobs": "report"},
        delete={"jobs": [{**job, "state": "absent"} for job in (ERRORS, EVENTS)]},
        secrets=[KEY],
    )
    assert methods(created.applied.journal) == ["GET", "GET", "GET", "POST", "POST", "POST", "GET"]
    assert methods(created.reapplied.journal) == ["GET"]
    assert [job["name"] for job in created.result["jobs"]] == ["archive", "errors", "errors"]
    assert [job["id"] for job in created.predicted.result["jobs"]] == [None] * 3
    assert set(created.diff["after"]) == {"archive", "errors", "errors/firewall_events/new"}
    assert methods(modified.writes) == ["DELETE", "PUT"]
    assert modified.result["jobs"][0] is None
    assert modified.result["jobs"][1]["filter"] is None
    assert modified.result["unlisted_jobs"] == []
    assert methods(deleted.writes) == ["DELETE", "DELETE"]
    assert deleted.result["jobs"] == [None, None]


def test_unlisted_jobs_are_ignored_reported_or_deleted(modules: Modules) -> None:
    seed = [{"name": name, "destination_conf": KEYED, "enabled": name == "b"} for name in "abc"]
    modules.simulator.seed(jobs={modules.zone: seed})
    runs = [("report", False), ("absent", True), ("absent", False), ("absent", False)]
    tasks = [{**task({"name": "b"}, unlisted_jobs=unlisted), "check_mode": check} for unlisted, check in runs]
    ignored, reported, *absent = modules.run([task({"name": "b"}), *tasks], secrets=[KEY]).ours
    assert ignored.result["unlisted_jobs"] == []
    brief = reported.result["unlisted_jobs"]
    assert [(job["name"], job["enabled"]) for job in brief] == [("a", False), ("c", False)]
    assert reported.result["changed"] is False
    predicted, applied, again = absent
    assert predicted.result["unlisted_jobs"] == applied.result["unlisted_jobs"] == brief
    assert set(applied.result["diff"]["before"]) == {"a", "b", "c"}
    assert methods(applied.writes) == ["DELETE", "DELETE"]
    assert [job["name"] for job in state(modules)] == ["b"]
    assert again.result["unlisted_jobs"] == [] and again.result["changed"] is False


def test_failure_stops_run_and_next_run_continues(modules: Modules) -> None:
    """The jobs after a failure are not changed, and the next run continues with them."""
    modules.simulator.seed(jobs={modules.zone: [{"name": "old", "destination_conf": S3}]})
    desired = task({"name": "old", "state": "absent"}, ARCHIVE, ERRORS, EVENTS)
    fault = {"kind": "status", "status": 400, "index": 5, "count": 1, "message": "no"}
    modules.simulator.faults(fault)
    failed, again, settled = modules.run([desired, desired, desired], fails="rejected", secrets=[KEY]).ours
    assert failed.result["changed"] is True
    message = failed.result["msg"]
    assert message.startswith(
        "jobs[2] ('errors') failed; already written: 'old', 'archive'; not sent: 'errors/firewall_events/new'. "
    )
    assert [job["name"] for job in state(modules)] == ["archive", "errors", "errors"]
    assert methods(again.writes) == ["POST", "POST"]
    assert settled.result["changed"] is False


def test_approved_plan_covers_all_items(modules: Modules) -> None:
    check = {**task(ARCHIVE, ERRORS), "check_mode": True}
    approved = modules.run(check, secrets=[KEY]).result["plan_id"]
    other = task(ARCHIVE, {**ERRORS, "fields": ["ClientIP"]}, expected_plan_id=approved)
    report = modules.run(other, fails="conflict", secrets=[KEY])
    assert not report.writes
    assert len(modules.run(task(ARCHIVE, ERRORS, expected_plan_id=approved), secrets=[KEY]).writes) == 2
