# SPDX-License-Identifier: GPL-3.0-or-later

import json
import typing as t

import pytest

from harness import Modules

pytestmark = pytest.mark.every_core

KEY = "planted/key+8c0d=b7"
NEW_KEY = "planted-key-after-rotation-77e1"
KEY_ENCODED = "planted%2Fkey%2B8c0d%3Db7"
TOKEN = "planted-challenge-51f7ac"
S3 = "s3://example-bucket/http/{DATE}?region=us-west-2&endpoint=store.example.com"
# The API requires a proof of ownership for this destination.
BUCKET = "s3://example-bucket/http/{DATE}?region=us-west-2"
WITH_KEYS = f"s3://archive/http?region=auto&endpoint=store.example.com&access-key-id=EXAMPLEID&secret-access-key={KEY_ENCODED}"
FILTER = {
    "and": [
        {"key": "ClientRequestHost", "operator": "eq", "value": "shop.example.com"},
        {"key": "EdgeResponseStatus", "operator": "geq", "value": 400},
    ]
}
FILTER_TEXT = json.dumps({"where": FILTER}, separators=(",", ":"))
DESIRED: dict[str, t.Any] = {
    "name": "shop-logs",
    "destination_conf": S3,
    "fields": ["RayID", "ClientIP", "RequestHeaders"],
    "timestamp_format": "rfc3339",
    "option_flags": {"CVE-2021-44228": True},
    "filter": FILTER,
    "enabled": True,
}


def job_task(args: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    return {"name": "Job", "edgeops.observability.logpush_job": args, **more}


def test_twelve_steps(modules: Modules) -> None:
    created, modified, deleted = modules.lifecycle(
        "logpush_job",
        create={**DESIRED, "destination_conf": BUCKET, "ownership_challenge": TOKEN},
        modify={"name": "shop-logs", "fields": ["ClientIP"], "filter": "", "max_upload_interval_seconds": 60, "enabled": False},
        delete={"name": "shop-logs", "state": "absent"},
    )
    (post,) = created.writes
    assert (post["method"], post["body"]) == (
        "POST",
        {
            **{name: DESIRED[name] for name in ("name", "enabled")},
            "destination_conf": BUCKET,
            "dataset": "http_requests",
            "ownership_challenge": TOKEN,
            "logpull_options": "fields=RayID,ClientIP,RequestHeaders&timestamps=rfc3339&CVE-2021-44228=true",
            "filter": FILTER_TEXT,
        },
    )
    job = created.result["job"]
    assert job["destination"] == {"scheme": "s3", "address": "example-bucket/http/{DATE}", "options": {"region": "us-west-2"}}
    assert job["filter"] == FILTER_TEXT
    assert "shop.example.com" in job["filter_explained"]
    assert created.result["job"]["filter_budget"]["operators"] == 2
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
    assert modified.result["job"]["filter_budget"] is None
    assert [entry["method"] for entry in deleted.writes] == ["DELETE"]
    assert deleted.result["job"] is None


def test_a_masked_secret_is_rotated(modules: Modules) -> None:
    """A changed secret that the service masks is a warning; with `send_destination: always` it is sent."""
    modules.simulator.settings(echo_destination="masked")
    rotated = {**DESIRED, "destination_conf": WITH_KEYS.replace(KEY_ENCODED, NEW_KEY)}
    steps = [{**DESIRED, "destination_conf": WITH_KEYS}, rotated, {**rotated, "send_destination": "always"}]
    tasks = [job_task(step, check_mode=check) for step in steps for check in (True, False)]
    report = modules.run(tasks, secrets=[KEY, NEW_KEY], warns=["the service masks secret parts of the destination"])
    assert [outcome.result["changed"] for outcome in report.ours] == [True, True, False, False, True, True]
    for predicted, applied in zip(report.ours[::2], report.ours[1::2], strict=True):
        assert predicted.result["diff"] == applied.result["diff"]
    assert report.writes[-1]["body"] == {"destination_conf": rotated["destination_conf"]}
    (job,) = modules.simulator.state(modules.zone)["jobs"]
    assert job["destination_conf"] == rotated["destination_conf"]


def test_unreturned_filter_is_sent_with_a_warning(modules: Modules) -> None:
    """If the service does not return the filter, each run sends it, with a warning."""
    modules.simulator.settings(echo_filter="absent")
    report = modules.run([job_task(DESIRED), job_task(DESIRED)], warns=["lacks the filter that was sent"])
    assert [entry["method"] for entry in report.writes] == ["POST", "PUT"]
    assert report.ours[1].writes[0]["body"] == {"filter": FILTER_TEXT}
    assert all(outcome.result["job"]["filter"] == FILTER_TEXT for outcome in report.ours)


def test_answer_with_another_value_fails(modules: Modules) -> None:
    """The result is changed although the task fails, because the service stored a job; the next run compares again."""
    modules.simulator.faults({"kind": "rewrite", "set": {"enabled": False}, "method": "POST"})
    report = modules.run([job_task(DESIRED, ignore_errors=True), job_task(DESIRED)], fails="bad_response")
    assert [outcome.result["changed"] for outcome in report.ours] == [True, False]


def test_recreate_keeps_omitted_options(modules: Modules) -> None:
    old = {"name": "old", "destination_conf": S3, "enabled": True, "logpull_options": "fields=ClientIP", "filter": FILTER_TEXT}
    modules.simulator.seed(jobs={modules.zone: [{"id": 7, **old}]})
    changed = {"dataset": "firewall_events", "destination_conf": BUCKET, "ownership_challenge": TOKEN}
    desired = {"job_id": 7, "recreate": True, **changed}
    predicted = modules.run(job_task(desired), check=True)
    report = modules.run(job_task(desired))
    assert [entry["method"] for entry in report.writes] == ["DELETE", "POST"]
    assert report.writes[1]["body"] == {**old, **changed}
    assert predicted.result["job"] == {**report.result["job"], "id": None}
    assert predicted.result["diff"] == report.result["diff"]


def test_refused_recreate_reports_the_deletion(modules: Modules) -> None:
    """If the service refuses the new job, the failure reports that the old one has been deleted."""
    modules.simulator.seed(jobs={modules.zone: [{"id": 7, "name": "old", "destination_conf": S3}]})
    modules.simulator.faults({"kind": "status", "status": 400, "code": 1002, "message": "no", "method": "POST"})
    desired = {"name": "old", "kind": "edge", "recreate": True, "destination_conf": S3}
    report = modules.run(job_task(desired), fails="rejected")
    assert "gone" in report.failure["msg"]
    assert report.failure["changed"] is True


# A DELETE that is not carried out, although the service answers that the job is gone.
NOT_DELETED: dict[str, dict[str, t.Any]] = {
    "404": {"kind": "status", "status": 404, "method": "DELETE"},
    "200": {
        "kind": "array",
        "value": {"success": True, "errors": [], "messages": [], "result": {"id": 7}},
        "method": "DELETE",
        "applied": False,
    },
}


def test_job_that_was_not_found_when_it_was_to_be_deleted_must_be_gone(modules: Modules) -> None:
    modules.simulator.seed(jobs={modules.zone: [{"id": 7, "name": "old", "destination_conf": S3}]})
    modules.simulator.faults(NOT_DELETED["404"])
    report = modules.run(job_task({"name": "old", "state": "absent"}), fails="bad_response")
    assert report.failure["changed"] is False
    assert report.failure["msg"].startswith(
        "The service answered that the Logpush job 7 does not exist when it was to be deleted, but still"
    )
    assert [entry["method"] for entry in report.writes] == ["DELETE"]


@pytest.mark.parametrize("answer", NOT_DELETED)
def test_job_that_was_recreated_must_be_gone(modules: Modules, answer: str) -> None:
    modules.simulator.seed(jobs={modules.zone: [{"id": 7, "name": "old", "destination_conf": S3}]})
    modules.simulator.faults(NOT_DELETED[answer])
    report = modules.run(job_task({"name": "old", "kind": "edge", "recreate": True, "destination_conf": S3}), fails="conflict")
    assert report.failure["changed"] is True
    assert report.failure["msg"].startswith(
        "Job 7 was deleted to create job 8 of the same name 'old' and dataset http_requests in its place, but"
    )
    assert [entry["method"] for entry in report.writes] == ["DELETE", "POST"]


def test_job_that_was_recreated_without_an_answer_must_be_gone(modules: Modules) -> None:
    """The new job is found by its name, so that the run cannot be sure to have created it."""
    modules.simulator.seed(jobs={modules.zone: [{"id": 7, "name": "old", "destination_conf": S3}]})
    modules.simulator.faults(NOT_DELETED["404"])
    modules.simulator.faults({"kind": "reset_after", "method": "POST"})
    desired = {"job_id": 7, "name": "new", "kind": "edge", "recreate": True, "destination_conf": S3}
    report = modules.run(job_task(desired), fails="conflict")
    assert report.failure["changed"] is True
    assert report.failure["msg"].startswith("Job 7 would be re-created under the name 'new', which job 8 of the dataset")


def test_job_that_another_client_deleted_is_recreated(modules: Modules) -> None:
    """By its id, which no job has any more: what was created in its place is what counts."""
    modules.simulator.seed(jobs={modules.zone: [{"id": 7, "name": "old", "destination_conf": S3}]})
    modules.simulator.faults({**NOT_DELETED["404"], "applied": True})
    report = modules.run(job_task({"job_id": 7, "kind": "edge", "recreate": True, "destination_conf": S3}))
    assert report.result["changed"] is True and report.result["job"]["id"] == 8


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


def test_invalid_options_send_nothing(modules: Modules) -> None:
    """Invalid options are refused before any request."""
    for desired, named in (
        ({"filter": {"key": "ClientIP", "operator": "lte", "value": 1}}, "filter.where.operator"),
        ({"logpull_options": "fields=a", "fields": ["a"]}, "mutually exclusive"),
    ):
        report = modules.run(job_task({"name": "n", "destination_conf": S3, **desired}), fails="invalid_option")
        assert named in report.failure["msg"] and not report.journal


def test_misspelt_field_writes_nothing(modules: Modules) -> None:
    """Each module that manages jobs refuses a misspelt field before any write."""
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


@pytest.mark.parametrize("module", ["logpush_job", "logpush_jobs", "zone_observability"])
def test_concurrent_creation_is_a_conflict(modules: Modules, module: str) -> None:
    """If two runs create the same job, the later one fails with the ids of both, and deletes none."""
    # The first listing does not contain the job of the other run yet.
    modules.simulator.seed(jobs={modules.zone: [{"id": 5, "name": "shop-logs", "destination_conf": S3, "enabled": False}]})
    modules.simulator.faults({"kind": "wrong_result", "value": [], "method": "GET", "path": "*/jobs", "count": 1})
    desired = {"name": "shop-logs", "destination_conf": S3, "enabled": True}
    options = desired if module == "logpush_job" else {"jobs": [desired]}
    report = modules.run({"name": "Jobs", f"edgeops.observability.{module}": options}, fails="conflict")
    assert [entry["method"] for entry in report.journal] == ["GET", "POST", "GET"]
    older, newer = (job["id"] for job in modules.simulator.state(modules.zone)["jobs"])
    assert report.failure["changed"] is True
    assert f"created job {older} " in report.failure["msg"] and f"delete job {newer} " in report.failure["msg"]
    again = modules.run({"name": "Jobs", f"edgeops.observability.{module}": options}, fails="conflict")
    assert not again.failure["changed"]


def test_a_job_of_an_account_needs_a_dataset_once(modules: Modules) -> None:
    """The dataset is needed to create the job; later its name alone identifies it."""
    account = {"account_id": modules.simulator.account, "name": "dns", "enabled": True}
    created = {**account, "destination_conf": WITH_KEYS}
    report = modules.run(job_task(created), defaults={}, check=True, fails="invalid_option", secrets=[KEY])
    assert report.failure["msg"].startswith("dataset: is required to create the job 'dns' of an account")
    assert "gateway_dns" in report.failure["msg"] and "http_requests" not in report.failure["msg"]
    tasks = [job_task({**created, "dataset": "gateway_dns"}), job_task(account), job_task({**account, "enabled": False})]
    first, same, changed = modules.run(tasks, defaults={}, secrets=[KEY]).ours
    assert first.result["job"]["dataset"] == "gateway_dns"
    assert not same.writes and [entry["body"] for entry in changed.writes] == [{"enabled": False}]


def test_incompatible_options_warn_in_check_mode(modules: Modules) -> None:
    """Documented incompatibilities of options are warnings in check mode."""
    desired = {"name": "n", "enabled": True, "destination_conf": "gs://bucket/{HOUR}", "filter_attack_traffic": True}
    warned = ["is omitted, but the service requires a proof", r"\{HOUR\} is not replaced", "not for dns_logs"]
    modules.run(job_task({**desired, "dataset": "dns_logs"}), check=True, warns=warned)
