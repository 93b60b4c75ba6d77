# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from samples.logpush import JOB, KEYS, S3, TEXT, declare_job, planned, state_of
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._core import Answer, Conclusion
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import parse_job, view
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.result import conclude as verified


def conclude(options: dict[str, t.Any], job: dict[str, t.Any], answer: t.Any) -> Conclusion:
    return verified(declare_job(**options), state_of(job), planned(options, job), [Answer(answer)])


MASKED = KEYS.replace("planted", "***")
A_IS_B = {"key": "A", "operator": "eq", "value": "b"}
FILTERED = '{"where":{"key":"A","operator":"eq","value":"b"}}'


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        ({"enabled": True}, {"enabled": True}),
        ({"max_upload_bytes": 0, "enabled": True}, {"enabled": True}),
        ({"filter": A_IS_B}, {"filter": ' {"where": {"key":"A","value":"b","operator":"eq"}}'}),
        ({"filter": "", "enabled": True}, {"filter": None, "enabled": True}),
        ({"fields": ["a", "b"]}, {"logpull_options": "fields=b%2Ca"}),
        ({"output_options": {"field_names": ["a", "b"]}}, {"output_options": {"field_names": ["b", "a"], "sample_rate": 1}}),
        ({"destination_conf": KEYS, "ownership_challenge": "token"}, {"destination_conf": MASKED, "ownership_challenge": "***"}),
    ],
)
def test_matching_answer_equals_prediction(options: dict[str, t.Any], answer: dict[str, t.Any]) -> None:
    job = {**JOB, "max_upload_bytes": 5_000_000, "filter": TEXT if "filter" in options else None}
    assert conclude(options, job, {**JOB, **answer}) == Conclusion(planned(options, job).result)


@pytest.mark.parametrize(
    ("options", "answer", "named"),
    [
        ({"enabled": True, "frequency": "low"}, {"enabled": False, "frequency": "high"}, "enabled, frequency"),
        ({"filter": A_IS_B}, {"filter": TEXT}, "filter"),
        ({"fields": ["a", "b"]}, {"logpull_options": "fields=b"}, "logpull_options"),
        ({"output_options": {"sample_rate": 0.5}}, {"output_options": {"sample_rate": 0.6}}, "output_options"),
        ({"destination_conf": KEYS}, {"destination_conf": S3}, "destination_conf"),
    ],
)
def test_contradicting_answer_is_bad(options: dict[str, t.Any], answer: dict[str, t.Any], named: str) -> None:
    kind, message = refusal(conclude, options, JOB, {**JOB, **answer})
    said = "The service accepted the write to job 7, but its answer shows other values than the task asked for"
    assert (kind, message) == ("bad_response", f"{said}: {named}. The next run compares again.")


@pytest.mark.parametrize(
    ("options", "answer", "named"),
    [
        ({"destination_address": "s3://bucket/dir?region=a"}, {"destination_conf": "gs://evil"}, "destination_conf"),
        ({"destination_conf": S3}, {"destination_conf": "gs://evil"}, "destination_conf"),
        ({"fields": ["a"]}, {"logpull_options": "fields=b"}, "logpull_options"),
        ({"fields": ["a"]}, {"output_options": {"field_names": ["a"]}}, "output_options"),
        ({"filter": ""}, {"filter": TEXT}, "filter"),
        ({"enabled": True}, {"enabled": False}, "enabled"),
        ({"transformer_id": 3}, {"transformer_id": 4}, "transformer_id"),
        ({"max_upload_records": 0}, {"max_upload_records": 5000}, "max_upload_records"),
        ({}, {"enabled": False, "logpull_options": "fields=b"}, None),
        ({"filter": ""}, {}, None),
    ],
)
def test_answer_that_contradicts_what_is_declared_and_was_not_sent_is_bad(
    options: dict[str, t.Any], answer: dict[str, t.Any], named: str | None
) -> None:
    """Somebody else may have changed it between the two; what the task does not manage is reported as answered."""
    job = {**JOB, "enabled": True, "logpull_options": "fields=a", "destination_conf": S3, "transformer_id": 3}
    job["filter"] = FILTERED if options.get("filter") else ""
    options, answer = {**options, "frequency": "low"}, {**job, "frequency": "low", **answer}
    if named is None:
        end = conclude(options, job, answer)
        assert end.result["job"]["frequency"] == "low" and not end.warnings
        return
    kind, message = refusal(conclude, options, job, answer)
    assert kind == "bad_response" and f"than the task asked for: {named}. " in message


LACKS = "{}, which was sent, so that it may not be in effect."
LACKS_FILTER = (
    "the filter that was sent. If the service does not show filters, every run sends this one again;"
    " otherwise it ignored the filter. Check which records are delivered."
)


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
    warnings = (f"Job 7: the answer of the service lacks {lacking}",)
    for answer in ({"id": 7, "name": "n"}, {"id": 7, "name": "n", **empty}):
        assert conclude(options, JOB, answer) == Conclusion(planned(options, JOB).result, warnings)


@pytest.mark.parametrize(
    ("answer", "lacking"),
    [
        ({"filter": ""}, "filter"),
        ({"filter": None, "enabled": None}, "enabled, filter"),
        ({"logpull_options": ""}, "logpull_options"),
        ({}, None),
    ],
)
def test_answer_without_what_is_declared_and_was_not_sent_is_a_warning(answer: dict[str, t.Any], lacking: str | None) -> None:
    job = {**JOB, "enabled": True, "logpull_options": "fields=a", "filter": FILTERED}
    options = {"enabled": True, "fields": ["a"], "filter": A_IS_B, "frequency": "low"}
    said = "which the job had when it was read, so that it was not sent. Another client may have removed it meanwhile: run the task again."
    warnings = (f"Job 7: the answer of the service lacks {lacking}, {said}",) if lacking else ()
    assert conclude(options, job, {**job, "frequency": "low", **answer}).warnings == warnings


def test_answer_about_another_job_is_bad() -> None:
    assert "the answer contains job 8" in refusal(conclude, {"enabled": True}, JOB, {**JOB, "id": 8, "enabled": True})[1]


def test_delete_answer_is_ignored() -> None:
    assert conclude({"state": "absent"}, JOB, []) == Conclusion({"job": None})


RECREATE = {"kind": "edge", "recreate": True, "destination_conf": S3}


@pytest.mark.parametrize(
    ("old", "answer", "agrees"),
    [
        ({"filter_attack_traffic": True}, {"filter_attack_traffic": False}, False),
        ({"nobody_knows": True}, {"nobody_knows": True}, True),
        ({"nobody_knows": True}, {"nobody_knows": False}, False),
        ({"filter": "not JSON"}, {"filter": "not JSON"}, True),
        ({"filter": "not JSON"}, {"filter": TEXT}, False),
        ({"filter": TEXT}, {"filter": "not JSON"}, False),
        ({"filter": TEXT}, {"filter": TEXT.replace(":", ": ")}, True),
    ],
)
def test_recreated_job_keeps_carried_members(old: dict[str, t.Any], answer: dict[str, t.Any], agrees: bool) -> None:
    """A re-created job has a new id and the copied members; an answer without them is invalid."""
    (member,) = answer
    job, answered = {**JOB, **old}, {**JOB, "id": 8, "kind": "edge", **answer}
    if agrees:
        predicted = planned(RECREATE, job).result
        other = {"nobody_knows": True} if answer.get("nobody_knows") else {}
        assert conclude(RECREATE, job, answered) == Conclusion(
            {**predicted, "job": {**predicted["job"], "id": 8, "other": other}}
        )
    else:
        assert f"other values than the task asked for: {member}." in refusal(conclude, RECREATE, job, answered)[1]


@pytest.mark.parametrize(("old", "warns"), [({"nobody_knows": "x"}, True), ({"nobody_knows": False}, False)])
def test_carried_member_that_the_answer_lacks_is_a_warning(old: dict[str, t.Any], warns: bool) -> None:
    """The service leaves out what is not set; of anything else it is not known whether the new job has it."""
    warnings = conclude(RECREATE, {**JOB, **old}, {**JOB, "id": 8, "kind": "edge"}).warnings
    assert warnings == ((f"Job 8: the answer of the service lacks {LACKS.format('nobody_knows')}",) if warns else ())


def test_unmanaged_destination_is_returned() -> None:
    answers = ({**JOB, "enabled": True, "destination_conf": "gs://other"}, {"id": 7, "enabled": True})
    other, kept = (conclude({"enabled": True}, JOB, answer).result["job"]["destination"] for answer in answers)
    assert other == {"scheme": "gs", "address": "other", "options": {}}
    assert kept == planned({"enabled": True}, JOB).result["job"]["destination"]


@pytest.mark.parametrize(("options", "warnings"), [({"enabled": False}, 1), ({"frequency": "low"}, 2)])
def test_disabled_failing_job_is_a_warning(options: dict[str, t.Any], warnings: int) -> None:
    answer = {**JOB, "enabled": False, "error_message": "sick", **options}
    assert len(conclude(options, {**JOB, "enabled": True}, answer).warnings) == warnings


def test_members_of_the_service_are_reported() -> None:
    """A past error is reported, too."""
    answer = {**JOB, "enabled": True, "max_upload_records": 5000, "error_message": "sick", "filter": TEXT}
    conclusion = conclude({"enabled": True}, JOB, answer)
    job = conclusion.result["job"]
    assert (job["max_upload_records"], job["error_message"], job["filter"]) == (5000, "sick", TEXT)
    assert "ClientCountry" in job["filter_explained"]
    assert "sick" in conclusion.warnings[0]
    over = conclude({"enabled": True}, {**JOB, "error_message": "sick"}, {**JOB, "enabled": True})
    assert over.result["job"]["error_message"] is None


def test_new_disabled_job_is_a_warning() -> None:
    creation = planned({"destination_conf": S3}, None)
    answer = Answer({**JOB, "enabled": True})
    assert verified(declare_job(destination_conf=S3), state_of(None), creation, [answer]).result["job"]["enabled"] is True


WRONG = "output_options.sample_rate, output_options.CVE-2021-44228"
OTHERWISE = "job 7 has members of another type than documented"


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        ("job", "a job is a string, not an object"),
        ({}, "a job has no id"),
        *(({"id": value}, f"a job has {value!r} as its id, not a number above 0") for value in (None, "7", True, 0)),
        ({"id": 8}, "job 7 was requested, but the answer contains job 8"),
        ({"id": 7, "enabled": "yes"}, f"{OTHERWISE}: enabled"),
        ({"id": 7, "max_upload_bytes": True}, f"{OTHERWISE}: max_upload_bytes"),
        ({"id": 7, "name": 1, "filter": []}, f"{OTHERWISE}: name, filter"),
        ({"id": 7, "destination_conf": {"planted": 1}}, f"{OTHERWISE}: destination_conf"),
        ({"id": 7, "output_options": {"field_names": [1]}}, f"{OTHERWISE}: output_options.field_names"),
        ({"id": 7, "output_options": {"sample_rate": True, "CVE-2021-44228": 0}}, f"{OTHERWISE}: {WRONG}"),
    ],
)
def test_invalid_job_is_refused(job: t.Any, sentence: str) -> None:
    assert refusal(parse_job, job, 7) == ("bad_response", f"The service's answer cannot be used: {sentence}.")


def test_documented_output_options_are_accepted() -> None:
    options = {"CVE-2021-44228": True, "sample_rate": 1, "field_names": ["a"], "record_template": None, "a later member": 1}
    job = {**JOB, "output_options": options}
    assert parse_job(job, 7).members is job


NOT_UNDERSTOOD = "The filter could not be understood, so it is not known which records are delivered."


@pytest.mark.parametrize(
    ("sent", "text", "explained"),
    [
        (TEXT, TEXT, 'A record is delivered only if ClientCountry is "de"; all other records are left out.'),
        ({"x": "ö"}, '{"x":"ö"}', NOT_UNDERSTOOD),
        ("not JSON", "not JSON", NOT_UNDERSTOOD),
        ({}, None, "Every record is delivered: there is no filter."),
        ("", None, "Every record is delivered: there is no filter."),
    ],
)
def test_filter_is_shown_as_sent_and_explained(sent: t.Any, text: str | None, explained: str) -> None:
    viewed = view(parse_job({**JOB, "filter": sent}))
    assert (viewed["filter"], viewed["filter_explained"]) == (text, explained)


def test_minimal_job_has_every_member() -> None:
    assert view(parse_job({"id": 7})) == {
        "id": 7, "name": None, "dataset": None, "enabled": None, "kind": "", "frequency": "high", "other": {},
        "fields": None, "timestamp_format": None, "option_flags": None,
        "logpull_options": None, "output_options": None, "filter": None, "transformer_id": None, "transformer": None, "filter_attack_traffic": False,
        "max_upload_bytes": None, "max_upload_interval_seconds": 30, "max_upload_records": 100_000,
        "last_complete": None, "last_error": None, "error_message": None,
        "destination": {"scheme": None, "address": None, "options": {}},
        "filter_explained": "Every record is delivered: there is no filter.",
        "filter_budget": None,
    }  # fmt: skip


def test_view_has_no_secret() -> None:
    secret = {"destination_conf": KEYS, "error_message": "planted", "ownership_challenge": "challenge"}
    text = str(view(parse_job({**JOB, **secret})))
    assert "planted" not in text and "challenge" not in text
    job = {**JOB, "redact": {"ips": True}, "webhook": "https://h/x?token=planted", "apiKey": "planted", "time_created": "x"}
    other = {"redact": {"ips": True}, "webhook": "https://h/x?token=********", "apiKey": "********"}
    assert view(parse_job(job))["other"] == other
