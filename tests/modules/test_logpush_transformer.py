# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from edgeops_simulator.delivery.transform import EXTRA, is_installed
from harness import Modules
from harness.outcome import Report

WRITE, READ = "edgeops.observability.logpush_transformer", "edgeops.observability.logpush_transformer_info"
SQL = "SELECT RayID, ClientIP FROM http_requests"
REDACTED = "SELECT RayID,   \n'192.0.2.0' AS ClientIP FROM http_requests\n\n"
RECORD = {"ClientIP": "198.51.100.7", "RayID": "8a1", "RequestHeaders": {"x-team": "blue", "authorization": "Basic QQ=="}}
JOB = {"id": 5, "name": "edge", "destination_conf": "https://logs.example/in", "enabled": True}


@pytest.fixture
def account(simulator: t.Any) -> dict[str, t.Any]:
    return {"account_id": simulator.account}


def run(modules: Modules, args: dict[str, t.Any], **more: t.Any) -> Report:
    return modules.run({"name": "Task", WRITE: args}, defaults={"account_id": modules.simulator.account}, **more)


def methods(report: Report) -> list[str]:
    return [f"{entry['method']} {entry['path'].rpartition('/')[2]}" for entry in report.journal]


@pytest.mark.every_core
def test_twelve_steps(modules: Modules, account: dict[str, t.Any]) -> None:
    created, modified, deleted = modules.lifecycle(
        "logpush_transformer",
        create={"name": "redact", "sql": SQL, "description": "d"},
        modify={"name": "redact", "sql": REDACTED},
        delete={"name": "redact", "state": "absent"},
        defaults=account,
    )
    assert [entry["body"] for entry in created.writes] == [{"name": "redact", "code": SQL, "description": "d"}]
    assert created.result["transformer"]["dataset"] == "http_requests" and created.result["transformer"]["version"] == 1
    assert [entry["body"] for entry in modified.writes] == [{"name": "redact", "code": REDACTED, "description": "d"}]
    transformer = modified.result["transformer"]
    assert (transformer["sql"], transformer["version"], transformer["description"]) == (
        "SELECT RayID,\n'192.0.2.0' AS ClientIP FROM http_requests",
        2,
        "d",
    )
    assert set(modified.diff["before"]) == {"name", "sql"}
    assert [entry["method"] for entry in deleted.writes] == ["DELETE"] and deleted.result["transformer"] is None
    assert created.result["effects"] == modified.result["effects"] == deleted.result["effects"] == []


def test_unchanged_query_is_not_sent(modules: Modules, account: dict[str, t.Any]) -> None:
    """Trailing blanks are ignored; a new description is written without the query, a new name with the description."""
    run(modules, {"name": "redact", "sql": "SELECT RayID\nFROM http_requests"})
    report = run(modules, {"name": "redact", "sql": "SELECT RayID \t\r\nFROM http_requests\n\n"})
    assert not report.result["changed"] and methods(report) == ["GET transformers", "GET content", "GET versions"]
    (described,) = modules.converge_each("logpush_transformer", [{"name": "redact", "description": "new"}], defaults=account)
    assert described.writes[0]["body"] == {"name": "redact", "description": "new"}
    number = described.result["transformer"]["id"]
    (renamed,) = modules.converge_each("logpush_transformer", [{"transformer_id": number, "name": "other"}], defaults=account)
    assert renamed.writes[0]["body"] == {"name": "other", "description": "new"}
    assert (
        renamed.diff == {"before": {"name": "redact"}, "after": {"name": "other"}}
        and renamed.result["transformer"]["version"] == 1
    )


def test_plan_of_changed_query_names_its_jobs(modules: Modules, simulator: t.Any) -> None:
    """The jobs are part of the plan, so that another job changes the plan id. A new description affects no job."""
    run(modules, {"name": "redact", "sql": SQL})
    simulator.seed(jobs={modules.zone: [{**JOB, "transformer_id": 1}]})
    report = run(modules, {"name": "redact", "sql": REDACTED}, check=True)
    jobs = [f"{modules.zone}/5"]
    assert report.result["effects"] == [{"name": "change_transformer", "subject": "redact", "detail": jobs}]
    associated = [{"id": 5, "name": "edge", "scope": "zone", "zone_id": modules.zone}]
    assert report.result["transformer"]["associated_jobs"] == associated
    first = report.result["plan_id"]
    simulator.seed(jobs={modules.zone: [{**JOB, "transformer_id": 1}, {**JOB, "id": 6, "transformer_id": 1}]})
    report = run(modules, {"name": "redact", "sql": REDACTED, "expected_plan_id": first}, fails="conflict")
    assert not report.writes
    assert run(modules, {"name": "redact", "sql": SQL, "description": "d"}).result["effects"] == []


def test_transformer_in_use_is_not_deleted(modules: Modules, simulator: t.Any) -> None:
    run(modules, {"name": "redact", "sql": SQL})
    simulator.seed(jobs={modules.zone: [{**JOB, "transformer_id": 1}]})
    report = run(modules, {"name": "redact", "state": "absent"}, fails="conflict")
    assert f"{modules.zone}/5 (edge)" in report.failure["msg"] and not report.writes


def test_duplicate_name_needs_an_id(modules: Modules, simulator: t.Any) -> None:
    simulator.seed(transformers={simulator.account: [{"id": 3, "name": "twin"}, {"id": 4, "name": "twin", "code": SQL}]})
    report = run(modules, {"name": "twin"}, fails="conflict")
    assert "3, 4" in report.failure["msg"]
    assert run(modules, {"transformer_id": 4}).result["transformer"]["sql"] == SQL
    run(modules, {"transformer_id": 9}, fails="not_found")
    assert not run(modules, {"transformer_id": 9, "state": "absent"}).result["changed"]


def test_name_of_another_transformer_is_refused(modules: Modules, simulator: t.Any) -> None:
    """Two of one name could not be told apart any more."""
    simulator.seed(transformers={simulator.account: [{"id": 3, "name": "a", "code": SQL}, {"id": 4, "name": "b", "code": SQL}]})
    report = run(modules, {"transformer_id": 4, "name": "a"}, fails="conflict")
    assert "transformer 3 is already named 'a'" in report.failure["msg"] and not report.writes
    simulator.seed(transformers={simulator.account: [{"id": 3, "name": "a", "code": SQL}, {"id": 4, "name": "a", "code": SQL}]})
    assert not run(modules, {"transformer_id": 4, "name": "a"}).result["changed"]


def test_listing_without_jobs_is_not_no_jobs(modules: Modules, simulator: t.Any) -> None:
    simulator.seed(transformers={simulator.account: [{"id": 3, "name": "a", "code": SQL}]})
    hidden = {"kind": "rewrite", "count": 99}
    simulator.faults(
        {**hidden, "set": {"0.associated_jobs": None}, "path": "*/transformers"},
        {**hidden, "set": {"associated_jobs": None}, "method": "PUT"},
    )
    report = run(modules, {"name": "a", "state": "absent"}, fails="bad_response")
    assert not report.writes and "associated_jobs" in report.failure["msg"]
    changed = run(modules, {"name": "a", "sql": REDACTED})
    assert changed.result["effects"] == [{"name": "change_transformer", "subject": "a", "detail": None}]
    assert changed.result["transformer"]["associated_jobs"] is None
    (transformer,) = modules.run({"name": "Read", READ: {}}, defaults={"account_id": simulator.account}).result["transformers"]
    assert transformer["associated_jobs"] is None


@pytest.mark.engine
@pytest.mark.parametrize(
    ("answer", "sample", "kind", "words"),
    [
        (["8a1"], {"expected": {"RayID": "8a1"}}, "bad_response", "the preview of the sample 's'"),
        ({}, {"expected": {"RayID": "8a1"}}, "gate", "the record would be {}"),
        ({"H": {"a": 1}}, {"expected": {"RayID": "8a1"}}, "gate", 'H, RayID would differ, and the record would be {"H"'),
        ({"record": {"RayID": "8a1"}}, {"absent": ["ClientIP"]}, "bad_response", "the sample 's' delivers 'record'"),
        ({"H": {"a": 1}}, {"absent": ["H.a"]}, "gate", "H.a must not be delivered"),
    ],
)
def test_preview_that_is_not_the_record_fails(
    modules: Modules, simulator: t.Any, answer: t.Any, sample: t.Any, kind: str, words: str
) -> None:
    simulator.faults({"kind": "wrong_result", "value": answer, "path": "*/preview"})
    report = run(modules, {"name": "redact", "sql": SQL, "samples": [{"name": "s", "input": RECORD, **sample}]}, fails=kind)
    assert words in report.failure["msg"] and not report.writes


@pytest.mark.engine
def test_preview_with_a_list_of_records(modules: Modules, simulator: t.Any) -> None:
    """The types of the SDKs have a list where the reference has a record."""
    sample = {"name": "two", "input": RECORD, "expected": [{"RayID": "8a1"}, {"RayID": "8a2"}]}
    simulator.faults({"kind": "wrong_result", "value": sample["expected"], "path": "*/preview", "count": 9})
    (verdict,) = run(modules, {"name": "redact", "sql": SQL, "samples": [sample]}).result["samples"]
    assert verdict["passed"] and verdict["delivered"] == sample["expected"]
    report = run(modules, {"name": "redact", "samples": [{**sample, "expected": None}]}, fails="gate")
    assert len(report.failure["samples"][0]["delivered"]) == 2


@pytest.mark.engine
@pytest.mark.parametrize("preview_list", [False, True])
def test_samples_pass_whatever_form_a_preview_has(modules: Modules, simulator: t.Any, preview_list: bool) -> None:
    simulator.settings(preview_list=preview_list)
    sql = f"{SQL} WHERE RayID <> 'health'"
    samples = [
        {"name": "kept", "input": RECORD, "expected": {"RayID": "8a1", "ClientIP": "198.51.100.7"}},
        {"name": "without headers", "input": RECORD, "absent": ["RequestHeaders"]},
        {"name": "dropped", "input": {**RECORD, "RayID": "health"}, "expected": None},
    ]
    args = {"name": "redact", "sql": sql, "samples": samples}
    (made,) = modules.converge_each("logpush_transformer", [args], defaults={"account_id": simulator.account})
    assert [len(verdict["delivered"]) for verdict in made.result["samples"]] == [1, 1, 0]
    dropped = run(modules, {**args, "samples": [{**samples[1], "input": samples[2]["input"]}]}, fails="gate")
    assert dropped.failure["samples"][0]["delivered"] == [] and not dropped.writes


def test_service_without_versions_route_has_null_version(modules: Modules, simulator: t.Any) -> None:
    simulator.settings(unknown_routes=["*/versions"])
    report = run(modules, {"name": "redact", "sql": SQL})
    assert report.result["changed"] and report.result["transformer"]["version"] is None


def test_stored_query_is_verified(modules: Modules, simulator: t.Any) -> None:
    simulator.faults({"kind": "rewrite", "set": {"content": "SELECT 1"}, "path": "*/content"})
    report = run(modules, {"name": "redact", "sql": SQL}, fails="bad_response")
    assert "sql" in report.failure["msg"] and report.failure["changed"] is True


def test_info_selects_by_name_and_id(modules: Modules, simulator: t.Any) -> None:
    simulator.seed(transformers={simulator.account: [{"id": 4, "name": "b", "code": SQL}, {"id": 3, "name": "a"}]})
    defaults = {"account_id": simulator.account}
    asked: list[dict[str, t.Any]] = [{}, {"name": "b"}, {"transformer_id": 3}, {"name": "b", "transformer_id": 3}]
    listings = [modules.run({"name": "Read", READ: args}, defaults=defaults).result["transformers"] for args in asked]
    assert [[transformer["id"] for transformer in listed] for listed in listings] == [[3, 4], [4], [3], []]
    assert listings[1][0]["sql"] == SQL and listings[1][0]["version"] == 1


SAMPLE = {"name": "s", "input": RECORD, "absent": ["ClientIP"]}


@pytest.mark.skipif(is_installed(), reason="Apache DataFusion is installed")
def test_sample_that_cannot_run_is_a_failure(modules: Modules) -> None:
    for check in (True, False):
        report = run(modules, {"name": "redact", "sql": SQL, "samples": [SAMPLE]}, check=check, fails="unavailable")
        assert EXTRA in report.failure["msg"] and "has not passed" in report.failure["msg"] and not report.writes


@pytest.mark.parametrize(("status", "kind"), [(403, "permission"), (404, "not_found"), (405, "rejected"), (500, "unavailable")])
def test_refused_preview_fails(modules: Modules, simulator: t.Any, status: int, kind: str) -> None:
    simulator.faults({"kind": "status", "status": status, "code": 1999, "path": "*/preview"})
    report = run(modules, {"name": "redact", "sql": SQL, "samples": [SAMPLE]}, fails=kind)
    assert "The sample 's' could not be run" in report.failure["msg"] and not report.writes


@pytest.mark.parametrize(("code", "kind"), [(6003, "authentication"), (7003, "rejected")])
def test_preview_that_is_refused_for_another_reason_blames_no_query(
    modules: Modules, simulator: t.Any, code: int, kind: str
) -> None:
    simulator.faults({"kind": "status", "status": 400, "code": code, "path": "*/preview"})
    report = run(modules, {"name": "redact", "sql": SQL, "samples": [SAMPLE]}, fails=kind)
    assert "The sample 's' could not be run" in report.failure["msg"] and not report.writes


def test_refused_query_is_an_invalid_option(modules: Modules, simulator: t.Any) -> None:
    simulator.faults(
        {"kind": "status", "status": 400, "code": 1004, "message": "invalid SQL: no field \x1b[1mFoo", "path": "*/preview"}
    )
    report = run(modules, {"name": "redact", "sql": SQL, "samples": [SAMPLE]}, check=True, fails="invalid_option")
    assert report.failure["msg"].startswith("sql: ") and "invalid SQL: no field" in report.failure["msg"]
    assert "\x1b" not in report.failure["msg"]


@pytest.mark.engine
def test_samples_run_in_every_run(modules: Modules, account: dict[str, t.Any]) -> None:
    """Samples are also tested in check mode, and in a run that changes nothing."""
    samples = [
        {"name": "redacted", "input": RECORD, "expected": {"RayID": "8a1", "ClientIP": "192.0.2.0"}},
        {"name": "nothing else", "input": RECORD, "absent": ["RequestHeaders.authorization", "Cookies"]},
    ]
    args = {"name": "redact", "sql": REDACTED, "samples": samples}
    (made,) = modules.converge_each("logpush_transformer", [args], defaults=account)
    assert [verdict["passed"] for verdict in made.result["samples"]] == [True, True]
    assert [entry["path"].rpartition("/")[2] for entry in made.reapplied.journal] == ["transformers", "content", "versions"] + [
        "preview"
    ] * 2
    again = run(modules, {"name": "redact", "samples": samples[:1]})
    assert again.result["samples"][0]["delivered"] == [{"RayID": "8a1", "ClientIP": "192.0.2.0"}]
    gone = run(modules, {"name": "redact", "state": "absent", "samples": [{**samples[0], "expected": None}]})
    assert gone.result["samples"] == []


@pytest.mark.engine
def test_query_with_failing_sample_is_refused(modules: Modules) -> None:
    """The refusal contains the record, in check mode as well, and comes before any write."""
    samples = [
        {"name": "no address", "input": RECORD, "absent": ["ClientIP"]},
        {"name": "filtered", "input": RECORD, "expected": None},
        {"name": "exact", "input": RECORD, "expected": {"RayID": "8a2", "ClientIP": "198.51.100.7"}},
        {"name": "good", "input": RECORD, "absent": ["Cookies"]},
    ]
    delivered = [{"RayID": "8a1", "ClientIP": "198.51.100.7"}]
    for check in (True, False):
        report = run(modules, {"name": "redact", "sql": SQL, "samples": samples}, check=check, fails="gate")
        failed = report.failure
        assert failed["changed"] is False and not report.writes and failed["plan_id"] and failed["diff"]["after"]["sql"] == SQL
        assert failed["samples"] == [
            {"name": "no address", "passed": False, "delivered": delivered, "differences": ["ClientIP"]},
            {"name": "filtered", "passed": False, "delivered": delivered, "differences": ["ClientIP", "RayID"]},
            {"name": "exact", "passed": False, "delivered": delivered, "differences": ["RayID"]},
            {"name": "good", "passed": True, "delivered": delivered, "differences": []},
        ]
        assert "samples: 3 of 4 failed" in failed["msg"] and '"ClientIP": "198.51.100.7"' in failed["msg"]


@pytest.mark.engine
def test_bad_query_fails_in_preview(modules: Modules) -> None:
    report = run(
        modules, {"name": "redact", "sql": "SELECT Nonsense FROM http_requests", "samples": [SAMPLE]}, fails="invalid_option"
    )
    assert report.failure["msg"].startswith("sql: ") and "No field named" in report.failure["msg"]


@pytest.mark.engine
def test_null_in_sample_is_compared(modules: Modules) -> None:
    sample = {"name": "s", "input": {"RayID": None, "ClientIP": "x"}, "expected": {"RayID": None, "ClientIP": "192.0.2.0"}}
    assert run(modules, {"name": "redact", "sql": REDACTED, "samples": [sample]}).result["samples"][0]["passed"] is True


INVALID: dict[str, dict[str, t.Any]] = {
    "name: is empty": {"name": ""},
    "name: 256 bytes": {"name": "é" * 128},
    "transformer_id: 0": {"transformer_id": 0},
    "sql: is empty": {"name": "x", "sql": " \n"},
    "sql: 10241 bytes": {"name": "x", "sql": "x" * 10_241},
    "sql: is required": {"name": "x"},
    "description: 4097 characters": {"name": "x", "description": "x" * 4097},
    "samples[0].name: must be": {"samples": [{"input": {}, "expected": {}}]},
    "samples[0].input: must be": {"samples": [{"name": "a", "expected": {}}]},
    "samples[0]: one of expected": {"samples": [{"name": "a", "input": {}}]},
    "samples[0]: expected and absent": {"samples": [{"name": "a", "input": {}, "expected": None, "absent": ["x"]}]},
    "samples[1].name: 'a' is also": {"samples": [{"name": "a", "input": {}, "expected": None}] * 2},
    "samples[0].expect: is unknown (did you mean 'expected'?)": {"samples": [{"name": "a", "input": {}, "expect": {}}]},
    "samples[0].expected: must be": {"samples": [{"name": "a", "input": {}, "expected": "x"}]},
    "samples[0].absent: must be": {"samples": [{"name": "a", "input": {}, "absent": []}]},
    "samples[0].absent[1]: must be": {"samples": [{"name": "a", "input": {}, "absent": ["x", 1]}]},
    "samples[0].absent[0]: must be": {"samples": [{"name": "a", "input": {}, "absent": ["H."]}]},
    "samples[0].input.n: inf": {"samples": [{"name": "a", "input": {"n": float("inf")}, "expected": {}}]},
}


@pytest.mark.parametrize("message", INVALID)
def test_invalid_options_are_refused(modules: Modules, message: str) -> None:
    args = INVALID[message]
    report = run(modules, {"name": "x", "sql": SQL, **args} if "samples" in args else args, fails="invalid_option")
    assert report.failure["msg"].startswith(message)
    assert methods(report) == (["GET transformers"] if message.startswith("sql: is required") else [])
