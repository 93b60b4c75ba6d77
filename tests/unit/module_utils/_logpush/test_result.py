# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest
from samples.logpush import JOB, KEYS, S3, TEXT, declare_job, planned
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._core import Answer, Conclusion
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import JobState
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.result import conclude as verified


def conclude(desired, planned, answer):
    return verified(desired, JobState(None), planned, [Answer(answer, None, 200, 1, None)])


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        ({"enabled": True}, {"enabled": True}),
        ({"max_upload_bytes": 0, "enabled": True}, {"enabled": True}),
        (
            {"filter": {"key": "A", "operator": "eq", "value": "b"}},
            {"filter": ' {"where": {"key":"A","value":"b","operator":"eq"}}'},
        ),
        ({"filter": "", "enabled": True}, {"filter": None, "enabled": True}),
        ({"fields": ["a", "b"]}, {"logpull_options": "fields=b%2Ca"}),
        ({"output_options": {"field_names": ["a", "b"]}}, {"output_options": {"field_names": ["b", "a"], "sample_rate": 1}}),
        ({"destination_conf": KEYS}, {"destination_conf": KEYS.replace("planted", "***")}),
        ({"destination_conf": KEYS}, {"destination_conf": KEYS.replace("/dir", "/d%69r")}),
    ],
)
def test_matching_answer_equals_prediction(options: dict[str, t.Any], answer: dict[str, t.Any]) -> None:
    """An answer that agrees is reported as predicted."""
    found = planned(options, {**JOB, "max_upload_bytes": 5_000_000, "filter": TEXT if "filter" in options else None})
    conclusion = conclude(declare_job(**options), found, {**JOB, **answer})
    assert conclusion.result == found.result
    assert not conclusion.warnings


A_IS_B = {"key": "A", "operator": "eq", "value": "b"}


@pytest.mark.parametrize(
    ("options", "answer", "named"),
    [
        ({"enabled": True, "frequency": "low"}, {"enabled": False, "frequency": "high"}, "enabled, frequency"),
        ({"max_upload_bytes": 6_000_000}, {"max_upload_bytes": 5_000_000}, "max_upload_bytes"),
        ({"filter": A_IS_B}, {"filter": TEXT}, "filter"),
        ({"filter": A_IS_B}, {"filter": "not JSON"}, "filter"),
        ({"fields": ["a", "b"]}, {"logpull_options": "fields=b"}, "logpull_options"),
        ({"output_options": {"sample_rate": 0.5}}, {"output_options": {"sample_rate": 0.6}}, "output_options"),
        ({"destination_conf": KEYS}, {"destination_conf": S3}, "destination_conf"),
    ],
)
def test_an_answer_that_contradicts_is_bad(options: dict[str, t.Any], answer: dict[str, t.Any], named: str) -> None:
    assert refusal(conclude, declare_job(**options), planned(options, JOB), {**JOB, **answer}) == (
        "bad_response",
        (
            f"The service accepted the write to job 7, but its answer shows other values than were sent for {named}."
            " The next run compares again."
        ),
    )


LACKS_FILTER = (
    "the filter that was sent. If the service does not show filters, every run sends this one again;"
    " otherwise it ignored the filter. Check which records are delivered."
)
LACKS = "{}, which was sent, so that it may not be in effect."


@pytest.mark.parametrize(
    ("options", "empty", "lacking"),
    [
        ({"filter": A_IS_B}, {"filter": ""}, LACKS_FILTER),
        ({"enabled": True}, {}, LACKS.format("enabled")),
        ({"fields": ["a"]}, {"logpull_options": ""}, LACKS.format("logpull_options")),
        ({"output_options": {"sample_rate": 0.5}}, {"output_options": {}}, LACKS.format("output_options")),
        ({"destination_conf": KEYS}, {}, LACKS.format("destination_conf")),
    ],
)
def test_answer_without_sent_members_is_a_warning(options: dict[str, t.Any], empty: dict[str, t.Any], lacking: str) -> None:
    """An answer that lacks what was sent, or shows it as empty, is a warning."""
    found = planned(options, JOB)
    for answer in ({"id": 7}, {"id": 7, **empty}):
        conclusion = conclude(declare_job(**options), found, answer)
        assert conclusion.warnings == (f"Job 7: the answer of the service lacks {lacking}",)
        assert conclusion.result == found.result


def test_answer_about_another_job_is_bad() -> None:
    answer = {**JOB, "id": 8, "enabled": True}
    _kind, message = refusal(conclude, declare_job(enabled=True), planned({"enabled": True}, JOB), answer)
    assert "job 7 was requested, but the answer contains job 8" in message


@pytest.mark.parametrize("answer", [None, {}, {"id": 7}, []])
def test_delete_answer_is_ignored(answer: t.Any) -> None:
    """After a deletion the answer does not matter."""
    conclusion = conclude(declare_job(state="absent"), planned({"state": "absent"}, JOB), answer)
    assert conclusion == Conclusion({"job": None, "filter_budget": None})


RECREATE = {"kind": "edge", "recreate": True, "destination_conf": S3}


@pytest.mark.parametrize(
    ("old", "answer", "agrees"),
    [
        ({"filter_attack_traffic": True}, {"filter_attack_traffic": True}, True),
        ({"filter_attack_traffic": True}, {"filter_attack_traffic": False}, False),
        ({"nobody_knows": True}, {"nobody_knows": True}, True),
        ({"nobody_knows": True}, {"nobody_knows": False}, False),
        ({"filter": "not JSON"}, {"filter": "not JSON"}, True),
        ({"filter": "not JSON"}, {"filter": "nor this"}, False),
        ({"filter": "not JSON"}, {"filter": TEXT}, False),
        ({"filter": {"new": "ä"}}, {"filter": {"new": "ä"}}, True),
        ({"filter": {"new": "ä"}}, {"filter": '{"new":"ä"}'}, True),
        ({"filter": TEXT}, {"filter": "not JSON"}, False),
    ],
)
def test_recreated_job_keeps_carried_members(old: dict[str, t.Any], answer: dict[str, t.Any], agrees: bool) -> None:
    """A successor has a new id and the members that it took over; without them the answer is a bad response."""
    (member,) = answer
    found, answered = planned(RECREATE, {**JOB, **old}), {**JOB, "id": 8, "kind": "edge", **answer}
    if agrees:
        conclusion = conclude(declare_job(**RECREATE), found, answered)
        assert conclusion == Conclusion({**found.result, "job": {**found.result["job"], "id": 8}})
    else:
        _kind, message = refusal(conclude, declare_job(**RECREATE), found, answered)
        assert f"other values than were sent for {member}." in message


def test_unmanaged_destination_is_returned() -> None:
    """A destination that the task does not manage is returned as the service answered."""
    found = planned({"enabled": True}, JOB)
    job = conclude(declare_job(enabled=True), found, {**JOB, "enabled": True, "destination_conf": "gs://other"}).result["job"]
    assert job["destination"] == {"scheme": "gs", "address": "other", "options": {}}
    lacking = conclude(declare_job(enabled=True), found, {"id": 7, "enabled": True}).result["job"]
    assert lacking["destination"] == found.result["job"]["destination"]


@pytest.mark.parametrize(("options", "warnings"), [({"enabled": False}, 1), ({"frequency": "low"}, 2)])
def test_disabled_failing_job_is_a_warning(options: dict[str, t.Any], warnings: int) -> None:
    """A job that fails and is disabled is a warning only if the task has not requested it."""
    found = planned(options, {**JOB, "enabled": True})
    answer = {**JOB, "enabled": False, "error_message": "sick", **options}
    assert len(conclude(declare_job(**options), found, answer).warnings) == warnings


def test_what_the_service_adds_is_reported() -> None:
    found = planned({"enabled": True}, JOB)
    answer = {**JOB, "enabled": True, "max_upload_records": 5000, "last_error": "2026-03-02", "error_message": "sick"}
    answer["filter"] = TEXT
    conclusion = conclude(declare_job(enabled=True), found, answer)
    job = conclusion.result["job"]
    assert (job["max_upload_records"], job["error_message"], job["filter"]) == (5000, "sick", TEXT)
    assert "ClientCountry" in job["filter_explained"]
    assert "sick" in conclusion.warnings[0]


def test_an_error_that_is_over_is_not_reported() -> None:
    found = planned({"enabled": True}, {**JOB, "error_message": "sick"})
    assert conclude(declare_job(enabled=True), found, {**JOB, "enabled": True}).result["job"]["error_message"] is None
