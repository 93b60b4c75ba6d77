# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest

from edgeops_simulator.delivery import transform

PATH = "/logpush/transformers"
RECORD = {
    "ClientIP": "192.0.2.1",
    "RayID": "8a1",
    "RequestHeaders": {"user-agent": "x", "authorization": "Basic QQ=="},
    "Empty": {},
}
JOB = {"name": "j", "destination_conf": "https://logs.example/in", "enabled": True, "logpull_options": "fields=ClientIP,RayID"}


def create(account: t.Any, sql: str) -> t.Any:
    return account.result("POST", PATH, {"name": "redact", "code": sql})


def test_each_query_adds_a_version(account: t.Any, sim: t.Any) -> None:
    made = create(account, "SELECT RayID FROM http_requests")
    assert made["dataset"] == "http_requests"
    account.result("PUT", f"{PATH}/1", {"name": "redact", "code": "SELECT ClientIP FROM http_requests"})
    account.result("PUT", f"{PATH}/1", {"name": "renamed"})
    versions = account.result("GET", f"{PATH}/1/versions")
    assert [(version["id"], version["version"]) for version in versions] == [(2, 2), (1, 1)]
    assert account.result("GET", f"{PATH}/1/versions?limit=1") == versions[:1]
    assert account.result("GET", f"{PATH}/1/content")["content"] == "SELECT ClientIP FROM http_requests"
    assert account.result("GET", f"{PATH}/1/content?version_id=1")["content"] == "SELECT RayID FROM http_requests"
    assert account.refusal("GET", f"{PATH}/1/content?version_id=9")[0] == 404
    kept = sim.snapshot()
    sim.reset()
    sim.restore(kept)
    assert account.result("GET", f"{PATH}/1/versions") == versions


@pytest.mark.parametrize(
    ("sql", "dataset"),
    [
        ("SELECT * FROM http_requests", "http_requests"),
        ('WITH a AS (SELECT * FROM "firewall_events") SELECT * FROM a', "firewall_events"),
        ("SELECT extract(epoch FROM to_timestamp(EdgeStartTimestamp)) AS ts FROM http_requests", "http_requests"),
        ("SELECT RayID FROM http_requests WHERE ClientIP IS DISTINCT FROM OriginIP", "http_requests"),
        ("SELECT RayID FROM http_requests WHERE ClientIP IS NOT DISTINCT FROM OriginIP", "http_requests"),
        ("SELECT trim(both ' ' FROM RayID), substring(RayID FROM 2) FROM dns_logs", "dns_logs"),
        ("WITH a AS (SELECT extract(year FROM x) AS y FROM firewall_events) SELECT y FROM a", "firewall_events"),
        ("SELECT 'FROM nowhere' -- FROM nothing\nFROM dns_logs /* FROM x */", "dns_logs"),
    ],
)
def test_query_reads_one_dataset(sql: str, dataset: str) -> None:
    assert transform.dataset_of(sql) == dataset


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("SELECT 1", "FROM clause"),
        ("SELECT extract(epoch FROM http_requests)", "FROM clause"),
        ("SELECT * FROM input", "unknown dataset: input"),
        ("SELECT extract(year FROM x) FROM http_request", "unknown dataset: http_request"),
        ("WITH a AS (SELECT 1) SELECT * FROM a", "FROM clause"),
    ],
)
def test_query_without_a_dataset_is_refused(account: t.Any, sql: str, named: str) -> None:
    status, code, message = account.refusal("POST", PATH, {"name": "x", "code": sql})
    assert (status, code) == (400, 1004) and named in message


def test_missing_engine_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transform, "is_installed", lambda: False)
    with pytest.raises(transform.NotInstalled, match=r"edgeops-simulator\[transformers\]"):
        transform.Query("SELECT * FROM http_requests", None)


@pytest.mark.skipif(transform.is_installed(), reason="Apache DataFusion is installed")
def test_preview_without_the_engine_names_the_extra(account: t.Any) -> None:
    status, _code, message = account.refusal("POST", f"{PATH}/preview", {"input": {}, "sql": "SELECT * FROM http_requests"})
    assert status == 501 and transform.EXTRA in message


@pytest.mark.engine
@pytest.mark.parametrize(
    ("sql", "delivered"),
    [
        ("SELECT * FROM http_requests", RECORD),
        ("SELECT RayID FROM http_requests WHERE ClientIP = '198.51.100.1'", None),
        ("SELECT * EXCEPT (ClientIP, RequestHeaders, Empty) FROM http_requests", {"RayID": "8a1"}),
        ("SELECT RequestHeaders['user-agent'] AS Agent FROM http_requests", {"Agent": "x"}),
        ("SELECT RequestHeaders['x-missing'] AS Agent FROM http_requests", {"Agent": None}),
        ("SELECT named_struct('a', upper(RayID)) AS S, [1, 2] AS L FROM http_requests", {"S": {"a": "8A1"}, "L": [1, 2]}),
        ("SELECT OriginIP FROM http_requests", {"OriginIP": None}),
        ("WITH a AS (SELECT RayID FROM http_requests) SELECT * FROM a", {"RayID": "8a1"}),
        # Both examples of the vendor.
        (
            "SELECT extract(epoch FROM to_timestamp('2026-05-21T15:00:00Z')) AS unix_ts FROM http_requests",
            {"unix_ts": 1779375600},
        ),
        ("SELECT RayID FROM http_requests WHERE ClientIP IS DISTINCT FROM OriginIP", {"RayID": "8a1"}),
        ("SELECT UNNEST([7, 8]) AS N FROM http_requests", {"N": 7}),
        ("SELECT to_timestamp(1700000000) AS T FROM http_requests", {"T": "2023-11-14T22:13:20"}),
        ("SELECT sha256('a') AS H, CAST(1.5 AS DECIMAL(4,1)) AS D FROM http_requests", {"D": 1.5}),
    ],
)
def test_preview_returns_records_and_stores_nothing(account: t.Any, sql: str, delivered: t.Any) -> None:
    previewed = account.result("POST", f"{PATH}/preview", {"input": RECORD, "sql": sql})
    assert (
        {name: previewed[name] for name in delivered} == delivered if delivered and "H" in previewed else previewed == delivered
    )
    assert account.result("GET", PATH) == []


@pytest.mark.engine
@pytest.mark.parametrize(
    ("sql", "delivered"),
    [
        ("SELECT RayID FROM http_requests", [{"RayID": "8a1"}]),
        ("SELECT RayID FROM http_requests WHERE RayID = ''", []),
        ("SELECT UNNEST([7, 8]) AS N FROM http_requests", [{"N": 7}, {"N": 8}]),
    ],
)
def test_preview_may_answer_a_list(account: t.Any, sim: t.Any, sql: str, delivered: t.Any) -> None:
    sim.settings(preview_list=True)
    assert account.result("POST", f"{PATH}/preview", {"input": RECORD, "sql": sql}) == delivered


@pytest.mark.engine
@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELEC RayID FROM http_requests", "SELEC"),
        ("SELECT Nonsense FROM http_requests", "No field named"),
        ("SELECT count(*) FROM http_requests", "aggregates not supported"),
        ("SELECT RayID FROM http_requests ORDER BY RayID", "ORDER BY not supported"),
        ("SELECT row_number() OVER () FROM http_requests", "window functions not supported"),
        ("SELECT a.RayID FROM http_requests a, http_requests b", "joins not supported"),
        ("SELECT DISTINCT RayID FROM http_requests", "DISTINCT not supported"),
        ("SELECT RayID FROM http_requests WHERE RayID IN (SELECT RayID FROM http_requests)", "subqueries"),
        ("SELECT * FROM (SELECT RayID FROM http_requests)", "subqueries"),
        ("CREATE TABLE x AS SELECT * FROM http_requests", "DDL"),
        ("SELECT 1 FROM http_requests; SELECT 2 FROM http_requests", "single SQL statement"),
        ("SELECT CAST(ClientIP AS INT) FROM http_requests", "Cannot cast"),
    ],
)
def test_bad_query_is_refused(account: t.Any, sql: str, message: str) -> None:
    status, code, text = account.refusal("POST", f"{PATH}/preview", {"input": RECORD, "sql": sql})
    assert (status, code) == (400, 1004) and message in text


@pytest.mark.engine
def test_query_is_validated_before_it_is_stored(account: t.Any) -> None:
    assert account.refusal("POST", PATH, {"name": "x", "code": "SELECT Nonsense FROM http_requests"})[:2] == (400, 1004)
    create(account, "SELECT RayID FROM http_requests")
    assert account.refusal("PUT", f"{PATH}/1", {"name": "x", "code": "SELEC * FROM http_requests"})[:2] == (400, 1004)


@pytest.mark.engine
def test_records_are_transformed(account: t.Any, zone: t.Any, sim: t.Any) -> None:
    create(account, "SELECT * EXCEPT (ClientIP), '192.0.2.0' AS ClientIP FROM http_requests WHERE RayID <> 'secret'")
    zone.result("POST", "/logpush/jobs", {**JOB, "transformer_id": 1})
    zone.result("POST", "/logpush/jobs", {**JOB, "name": "raw"})
    delivered = sim.traffic(records=[{"ClientIP": "198.51.100.7", "RayID": "a"}, {"ClientIP": "198.51.100.8", "RayID": "secret"}])
    redacted, raw = delivered["files"]
    assert redacted["records"] == [{"RayID": "a", "ClientIP": "192.0.2.0"}] and len(raw["records"]) == 2
    nothing = sim.traffic(records=[{"ClientIP": "198.51.100.8", "RayID": "secret"}])
    assert nothing["skipped"] == [{"job_id": 1, "reason": "no record passed"}]


def test_failing_query_loses_the_batch(account: t.Any, zone: t.Any, sim: t.Any) -> None:
    """The error is in the job, and no untransformed record is delivered. Without DataFusion every query fails."""
    create(account, "SELECT CAST(RayID AS INT) AS RayID FROM http_requests")
    zone.result("POST", "/logpush/jobs", {**JOB, "transformer_id": 1})
    delivered = sim.traffic(records=[{"ClientIP": "198.51.100.7", "RayID": "abc"}])
    assert delivered["files"] == [] and "transformer: " in delivered["skipped"][0]["reason"]
    job = zone.result("GET", "/logpush/jobs/1")
    assert (
        job["last_error"].startswith("transformer: ")
        and ("Cannot cast" if transform.is_installed() else transform.EXTRA) in job["error_message"]
    )
