# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

import pytest
from samples.logpush import JOB, S3, FakeClient, declare_job, state_of
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure, Step
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.read import Selection, check, selection, validate

KNOWN = {"ClientIP": "a", "RayID": None, "Cookies": "b", "EdgeResponseStatus": "c"}
OLDER = {**JOB, "logpull_options": "fields=RayID,ClientIP&timestamps=unix"}
NEWER = {**JOB, "output_options": {"field_names": ["RayID", "ClientIP"]}}


def step(options: dict[str, t.Any], job: dict[str, t.Any] | None, place: str = "") -> Step:
    desired, state = declare_job(**options), state_of(job)
    return Step("job", place, "n", desired, state, plan(desired, state))


def chosen(options: dict[str, t.Any], job: dict[str, t.Any] | None = None, place: str = "") -> Selection | None:
    return selection(step(options, job, place))


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
    ("options", "job", "found"),
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
        ({"state": "absent", "fields": ["A"]}, OLDER, None),
        ({**NEW, "filter": FILTER}, None, {"RayID": "filter.where.or[0].key", "A": "filter.where.or[1].and[0].key"}),
        ({"filter": ROW}, FILTERED, None),
        ({"filter": ROW}, OLDER, {"RayID": "filter.where.key"}),
        ({"filter": ""}, FILTERED, None),
        ({**MOVED, "filter": ROW}, {**JOB, "filter": FILTERED["filter"]}, {"RayID": "filter.where.key"}),
    ],
)
def test_the_fields_that_would_be_written(options: t.Any, job: dict[str, t.Any] | None, found: t.Any) -> None:
    written = chosen(options, job)
    assert (written and {**written.fields, **written.keys}) == found


NOT_OURS = "is not a field of the dataset http_requests"


@pytest.mark.parametrize(
    ("names", "start"),
    [
        (["RayID", "clientIp"], f"fields[1]: 'clientIp' {NOT_OURS} (did you mean 'ClientIP'?); records"),
        (["RayId", "Cookie"], f"fields[0]: 'RayId' {NOT_OURS} (did you mean 'RayID'?); nor is 'Cookie' (did you mean 'Coo"),
        (["1"], f"fields[0]: '1' {NOT_OURS}; records"),
    ],
)
def test_sentences(names: list[str], start: str) -> None:
    kind, message = refusal(check, chosen({**NEW, "fields": names}), KNOWN)
    assert kind == "invalid_option" and message.startswith(start)


def test_key_of_a_filter_is_checked() -> None:
    _kind, message = refusal(check, chosen({**NEW, "filter": FILTER}, place="jobs[0]"), KNOWN)
    assert message.startswith("jobs[0].filter.where.or[1].and[0].key: 'A' is not a field ")
    assert message.endswith("; no record would meet the condition")
    check(chosen({**NEW, "fields": ["Anything"]}), {})


def test_hostile_field_names_are_not_suggested() -> None:
    hostile = {"\x1b[31mRayId": "a", "{{ RayId }}": "b", "RayId" * 100: "c"}
    assert "did you mean" not in refusal(check, chosen({**NEW, "fields": ["RayId"]}), hostile)[1]


def http(kind: str, status: int, *codes: int) -> Failure:
    return Failure(kind, f"HTTP {status}", status=status, errors=[{"code": code, "message": "m"} for code in codes])


HTTP, DNS = ({**NEW, "name": dataset, "dataset": dataset, "fields": ["RayId"]} for dataset in ("http_requests", "dns_logs"))


def validated(answers: dict[str, t.Any], *items: dict[str, t.Any]) -> list[str]:
    client: t.Any = FakeClient(**answers)
    validate(client, [step(item, None, f"jobs[{index}]") for index, item in enumerate(items)])
    return client.asked


GIVEN = {"http_requests": KNOWN, "dns_logs": {"RayId": None}}


def test_one_request_for_each_dataset() -> None:
    good = {**HTTP, "fields": ["RayID"]}
    assert validated(GIVEN, good, {**good, "name": "b"}, DNS, {**DNS, "name": "c"}) == ["http_requests", "dns_logs"]


@pytest.mark.parametrize(
    ("answers", "items", "place"),
    [
        (GIVEN, (DNS, HTTP), "jobs[1].fields[0]: 'RayId' is not a field of the dataset http_requests"),
        ({"http_requests": http("not_found", 404, 1002), "dns_logs": KNOWN}, (HTTP, DNS), "jobs[1].fields[0]: "),
    ],
)
def test_a_name_in_a_later_item(answers: dict[str, t.Any], items: t.Any, place: str) -> None:
    """An unknown dataset does not stop others."""
    assert refusal(validated, answers, *items)[1].startswith(place)


@pytest.mark.parametrize("refused", [http("not_found", 404), http("rejected", 405, 7001), http("permission", 403, 1004)])
def test_unavailable_field_list_is_read_once(refused: Failure) -> None:
    assert validated({"http_requests": refused, "dns_logs": refused}, HTTP, DNS) == ["http_requests"]


@pytest.mark.parametrize("refused", [http("authentication", 403, 9109), http("unavailable", 500), http("rejected", 400)])
def test_any_other_refusal_ends_the_task(refused: Failure) -> None:
    assert refusal(validated, {"http_requests": refused}, HTTP) == (refused.kind, refused.message)


def test_non_text_description_is_bad_response() -> None:
    kind, message = refusal(validated, {"http_requests": {"RayID": ["x"]}}, HTTP)
    assert kind == "bad_response" and "must be a string, not a list" in message
