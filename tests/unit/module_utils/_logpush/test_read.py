# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest
from samples.logpush import FakeClient, declare_job, parsed
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import JobQuery
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.read import by_id, listed, read, report

JOB = {"id": 7, "name": "n"}
MISSING = Failure("not_found", "no", status=404)
NOT_ALLOWED = Failure("rejected", "no", status=405)
NO_ROUTE = Failure("not_found", "no", status=404, errors=[{"code": 7003, "message": "no"}])
NO_JOB = Failure("not_found", "no", status=404, errors=[{"code": 1002, "message": "no"}])
NO_ACCESS = Failure("authentication", "no", status=404)


def client(**answers: t.Any) -> t.Any:
    return FakeClient(**answers)


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        ({"get": JOB}, JOB),
        ({"get": [JOB]}, JOB),
        ({"get": MISSING, "list": [{"id": 8}, JOB]}, JOB),
        ({"get": NOT_ALLOWED, "list": [JOB]}, JOB),
        ({"get": MISSING, "list": []}, None),
        ({"get": MISSING, "list": NOT_ALLOWED}, None),
        ({"get": NO_JOB, "list": NO_ROUTE}, None),
    ],
)
def test_by_id(answers: dict[str, t.Any], found: dict[str, t.Any] | None) -> None:
    assert by_id(client(**answers), 7) == parsed(found)


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ({"get": []}, "bad_response"),
        ({"get": [JOB, JOB]}, "bad_response"),
        ({"get": {"id": 8}}, "bad_response"),
        ({"get": NO_ACCESS}, "authentication"),
        ({"get": MISSING, "list": NO_ACCESS}, "authentication"),
        ({"get": MISSING, "list": MISSING}, "not_found"),
        ({"get": NO_ROUTE, "list": NO_ROUTE}, "not_found"),
        ({"get": NO_ROUTE, "list": NOT_ALLOWED}, "not_found"),
        ({"get": NOT_ALLOWED, "list": NOT_ALLOWED}, "not_found"),
    ],
)
def test_by_id_what_is_no_answer_is_not_nothing(answers: dict[str, t.Any], kind: str) -> None:
    assert refusal(by_id, client(**answers), 7)[0] == kind


def test_read_by_name() -> None:
    assert read(client(list=[JOB]), declare_job()).job == parsed(JOB)
    assert read(client(list=[]), declare_job()).job is None
    for missing in (MISSING, NOT_ALLOWED):
        state = read(client(list=missing), declare_job())
        assert (state.job, state.unlisted) == (None, missing)
    assert refusal(read, client(list=NO_ACCESS), declare_job())[0] == "authentication"


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({"recreate": True, "dataset": "dns_logs"}, ["get", "list"]),
        ({"recreate": True, "dataset": "http_requests"}, ["get"]),
        ({"dataset": "dns_logs"}, ["get"]),
        ({"recreate": True, "dataset": "dns_logs", "state": "absent"}, ["get"]),
    ],
)
def test_read_by_id_before_a_new_job_takes_its_place(options: dict[str, t.Any], asked: list[str]) -> None:
    fake = client(get=JOB, list=[JOB, {"id": 9, "name": "n", "dataset": "dns_logs"}])
    desired = declare_job(job_id=7, destination_conf="gs://b", **options)
    state = read(fake, desired)
    assert (state.job, fake.asked) == (parsed(JOB), asked) and state.now > 0
    assert state.known == (frozenset((7, 9)) if "list" in asked else None)
    if options == {"recreate": True, "dataset": "dns_logs"}:
        kind, message = refusal(plan, desired, state)
        assert kind == "conflict" and "job 9 of the dataset 'dns_logs' has" in message


def test_read_by_id_where_others_are_not_listed() -> None:
    desired = declare_job(job_id=7, recreate=True, kind="edge", destination_conf="gs://b")
    assert read(client(get=JOB, list=NOT_ALLOWED), desired).known is None
    assert refusal(read, client(get=JOB, list=NO_ACCESS), desired)[0] == "authentication"


# The service leaves `dataset` out where it is the default, and lists in no order.
FIREWALL = {"dataset": "firewall_events"}
JOBS: list[dict[str, t.Any]] = [
    {"id": 9, "name": "a"},
    {"id": 3, "name": "a"},
    {"id": 5, "name": "a", **FIREWALL},
    {"id": 4, **FIREWALL},
]


@pytest.mark.parametrize(
    ("conditions", "ids"),
    [
        (JobQuery(None, None, None), [3, 4, 5, 9]),
        (JobQuery("a", None, None), [3, 5, 9]),
        (JobQuery(None, "firewall_events", None), [4, 5]),
        (JobQuery(None, None, 5), [5]),
        (JobQuery(None, None, 6), []),
        (JobQuery("a", "firewall_events", None), [5]),
        (JobQuery("other", "firewall_events", 5), []),
    ],
)
def test_all_conditions_apply_in_id_order(conditions: JobQuery, ids: list[int]) -> None:
    one = next((job for job in JOBS if job["id"] == conditions.job_id), MISSING)
    reported = report(client(list=JOBS, get=one), conditions).result["jobs"]
    assert [job["id"] for job in reported] == ids


def test_listings_that_cannot_be_used() -> None:
    assert refusal(report, client(list=MISSING), JobQuery(None, None, None))[0] == "not_found"
    kind, message = refusal(listed, client(list=[JOB, {"id": 8}, {**JOB, "name": "other"}]))
    assert kind == "bad_response" and "two different jobs with the id 7" in message
