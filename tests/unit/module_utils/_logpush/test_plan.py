# SPDX-License-Identifier: GPL-3.0-or-later

import json
import typing as t

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from samples.logpush import CONDITION, JOB, KEYS, NOTHING, S3, TEXT, ZONE, declare_job, jwt, planned, sent, state_of
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure, plan_id
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import to_data
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.changes import meaning
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.coverage import selected_fields
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import MEMBERS, SERVER_MADE
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.job import find_by_name, parse_job, view
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import successor
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.ownership import desire as ask
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import carried, secrets
from ansible_collections.edgeops.observability.plugins.modules.logpush_job import TASK

FLAG = "CVE-2021-44228"
OPTIONS = {"field_names": ["a"]}
GS = {"destination_conf": "gs://b", "ownership_challenge": " token\n"}
AGAIN: dict[str, t.Any] = {"kind": "edge", "recreate": True, "destination_conf": S3}


@pytest.mark.parametrize(
    ("options", "present", "body"),
    [
        ({}, {}, None),
        ({}, {"enabled": True, "kind": "edge", "max_upload_bytes": 5_000_000, "filter": TEXT, "output_options": {"a": 1}}, None),
        ({"enabled": True}, {"enabled": False}, {"enabled": True}),
        ({"enabled": False}, {"enabled": False}, None),
        ({"kind": ""}, {"kind": None}, None),
        ({"frequency": "high"}, {"frequency": ""}, None),
        ({"max_upload_bytes": 0}, {"max_upload_bytes": 5_000_000}, {"max_upload_bytes": 0}),
        ({"max_upload_interval_seconds": 30}, {"max_upload_interval_seconds": 0}, None),
        ({"dataset": ""}, {"dataset": "http_requests"}, None),
        ({"job_id": 7, "name": "m"}, {}, {"name": "m"}),
        ({"job_id": 7, "name": ""}, {"name": None}, None),
        ({"filter": CONDITION}, {"filter": TEXT}, None),
        ({"filter": CONDITION}, {}, {"filter": TEXT}),
        ({"filter": CONDITION}, {"filter": TEXT.replace('"de"', '"fr"')}, {"filter": TEXT}),
        ({"filter": ""}, {"filter": TEXT}, {"filter": ""}),
        ({"filter": ""}, {"filter": "not JSON"}, {"filter": ""}),
        ({"filter": ""}, {"filter": '{"where":{}}'}, None),
        ({"destination_conf": S3, "ownership_challenge": "token", "enabled": True}, {}, {"enabled": True}),
        (GS, {}, {**GS, "ownership_challenge": "token"}),
        ({"destination_conf": "gs://b"}, {"destination_conf": None}, {"destination_conf": "gs://b"}),
        ({"destination_conf": KEYS}, {"destination_conf": KEYS.replace("planted", "*****")}, None),
        ({"destination_conf": KEYS}, {"destination_conf": KEYS.replace("planted", "other")}, {"destination_conf": KEYS}),
        ({"ownership_challenge": "token", "send_destination": "always"}, {}, None),
        ({"enabled": True, "transformer_id": 0}, {"transformer_id": 7}, {"enabled": True, "transformer_id": 0}),
        ({"fields": ["a"]}, {"logpull_options": "fields=a,b&X=true"}, {"logpull_options": "fields=a&X=true"}),
        ({"output_options": {"cve_2021_44228": True}}, {"output_options": OPTIONS}, {"output_options": {**OPTIONS, FLAG: True}}),
        ({"fields": ["a"]}, {"output_options": {}}, {"logpull_options": "fields=a"}),
    ],
)
def test_update_sends_only_differences(options: t.Any, present: dict[str, t.Any], body: dict[str, t.Any] | None) -> None:
    plan = planned(options, {**JOB, **present})
    assert sent(plan) == ([] if body is None else [("update", body)])
    assert [request.ids for request in plan.requests] == ([] if body is None else [{"job_id": 7}])
    assert (plan.before == plan.after) is (body is None)
    # The diff and the result show the job before and after, with the filter as data.
    current = view(parse_job({**JOB, **present}))
    assert plan.before == {name: as_data(name, current[name]) for name in plan.before}
    written = {name: MEMBERS[name].normal(value) for name, value in (body or {}).items() if name in MEMBERS}
    assert {name: plan.result["job"][name] for name in written} == written
    after = {name: as_data(name, value) for name, value in plan.result["job"].items() if name in plan.after}
    assert {**plan.after, "destination": None} == {**after, "destination": None}


@pytest.mark.parametrize(
    ("requested", "before", "after"),
    [
        ({"sample_rate": 0.5}, {"sample_rate": 1}, {"sample_rate": 0.5}),
        ({"record_prefix": "["}, {"record_prefix": "{"}, {"record_prefix": "["}),
        ({"timestamp_format": "rfc3339"}, {}, {"timestamp_format": "rfc3339"}),
    ],
)
def test_default_that_the_service_spells_out_is_no_difference(requested: t.Any, before: t.Any, after: t.Any) -> None:
    """Whatever else differs: it is the same before and after."""
    present = {**OPTIONS, "output_type": "ndjson", "record_prefix": "{", "record_suffix": "}\n", "sample_rate": 1, FLAG: False}
    plan = planned({"output_options": requested}, {**JOB, "output_options": present})
    assert plan.before["output_options"] == {**OPTIONS, **before} and plan.after["output_options"] == {**OPTIONS, **after}
    assert sent(plan) == [("update", {"output_options": {**present, **requested}})]


def as_data(name: str, value: t.Any) -> t.Any:
    return to_data(value) if name == "filter" and value else value


def test_new_job_has_options_and_dataset() -> None:
    plan = planned({**GS, "filter": "", "option_flags": {"X": False}, "kind": ""}, None)
    body = {"name": "n", "kind": "", "dataset": "http_requests", **GS, "ownership_challenge": "token"}
    assert (sent(plan), plan.creates, plan.before) == ([("create", body)], True, {})
    job = plan.result["job"]
    assert (job["id"], job["enabled"], job["frequency"], job["max_upload_records"]) == (None, False, "high", 100_000)
    assert job["filter_budget"] is None


@pytest.mark.parametrize(
    ("options", "gone"),
    [
        ({}, ""),
        ({"destination_conf": S3}, "destination"),
        ({"filter": ""}, "filter"),
        ({"filter": CONDITION}, "filter"),
        ({"transformer_id": 0}, "transformer"),
        ({"transformer": ""}, "transformer"),
        ({"filter_attack_traffic": False}, "filter_attack_traffic"),
        ({"fields": ["a"], "option_flags": {"sample": 1}}, "sample_rate"),
        ({"logpull_options": "fields=a&sample=0.5"}, "sample_rate"),
        ({"logpull_options": "fields=a", "enabled": True}, ""),
        ({"output_options": {"sample_rate": 1}}, "sample_rate"),
        ({"output_options": {"field_names": ["a"]}}, ""),
        ({"dataset": "dns_logs", "job_id": 7}, "filter_attack_traffic"),  # which has no attack traffic
    ],
)
def test_what_a_task_does_not_declare_is_named(options: dict[str, t.Any], gone: str) -> None:
    names = ["destination", "filter", "transformer", "sample_rate", "filter_attack_traffic"]
    present = {**JOB, "dataset": options.get("dataset", "http_requests")}
    job = planned(options, present).result["job"]
    assert job["undeclared"] == [name for name in names if name != gone]


MASKED = {"region": "a", "access-key-id": "ID", "secret-access-key": "********"}
MASKED_S3 = {"scheme": "s3", "address": "bucket/dir", "options": MASKED}


ELSEWHERE = {"job": "n", "member": "destination_address", "is": "s3://evil/dir?region=a", "should_be": "s3://bucket/dir?region=a"}


def test_job_that_was_led_elsewhere_is_refused() -> None:
    """The plan is complete and is refused: with its diff, the other requests and what they destroy."""
    evil = KEYS.replace("bucket", "evil")
    options = {"destination_address": S3, "enabled": False}
    plan = planned(options, {**JOB, "destination_conf": evil, "enabled": True}, label="n")
    assert (plan.refused_as, plan.result["refusals"]) == ("conflict", [ELSEWHERE])
    words = "destination_address: Job 'n' (id 7) delivers to another place, to s3://evil/dir?region=a and not to s3://bucket/dir?region=a."
    assert plan.refused.startswith(words) and "give destination_conf" in plan.refused
    assert sent(plan) == [("update", {"enabled": False})] and [effect.name for effect in plan.effects] == ["disable_job"]
    before, after = plan.before["destination"], plan.after["destination"]
    assert before["options"] == after["options"] == MASKED
    assert (before["address"], after["address"], plan.result["job"]["destination"]) == ("evil/dir", "bucket/dir", before)
    assert plan.result["job"]["undeclared"][0] == "filter" and "planted" not in str((plan.before, plan.after, plan.result))


LEFT = "https://logs.example/in?header_Authorization={{ vault_x }}"


def test_destination_with_a_template_is_not_written_unless_the_service_has_it() -> None:
    for job in (None, JOB):
        with pytest.raises(Failure, match=r"^destination_conf: a template is left in it") as caught:
            planned({"destination_conf": LEFT}, job)
        assert caught.value.kind == "invalid_option" and "vault_x" not in caught.value.message
    there = {**JOB, "destination_conf": LEFT}
    assert not planned({"destination_conf": LEFT}, there).requests
    assert sent(planned({"destination_conf": LEFT.replace("/in", "/on")}, there))


def test_job_that_is_gone_is_refused_if_only_its_address_is_declared() -> None:
    for options, words in (
        ({"name": "n"}, "the job 'n' does not exist"),
        ({"name": "n", "job_id": 9}, "Job 'n' (id 9) does not exist"),
        ({"name": None, "job_id": 9}, "Job 9 (http_requests) does not exist"),
    ):
        plan = planned({**options, "destination_address": S3, "enabled": True}, None, label="n")
        assert plan.refused_as == "conflict" and plan.result["refusals"] == [{**ELSEWHERE, "is": None}]
        assert plan.result["job"] is None and plan.requests == () and plan.before == {}
        assert plan.after["enabled"] is True and plan.after["destination"]["address"] == "bucket/dir"
        assert f"destination_address: {words}, so that nothing" in plan.refused


def test_job_that_delivers_to_its_address_is_unchanged() -> None:
    plan = planned({"destination_address": S3}, {**JOB, "destination_conf": KEYS})
    assert not plan.refused and not plan.requests and plan.before == plan.after and "refusals" not in plan.result
    assert plan.warnings == ()
    sends = planned({"destination_address": S3, "destination_conf": KEYS}, {**JOB, "destination_conf": "s3://evil"})
    assert not sends.refused and sent(sends) == [("update", {"destination_conf": KEYS})]


def test_equality_that_cannot_be_seen_is_a_warning() -> None:
    path = "datadog://http-intake.logs.datadoghq.com/api/v2/logs"
    (warning,) = planned({"destination_address": path}, {**JOB, "destination_conf": f"{path}?header_DD-API-KEY=planted"}).warnings
    assert warning.startswith("Job 'n' (id 7): destination_address does not show") and "Whose account of datadog" in warning


ORDERED = '{"where":{"and":[{"key":"a","operator":"lt","value":30},{"key":"b","operator":"in","value":[1,"x"]}]}}'
RESPELT = '{"where":{"and":[{"value":["x",1.0],"key":"b","operator":"in"},{"and":[{"key":"a","operator":"lt","value":"30.0"}]}]}}'
OTHER_VALUE = ORDERED.replace("30", "31")
BASE = {**JOB, "filter": ORDERED, "logpull_options": "fields=a,b&timestamps=rfc3339", "destination_conf": KEYS}


@pytest.mark.parametrize(
    ("options", "there", "same"),
    [
        ({"filter": json.loads(ORDERED), "enabled": True}, {"filter": RESPELT}, True),
        ({"filter": json.loads(ORDERED), "enabled": True}, {"filter": OTHER_VALUE}, False),
        ({"filter": CONDITION}, {"filter": RESPELT}, True),
        ({"fields": ["a"]}, {"logpull_options": "?timestamps=rfc3339&fields=b%2Ca&sample=1"}, True),
        ({"fields": ["a"]}, {"logpull_options": "fields=a,c&timestamps=rfc3339"}, False),
        (
            {"destination_conf": S3},
            {"destination_conf": "s3://bucket/%64ir?secret-access-key=planted&access-key-id=ID&region=a"},
            True,
        ),
        ({"destination_conf": S3}, {"destination_conf": KEYS.replace("planted", "other")}, False),
        ({"destination_address": S3, "enabled": True}, {"destination_conf": KEYS.replace("planted", "other")}, True),
        ({"state": "absent"}, {"filter": RESPELT}, True),
    ],
)
def test_spelling_does_not_enter_a_plan_id(options: dict[str, t.Any], there: dict[str, t.Any], same: bool) -> None:
    one, other = (plan_id({}, planned(options, {**BASE, **job})) for job in ({}, there))
    assert (one == other) is same


def test_spelling_of_an_option_does_not_enter_a_plan_id() -> None:
    spellings = (
        {"filter": json.loads(ORDERED), "fields": ["b", "a"]},
        {"filter": json.loads(RESPELT), "logpull_options": "fields=a,b"},
    )
    assert len({plan_id({}, planned(options, JOB)) for options in spellings}) == 1
    assert len({plan_id({}, planned({**GS, **options}, None)) for options in spellings}) == 1
    newer = ({"field_names": ["b", "a"], "sample_rate": 1}, {"field_names": ["a", "b"]})
    assert (
        len(
            {
                plan_id({}, planned({"output_options": options}, {**JOB, "output_options": {"field_names": ["c"]}}))
                for options in newer
            }
        )
        == 1
    )


def test_delete_shows_the_job_without_secrets() -> None:
    plan = planned({"state": "absent"}, {**JOB, "destination_conf": KEYS})
    assert (sent(plan), plan.requests[0].ids) == ([("delete", None)], {"job_id": 7})
    assert {"id", "name", "dataset", "filter"} <= plan.before.keys()
    assert plan.before["destination"] == MASKED_S3
    assert plan.before.keys().isdisjoint({"last_error", "error_message", "filter_explained"})
    assert "planted" not in str(plan.before)
    gone = planned({"state": "absent"}, None)
    assert (gone.requests, gone.before, gone.after, plan.after) == ((), {}, {}, {})
    assert plan.result == gone.result == {"job": None}


EXISTS = "Job 'n' (id 7) exists, and its dataset 'http_requests' cannot become 'other' and kind 'edge' cannot become ''."
EDGE_ELSEWHERE = "Job 7 would be re-created as kind 'edge' of the dataset 'dns_logs', but 'edge' exists for 'http_requests' only."
BESIDE = "{0}: job 7 already uses output_options, beside which the service ignores {0}. Give output_options instead."
NEWER = {**JOB, "output_options": {"field_names": ["a"]}}
EDGE = {**JOB, "kind": "edge"}
DATADOG = "datadog://http-intake.logs.datadoghq.com/api/v2/logs?header_DD-API-KEY=planted"


def test_job_of_another_type_is_recreated_for_datadog() -> None:
    plan = planned({"destination_conf": DATADOG, "recreate": True}, JOB)
    assert [operation for operation, _body in sent(plan)] == ["delete", "create"]
    assert [effect.name for effect in plan.effects] == ["recreate_job", "change_destination"]
    there = {**JOB, "destination_conf": DATADOG.replace("planted", "other")}
    assert [operation for operation, _body in sent(planned({"destination_conf": DATADOG}, there))] == ["update"]
    assert [operation for operation, _body in sent(planned({"destination_conf": KEYS}, there))] == ["update"]


@pytest.mark.parametrize(
    ("options", "job", "kind", "words"),
    [
        ({}, None, "invalid_option", "destination_conf: is required to create the job 'n', which does not exist yet"),
        ({"logpull_options": "timestamps=iso"}, JOB, "invalid_option", "logpull_options: timestamps: 'iso' is none of rfc3339, "),
        ({"logpull_options": "timestamps=rfc", **GS}, None, "invalid_option", "logpull_options: timestamps: 'rfc' is none of "),
        ({"job_id": 9, **GS}, None, "not_found", "job_id: there is no job 9 in this zone; without job_id, name creates one."),
        ({**AGAIN, "destination_conf": None}, JOB, "invalid_option", "destination_conf: must be given to recreate a job, "),
        ({"job_id": 7, "dataset": "other", "kind": ""}, EDGE, "conflict", f"{EXISTS} Set recreate to delete and re-create it."),
        ({"job_id": 7, **AGAIN, "kind": None, "dataset": "dns_logs"}, EDGE, "conflict", EDGE_ELSEWHERE),
        ({"job_id": 7, **AGAIN}, {**JOB, "dataset": "dns_logs"}, "conflict", EDGE_ELSEWHERE),
        ({"fields": ["a"], "timestamp_format": "unix"}, NEWER, "conflict", BESIDE.format("fields")),
        ({"timestamp_format": "unix", "option_flags": {}}, NEWER, "conflict", BESIDE.format("timestamp_format")),
        ({"option_flags": {}}, NEWER, "conflict", BESIDE.format("option_flags")),
        ({"logpull_options": "fields=a"}, NEWER, "conflict", BESIDE.format("logpull_options")),
        (
            {"destination_conf": DATADOG},
            JOB,
            "conflict",
            "Job 'n' (id 7) exists, and its destination of the type 's3' cannot become",
        ),
    ],
)
def test_refused_before_any_write(options: dict[str, t.Any], job: dict[str, t.Any] | None, kind: str, words: str) -> None:
    actual, message = refusal(planned, options, job)
    assert actual == kind and message.startswith(words)


def validated(**options: t.Any) -> t.Any:
    arguments = TASK.arguments()
    validator = ArgumentSpecValidator(arguments["argument_spec"], mutually_exclusive=arguments["mutually_exclusive"])
    return validator.validate({"zone_id": ZONE, "name": "n", **options})


def test_omitted_options_are_not_managed() -> None:
    params = validated().validated_parameters
    assert {name: params[name] for name in NOTHING} == {**NOTHING, "name": "n"}


@pytest.mark.parametrize(
    "older", [{"fields": ["a"]}, {"timestamp_format": "unix"}, {"option_flags": {}}, {"logpull_options": ""}]
)
def test_option_forms_are_mutually_exclusive(older: dict[str, t.Any]) -> None:
    assert not validated(**older).error_messages
    (message,) = validated(output_options={"field_names": ["a"]}, **older).error_messages
    assert "mutually exclusive: output_options" in message


def test_recreation_deletes_then_creates() -> None:
    kept = {"name": "n", "dataset": "http_requests", "filter": TEXT, "filter_attack_traffic": True, "output_options": OPTIONS}
    old = {**JOB, **kept, "enabled": True, "logpull_options": "stale", "frequency": "high", "error_message": "sick"}
    options = {"destination_conf": KEYS, "ownership_challenge": "token", "enabled": False, "kind": "edge"}
    plan = planned({**options, "recreate": True}, old)
    assert sent(plan) == [("delete", None), ("create", {**kept, **options})]
    assert plan.requests[0].if_it_fails.startswith("If job 7 was deleted after all, nothing is delivered, and the next run")
    assert plan.requests[1].if_it_fails.startswith("Job 7 was already deleted to re-create it: it is gone, and nothing is")
    assert (plan.requests[0].ids, plan.requests[1].creates) == ({"job_id": 7}, True)
    assert plan.result["job"]["filter_budget"] is not None
    job = plan.result["job"]
    assert (job["id"], job["error_message"], job["filter"]) == (None, None, TEXT)
    again = successor(declare_job(job_id=7, dataset="dns_logs", name="other"), plan.requests[1])
    assert (again.job_id, again.name, again.dataset) == (None, "n", "http_requests")


@pytest.mark.parametrize(("name", "value"), [("frequency", "medium"), ("kind", "instant-logs")])
def test_recreation_does_not_delete_a_job_for_a_word_that_no_new_one_can_have(name: str, value: str) -> None:
    options: dict[str, t.Any] = {"job_id": 7, "recreate": True, "destination_conf": S3, "dataset": "dns_logs"}
    with pytest.raises(Failure) as refused:
        planned(options, {**JOB, name: value})
    assert refused.value.kind == "bad_response" and f"has {name} '{value}'" in refused.value.message
    assert [
        method for method, _body in sent(planned({**options, name: "" if name == "kind" else "low"}, {**JOB, name: value}))
    ] == [
        "delete",
        "create",
    ]


@pytest.mark.parametrize(
    ("options", "present", "body"),
    [
        ({"kind": "edge"}, {}, {"kind": "edge"}),
        ({"kind": "edge", "ownership_challenge": "token"}, {}, {"kind": "edge", "ownership_challenge": "token"}),
        ({"dataset": "dns_logs", "kind": ""}, {"kind": "edge"}, {"dataset": "dns_logs", "kind": ""}),
        ({"kind": "edge", "dataset": "http_requests"}, {"dataset": "dns_logs"}, {"kind": "edge"}),
    ],
)
def test_recreation_keeps_the_same_destination(options: t.Any, present: dict[str, t.Any], body: dict[str, t.Any]) -> None:
    plan = planned({"job_id": 7, "recreate": True, "destination_conf": S3, **options}, {**JOB, **present})
    kept = {"name": "n", "dataset": "http_requests", "destination_conf": S3}
    assert sent(plan) == [("delete", None), ("create", {**kept, **body})]


def test_diff_of_a_recreation_is_complete() -> None:
    recreated = planned({**AGAIN, "destination_conf": "gs://b"}, {**JOB, "destination_conf": KEYS})
    gs = {"scheme": "gs", "address": "b", "options": {}}
    assert recreated.after == {"id": None, "name": "n", "kind": "edge", "destination": gs}
    assert recreated.before == {"id": 7, "name": "n", "kind": "", "destination": MASKED_S3}


def test_token_is_checked_only_if_sent() -> None:
    stale = {"destination_conf": S3, "ownership_challenge": jwt({"exp": 10})}
    assert not planned(stale, JOB, now=20.0).requests
    for job in (None, {**JOB, "destination_conf": "gs://b"}):
        assert planned(stale, job, now=5.0).requests
        with pytest.raises(Failure, match=r"^ownership_challenge: the token has expired"):
            planned(stale, job, now=20.0)
    with pytest.raises(Failure, match="expired"):
        planned({**AGAIN, **stale}, JOB, now=20.0)
    claims = {"zone_id": "f" * 32}
    foreign = refusal(planned, {"destination_conf": S3, "ownership_challenge": jwt(claims)}, None)[1]
    assert foreign.startswith("ownership_challenge: the token belongs to another zone")


MASKED_KEYS = KEYS.replace("planted", "********")
MASK_IS_SENT = "destination_conf: contains asterisks, the mask of a secret in outputs; set the secret itself"


@pytest.mark.parametrize("there", [KEYS, MASKED_KEYS])
def test_send_destination_always(there: str) -> None:
    options = {"destination_conf": KEYS, "ownership_challenge": "token"}
    plan = planned({**options, "send_destination": "always"}, {**JOB, "destination_conf": there})
    assert sent(plan) == [("update", options)]
    assert plan.changed and plan.before != plan.after
    assert plan.after["destination"]["options"]["secret-access-key"] == "******** (sent again)"
    assert plan.result["job"]["destination"]["options"]["secret-access-key"] == "********"
    assert not [text for text in plan.warnings if "masks" in text]


@pytest.mark.parametrize(
    ("options", "there", "warned"),
    [
        ({"destination_conf": KEYS}, MASKED_KEYS, True),
        ({"destination_conf": KEYS}, KEYS, False),
        ({"enabled": True}, MASKED_KEYS, False),
        ({**AGAIN, "destination_conf": KEYS}, MASKED_KEYS, False),
    ],
)
def test_assumed_equality_is_a_warning(options: dict[str, t.Any], there: str, warned: bool) -> None:
    warnings = planned(options, {**JOB, "destination_conf": there}).warnings
    assert bool([text for text in warnings if text.startswith("Job 'n' (id 7): the service masks secret parts")]) == warned


@pytest.mark.parametrize("conf", [MASKED_KEYS, "s3://b?token=%2A%2A%2A", "https://********@host/in", "sumo://host/********"])
def test_mask_is_never_sent(conf: str) -> None:
    options = {"destination_conf": conf}
    again = {**AGAIN, **options}
    for desired, job in ((options, None), (options, JOB), (again, JOB), (again, {**JOB, "destination_conf": conf})):
        assert refusal(planned, desired, job) == ("invalid_option", MASK_IS_SENT)
    assert refusal(ask, {"destination_conf": conf, "ownership_challenge": None}) == ("invalid_option", MASK_IS_SENT)
    assert not planned(options, {**JOB, "destination_conf": conf}).requests
    assert planned({"destination_conf": "s3://b/***?region=***&token=**a&sig=**"}, None).requests


def test_unneeded_token_is_a_warning() -> None:
    options = {"destination_conf": KEYS, "ownership_challenge": "token", "enabled": True}
    needless = "ownership_challenge: the service requires no proof of ownership for this type of destination."
    assert planned(options, None).warnings == (needless,)
    assert not planned(options, {**JOB, "destination_conf": KEYS}).warnings
    assert planned({**AGAIN, **options}, {**JOB, "destination_conf": KEYS}).warnings == (needless,)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"filter": {"and": [CONDITION, CONDITION]}}, "filter.where.and[1]: "),
        ({"dataset": "http_request"}, "dataset: 'http_request' is not a dataset that this collection knows"),
        ({"destination_conf": "pipelines://x"}, "destination_conf: 'pipelines' is not a known type of destination; the service"),
    ],
)
def test_suspicious_options_are_warnings(options: dict[str, t.Any], words: str) -> None:
    (warning,) = planned({"enabled": True, "destination_conf": KEYS, **options}, None).warnings
    assert warning.startswith(words)


@pytest.mark.parametrize("replacement", [{}, {**AGAIN, "destination_conf": KEYS}])
@pytest.mark.parametrize(("enabled", "warnings"), [(None, 2), (False, 1)])
def test_job_that_does_not_deliver_is_a_warning(replacement: dict[str, t.Any], enabled: bool | None, warnings: int) -> None:
    """For the warnings themselves see test_undelivering_job_is_described."""
    job = {**JOB, "enabled": False, "error_message": "sick"}
    assert len(planned({"enabled": enabled, **replacement}, job).warnings) == warnings


DEFAULTS = {name: member.default for name, member in MEMBERS.items() if name not in SERVER_MADE}


@pytest.mark.parametrize(
    ("options", "job", "basis"),
    [
        ({"destination_conf": S3}, None, {"job": None}),
        ({"state": "absent"}, None, {"job": None}),
        ({}, JOB, {"id": 7, "name": "n"}),
        (
            {"enabled": True, "max_upload_bytes": 6_000_000, "destination_conf": "gs://b"},
            {**JOB, "max_upload_bytes": 5_000_000, "destination_conf": KEYS, "error_message": "sick", "filter": TEXT},
            {"id": 7, "name": "n", "enabled": False, "max_upload_bytes": 5_000_000, "destination_conf": KEYS},
        ),
        (AGAIN, {**JOB, "kind": None, "last_error": "x"}, {"id": 7, "name": "n", "kind": "", "destination_conf": S3}),
        (
            {"state": "absent"},
            {**JOB, "destination_conf": KEYS, "enabled": True, "last_complete": "2026-03-03", "max_upload_bytes": 0},
            {**DEFAULTS, **JOB, "enabled": True, "destination_conf": KEYS},
        ),
    ],
)
def test_basis_has_the_managed_members(options: dict[str, t.Any], job: dict[str, t.Any] | None, basis: dict[str, t.Any]) -> None:
    assert planned(options, job).basis == {name: meaning(name, value) for name, value in basis.items()}


def test_destinations_and_challenge_have_secrets() -> None:
    desired = declare_job(destination_conf=KEYS, ownership_challenge="challenge")
    assert (secrets(desired, None), secrets(declare_job(), None)) == ({"planted", "challenge"}, frozenset())
    present = {**JOB, "destination_conf": "https://user:present@host"}
    assert {"present", "user", "planted"} <= secrets(desired, state_of(present))


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"destination_conf": S3}, "Set create_without_listing to create the job without checking; each further run would"),
        ({"state": "absent", "create_without_listing": True}, "Set job_id to select the job to delete. (no)"),
    ],
)
def test_job_is_not_created_without_a_listing_by_default(options: dict[str, t.Any], advice: str) -> None:
    failure = Failure("rejected", "no", method="GET", path="/jobs", status=405)
    kind, message = refusal(planned, options, None, unlisted=failure)
    unknown = "The service cannot list jobs, so it is not known whether there is one named 'n'."
    assert kind == "not_found" and message.startswith(f"{unknown} {advice}")
    plan = planned({"destination_conf": KEYS, "enabled": True, "create_without_listing": True}, None, unlisted=failure)
    assert [text[:24] for text in plan.warnings] == ["create_without_listing: "]


def test_job_names_are_unique_per_dataset() -> None:
    jobs = [
        parse_job({"id": number, "name": "n", "dataset": dataset})
        for number, dataset in ((3, "http_requests"), (1, "http_requests"), (2, "d"))
    ]
    assert [find_by_name(jobs, name, "d") for name in ("n", "other")] == [jobs[2], None]
    assert find_by_name([parse_job({"id": 1, "name": None})], None, "http_requests") is None
    kind, message = refusal(find_by_name, jobs, "n", "http_requests")
    assert kind == "conflict" and message.startswith("name: the jobs 1, 3 are all named 'n'")


NAMES = {"field_names": ["A", "B"]}
TEMPLATE = {**JOB, "output_options": NAMES}
TWO_FIELDS = {**JOB, "enabled": True, "logpull_options": "fields=A,B&sample=0.5", "filter": TEXT, "transformer_id": 7}


@pytest.mark.parametrize(
    ("options", "job", "names"),
    [
        ({"destination_conf": S3}, None, []),
        ({"enabled": True, "fields": ["A", "B", "C"]}, TWO_FIELDS, []),
        ({"state": "absent"}, TWO_FIELDS, ["delete_job"]),
        ({"enabled": False}, TWO_FIELDS, ["disable_job"]),
        ({"enabled": False}, JOB, []),
        ({"fields": ["A", "C"]}, TWO_FIELDS, ["drop_job_fields"]),
        ({"output_options": {"field_names": ["A"]}}, TWO_FIELDS, ["drop_job_fields"]),
        # Without a list the service decides which fields are delivered, so that it is not known which ones go.
        ({"fields": ["A"]}, {**JOB, "logpull_options": None}, ["drop_job_fields"]),
        ({"fields": ["A"]}, {**JOB, "logpull_options": "timestamps=rfc3339"}, ["drop_job_fields"]),
        ({"output_options": {"field_names": ["A"]}}, {**JOB, "output_options": {"sample_rate": 1}}, ["drop_job_fields"]),
        ({"option_flags": {"F": True}}, {**JOB, "logpull_options": None}, []),
        # A record template drops what it does not name.
        ({"output_options": {"record_template": "{{.A}}"}}, TEMPLATE, ["drop_job_fields"]),
        ({"output_options": {"record_template": "{{.A}} {{.B}}"}}, TEMPLATE, []),
        ({"output_options": {"record_template": ""}}, {**TEMPLATE, "output_options": {**NAMES, "record_template": "{{.A}}"}}, []),
        (
            {"output_options": {"record_template": "{{.A}}"}},
            {**TEMPLATE, "output_options": {**NAMES, "record_template": "{{if .B}}"}},
            ["drop_job_fields"],
        ),
        (
            {"output_options": {"field_names": ["A", "B", "C"]}},
            {**TEMPLATE, "output_options": {**NAMES, "record_template": "{{if .B}}"}},
            [],
        ),
        ({"filter": CONDITION}, JOB, ["change_filter"]),
        ({"filter": ""}, TWO_FIELDS, ["change_filter"]),
        ({"filter": CONDITION}, TWO_FIELDS, []),
        ({"filter_attack_traffic": True}, JOB, ["change_filter"]),
        ({"option_flags": {"sample": 0.001}}, TWO_FIELDS, ["reduce_sample_rate"]),
        ({"option_flags": {"sample": 0.9}}, TWO_FIELDS, []),
        ({"option_flags": {"sample": 0.5}}, {**JOB, "logpull_options": "sample=high"}, ["reduce_sample_rate"]),
        ({"output_options": {"sample_rate": 0.1}}, {**JOB, "output_options": {"sample_rate": 1}}, ["reduce_sample_rate"]),
        ({"transformer_id": 0}, TWO_FIELDS, ["change_transformer"]),
        ({"transformer_id": 8}, JOB, []),
        ({"destination_conf": "s3://other/dir?region=a"}, JOB, ["change_destination"]),
        ({"destination_conf": KEYS.replace("region=a", "region=b")}, {**JOB, "destination_conf": KEYS}, ["change_destination"]),
        ({"destination_conf": f"{KEYS}x"}, {**JOB, "destination_conf": KEYS}, []),
        # A destination that the service does not return may differ.
        ({"destination_conf": S3}, {**JOB, "destination_conf": None}, ["change_destination"]),
        ({**AGAIN, "fields": ["A"], "enabled": False}, TWO_FIELDS, ["disable_job", "drop_job_fields", "recreate_job"]),
    ],
)
def test_effects_are_named(options: dict[str, t.Any], job: dict[str, t.Any] | None, names: list[str]) -> None:
    """A plan names each effect with the label of the job; a changed secret alone is not an effect."""
    effects = planned(options, job, label="n").effects
    assert sorted(effect.name for effect in effects) == names
    assert {effect.subject for effect in effects} <= {"n"}
    listed = selected_fields(job or {})
    assert all(effect.detail == (("B",) if listed else None) for effect in effects if effect.name == "drop_job_fields")


def test_new_job_is_disabled_by_default() -> None:
    plan = planned({"destination_conf": KEYS}, None)
    assert plan.after["enabled"] is False and "enabled" not in plan.requests[0].body
    assert [text[:20] for text in plan.warnings] == ["enabled: is omitted,"]


def test_masked_destination_is_sent_on_request() -> None:
    """Only a masked part cannot be compared; sending it again is a change but no effect."""
    options = {"destination_conf": KEYS, "send_destination": "if_masked"}
    masked = planned(options, {**JOB, "destination_conf": MASKED_KEYS})
    assert (sent(masked), masked.effects, masked.warnings) == ([("update", {"destination_conf": KEYS})], (), ())
    assert not planned(options, {**JOB, "destination_conf": KEYS}).requests


@pytest.mark.parametrize(
    ("present", "body"),
    [
        ({"merge_subrequests": False}, {"merge_subrequests": True}),
        ({"merge_subrequests": True}, None),
        ({"output_options": {"merge_subrequests": False}}, {"output_options": {"merge_subrequests": True}}),
        # It is undocumented whether an update without the transformer removes it, so that it is sent again.
        ({"transformer_id": 7}, {"transformer_id": 7, "output_options": {"merge_subrequests": True}}),
    ],
)
def test_member_with_two_places_is_compared_in_both(present: dict[str, t.Any], body: t.Any) -> None:
    plan = planned({"output_options": {"merge_subrequests": True}}, {**JOB, **present})
    assert sent(plan) == ([("update", body)] if body else [])
    if "merge_subrequests" in present:
        assert plan.result["job"]["other"] == {"merge_subrequests": True}


@pytest.mark.parametrize(
    ("options", "form"),
    [
        ({"logpull_options": "sample=1"}, {"logpull_options": "sample=1"}),
        ({"logpull_options": ""}, {}),
        ({"output_options": {"sample_rate": 1}}, {"output_options": {"sample_rate": 1}}),
    ],
)
def test_new_job_has_the_requested_form_of_options(options: dict[str, t.Any], form: dict[str, t.Any]) -> None:
    ((_operation, body),) = sent(planned({"destination_conf": S3, **options}, None))
    assert {name: body[name] for name in ("logpull_options", "output_options") if name in body} == form


@pytest.mark.parametrize(
    ("job", "taken"),
    [
        ({"id": 7, "destination_conf": S3, "error_message": "sick", "enabled": False, "frequency": "high"}, {}),
        ({"output_options": OPTIONS}, {"output_options": OPTIONS}),
        ({"output_options": OPTIONS, "logpull_options": "fields=a"}, {"output_options": OPTIONS}),
        ({"output_options": {}, "logpull_options": "fields=a"}, {"logpull_options": "fields=a"}),
        ({"name": "n", "filter": {"where": {"and": [CONDITION]}}}, {"name": "n", "filter": TEXT}),
        ({"redact": {"ips": True}, "hidden": None, "time_created": "x"}, {"redact": {"ips": True}}),
    ],
)
def test_recreation_copies_members(job: dict[str, t.Any], taken: dict[str, t.Any]) -> None:
    """Unknown members are copied, because one of them may keep personal data out of the logs."""
    assert carried(parse_job({"id": 7, **job})) == taken


STARS = "********"


@pytest.mark.parametrize(
    ("options", "present", "places"),
    [
        (AGAIN, {"auth": {"token": STARS}, "sinks": [{"url": f"https://l.example/{STARS}?a=b"}]}, ["auth.token", "sinks[0].url"]),
        (AGAIN, {"headers": f"Bearer {STARS}"}, ["headers"]),
        (AGAIN, {"logpull_options": f"fields=a&token={STARS}"}, ["logpull_options.token"]),
        ({"fields": ["b"]}, {"logpull_options": f"fields=a&token={STARS}"}, ["logpull_options.token"]),
        ({"fields": ["b"]}, {"logpull_options": f"fields=a&token=%2A%2A%2A&token={STARS}"}, ["logpull_options.token[0]", "logpull_options.token[1]"]),
        ({"output_options": {"field_names": ["b"]}}, {"output_options": {"field_names": ["a"], "x_secret": STARS}}, ["output_options.x_secret"]),
        # What the task sets, what it does not send, and what merely contains asterisks.
        ({"option_flags": {"token": "t"}}, {"logpull_options": f"fields=a&token={STARS}"}, []),
        ({"output_options": {"batch_prefix": "***"}}, {"output_options": {"field_names": ["a"], "batch_prefix": "x"}}, []),
        ({"enabled": True}, {"auth": {"token": STARS}, "logpull_options": f"fields=a&token={STARS}"}, []),
        ({"fields": ["a"], "frequency": "low"}, {"logpull_options": f"fields=a&token={STARS}"}, []),
        (AGAIN, {"note": "*** see /x/*** and **, *.example ***", "filter": TEXT.replace('"de"', '"/***/x"')}, []),
    ],
)  # fmt: skip
def test_what_the_service_masks_is_not_sent_back(options: dict[str, t.Any], present: dict[str, t.Any], places: list[str]) -> None:
    """Neither an update nor a new job may have the asterisks that hide a value as the value; a destination is the task's own."""
    job = {**JOB, **present}
    if not places:
        assert planned(options, job).requests
        return
    kind, message = refusal(planned, options, job)
    assert kind == "bad_response"
    assert message.startswith(f"Job 'n' (id 7): the service masks {', '.join(places)}, and the write would replace what it hides")
    assert "Nothing was written; give it in the task, a parameter of logpull_options in option_flags" in message


OLDER = "fields=RayID,ClientIP&timestamps=rfc3339&sample=0.5"
WHOLE = {"field_names": ["RayID", "ClientIP"], "timestamp_format": "rfc3339", "sample_rate": 0.5}


@pytest.mark.parametrize(
    ("requested", "whole"),
    [
        ({"field_names": ["ClientIP"]}, {**WHOLE, "field_names": ["ClientIP"]}),
        # The task sets the default, because the older form has another value.
        ({"timestamp_format": "unixnano"}, {**WHOLE, "timestamp_format": "unixnano"}),
        # A value of the older form must be in the newer form, too.
        ({"sample_rate": 0.5}, WHOLE),
        ({"batch_prefix": ""}, None),
        ({}, None),
    ],
)
def test_newer_form_includes_the_older_one(requested: dict[str, t.Any], whole: dict[str, t.Any] | None) -> None:
    """Options that the task omits keep their value from the older form, and the diff shows what becomes of each of its parts."""
    job = {**JOB, "logpull_options": OLDER}
    plan = planned({"output_options": requested}, job)
    if whole is None:
        assert not plan.requests and plan.before == plan.after == {"name": "n", "output_options": None}
        return
    assert sent(plan) == [("update", {"output_options": whole})]
    parts = {"fields": ["RayID", "ClientIP"], "timestamp_format": "rfc3339", "option_flags": {"sample": 0.5}}
    assert plan.before == {"name": "n", **parts, "output_options": None}
    will = {"fields": whole["field_names"], "timestamp_format": whole["timestamp_format"], "option_flags": {"sample": 0.5}}
    assert plan.after == {"name": "n", **will, "output_options": whole}
    assert plan.result["job"]["logpull_options"] == OLDER
    assert plan.result["job"]["fields"] == whole["field_names"]
    assert planned({"output_options": requested}, {**job, "output_options": whole}).requests == ()


def test_unknown_format_of_times_that_the_service_has_is_kept() -> None:
    """An adopted job says what it has, and other members of it can still be changed."""
    job = {**JOB, "logpull_options": "timestamps=iso"}
    assert not planned({"logpull_options": "timestamps=iso"}, job).requests
    assert sent(planned({"logpull_options": "timestamps=iso&fields=A"}, job))


def test_newer_form_is_shown_if_empty() -> None:
    """If the service omits false values, the newer form still exists, and the next run changes nothing."""
    job = {**JOB, "logpull_options": "CVE-2021-44228=true"}
    options = {"output_options": {"cve_2021_44228": False}}
    assert sent(planned(options, job)) == [("update", {"output_options": {"output_type": "ndjson", "CVE-2021-44228": False}})]
    assert planned(options, {**job, "output_options": {"output_type": "ndjson"}}).requests == ()


def test_recreated_job_has_the_newer_form_only() -> None:
    plan = planned({**AGAIN, "output_options": {"sample_rate": 0.1}}, {**JOB, "logpull_options": "fields=RayID"})
    (_deletion, (_creation, body)) = sent(plan)
    assert body["output_options"] == {"field_names": ["RayID"], "sample_rate": 0.1}
    assert "logpull_options" not in body
    assert (plan.before["fields"], plan.after["fields"]) == (["RayID"], None)
    assert plan.result["job"]["logpull_options"] is None
