# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._fleet import outcome, records

PART = {"changed": True, "plan_id": "sha256:a", "diff": {"before": {"enabled": False}, "after": {"enabled": True}}}
RESULT = {"zone_id": "0a", "script_monitor": PART, "custom_fields": {}, "jobs": {}, "coverage": {}, "listed_jobs": None}
FAILED = {"failed": True, "msg": "not\nallowed", "error": {"kind": "permission"}}
NOBODY = {"zone_id": None, "error": {"kind": "unavailable", "message": "it could not be reached"}}


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ({}, NOBODY),
        ({"_log_delivery_prediction": {"skipped": True}}, NOBODY),
        ({"_log_delivery_prediction": {"unreachable": True, "msg": "no"}}, NOBODY),
        (
            {"zone_id": "0a", "_log_delivery_prediction": RESULT, "_edgeops_failed": FAILED},
            {"zone_id": "0a", "error": {"kind": "permission", "message": "not allowed"}},
        ),
        (
            {"log_delivery_zone_id": "{{ nowhere }}", "_log_delivery_prediction": {"failed": True, "msg": "undefined"}},
            {"zone_id": None, "error": {"kind": "invalid_option", "message": "undefined"}},
        ),
    ],
)
def test_record_of_a_zone_that_failed(variables: dict[str, t.Any], found: dict[str, t.Any]) -> None:
    assert records.audit_record("a", variables) == {"zone": "a", **found}
    assert records.predicted_zone("a", variables).error


def test_record_of_an_audited_zone() -> None:
    jobs = [{"id": 1, "name": "n", "dataset": "http_requests", "logpull_options": "fields=RayID"}]
    fields = {"changed": False, "custom_fields": {"request_fields": ["x-a"]}}
    result = {**RESULT, "custom_fields": fields}
    found = records.audit_record(
        "a",
        {"_log_delivery_prediction": result, "_log_delivery_listed": {"jobs": jobs}, "_log_delivery_scripts": {"findings": []}},
    )
    assert found["result"] == {"custom_fields": fields, "jobs": {}, "script_monitor": PART, "content_security_rules": {}}
    assert found["jobs"] == jobs and found["scripts"] == {"findings": []} and found["zone_id"] == "0a"
    assert found["coverage"]["unselected"], "what no listed job selects"
    assert records.audit_record("a", {"_log_delivery_prediction": {**RESULT, "listed_jobs": jobs}})["jobs"] == jobs
    of_account = {**RESULT, "account_id": "0c", "zone_id": None}
    assert records.audit_record("a", {"_log_delivery_prediction": of_account})["account_id"] == "0c"


@pytest.mark.parametrize(
    ("read", "result", "said"),
    [
        (records.done_zone, {"jobs": {"diff": []}}, "x.jobs.diff: must be a dictionary, not a list"),
        (records.done_zone, {"jobs": {"jobs": [None, "edge"]}}, "x.jobs.jobs[1]: must be a dictionary, not 'edge'"),
        (records.done_zone, {"effects": [{"name": "delete_job", "subject": "edge"}]}, "x.effects[0].detail: is missing"),
        (records.done_zone, {"listed_jobs": [{"health": "good"}]}, "x.listed_jobs[0].health: must be a dictionary, not 'good'"),
        (records.done_jobs, {"jobs": [{"name": "edge"}]}, "x.jobs[0].id: is missing"),
    ],
)
def test_results_of_another_shape(read: t.Callable[..., t.Any], result: dict[str, t.Any], said: str) -> None:
    with pytest.raises(Failure) as caught:
        read({"x": result}, "x")
    assert (caught.value.kind, caught.value.message) == ("invalid_option", said)


@pytest.mark.parametrize(
    ("variables", "written", "state"),
    [
        ({"log_delivery_result": RESULT}, True, "changed"),
        ({"log_delivery_result": {**RESULT, "script_monitor": {}}}, True, "unchanged"),
        ({"log_delivery_result": RESULT, "_edgeops_canary": {"unhealthy": {"a": "worse"}}}, True, "failed"),
        ({"log_delivery_result": FAILED, "_edgeops_failed": FAILED}, True, "failed"),
        ({"log_delivery_result": {"unreachable": True}}, True, "not reached"),
        ({"log_delivery_result": {"skipped": True}, "_log_delivery_prediction": RESULT}, True, "not reached"),
        ({"_log_delivery_prediction": RESULT}, False, "changed"),
        ({}, False, "not reached"),
    ],
)
def test_end_of_a_zone(variables: dict[str, t.Any], written: bool, state: str) -> None:
    end = outcome.end_of("a", variables, written, "")
    assert end.state == state
    found = outcome.outcome({"a": end}, "", check_mode=False)
    assert bool(found["failing"]) == (state in ("failed", "not reached"))
    assert f"1 {state}" in found["lines"][0]


@pytest.mark.parametrize(
    ("prediction", "said"),
    [
        ({"custom_fields": {"changed": False}}, ""),
        (RESULT, "with these files a delivery would change the zone"),
        (FAILED, "the zone could not be verified: not allowed"),
        ({"unreachable": True}, "the zone could not be verified: it could not be reached"),
    ],
)
def test_adopted_files_are_verified(prediction: dict[str, t.Any], said: str) -> None:
    found = outcome.changed_by_files({"_log_delivery_prediction": prediction})
    assert found.startswith(said) and bool(found) is bool(said)


def test_adoption_selects_zones_once() -> None:
    described = {
        host: {"_log_delivery_described": {"zone_id": zone, "zone": host}}
        for host, zone in (("a", "0A"), ("b", "0a"), ("c", "1"))
    }
    found = outcome.select_adopted({**described, "d": {"_edgeops_failed": FAILED}})
    assert [zone["zone"] for zone in found["zones"]] == ["c"]
    assert found["refused"]["a"].endswith("has several hosts: a, b") and found["refused"]["d"].endswith(": not allowed")


@pytest.mark.parametrize(
    ("scripts", "said"),
    [
        (None, ""),
        ({"findings": []}, ""),
        ({"failed": True, "msg": "no", "error": {"kind": "permission"}}, ""),
        ({"failed": True, "msg": "1 finding:\nnew", "error": {"kind": "gate"}, "findings": []}, "gate: 1 finding: new"),
    ],
)
def test_gate_of_a_script_audit(scripts: t.Any, said: str) -> None:
    """A finding that edgeops_script_fail_on names fails its zone; why a zone could not be audited is said elsewhere."""
    assert records.gate_of({"_log_delivery_scripts": scripts}) == said


def job(number: int = 1, state: str = "healthy", **members: t.Any) -> dict[str, t.Any]:
    health = {"state": state, "message": f"It is {state}."}
    return {"id": number, "name": "edge", "dataset": "http_requests", "enabled": state != "disabled", "health": health, **members}


@pytest.mark.parametrize(
    ("before", "after", "part", "said"),
    [
        ([job()], [job()], {}, []),
        ([job(state="of tomorrow")], [job(state="of tomorrow")], {}, []),
        ([job(state="failing")], [job()], {}, []),
        ([job(state="never")], [job(state="stale")], {}, []),
        ([job()], [job(state="failing")], {}, ["was healthy before the delivery and is failing: It is failing."]),
        ([job()], [job(state="stale")], {}, ["is stale"]),
        ([job(state="disabled")], [job(state="failing")], {}, ["was disabled before the delivery and is failing"]),
        # Disabled by a user, by the delivery, and by the service after it.
        ([job()], [job(state="disabled")], {}, ["is disabled"]),
        ([job()], [job(state="disabled")], {"jobs": [job(state="disabled")]}, []),
        ([job()], [job(state="disabled", error_message="denied")], {"jobs": [job(state="disabled")]}, ["is disabled"]),
        # Deleted by a user, and by the delivery; re-created.
        ([job()], [], {}, ["does not exist any more"]),
        ([job()], [], {"jobs": [None], "diff": {"before": {"edge": {"name": "edge"}}}}, []),
        ([job()], [job(2, "never")], {"jobs": [job(2)], "diff": {"before": {"edge": {"name": "edge"}}}}, []),
        # New jobs.
        ([], [job(state="never")], {"jobs": [job(state="never")]}, []),
        ([], [job(state="failing")], {"jobs": [job(state="never")]}, ["job 'edge' (id 1) is failing"]),
        ([], [], {"jobs": [job(state="never")]}, ["does not exist any more"]),
    ],
)
def test_worse_jobs(before: t.Any, after: t.Any, part: t.Any, said: list[str]) -> None:
    found = outcome.worse_jobs(before, after, part)
    assert len(found) == len(said) and all(words in each for words, each in zip(said, found, strict=True))


def test_one_question_for_a_connection() -> None:
    audited = {
        "a": {"zone": "a", "zone_id": "0a"},
        "b": {"zone": "b", "zone_id": "0b"},
        "c": {"zone": "c", "zone_id": "0c"},
        "d": {"zone": "d", "account_id": "0d"},
    }
    asked = records.questions(audited, lambda host: "other" if host == "b" else "one")
    assert asked == {"a": {"zone_ids": ["0a", "0c"]}, "b": {"zone_ids": ["0b"]}, "d": {"account_id": "0d"}}
    row = {"zone_id": "0c", "job_id": 1}
    failed = {"msg": "the service is down", "error": {"kind": "unavailable"}}
    facts = {"available": True, "reason": None, "unavailable": {"0a": "no right"}, "jobs": [row]}
    answers = {"a": facts, "b": failed, "d": {"available": False, "reason": "no plan", "unavailable": {}, "jobs": []}}
    found = {record["zone"]: record["delivery"] for record in records.answered(list(audited.values()), asked, answers)}
    reasons = {name: each["reason"] for name, each in found.items() if isinstance(each, dict)}
    assert found["c"] == [row] and reasons == {"a": "no right", "b": "the service is down", "d": "no plan"}
