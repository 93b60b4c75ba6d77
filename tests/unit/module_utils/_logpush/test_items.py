# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from support.refusals import refusal
from support.samples.logpush import NOTHING, S3, ZONE, planned

from ansible_collections.edgeops.observability.plugins.module_utils._core import Conclusion, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._engine.steps import Outcome
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import Identity, labels, parse_job
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.jobs import (
    DesiredJobs,
    JobListing,
    desire_jobs,
    secrets_of_jobs,
)
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.task import plan_jobs

NEW = {"destination_conf": S3, "fields": ["RayID"]}
EQUALS = {"and": [{"key": "ClientIP", "operator": "equals", "value": "a"}]}


def job(number, name, **members):
    return {"id": number, "name": name, "dataset": "http_requests", "enabled": False, "destination_conf": S3, **members}


def declare_jobs(*items, unlisted="ignore", send_destination="if_different"):
    jobs = [{**NOTHING, "send_destination": None, **item} for item in items]
    return desire_jobs({"zone_id": ZONE, "jobs": jobs, "unlisted_jobs": unlisted, "send_destination": send_destination})


@pytest.mark.parametrize("everywhere", ["if_different", "always"])
def test_item_overrides_send_destination(everywhere):
    items = [{"name": str(number), "send_destination": own} for number, own in enumerate((None, "always", "if_different"))]
    declared = declare_jobs(*items, send_destination=everywhere)
    assert [item.desired.sending for item in declared.items] == [everywhere, "always", "if_different"]


def composed(items, jobs, **options):
    return plan_jobs(declare_jobs(*items, **options), JobListing(tuple(map(parse_job, jobs))))


def sent(composition):
    return [
        (request.operation.partition(".")[2], request.ids.get("job_id") or request.body.get("name"))
        for step in composition.steps
        for request in step.plan.requests
    ]


SAME = "jobs[1]: means the same job as jobs[0]"


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([{"name": "a"}, {"name": "b", "filter": EQUALS}], "jobs[1].filter.where.and[0].operator: 'equals' is not an operator"),
        ([{"name": "a"}, {"name": "a", "dataset": "http_requests", "state": "absent"}], SAME),
        ([{"job_id": 7}, {"job_id": 7, "name": "c"}], SAME),
        ([{"name": "a", "fields": ["A"], "output_options": {}}], "jobs[0].output_options: cannot be used together with fields"),
        ([{"name": "a", "fields": ["A"], "logpull_options": ""}], "jobs[0].logpull_options: cannot be used together with fields"),
        ([{"name": "a", "fields": ["A", "b c"]}], "jobs[0].fields[1]: "),
        ([], "unlisted_jobs: 'absent' with an empty"),
    ],
)
def test_invalid_items_are_refused_before_a_request(items, words):
    kind, message = refusal(declare_jobs, *items, unlisted="absent")
    assert kind == "invalid_option" and message.startswith(words)


@pytest.mark.parametrize(
    ("items", "jobs", "kind", "words"),
    [
        ([{"name": "a"}, {"job_id": 7}], [job(7, "a")], "invalid_option", SAME),
        ([{"name": "a", **NEW}, {"job_id": 7, "name": "a"}], [job(7, "b")], "invalid_option", SAME),
        ([{"name": "a", **NEW}, {"name": "b"}], [], "invalid_option", "jobs[1].destination_conf: is required"),
        ([{"name": "a", **NEW}, {"job_id": 9}], [], "not_found", "jobs[1].job_id: there is no job 9"),
        ([{"name": "a"}], [job(1, "a"), job(2, "a")], "conflict", "jobs[0].name: the jobs 1, 2 are all named 'a'"),
        ([{"name": "a", "kind": "edge"}], [job(1, "a")], "conflict", "jobs[0]: Job 'a' (id 1) exists"),
    ],
)
def test_refused_before_any_write(items, jobs, kind, words):
    for unlisted in ("ignore", "absent"):
        actual, message = refusal(composed, items, jobs, unlisted=unlisted)
        assert actual == kind and message.startswith(words)


@pytest.mark.parametrize(
    ("items", "jobs"),
    [
        ([{"name": "a"}, {"name": "a", "dataset": "dns_logs"}], [job(1, "a"), job(2, "a", dataset="dns_logs")]),
        ([{"job_id": 1, "name": "a"}, {"job_id": 2, "name": "a"}], [job(1, "a"), job(2, "a")]),
        ([{"name": "a", "state": "absent"}, {"job_id": 2, "name": "a"}], [job(1, "a"), job(2, "b")]),
        ([{"job_id": 2, "name": "a"}, {"name": "a"}], [job(1, "a"), job(2, "b", dataset="dns_logs")]),
    ],
)
def test_items_with_similar_identities_are_different_jobs(items, jobs):
    composed(items, jobs)


AGAIN = {"job_id": 1, "dataset": "dns_logs", "recreate": True, **NEW}
OTHER = {"dataset": "dns_logs"}


@pytest.mark.parametrize(
    ("items", "jobs", "unlisted", "refused"),
    [
        ([AGAIN], [job(1, "a"), job(2, "a", **OTHER)], "ignore", True),
        ([AGAIN], [job(1, "a"), job(2, "a", **OTHER)], "absent", False),
        ([AGAIN], [job(1, "a"), job(2, "a")], "ignore", False),
        ([AGAIN], [job(1, None), job(2, None, **OTHER)], "ignore", False),
        ([{**AGAIN, "name": "b"}], [job(1, "a"), job(2, "b", **OTHER)], "ignore", True),
        ([AGAIN, {"job_id": 2, "enabled": True}], [job(1, "a"), job(2, "a", **OTHER)], "ignore", True),
        ([AGAIN, {"job_id": 2, "state": "absent"}], [job(1, "a"), job(2, "a", **OTHER)], "ignore", False),
        ([AGAIN, {"job_id": 2, "name": "b"}], [job(1, "a"), job(2, "a", **OTHER)], "ignore", False),
        ([AGAIN, {"job_id": 2, "name": "a"}], [job(1, "a"), job(2, "b", **OTHER)], "ignore", True),
    ],
)
def test_recreated_job_with_the_name_of_another_job(items, jobs, unlisted, refused):
    if not refused:
        assert ("delete", 1) in sent(composed(items, jobs, unlisted=unlisted))
        return
    with pytest.raises(Failure, match=r"jobs\[0\]: Job 1 would be re-created under the name '[ab]', which job 2 of ") as caught:
        composed(items, jobs, unlisted=unlisted)
    assert caught.value.kind == "conflict"


MIXED = {
    "update": {"name": "update", "enabled": True},
    "create": {"name": "create", **NEW},
    "delete": {"name": "delete", "state": "absent"},
    "again": {"name": "again", "kind": "edge", "recreate": True, **NEW},
    "same": {"name": "same", "enabled": False},
    "gone": {"name": "gone", "state": "absent"},
}
PRESENT = [job(1, "update"), job(2, "delete"), job(3, "again"), job(4, "same"), job(5, "stray"), job(6, None)]


@pytest.mark.parametrize("names", [tuple(MIXED), tuple(reversed(MIXED))])
def test_writes_have_one_order(names):
    composition = composed([MIXED[name] for name in names], PRESENT, unlisted="absent")
    recreation = [("delete", 3), ("create", "again")]
    assert sent(composition) == [("delete", 2), *recreation, ("update", 1), ("create", "create"), ("delete", 5), ("delete", 6)]
    assert composition.whole.requests == tuple(request for step in composition.steps for request in step.plan.requests)
    jobs = dict(zip(names, composition.whole.result["jobs"], strict=True))
    assert jobs["delete"] is None and jobs["gone"] is None
    assert {name: job["id"] for name, job in jobs.items() if job} == {"update": 1, "create": None, "again": None, "same": 4}


@pytest.mark.parametrize("unlisted", ["ignore", "report", "absent"])
def test_unlisted_jobs_are_ignored_reported_or_deleted(unlisted):
    stray = {"id": 8, "name": "stray", "dataset": "dns_logs", "enabled": True}
    nameless = {"id": 9, "name": None, "dataset": "http_requests", "enabled": False}
    whole = composed([{"name": "a"}], [nameless, stray, job(1, "a")], unlisted=unlisted).whole
    assert whole.result["unlisted_jobs"] == ([] if unlisted == "ignore" else [stray, nameless])
    assert (whole.before != whole.after) == whole.changed == (unlisted == "absent")
    assert set(whole.before) == {"a", *(("stray", "/http_requests/9") if unlisted == "absent" else ())}


def test_items_plan_like_single_tasks():
    jobs = {job["name"]: job for job in PRESENT}
    composition = composed(MIXED.values(), PRESENT)
    alone = {name: planned(item, jobs.get(name)) for name, item in MIXED.items()}
    assert composition.whole.before == {name: plan.before for name, plan in alone.items()}
    assert composition.whole.after == {name: plan.after for name, plan in alone.items()}
    assert composition.whole.result["jobs"] == [plan.result["job"] for plan in alone.values()]
    order = ("delete", "again", "update", "create")
    assert list(composition.whole.requests) == [request for name in order for request in alone[name].requests]


@pytest.mark.parametrize(("dataset", "changed"), [("http_requests", True), ("dns_logs", False)])
def test_job_of_another_dataset_carries_no_custom_fields(dataset, changed):
    (item,) = declare_jobs({"job_id": 1}).items
    item = item._replace(desired=item.desired._replace(carriers=("Cookies",)))
    listing = JobListing((parse_job(job(1, "a", dataset=dataset)),))
    assert plan_jobs(DesiredJobs((item,), "ignore"), listing).whole.changed is changed


def test_name_of_another_job_is_a_warning():
    """Later tasks could not tell two jobs of one name and dataset apart."""
    jobs = [job(1, "a"), job(2, "b"), job(3, "b", dataset="dns_logs")]
    (text,) = composed([{"job_id": 1, "name": "b"}], jobs).whole.warnings
    assert text.startswith("jobs[0].name: job 2 has the same name and dataset")
    assert composed([{"job_id": 1, "name": "b"}], jobs, unlisted="absent").whole.warnings == ()
    assert composed([{"job_id": 1, "name": "c"}], jobs).whole.warnings == ()


def test_basis_omits_other_jobs():
    items, jobs = [{"name": "a"}], [job(1, "a"), job(2, "b")]
    basis = composed(items, jobs[:1]).whole.basis
    assert composed(items, jobs, unlisted="report").whole.basis == basis != composed(items, jobs, unlisted="absent").whole.basis


def test_outcomes_replace_predictions():
    composition = composed([MIXED["same"], MIXED["create"]], PRESENT)
    (step,) = composition.steps
    end = composition.conclude([Outcome(step, Conclusion({"job": {"id": 77}}, ("filter: odd", "Job 77 is odd")), True)])
    assert [job["id"] for job in end.result["jobs"]] == [4, 77]
    assert end.warnings == ("jobs[1].filter: odd", "Job 77 is odd")


def test_unlisted_jobs_need_a_listing():
    missing = Failure("not_found", "no such route", status=404)
    whole = plan_jobs(declare_jobs({"job_id": 1}, unlisted="report"), JobListing((parse_job(job(1, "a")),), missing)).whole
    assert whole.result["unlisted_jobs"] is None
    assert whole.warnings == ("unlisted_jobs: the service cannot list jobs, so it is not known which of them are unlisted.",)
    kind, message = refusal(plan_jobs, declare_jobs({"job_id": 1}, unlisted="absent"), JobListing((), missing))
    unknown = "The service cannot list jobs, so it is not known which of them are unlisted. (no such route)"
    assert (kind, message) == ("not_found", unknown)
    by_name = declare_jobs({"job_id": 1}, {"name": "b", "destination_conf": "s3://b"})
    kind, message = refusal(plan_jobs, by_name, JobListing((parse_job(job(1, "a")),), missing))
    assert kind == "not_found" and message.startswith("jobs[1]: The service cannot list jobs, so it is not known whether")


def test_only_managed_jobs_have_secrets():
    conf = "s3://b?secret-access-key=planted-"
    jobs = [job(number, name, destination_conf=conf + name) for number, name in enumerate(("mine", "byid", "other"), 1)]
    items, listing = ({"name": "mine", "destination_conf": f"{conf}new"}, {"job_id": 2}), JobListing(tuple(map(parse_job, jobs)))
    own = {"planted-mine", "planted-byid", "planted-new"}
    assert secrets_of_jobs(declare_jobs(*items), listing) == own
    assert secrets_of_jobs(declare_jobs(*items, unlisted="absent"), listing) == own | {"planted-other"}
    assert secrets_of_jobs(declare_jobs(*items), None) == {"planted-new"}


@pytest.mark.parametrize(
    ("jobs", "expected"),
    [
        ([("a", "d", 1), ("b", "d", None)], ["a", "b"]),
        ([("a", "d", 1), ("a", "e", None)], ["a", "a/e/new"]),
        ([(None, "d", 1), ("", "d", 2)], ["/d/1", "/d/2"]),
        ([("a/d/1", "d", 2), ("a", "d", 1), ("a", "d", 3)], ["a/d/1/d/2", "a", "a/d/3"]),
    ],
)
def test_labels_are_unique(jobs, expected):
    assert labels([Identity(*identity) for identity in jobs]) == expected
