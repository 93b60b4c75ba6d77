# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest
from samples.logpush import JOB, KEYS, S3, TEXT, declare_job, planned

from ansible_collections.edgeops.observability.plugins.module_utils._core import Answer, Conclusion, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import JobState, parse_job, view
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


@pytest.mark.parametrize(
    ("options", "answer", "named"),
    [
        ({"enabled": True}, {"enabled": False}, "enabled"),
        ({"max_upload_bytes": 6_000_000}, {"max_upload_bytes": 5_000_000}, "max_upload_bytes"),
        ({"filter": {"key": "A", "operator": "eq", "value": "b"}}, {"filter": TEXT}, "filter"),
        ({"filter": {"key": "A", "operator": "eq", "value": "b"}}, {"filter": "not JSON"}, "filter"),
        ({"fields": ["a", "b"]}, {"logpull_options": "fields=b"}, "logpull_options"),
        ({"output_options": {"sample_rate": 0.5}}, {"output_options": {"sample_rate": 0.6}}, "output_options"),
        ({"destination_conf": KEYS}, {"destination_conf": S3}, "destination_conf"),
    ],
)
def test_an_answer_that_contradicts_is_bad(options: dict[str, t.Any], answer: dict[str, t.Any], named: str) -> None:
    with pytest.raises(Failure, match=rf"other values than were sent for {named}\.") as caught:
        conclude(declare_job(**options), planned(options, JOB), {**JOB, **answer})
    assert caught.value.kind == "bad_response"
    assert "planted" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"filter": {"key": "A", "operator": "eq", "value": "b"}}, "the filter that was sent"),
        ({"enabled": True}, "enabled"),
        ({"fields": ["a"]}, "logpull_options"),
        ({"output_options": {"sample_rate": 0.5}}, "output_options"),
        ({"destination_conf": KEYS}, "destination_conf"),
    ],
)
def test_answer_without_sent_members_is_a_warning(options: dict[str, t.Any], named: str) -> None:
    """An answer that lacks what was sent is a warning."""
    found = planned(options, JOB)
    conclusion = conclude(declare_job(**options), found, {"id": 7})
    (warning,) = conclusion.warnings
    assert f"lacks {named}" in warning
    assert conclusion.result == found.result


@pytest.mark.parametrize(
    ("options", "empty"),
    [
        ({"filter": {"key": "A", "operator": "eq", "value": "b"}}, {"filter": ""}),
        ({"fields": ["a"]}, {"logpull_options": ""}),
        ({"output_options": {"sample_rate": 0.5}}, {"output_options": {}}),
    ],
)
def test_an_empty_answer_lacks_what_was_sent(options: dict[str, t.Any], empty: dict[str, t.Any]) -> None:
    (warning,) = conclude(declare_job(**options), planned(options, JOB), {**JOB, **empty}).warnings
    assert "the answer of the service lacks" in warning


@pytest.mark.parametrize(
    ("options", "warning"),
    [
        (
            {"filter": {"key": "A", "operator": "eq", "value": "b"}},
            (
                "Job 7: the answer of the service lacks the filter that was sent. If the service does not show filters,"
                " every run sends this one again; otherwise it ignored the filter. Check which records are delivered."
            ),
        ),
        (
            {"enabled": True},
            "Job 7: the answer of the service lacks enabled, which was sent, so that it may not be in effect.",
        ),
    ],
)
def test_warning_text_for_missing_members(options: dict[str, t.Any], warning: str) -> None:
    """The warning about a member that the answer lacks."""
    assert conclude(declare_job(**options), planned(options, JOB), {"id": 7}).warnings == (warning,)


def test_failure_text_for_contradicting_answer() -> None:
    """The failure about an answer that contradicts what was sent."""
    options = {"enabled": True, "frequency": "low"}
    with pytest.raises(Failure) as caught:
        conclude(declare_job(**options), planned(options, JOB), {**JOB, "enabled": False, "frequency": "high"})
    assert str(caught.value) == (
        "The service accepted the write to job 7, but its answer shows other values than were sent for enabled, frequency."
        " The next run compares again."
    )


def test_answer_about_another_job_is_bad() -> None:
    """An answer about another job than the one that was changed is a bad response."""
    with pytest.raises(Failure, match="job 7 was requested, but the answer contains job 8") as caught:
        conclude(declare_job(enabled=True), planned({"enabled": True}, JOB), {**JOB, "id": 8, "enabled": True})
    assert caught.value.kind == "bad_response"


@pytest.mark.parametrize("answer", [None, {}, {"id": 7}, []])
def test_delete_answer_is_ignored(answer: t.Any) -> None:
    """After a deletion the answer does not matter."""
    conclusion = conclude(declare_job(state="absent"), planned({"state": "absent"}, JOB), answer)
    assert conclusion == Conclusion({"job": None, "filter_budget": None})


RECREATE = {"kind": "edge", "recreate": True, "destination_conf": S3}


@pytest.mark.parametrize(
    ("old", "answer"),
    [
        ({"filter_attack_traffic": True}, {"filter_attack_traffic": True}),
        ({"nobody_knows": True}, {"nobody_knows": True}),
        ({"filter": "not JSON"}, {"filter": "not JSON"}),
        ({"filter": {"new": "ä"}}, {"filter": {"new": "ä"}}),
        ({"filter": {"new": "ä"}}, {"filter": '{"new":"ä"}'}),
    ],
)
def test_recreated_job_keeps_carried_members(old: dict[str, t.Any], answer: dict[str, t.Any]) -> None:
    """A successor has a new id and the members that it took over."""
    found = planned(RECREATE, {**JOB, **old})
    conclusion = conclude(declare_job(**RECREATE), found, {**JOB, "id": 8, "kind": "edge", **answer})
    assert conclusion == Conclusion({**found.result, "job": {**found.result["job"], "id": 8}})


@pytest.mark.parametrize(
    ("old", "answer"),
    [
        ({"filter_attack_traffic": True}, {"filter_attack_traffic": False}),
        ({"filter": "not JSON"}, {"filter": "nor this"}),
        ({"filter": "not JSON"}, {"filter": TEXT}),
        ({"filter": TEXT}, {"filter": "not JSON"}),
    ],
)
def test_recreated_job_without_members_is_bad(old: dict[str, t.Any], answer: dict[str, t.Any]) -> None:
    """A successor without the members that it should take over is a bad response."""
    (member,) = answer
    with pytest.raises(Failure, match=rf"other values than were sent for {member}\."):
        conclude(declare_job(**RECREATE), planned(RECREATE, {**JOB, **old}), {**JOB, "id": 8, "kind": "edge", **answer})


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
    conclusion = conclude(declare_job(enabled=True), found, answer)
    job = conclusion.result["job"]
    assert (job["max_upload_records"], job["error_message"]) == (5000, "sick")
    assert "sick" in conclusion.warnings[0]


def test_an_error_that_is_over_is_not_reported() -> None:
    found = planned({"enabled": True}, {**JOB, "error_message": "sick"})
    assert conclude(declare_job(enabled=True), found, {**JOB, "enabled": True}).result["job"]["error_message"] is None


@pytest.mark.parametrize(
    ("job", "message"),
    [
        ("job", "not an object"),
        ([JOB], "not an object"),
        ({}, "no id"),
        ({"id": "7"}, "'7' as its id"),
        ({"id": True}, "True as its id"),
        ({"id": 0}, "0 as its id"),
        ({"id": 8}, "job 7 was requested"),
        ({"id": 7, "enabled": "yes"}, "enabled"),
        ({"id": 7, "max_upload_bytes": True}, "max_upload_bytes"),
        ({"id": 7, "name": 1, "filter": []}, "name, filter"),
        ({"id": 7, "destination_conf": {"planted": 1}}, "destination_conf"),
        ({"id": 7, "output_options": {"field_names": [1]}}, "output_options.field_names"),
        ({"id": 7, "output_options": {"sample_rate": True}}, "output_options.sample_rate"),
        ({"id": 7, "output_options": []}, "output_options"),
    ],
)
def test_what_is_no_job_is_refused(job: t.Any, message: str) -> None:
    with pytest.raises(Failure, match=message) as caught:
        parse_job(job, 7)
    assert caught.value.kind == "bad_response"
    assert "planted" not in str(caught.value)


def test_minimal_job_has_every_member() -> None:
    """A job of which little is said has every member."""
    assert view(parse_job({"id": 7})) == {
        "id": 7,
        "name": None,
        "dataset": "http_requests",
        "enabled": False,
        "kind": "",
        "frequency": "high",
        "logpull_options": None,
        "output_options": None,
        "filter": None,
        "max_upload_bytes": None,
        "max_upload_interval_seconds": 30,
        "max_upload_records": 100_000,
        "filter_attack_traffic": False,
        "transformer_id": None,
        "other": {},
        "last_complete": None,
        "last_error": None,
        "error_message": None,
        "destination": {"scheme": None, "address": None, "options": {}},
        "filter_explained": "Every record is delivered: there is no filter.",
    }


def test_a_view_has_no_secret() -> None:
    job = {**JOB, "destination_conf": KEYS, "error_message": "denied: planted", "ownership_challenge": "challenge"}
    assert "planted" not in str(view(parse_job(job)))
    assert "challenge" not in str(view(parse_job(job)))
