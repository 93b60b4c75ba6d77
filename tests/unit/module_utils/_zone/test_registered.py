# SPDX-License-Identifier: GPL-3.0-or-later

"""What the result of a task is taken for, in a record and elsewhere."""

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._observed import Known
from ansible_collections.edgeops.observability.plugins.module_utils._zone.record import ZoneRecord, read_record
from ansible_collections.edgeops.observability.plugins.module_utils._zone.registered import (
    has_failed,
    replaced_by,
    why_not_all,
    why_untold,
)

A, B = "0a" * 16, "0b" * 16
SAME: dict[str, t.Any] = {"changed": False, "plan_id": "sha256:0", "diff": {"before": {}, "after": {}}}
COMPARED: dict[str, t.Any] = {"zone_id": A, "changed": False, "script_monitor": SAME, "listed_jobs": []}
# As `failed_when: false` registers a task that failed.
FORGIVEN: dict[str, t.Any] = {
    "failed": False,
    "failed_when_result": False,
    "changed": False,
    "msg": "The token is not valid.",
    "error": {"kind": "authentication"},
}


def read(**parts: t.Any) -> ZoneRecord:
    return read_record("zones[0]", {"zone": "shop.example", "zone_id": A, **parts})


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("result", {**COMPARED, "zone_id": B}),
        ("result", {**COMPARED, "zone_id": None, "account_id": B}),
        ("jobs", {"zone_id": B, "jobs": []}),
        ("scripts", {"zone_id": B, "findings": []}),
        ("scripts", {"zone_id": B, "findings": [], "failed": True, "error": {"kind": "gate"}}),
        ("pages", {"zone_id": B, "findings": []}),
        ("fields", {"http_requests": {"zone_id": B, "fields": []}}),
    ],
)
def test_result_of_another_zone_is_none(part: str, value: t.Any) -> None:
    """A task with `run_once` registers the result of one zone for all hosts."""
    record = t.cast("dict[str, t.Any]", read(**{part: value}))
    error = record["error"]
    assert not isinstance(record[part], Known) and error["kind"] == "unavailable"
    assert B in error["message"] and "run_once" in error["message"] and B not in error["brief"]


def test_part_of_another_zone_in_a_result_is_none() -> None:
    record = read(result={**COMPARED, "script_monitor": {**SAME, "zone_id": B}})
    assert record["error"] and B in record["error"]["message"]


def test_jobs_of_another_zone_than_the_result() -> None:
    """A record without an id is about the zone of its result."""
    record = read_record("zones[0]", {"zone": "shop.example", "result": COMPARED, "jobs": {"zone_id": B, "jobs": []}})
    assert record["error"] and B in record["error"]["message"]


@pytest.mark.parametrize("spelling", [A, A.upper(), f"{A[:8]}-{A[8:]}"])
def test_spelling_of_an_id_does_not_matter(spelling: str) -> None:
    """The account of a zone, and what its account has, are those of no other zone."""
    record = read(
        account_id="c1", result={**COMPARED, "zone_id": spelling, "account_id": "c2"}, notifications={"account_id": "C1"}
    )
    assert record["error"] is None and isinstance(record["result"], Known) and isinstance(record["notifications"], Known)


@pytest.mark.parametrize("part", ["result", "jobs", "scripts", "pages"])
@pytest.mark.parametrize(
    ("forgiven", "kind"),
    [
        (FORGIVEN, "authentication"),
        ({"failed": "yes", "msg": "broken"}, "invalid_option"),
        ({"failed": False, "failed_when_result": True, "msg": "broken"}, "invalid_option"),
        ({"unreachable": 1, "msg": "no route"}, "unavailable"),
    ],
)
def test_failed_task_is_a_failure_whatever_its_playbook_made_of_it(part: str, forgiven: t.Any, kind: str) -> None:
    record = t.cast("dict[str, t.Any]", read(**{part: forgiven}))
    assert not isinstance(record[part], Known) and record["error"]["kind"] == kind


@pytest.mark.parametrize("part", ["jobs", "scripts", "pages"])
def test_module_that_broke_hides_no_other_zone(part: str) -> None:
    """A module that ended without a result has no reason in `error`; its zone alone could not be read."""
    broken = {"failed": False, "failed_when_result": False, "changed": False, "rc": 1, "msg": "MODULE FAILURE"}
    record = t.cast("dict[str, t.Any]", read(**{part: broken}))
    assert record["error"]["kind"] == "bad_response" and "is missing in the result" in record["error"]["message"]


def test_audit_that_a_gate_refused_is_read_whatever_its_playbook_made_of_it() -> None:
    refused = {**FORGIVEN, "error": {"kind": "gate"}, "findings": [{"kind": "new"}], "passed": False}
    record = read(scripts=refused)
    assert record["error"] is None and isinstance(record["scripts"], Known)


def test_skipped_comparison_has_compared_nothing() -> None:
    skipped = {"skipped": True, "changed": False, "skip_reason": "Conditional result was False"}
    record = read(result=skipped)
    assert record["error"] and record["error"]["message"] == "nothing was compared, because the task of this host was skipped"
    assert read(jobs=skipped, scripts=skipped)["error"] is None, "other parts count as omitted"


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (COMPARED, ""),
        # Nothing is declared for the zone.
        ({"changed": False, "custom_fields": {}, "jobs": {}, "script_monitor": {}, "content_security_rules": {}}, ""),
        ({"custom_fields": SAME}, ""),
        ({"custom_fields": None, "jobs": {"skipped": True}}, ""),
        # Results of other modules, of which two have a member with the name of a part.
        ({"changed": False, "msg": "hi"}, "it is not the result of zone_observability, because it has none of"),
        ({"changed": False, "job": None, "plan_id": "sha256:0"}, "it is not the result of zone_observability"),
        ({"changed": True, "job": None, "plan_id": "sha256:0"}, "it says that something differs"),
        ({"changed": True, "script_monitor": {"enabled": False}}, "script_monitor does not say whether it differs"),
        ({"changed": False, "custom_fields": {"request_fields": []}}, "custom_fields does not say whether it differs"),
        ({"jobs": {"changed": None}}, "jobs does not say whether it differs"),
    ],
)
def test_result_that_shows_no_comparison(result: t.Any, said: str) -> None:
    assert bool(why_untold(result)) is bool(said) and said in why_untold(result)
    record = read(result=result)
    assert (record["error"] is not None) is bool(said)


IDS = {"custom_fields": None, "jobs": None, "script_monitor": "sha256:0", "content_security_rules": None}
WHOLE: dict[str, t.Any] = {
    **{name: {} for name in IDS},
    "changed": True,
    "script_monitor": SAME,
    "plan_ids": IDS,
    "listed_jobs": [],
}


@pytest.mark.parametrize(
    ("lost", "is_told"),
    [
        ({}, True),
        ({"plan_ids": None}, False),
        ({"plan_ids": {**IDS, "jobs": "sha256:1"}}, False),
        ({"plan_ids": {"script_monitor": "sha256:0"}}, False),
        ({"jobs": None}, False),
        ({"script_monitor": {}}, False),
        ({"script_monitor": {**SAME, "plan_id": "sha256:1"}}, False),
        ({"script_monitor": {**SAME, "changed": None}}, False),
        ({"custom_fields": {"skipped": True}}, False),
    ],
)
def test_changed_of_a_task_adds_nothing_to_all_of_its_parts(lost: t.Any, is_told: bool) -> None:
    """A keyword (`changed_when`) may set it; where a part is missing, that may be the one that differs."""
    result = {**WHOLE, **lost}
    assert (not why_untold(result)) is is_told
    assert (read(result=result)["error"] is None) is is_told


def test_failure_of_an_older_core_repeats_no_value() -> None:
    start = "The task includes an option with an undefined variable. The error was: "
    for said in (
        f"{start}{{'destination_conf': 'https://x?a=s3cret'}}: 'nope' is undefined. 'nope' is undefined",
        f"{start}[{{'a': 's3cret'}}]",
    ):
        record = read(result={"failed": True, "msg": said})
        assert "s3cret" not in str(record) and "a variable cannot be evaluated" in record["error"]["message"]


def test_diff_alone_tells_a_record_and_no_prediction() -> None:
    """Records are written by hand, too. A prediction that hides that a secret differs would be written."""
    result = {"jobs": {"diff": {"before": {}, "after": {}}}}
    assert "jobs does not say whether it differs" in why_untold(result) and read(result=result)["error"] is None


@pytest.mark.parametrize(
    ("previous", "result", "others"),
    [
        (None, COMPARED, []),
        ("", COMPARED, []),
        (COMPARED, {**COMPARED, "zone_id": A.upper()}, []),
        ({**COMPARED, "zone_id": B}, COMPARED, [B]),
        ({**COMPARED, "zone_id": None, "account_id": B}, COMPARED, [B]),
        # What failed before it knew its zone stays unknown, and what was replaced before is not forgotten.
        (FORGIVEN, COMPARED, ["unknown"]),
        ({**FORGIVEN, "replaces": [B]}, COMPARED, [B, "unknown"]),
        ({**COMPARED, "zone_id": B}, {"zone_id": A, **FORGIVEN}, [B]),
        # A further try, and two zones of one account.
        ({**FORGIVEN, "zone_name": "a.example"}, {**COMPARED, "zone_name": "A.example"}, []),
        ({**FORGIVEN, "zone_name": "b.example"}, {**COMPARED, "zone_name": "a.example"}, ["b.example"]),
        ({**COMPARED, "zone_id": B, "account_id": "acc"}, {**COMPARED, "account_id": "acc"}, [B]),
        ({**COMPARED, "replaces": [B]}, COMPARED, [B]),
        ({**COMPARED, "zone_id": B, "replaces": [A]}, COMPARED, [B]),
        ({"skipped": True}, COMPARED, []),
    ],
)
def test_result_says_which_zones_its_variable_had_before(previous: t.Any, result: t.Any, others: list[str]) -> None:
    assert replaced_by(result, previous) == others
    reason = why_not_all({**result, "replaces": others})
    assert (reason is not None) is (bool(others) and not has_failed(result))
    assert reason is None or all(other in reason["message"] for other in others)
