# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest

from harness import Modules

KEY = "planted/key+8c0d=b7"
NEW_KEY = "planted-key-after-rotation-77e1"
KEY_ENCODED = "planted%2Fkey%2B8c0d%3Db7"
TOKEN = "planted-challenge-51f7ac"
S3 = "s3://example-bucket/http/{DATE}?region=us-west-2"
WITH_KEYS = f"s3://archive/http?region=auto&endpoint=store.example.com&access-key-id=EXAMPLEID&secret-access-key={KEY_ENCODED}"
FILTER = {
    "and": [
        {"key": "ClientRequestHost", "operator": "eq", "value": "shop.example.com"},
        {"key": "EdgeResponseStatus", "operator": "geq", "value": 400},
    ]
}
FILTER_TEXT = (
    '{"where":{"and":[{"key":"ClientRequestHost","operator":"eq","value":"shop.example.com"},'
    '{"key":"EdgeResponseStatus","operator":"geq","value":400}]}}'
)
DESIRED: dict[str, t.Any] = {
    "name": "shop-logs",
    "destination_conf": S3,
    "fields": ["RayID", "ClientIP", "RequestHeaders"],
    "timestamp_format": "rfc3339",
    "option_flags": {"CVE-2021-44228": True},
    "filter": FILTER,
    "enabled": True,
}


def jobs(modules: Modules) -> list[dict[str, t.Any]]:
    return t.cast("list[dict[str, t.Any]]", modules.simulator.state(modules.zone)["jobs"])


def job_task(args: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    return {"name": "Job", "edgeops.observability.logpush_job": args, **more}


def test_twelve_steps(modules: Modules) -> None:
    created, modified, deleted = modules.lifecycle(
        "logpush_job",
        create={**DESIRED, "ownership_challenge": TOKEN},
        modify={"name": "shop-logs", "fields": ["ClientIP"], "filter": "", "max_upload_interval_seconds": 60, "enabled": False},
        delete={"name": "shop-logs", "state": "absent"},
    )
    assert [(entry["method"], entry["body"]) for entry in created.writes] == [
        (
            "POST",
            {
                "name": "shop-logs",
                "dataset": "http_requests",
                "enabled": True,
                "destination_conf": S3,
                "ownership_challenge": TOKEN,
                "logpull_options": "fields=RayID,ClientIP,RequestHeaders&timestamps=rfc3339&CVE-2021-44228=true",
                "filter": FILTER_TEXT,
            },
        )
    ]
    job = created.result["job"]
    assert job["destination"] == {"scheme": "s3", "address": "example-bucket/http/{DATE}", "options": {"region": "us-west-2"}}
    assert job["filter"] == FILTER_TEXT
    assert "shop.example.com" in job["filter_explained"]
    assert created.result["filter_budget"]["operators"] == 2
    assert created.predicted.result["job"]["id"] is None
    assert isinstance(job["id"], int)
    assert [entry["method"] for entry in created.reapplied.journal] == ["GET"]
    (put,) = modified.writes
    assert put["body"] == {
        "logpull_options": "fields=ClientIP&CVE-2021-44228=true&timestamps=rfc3339",
        "filter": "",
        "max_upload_interval_seconds": 60,
        "enabled": False,
    }
    assert modified.result["job"]["filter"] is None
    assert modified.result["filter_budget"] is None
    assert [entry["method"] for entry in deleted.writes] == ["DELETE"]
    assert deleted.result["job"] is None


ASSUMED = "the service masks secret parts of the destination"


@pytest.mark.parametrize("habit", ["verbatim", "masked"])
def test_a_secret_is_rotated(modules: Modules, habit: str) -> None:
    """A changed secret that the service masks is a warning until it is sent; then the service has it."""
    modules.simulator.settings(echo_destination=habit)
    masked = habit == "masked"
    rotated = {**DESIRED, "destination_conf": WITH_KEYS.replace(KEY_ENCODED, NEW_KEY)}
    steps = [{**DESIRED, "destination_conf": WITH_KEYS}, rotated, {**rotated, "send_destination": "always"}]
    tasks = [
        {"name": f"{number} {check}", "edgeops.observability.logpush_job": step, "check_mode": check}
        for number, step in enumerate(steps)
        for check in (True, False)
    ]
    report = modules.run(tasks, secrets=[KEY, NEW_KEY], warns=[ASSUMED] if masked else [])
    assert [outcome.result["changed"] for outcome in report.ours] == [True, True, not masked, not masked, True, True]
    for predicted, applied in zip(report.ours[::2], report.ours[1::2], strict=True):
        assert predicted.result["diff"] == applied.result["diff"]
    assert report.writes[-1]["body"] == {"destination_conf": rotated["destination_conf"]}
    (job,) = modules.simulator.state(modules.zone)["jobs"]
    assert job["destination_conf"] == rotated["destination_conf"]


def test_unshown_filter_is_sent_with_a_warning(modules: Modules) -> None:
    """A service that shows no filters is sent the filter each time, with a warning."""
    modules.simulator.settings(echo_filter="absent")
    report = modules.run([job_task(DESIRED), job_task(DESIRED)], warns=["lacks the filter that was sent"])
    assert [entry["method"] for entry in report.writes] == ["POST", "PUT"]
    assert report.ours[1].writes[0]["body"] == {"filter": FILTER_TEXT}
    assert all(outcome.result["job"]["filter"] == FILTER_TEXT for outcome in report.ours)


def test_recreate_carries_over_what_is_not_given(modules: Modules) -> None:
    old = {"name": "old", "destination_conf": S3, "enabled": True, "logpull_options": "fields=ClientIP", "filter": FILTER_TEXT}
    modules.simulator.seed(jobs={modules.zone: [{"id": 7, **old}]})
    desired = {"job_id": 7, "dataset": "firewall_events", "recreate": True}
    report = modules.run(job_task(desired), fails="invalid_option")
    assert "destination_conf" in report.failure["msg"]
    desired["destination_conf"] = S3
    desired["ownership_challenge"] = TOKEN
    predicted = modules.run(job_task(desired), check=True)
    report = modules.run(job_task(desired))
    assert [entry["method"] for entry in report.writes] == ["DELETE", "POST"]
    assert report.writes[1]["body"] == {**old, "dataset": "firewall_events", "ownership_challenge": TOKEN}
    assert predicted.result["job"] == {**report.result["job"], "id": None}
    assert predicted.result["diff"] == report.result["diff"]


@pytest.mark.parametrize("fault", ["reset_after", "504"])
def test_unanswered_recreate_is_adopted(modules: Modules, fault: str) -> None:
    """A successor that was created without an answer is adopted."""
    modules.simulator.seed(jobs={modules.zone: [{"id": 7, "name": "old", "destination_conf": S3}]})
    modules.simulator.faults({"kind": fault, "method": "POST"})
    desired = {"job_id": 7, "dataset": "firewall_events", "recreate": True, "destination_conf": S3, "retries": 0}
    report = modules.run(job_task(desired))
    assert [entry["method"] for entry in report.writes] == ["DELETE", "POST"]
    assert report.result["job"]["id"] == jobs(modules)[0]["id"]
    assert report.result["changed"]


def test_refused_recreate_reports_the_deletion(modules: Modules) -> None:
    """The failure of a refused successor states that the old job is gone."""
    modules.simulator.seed(jobs={modules.zone: [{"id": 7, "name": "old", "destination_conf": S3}]})
    modules.simulator.faults({"kind": "status", "status": 400, "code": 1002, "message": "no", "method": "POST"})
    desired = {"name": "old", "kind": "edge", "recreate": True, "destination_conf": S3}
    report = modules.run(job_task(desired), fails="rejected")
    assert "gone" in report.failure["msg"]
    assert report.failure["changed"] is True
    modules.simulator.seed(jobs={modules.zone: [{"id": 8, "name": "old", "destination_conf": S3}]})
    modules.simulator.faults({"kind": "502", "method": "POST"})
    report = modules.run(job_task({**desired, "retries": 0}), fails="unavailable")
    assert "gone" in report.failure["msg"]


@pytest.mark.parametrize("status", ["404", "405"])
def test_a_service_without_a_list_of_jobs(modules: Modules, status: str) -> None:
    modules.simulator.settings(job_list=status)
    for desired in (DESIRED, {"name": "shop-logs", "state": "absent", "create_without_listing": True}):
        report = modules.run(job_task(desired), fails="not_found")
        assert "cannot list jobs" in report.failure["msg"]
        assert report.failure["error"]["status"] == int(status)
    unlisted = {**DESIRED, "create_without_listing": True}
    report = modules.run([job_task(unlisted, check_mode=True), job_task(unlisted)], warns=["without checking"])
    predicted, real = (outcome.result["job"] for outcome in report.ours)
    assert predicted == {**real, "id": None}
    assert modules.run(job_task({"job_id": real["id"], "state": "absent"})).result["changed"]


def test_first_failure_is_reported(modules: Modules) -> None:
    """Where the second read fails too, the first failure is reported."""
    modules.simulator.faults({"kind": "reset_after", "method": "POST"}, {"kind": "500", "method": "GET", "index": 2})
    report = modules.run(job_task(DESIRED), fails="unavailable")
    assert report.failure["error"]["method"] == "POST"
    assert "Reading the service again failed" in report.failure["msg"]


def test_next_run_converges_after_bad_answer(modules: Modules) -> None:
    """A garbled answer is a bad response, and the next run converges."""
    garbled: list[dict[str, t.Any]] = [
        {"kind": "rewrite", "set": {"id": "seven"}},
        {"kind": "rewrite", "set": {"enabled": False}},
        {"kind": "rewrite", "set": {"destination_conf": "s3://elsewhere"}},
        {"kind": "rewrite", "set": {"logpull_options": "fields=ClientIP"}},
    ]
    desired_states = [{**DESIRED, "name": f"job-{index}"} for index in range(len(garbled))]
    modules.simulator.faults(*({**fault, "method": "POST", "index": index} for index, fault in enumerate(garbled)))
    tasks = [job_task(desired, ignore_errors=True) for desired in desired_states for _run in range(2)]
    report = modules.run(tasks, fails="bad_response")
    assert [entry["method"] for entry in report.writes] == ["POST"] * len(garbled)
    assert [outcome.failed for outcome in report.ours] == [True, False] * len(garbled)
    assert not any(outcome.result["changed"] for outcome in report.ours[1::2])
    # The service accepted each of them.
    assert all(outcome.result["changed"] for outcome in report.ours[::2])


def test_quoted_destination_is_masked(modules: Modules) -> None:
    """A refusal that quotes the destination is masked."""
    message = f"error validating destination: {WITH_KEYS} ({KEY})"
    modules.simulator.faults({"kind": "status", "status": 400, "code": 1002, "message": message, "method": "POST"})
    report = modules.run(
        job_task({"name": "keys", "enabled": True, "destination_conf": WITH_KEYS}), fails="rejected", secrets=[KEY]
    )
    assert "error validating destination" in report.failure["msg"]


def test_an_approved_plan_is_applied_and_no_other(modules: Modules) -> None:
    approved = modules.run(job_task(DESIRED), check=True).result["plan_id"]
    other = {**DESIRED, "enabled": False, "expected_plan_id": approved}
    same = {**DESIRED, "expected_plan_id": approved}
    tasks = [job_task(other, check_mode=True), job_task(other), job_task(same), job_task(same)]
    report = modules.run([{**task, "ignore_errors": True} for task in tasks], fails="conflict")
    assert [outcome.failed for outcome in report.ours] == [True, True, False, True]
    assert [len(outcome.writes) for outcome in report.ours] == [0, 0, 1, 0]


def test_invalid_options_send_nothing(modules: Modules) -> None:
    """Options that cannot work are refused before any request."""
    for desired, named in (
        ({"filter": {"key": "ClientIP", "operator": "lte", "value": 1}}, "filter.where.operator"),
        ({"logpull_options": "fields=a", "fields": ["a"]}, "mutually exclusive"),
    ):
        report = modules.run(job_task({"name": "n", "destination_conf": S3, **desired}), fails="invalid_option")
        assert named in report.failure["msg"] and not report.journal


def test_misspelt_field_writes_nothing(modules: Modules) -> None:
    """A misspelt field is refused before any write, by each module that manages jobs."""
    words = "fields[0]: 'ClientIp' is not a field of the dataset http_requests (did you mean 'ClientIP'?)"
    misspelt = {"name": "shop-logs", "enabled": True, "destination_conf": S3, "fields": ["ClientIp"]}
    several = {"jobs": [{"name": "a", "destination_conf": S3}, misspelt]}
    for module, options, start in (
        ("logpush_job", misspelt, ""),
        ("logpush_jobs", several, "jobs[1]."),
        ("zone_observability", several, "jobs[1]."),
    ):
        for check in (True, False):
            task = {"name": "Jobs", f"edgeops.observability.{module}": options}
            report = modules.run(task, check=check, fails="invalid_option")
            assert report.failure["msg"].startswith(f"{start}{words}") and not report.writes


OTHERS = {"destination_conf": S3, "enabled": False}


def overlooked(modules: Modules, listing: t.Any, **job: t.Any) -> None:
    """A job of another run that the first listing does not show yet."""
    modules.simulator.seed(jobs={modules.zone: [{"id": 5, "name": "shop-logs", **OTHERS, **job}]})
    modules.simulator.faults({"kind": "wrong_result", "value": listing, "method": "GET", "path": "*/jobs", "count": 1})


@pytest.mark.parametrize("module", ["logpush_job", "logpush_jobs", "zone_observability"])
def test_concurrent_creation_is_a_conflict(modules: Modules, module: str) -> None:
    """Two runs that create one job: the later one names both jobs, and deletes none."""
    overlooked(modules, [])
    desired = {"name": "shop-logs", "destination_conf": S3, "enabled": True}
    options = desired if module == "logpush_job" else {"jobs": [desired]}
    report = modules.run({"name": "Jobs", f"edgeops.observability.{module}": options}, fails="conflict")
    assert [entry["method"] for entry in report.journal] == ["GET", "POST", "GET"]
    (older, newer) = (job["id"] for job in jobs(modules))
    assert report.failure["changed"] is True
    assert f"created job {older} " in report.failure["msg"] and f"delete job {newer} " in report.failure["msg"]
    again = modules.run({"name": "Jobs", f"edgeops.observability.{module}": options}, fails="conflict")
    assert not again.failure["changed"]


def test_failed_second_read_after_creation(modules: Modules) -> None:
    """A second read that fails after a creation: the failure states that the job was created."""
    modules.simulator.faults({"kind": "500", "method": "GET", "path": "*/jobs", "index": 1, "count": 1})
    report = modules.run(job_task({"name": "shop-logs", "enabled": True, "destination_conf": S3}), fails="unavailable")
    assert report.failure["changed"] is True
    assert "The job was created" in report.failure["msg"]
    assert len(jobs(modules)) == 1
