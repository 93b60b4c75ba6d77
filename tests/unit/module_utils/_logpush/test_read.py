# SPDX-License-Identifier: GPL-3.0-or-later

import json
import re
import typing as t

import pytest
from samples.logpush import JOB, S3, FakeClient, Listings, declare_job, parsed, state_of
from support.refusals import http_failure, refusal

from ansible_collections.edgeops.observability.plugins.module_utils._core import Conclusion, Failure, Plan
from ansible_collections.edgeops.observability.plugins.module_utils._engine.steps import Outcome, Step
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import UNREADABLE
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import read
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import NOT_LISTED, JobState, parse_job, view
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import DesiredJob, JobQuery
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.task import JOB_TASK
from ansible_collections.edgeops.observability.plugins.module_utils._observed import Known, Unknown

MISSING = Failure("not_found", "no", status=404)
NOT_ALLOWED = Failure("rejected", "no", status=405)
NO_ROUTE = Failure("not_found", "no", status=404, errors=[{"code": 7003, "message": "no"}])
NO_JOB = Failure("not_found", "no", status=404, errors=[{"code": 1002, "message": "no"}])
NO_ACCESS = Failure("authentication", "no", status=404)


@pytest.mark.parametrize(
    ("answers", "expected"),
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
def test_read_by_id(answers: dict[str, t.Any], expected: dict[str, t.Any] | None) -> None:
    assert read.by_id(FakeClient(**answers), 7) == parsed(expected)


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
def test_invalid_answer_is_not_a_missing_job(answers: dict[str, t.Any], kind: str) -> None:
    assert refusal(read.by_id, FakeClient(**answers), 7)[0] == kind


def test_read_by_name() -> None:
    assert read.read(FakeClient(list=[JOB]), declare_job()).job == parsed(JOB)
    assert read.read(FakeClient(list=[]), declare_job()).job is None
    for missing in (MISSING, NOT_ALLOWED):
        state = read.read(FakeClient(list=missing), declare_job())
        assert (state.job, state.unlisted) == (None, missing)
    assert refusal(read.read, FakeClient(list=NO_ACCESS), declare_job())[0] == "authentication"


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({"recreate": True, "dataset": "dns_logs"}, ["get", "list"]),
        ({"recreate": True, "dataset": "http_requests"}, ["get"]),
        ({"dataset": "dns_logs"}, ["get"]),
        ({"recreate": True, "dataset": "dns_logs", "state": "absent"}, ["get"]),
    ],
)
def test_read_by_id_before_recreation(options: dict[str, t.Any], asked: list[str]) -> None:
    fake = FakeClient(get=JOB, list=[JOB, {**JOB, "id": 9, "dataset": "dns_logs"}])
    desired = declare_job(job_id=7, destination_conf="gs://b", **options)
    state = read.read(fake, desired)
    assert (state.job, fake.asked) == (parsed(JOB), asked) and state.now > 0
    assert state.known == (Known(frozenset((7, 9))) if "list" in asked else NOT_LISTED)
    if options == {"recreate": True, "dataset": "dns_logs"}:
        kind, message = refusal(plan, desired, state)
        assert kind == "conflict" and "job 9 of the dataset 'dns_logs' has" in message


@pytest.mark.parametrize(
    ("member", "value", "expected"),
    [
        # A filter that cannot be read is not taken for none.
        ("filter", 5, {"filter": "5", "filter_explained": UNREADABLE}),
        ("filter", False, {"filter": "false", "filter_explained": UNREADABLE}),
        # Without these it is not known what the job delivers.
        ("transformer_id", "7", {"fields": None, "logpull_options": None, "transformer_id": None}),
        ("output_options", [], {"fields": None, "logpull_options": None, "output_options": None}),
        ("output_options", {"field_names": "a"}, {"fields": None, "logpull_options": None, "output_options": None}),
        ("merge_subrequests", "false", {"other": {}}),
        ("max_upload_bytes", "5000000", {"max_upload_bytes": None}),
        ("frequency", 1, {"frequency": None}),
        ("enabled", "yes", {"enabled": None}),
        ("name", 7, {"name": None}),
        ("destination_conf", {}, {"destination": {"scheme": None, "address": None, "options": {}}}),
    ],
)
def test_a_member_that_cannot_be_read_is_not_known(member: str, value: t.Any, expected: dict[str, t.Any]) -> None:
    """Who reads gets all jobs, what is known of this one, and a warning; who may write gets none."""
    broken = {**JOB, "id": 8, "logpull_options": "fields=ClientIP", member: value}
    conclusion = read.report(FakeClient(list=[JOB, broken]), JobQuery(JOB["name"], None, None))
    whole, partial = conclusion.result["jobs"]
    assert (whole["id"], partial["id"]) == (JOB["id"], 8) and {name: partial[name] for name in expected} == expected
    (warning,) = conclusion.warnings
    assert member in warning and "are not known" in warning
    kind, message = refusal(read.read, FakeClient(list=[JOB, broken]), declare_job())
    assert kind == "bad_response" and "job 8 has members of another type than documented" in message and member in message


def test_read_by_id_without_a_listing() -> None:
    desired = declare_job(job_id=7, recreate=True, kind="edge", destination_conf="gs://b")
    state = read.read(FakeClient(get=JOB, list=NOT_ALLOWED), desired)
    assert isinstance(state.known, Unknown) and isinstance(state.staying, Unknown)
    assert "not known whether another job has the same name" in " ".join(plan(desired, state).warnings)
    assert refusal(read.read, FakeClient(get=JOB, list=NO_ACCESS), desired)[0] == "authentication"


# The service lists jobs in any order.
HTTP = {"dataset": "http_requests"}
FIREWALL = {"dataset": "firewall_events"}
JOBS: list[dict[str, t.Any]] = [
    {"id": 9, "name": "a", **HTTP},
    {"id": 3, "name": "a", **HTTP},
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
    reported = read.report(FakeClient(list=JOBS, get=one), conditions).result["jobs"]
    assert [job["id"] for job in reported] == ids


@pytest.mark.parametrize("name", ["dataset", "enabled", "destination_conf"])
@pytest.mark.parametrize("value", [None, "missing"])
def test_a_member_that_is_never_absent_is_needed_to_write(name: str, value: str | None) -> None:
    """A task that may write fails with the place; one that only reads says that it is not known."""
    job = {key: member for key, member in {**JOB, name: value}.items() if member != "missing"}
    for desired, place in ((declare_job(), f"jobs[1].{name} (job 7)"), (declare_job(job_id=7), f"job.{name} (job 7)")):
        kind, message = refusal(read.read, FakeClient(list=[{**JOB, "id": 3}, job], get=job), desired)
        assert kind == "bad_response" and place in message
    (listed,) = read.report(FakeClient(list=[job]), JobQuery(None, None, None)).result["jobs"]
    assert listed["destination"]["scheme"] is None if name == "destination_conf" else listed[name] is None
    assert name != "enabled" or listed["health"]["state"] == "unknown"
    assert name != "dataset" or read.report(FakeClient(list=[job]), JobQuery(None, "dns_logs", None)).result["jobs"]


def test_names_that_were_not_compared_are_a_warning() -> None:
    """A service without the fields of a dataset, or one that shows none of them, refuses no name, and says so once."""
    desired = declare_job(fields=["ClientIP"])
    step = ("", desired, JobState(parsed(JOB)), plan(desired, JobState(parsed(JOB))))
    for answer in (NO_ROUTE, NOT_ALLOWED, {}):
        client = FakeClient(http_requests=answer)
        read.validate(client, [step, step])
        assert [warning[:16] for warning in client.warnings] == ["validate_fields:"]


def test_invalid_listings_are_refused() -> None:
    assert refusal(read.report, FakeClient(list=MISSING), JobQuery(None, None, None))[0] == "not_found"
    kind, message = refusal(read.listed, FakeClient(list=[JOB, {"id": 8}, {**JOB, "name": "other"}]))
    assert kind == "bad_response" and "two different jobs with the id 7" in message


KNOWN = {"ClientIP": "a", "RayID": None, "Cookies": "b", "EdgeResponseStatus": "c"}
OLDER = {**JOB, "logpull_options": "fields=RayID,ClientIP&timestamps=unix"}
NEWER = {**JOB, "output_options": {"field_names": ["RayID", "ClientIP"]}}


def planned(options: dict[str, t.Any], job: dict[str, t.Any] | None, place: str = "") -> tuple[str, DesiredJob, JobState, Plan]:
    desired, state = declare_job(**options), state_of(job)
    return place, desired, state, plan(desired, state)


def chosen(options: dict[str, t.Any], job: dict[str, t.Any] | None = None, place: str = "") -> read.Selection | None:
    return read.selection(*planned(options, job, place))


FILTER: dict[str, t.Any] = {
    "or": [
        {"key": "RayID", "operator": "eq", "value": "a"},
        {"and": [{"key": "A", "operator": "eq", "value": "b"}, {"key": "RayID", "operator": "eq", "value": "c"}]},
    ]
}
NEW: dict[str, t.Any] = {"destination_conf": S3}
MOVED = {**NEW, "job_id": 7, "dataset": "dns_logs", "recreate": True}
ROW = FILTER["or"][0]
FILTERED = {**OLDER, "filter": json.dumps(FILTER)}


@pytest.mark.parametrize(
    ("options", "job", "expected"),
    [
        ({**NEW, "fields": ["RayID", "A", "RayID"]}, None, {"RayID": "fields[0]", "A": "fields[1]"}),
        ({**NEW, "fields": [" A "]}, None, {"A": "fields[0]"}),
        ({**NEW, "logpull_options": "timestamps=unix&fields=A"}, None, {"A": "logpull_options"}),
        ({**NEW, "output_options": {"field_names": ["A"]}}, None, {"A": "output_options.field_names[0]"}),
        (NEW, None, None),
        ({**NEW, "fields": ["A"], "validate_fields": False}, None, None),
        ({"fields": ["ClientIP"]}, OLDER, {"ClientIP": "fields[0]"}),
        ({"fields": ["ClientIP", "RayID"], "timestamp_format": "rfc3339"}, OLDER, None),
        ({"enabled": True}, OLDER, None),
        ({"output_options": {"field_names": ["ClientIP", "RayID"], "sample_rate": 0.5}}, NEWER, None),
        ({"output_options": {"field_names": ["ClientIP"]}}, NEWER, {"ClientIP": "output_options.field_names[0]"}),
        ({**NEW, "kind": "edge", "recreate": True}, OLDER, None),
        ({**NEW, "kind": "edge", "recreate": True, "fields": ["A"]}, OLDER, {"A": "fields[0]"}),
        (MOVED, OLDER, {"RayID": "fields", "ClientIP": "fields"}),
        (MOVED, {**JOB, "filter": json.dumps(ROW)}, {"RayID": "filter.where.key"}),
        ({"state": "absent", "fields": ["A"]}, OLDER, None),
        ({**NEW, "filter": FILTER}, None, {"RayID": "filter.where.or[0].key", "A": "filter.where.or[1].and[0].key"}),
        ({"filter": ROW}, FILTERED, {"RayID": "filter.where.key"}),
        ({"filter": FILTER, "enabled": True}, FILTERED, None),
        ({**NEW, "kind": "edge", "recreate": True}, FILTERED, None),
        ({"filter": ROW}, OLDER, {"RayID": "filter.where.key"}),
        ({"filter": ""}, FILTERED, None),
        ({**MOVED, "filter": ROW}, {**JOB, "filter": FILTERED["filter"]}, {"RayID": "filter.where.key"}),
    ],
)
def test_fields_of_a_write_are_checked(options: t.Any, job: dict[str, t.Any] | None, expected: t.Any) -> None:
    written = chosen(options, job)
    assert (written and {**written.fields, **written.keys}) == expected


def test_fields_that_the_job_keeps_are_not_checked() -> None:
    """Only names that the task adds are validated, because a name that the job already has may be one that the dataset no longer has."""
    desired, present = declare_job(job_id=7)._replace(carriers=("Cookies",)), state_of(OLDER)
    selection = read.selection("", desired, present, plan(desired, present))
    assert selection is not None and selection.fields == {"Cookies": "fields"}


NOT_OURS = "is not a field of the dataset http_requests"


@pytest.mark.parametrize(
    ("names", "start"),
    [
        (["RayID", "clientIp"], f"fields[1]: 'clientIp' {NOT_OURS} (did you mean 'ClientIP'?); records"),
        (["RayId", "Cookie"], f"fields[0]: 'RayId' {NOT_OURS} (did you mean 'RayID'?); nor is 'Cookie' (did you mean 'Coo"),
        (["1"], f"fields[0]: '1' {NOT_OURS}; records"),
    ],
)
def test_unknown_fields_are_named_with_suggestions(names: list[str], start: str) -> None:
    kind, message = refusal(read.check_fields, chosen({**NEW, "fields": names}), KNOWN)
    assert kind == "invalid_option" and message.startswith(start)


def test_key_of_a_filter_is_checked() -> None:
    _kind, message = refusal(read.check_fields, chosen({**NEW, "filter": FILTER}, place="jobs[0]"), KNOWN)
    assert message.startswith("jobs[0].filter.where.or[1].and[0].key: 'A' is not a field ")
    assert message.endswith("; no record would meet the condition")
    read.check_fields(chosen({**NEW, "fields": ["Anything"]}), {})


def test_hostile_field_names_are_not_suggested() -> None:
    hostile = {"\x1b[31mRayId": "a", "{{ RayId }}": "b", "RayId" * 100: "c"}
    assert "did you mean" not in refusal(read.check_fields, chosen({**NEW, "fields": ["RayId"]}), hostile)[1]


HTTP, DNS = ({**NEW, "name": dataset, "dataset": dataset, "fields": ["RayId"]} for dataset in ("http_requests", "dns_logs"))


def validated(answers: dict[str, t.Any], *items: dict[str, t.Any]) -> list[str]:
    client = FakeClient(**answers)
    read.validate(client, [planned(item, None, f"jobs[{index}]") for index, item in enumerate(items)])
    return client.asked


GIVEN = {"http_requests": KNOWN, "dns_logs": {"RayId": None}}


def test_fields_of_each_dataset_are_read_once() -> None:
    good = {**HTTP, "fields": ["RayID"]}
    assert validated(GIVEN, good, {**good, "name": "b"}, DNS, {**DNS, "name": "c"}) == ["http_requests", "dns_logs"]


@pytest.mark.parametrize(
    ("answers", "items", "place"),
    [
        (GIVEN, (DNS, HTTP), "jobs[1].fields[0]: 'RayId' is not a field of the dataset http_requests"),
        ({"http_requests": http_failure("not_found", 404, 1002), "dns_logs": KNOWN}, (HTTP, DNS), "jobs[1].fields[0]: "),
    ],
)
def test_unknown_field_in_a_later_item_is_found(answers: dict[str, t.Any], items: t.Any, place: str) -> None:
    """An unknown dataset does not prevent the check of others."""
    assert refusal(validated, answers, *items)[1].startswith(place)


@pytest.mark.parametrize(
    "refused", [http_failure("not_found", 404), http_failure("rejected", 405, 7001), http_failure("permission", 403, 1004)]
)
def test_unavailable_field_list_is_read_once(refused: Failure) -> None:
    assert validated({"http_requests": refused, "dns_logs": refused}, HTTP, DNS) == ["http_requests"]


@pytest.mark.parametrize(
    "refused", [http_failure("authentication", 403, 9109), http_failure("unavailable", 500), http_failure("rejected", 400)]
)
def test_other_refusals_end_the_task(refused: Failure) -> None:
    assert refusal(validated, {"http_requests": refused}, HTTP) == (refused.kind, refused.message)


def test_non_text_description_is_bad_response() -> None:
    kind, message = refusal(validated, {"http_requests": {"RayID": ["x"]}}, HTTP)
    assert kind == "bad_response" and "must be a string, not a list" in message


def job(number: int, name: str | None = "n", **members: t.Any) -> dict[str, t.Any]:
    return {**JOB, "id": number, "name": name, **members}


def outcome(made: int = 20, name: str | None = "n", created: bool = True, **more: t.Any) -> Outcome:
    """Return the creation of a job by name, in a zone whose jobs were listed before; keywords change these values."""
    options = {"destination_conf": S3, "recreate": True, "kind": "edge", **more.pop("options", {})}
    state = JobState(**{"known": Known(frozenset((3,))), **more, "job": parsed(more.get("job"))})
    desired = declare_job(**options)
    conclusion = Conclusion({"job": view(parse_job(job(made, name)))})
    return Outcome(Step("job", "", "n", desired, state, plan(desired, state)), conclusion, True, created)


def found(listing: t.Any, *outcomes: Outcome) -> list[tuple[int, int]]:
    """Return the older and the newer job of each pair that the conflict names."""
    client = FakeClient(list=listing)
    text = ""
    try:
        JOB_TASK.verify(client, outcomes)
    except Failure as failure:
        if failure.kind != "conflict":
            raise
        text = failure.message
        assert "Nothing was deleted: delete job 20 (state: absent with job_id: 20)" in text
    # If jobs cannot be listed, no duplicates are searched for.
    needed = [creation for creation in outcomes if creation.created and not creation.step.state.unlisted]
    assert client.asked == (["list"] if needed else [])
    numbers = re.findall(r"created job (\d+) .*? before this run created job (\d+)", text)
    return [(int(older), int(newer)) for older, newer in numbers]


BY_ID: dict[str, t.Any] = {"options": {"job_id": 7}, "job": job(7, kind=""), "known": None}


@pytest.mark.parametrize(
    ("listing", "made", "met"),
    [
        ([job(20), job(19)], outcome(), [(19, 20)]),
        ([job(19), job(18), job(20)], outcome(), [(18, 20)]),
        ([job(20), job(21), job(19, "other")], outcome(), []),
        ([job(20), job(19, dataset="dns_logs")], outcome(), []),
        ([job(20), job(3)], outcome(), []),
        ([job(20), job(19, None)], outcome(name=None, **BY_ID), []),
        ([job(20), job(6)], outcome(**BY_ID), []),
        ([job(20), job(19)], outcome(**BY_ID), [(19, 20)]),
        ([job(20), job(19)], outcome(created=False), []),
    ],
)
def test_older_job_of_another_run_is_a_conflict(listing: list[t.Any], made: Outcome, met: list[tuple[int, int]]) -> None:
    assert found(listing, made) == met


def test_a_listing_after_a_creation_that_cannot_be_told_is_a_failure() -> None:
    """A job whose dataset is not shown may be the rival."""
    kind, message = refusal(found, [job(20), job(19, dataset=None)], outcome())
    assert kind == "bad_response" and "jobs[1].dataset (job 19) is null" in message and "is not known" in message


def test_several_creations_need_one_listing() -> None:
    listing = [job(19), job(20), job(21, "m"), job(22, "m")]
    assert found(listing, outcome(), outcome(22, "m", options={"name": "m"})) == [(19, 20), (21, 22)]


def test_no_list_route_needs_no_second_read() -> None:
    made = outcome(unlisted=MISSING, known=NOT_LISTED, options={"create_without_listing": True})
    assert found(MISSING, made) == found(MISSING, outcome(**BY_ID)) == []


LATE = "Job 'n' (id 20) was created, but the service's list of jobs does not show it yet. Before the next run, wait until"


@pytest.mark.parametrize(
    ("listings", "slept", "warned"),
    [
        ([[job(20)]], [], []),
        ([[], [job(19, "other")], [job(20)]], [0.5, 1.0], []),
        ([[]], [0.5, 1.0, 2.0, 4.0], [LATE]),
    ],
)
def test_new_job_that_is_not_listed_yet(listings: list[t.Any], slept: list[float], warned: list[str]) -> None:
    client = FakeClient(list=Listings(listings))
    JOB_TASK.verify(client, [outcome()])
    assert client.slept == slept
    assert [text[: len(LATE)] for text in client.warnings] == warned


def test_older_job_is_found_in_a_later_listing() -> None:
    with pytest.raises(Failure, match="created job 19"):
        JOB_TASK.verify(FakeClient(list=Listings([[], [job(19), job(20)]])), [outcome()])


@pytest.mark.parametrize("failure", [Failure("unavailable", "HTTP 500.", status=500), MISSING])
def test_failing_listing_after_a_creation_is_a_failure(failure: Failure) -> None:
    with pytest.raises(Failure, match="The job was created, but whether another run") as caught:
        found(failure, outcome())
    assert caught.value.kind == failure.kind
