# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time
import typing as t

import pytest

HEALTH = """query($z: [string!], $from: Time!, $to: Time!) {viewer{zones(filter:{zoneTag_in:$z}){zoneTag
  logpushHealthAdaptiveGroups(limit: 100, filter:{datetime_geq:$from, datetime_lt:$to, %s}, orderBy: [%s])
  {count sum{records bytes bytesCompressed uploads} avg{uploadDuration sampleInterval} max{timestamp} dimensions{%s}}}}}"""
SETTINGS = """{viewer{%s(filter:{%s:"%s"}){settings{%s
  {enabled availableFields maxDuration maxNumberOfFields maxPageSize notOlderThan}}}}}"""


def hours_ago(hours: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600 * hours))


def health(sim: t.Any, conditions: str = "final: 1", order: str = "jobId_ASC", by: str = "jobId success", **more: t.Any) -> t.Any:
    """Return the groups of the first zone in a query about the last day."""
    variables = {"z": [sim.zone], "from": hours_ago(24), "to": hours_ago(-1), **more}
    answer = sim.query(HEALTH % (conditions, order, by), **variables)
    assert answer["errors"] is None, answer
    return answer["data"]["viewer"]["zones"][0]["logpushHealthAdaptiveGroups"]


def message(answer: t.Any) -> str:
    assert answer["data"] is None and set(answer["errors"][0]) == {"message", "path", "extensions"}
    return str(answer["errors"][0]["message"])


@pytest.fixture
def jobs(zone: t.Any) -> list[int]:
    made = [
        {"destination_conf": conf, "enabled": True, "logpull_options": "fields=RayID,ClientIP"}
        for conf in ("s3://bucket?region=r", "https://logs.example/in")
    ]
    return [zone.result("POST", "/logpush/jobs", job)["id"] for job in made]


def test_deliveries_are_counted(sim: t.Any, jobs: list[int]) -> None:
    delivered = sim.traffic([{}, {}, {}])["files"]
    sim.traffic([{}])
    first, second = health(sim)
    assert [group["dimensions"] for group in (first, second)] == [{"jobId": job, "success": 1} for job in jobs]
    assert (first["count"], first["sum"]["uploads"], first["sum"]["records"]) == (2, 2, 4)
    assert first["sum"]["bytes"] > first["sum"]["bytesCompressed"] > 0 and len(delivered) == 2
    assert first["avg"] == {"uploadDuration": 0.2, "sampleInterval": 1.0} and first["max"]["timestamp"] >= hours_ago(0.1)
    assert health(sim, z=[sim.zones[1]]) == [], "nothing delivered is no group"


def test_failed_batches_are_counted(sim: t.Any, zone: t.Any, jobs: list[int]) -> None:
    """A try that is repeated is not final; a lost batch is final and has its number of records."""
    failures = [
        {"job_id": jobs[0], "status": 1105, "error": "no such host", "tries": 3},
        {"destination": "https:*", "tries": 2, "lost": False},
    ]
    report = sim.traffic([{}, {}], failures=failures)
    assert [file["job_id"] for file in report["files"]] == [jobs[1]]
    assert report["skipped"] == [{"job_id": jobs[0], "reason": "no such host"}]
    groups = health(sim, "AND: []", "jobId_ASC, final_ASC, status_ASC", "jobId final success status error")
    totals = [(*g["dimensions"].values(), g["count"], g["sum"]["records"]) for g in groups]
    assert totals == [
        (jobs[0], 0, 0, 1105, "no such host", 2, 4),
        (jobs[0], 1, 0, 1105, "no such host", 1, 2),
        (jobs[1], 0, 0, 503, "the destination answered 503", 2, 4),
        (jobs[1], 1, 1, 200, "", 1, 2),
    ]
    assert "no such host" in zone.result("GET", f"/logpush/jobs/{jobs[0]}")["error_message"]
    sim.settings(unwritable_destinations=["s3:*"])
    sim.traffic([{}])
    assert [g["sum"]["records"] for g in health(sim, "status: 403")] == [1]


def upload(hours: float, **more: t.Any) -> dict[str, t.Any]:
    return {"datetime": hours_ago(hours), "records": 10, "bytes": 1000, "bytes_compressed": 100, **more}


CONDITIONS = [
    ("status: 200", 2), ("status_neq: 200", 1), ("status_gt: 200", 1), ("status_geq: 200", 3), ("status_lt: 500", 2), ("status_leq: 200", 2),
    ("status_in: [200, 503]", 3), ("status_notin: [503]", 2), ('error_like: "%slow%"', 1), ('error_notlike: "%slow%"', 2),
    ("OR: [{jobId: 1}, {status: 503}]", 3), ("AND: [{jobId: 2}, {status: 503}]", 1), ('destinationType: "r2", status: null', 1),
]  # fmt: skip


@pytest.mark.parametrize(("conditions", "count"), CONDITIONS)
def test_filters_select_uploads(sim: t.Any, conditions: str, count: int) -> None:
    rows = [
        upload(2, job_id=1),
        upload(1, job_id=1, destination_type="r2"),
        upload(1, job_id=2, status=503, error="too slow", success=0),
    ]
    sim.seed(uploads={sim.zone: rows})
    assert sum(group["count"] for group in health(sim, conditions)) == count


def test_groups_are_ordered_and_limited(sim: t.Any) -> None:
    times = {hours: hours_ago(hours) for hours in (1, 2, 3, 30)}
    rows = [upload(hours, datetime=at, job_id=1, records=hours) for hours, at in times.items()]
    sim.seed(uploads={sim.zone: rows})
    hours = health(sim, order="sum_records_DESC", by="datetimeHour")
    assert [group["sum"]["records"] for group in hours] == [3, 2, 1] and all(
        g["dimensions"]["datetimeHour"].endswith(":00:00Z") for g in hours
    )
    groups = health(sim, order="datetime_ASC", by="datetime")
    assert [group["dimensions"] for group in groups] == [{"datetime": times[hours]} for hours in (3, 2, 1)]
    text = '{viewer{zones(filter:{zoneTag:"%s"}){logpushHealthAdaptiveGroups(limit:1,filter:{datetime_geq:"%s"},orderBy:[datetime_DESC]){...f}}}}'
    fragment = " fragment f on ZoneLogpushHealthAdaptiveGroups {dimensions{at: datetime ... {success}}}"
    (zone,) = sim.query(text % (sim.zone, hours_ago(4)) + fragment)["data"]["viewer"]["zones"]
    assert zone["logpushHealthAdaptiveGroups"] == [{"dimensions": {"at": times[1], "success": 1}}]


def test_usage_of_an_account_includes_its_zones(sim: t.Any, account: t.Any) -> None:
    today = time.strftime("%Y-%m-%d", time.gmtime())
    now = f"{today}T00:00:00Z"
    failed = {"datetime": now, "bytes": 5, "success": 0, "job_id": 9}
    sim.seed(
        uploads={sim.zone: [{"datetime": now, "bytes": 1000}, failed], account.id: [{"datetime": now, "bytes": 50, "job_id": 7}]}
    )
    text = """query($a: string!, $day: Date!) {viewer{accounts(filter:{accountTag:$a}){accountTag
      logpushUsageAdaptiveGroups(limit: 10, filter: {date_geq: $day, date_leq: $day}) {dimensions{date} sum{billableBytes}}
      logpushHealthAdaptiveGroups(limit: 10, filter: {date: $day}, orderBy: [jobId_ASC]) {sum{bytes} dimensions{jobId}}}}}"""

    def usage() -> t.Any:
        return sim.query(text, a=account.id, day=today)["data"]["viewer"]["accounts"][0]

    assert usage()["logpushUsageAdaptiveGroups"] == [{"dimensions": {"date": today}, "sum": {"billableBytes": 1050}}]
    assert [group["dimensions"]["jobId"] for group in usage()["logpushHealthAdaptiveGroups"]] == [7]
    sim.settings(graphql_account_has_zones=True)
    assert [group["dimensions"]["jobId"] for group in usage()["logpushHealthAdaptiveGroups"]] == [1, 7, 9]


def test_settings_have_the_limits_of_the_plan(sim: t.Any, account: t.Any) -> None:
    def settings(kind: str, owner: str, dataset: str = "logpushHealthAdaptiveGroups") -> t.Any:
        (node,) = sim.query(SETTINGS % (f"{kind}s", f"{kind}Tag", owner, dataset))["data"]["viewer"][f"{kind}s"]
        return node["settings"][dataset]

    zone_settings = settings("zone", sim.zone)
    assert {"count", "sum_records", "avg_uploadDuration", "max_timestamp", "dimensions_jobId"} <= set(
        zone_settings.pop("availableFields")
    )
    limits = {"maxDuration": 604800, "maxNumberOfFields": 30, "maxPageSize": 10000, "notOlderThan": 608400}
    assert zone_settings == {"enabled": True, **limits}
    assert settings("account", account.id)["maxDuration"] == 2592000
    assert settings("account", account.id, "logpushUsageAdaptiveGroups")["enabled"] is True
    sim.settings(graphql_disabled=["accounts/*"], graphql_zone_window=86400, graphql_hidden_fields=["sum_bytes"])
    assert settings("account", account.id)["enabled"] is False
    assert settings("zone", sim.zone)["maxDuration"] == 86400 and "sum_bytes" not in settings("zone", sim.zone)["availableFields"]


def ask(sim: t.Any, fields: str = "count", zones: str | None = None, limit: int = 1, since: str | None = None) -> t.Any:
    zones = zones or f'zoneTag: "{sim.zone}"'
    node = f'logpushHealthAdaptiveGroups(limit: {limit}, filter: {{datetime_geq: "{since or hours_ago(1)}"}}) {{{fields}}}'
    return sim.query(f"{{viewer{{zones(filter: {{{zones}}}) {{{node}}}}}}}")


ERRORS: list[tuple[dict[str, t.Any], dict[str, t.Any], str]] = [
    ({}, {"since": "2020-01-01T00:00:00Z"}, "cannot request data older than"),
    ({"graphql_zone_window": 3599}, {"since": "H2.5"}, "cannot request data older than"),
    ({"graphql_zone_window": 3599}, {"since": "H1.5"}, "query time range is too large"),
    ({}, {"limit": 0}, "limit must be positive number"),
    ({}, {"limit": -1}, "limit must be positive number"),
    ({"graphql_page_size": 10}, {"limit": 11}, "limit must be positive number"),
    ({}, {"fields": "counts"}, 'unknown field "counts"'),
    ({}, {"since": "yesterday"}, "error parsing args"),
    ({}, {"fields": "count }"}, "error parsing query"),
    ({"graphql_max_fields": 2}, {"fields": "count sum{bytes records}"}, "number of fields can't be more than 2"),
    ({"graphql_hidden_fields": ["sum_bytes"]}, {"fields": "sum{bytes}"}, "does not have access to the path sum_bytes"),
    ({"graphql_disabled": ["*Health*"]}, {}, "does not have access to the path"),
    ({}, {"zones": 'zoneTag: "ffff"'}, "zones [ffff] are not authorized"),
    ({}, {"zones": ""}, "zoneTag is required"),
    ({}, {"zones": "zoneTag_in: [" + ",".join(f'"{n}"' for n in range(11)) + "]"}, "queries too many nodes, zones and accounts"),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "arguments", "words"), ERRORS, ids=[row[2] for row in ERRORS])
def test_errors_come_with_200(sim: t.Any, settings: t.Any, arguments: t.Any, words: str) -> None:
    sim.settings(**settings)
    since = arguments.get("since", "")
    if since.startswith("H"):
        arguments = {**arguments, "since": hours_ago(float(since[1:]))}
    zones = arguments.get("zones")
    assert words in message(ask(sim, **{**arguments, "zones": 'zoneTag: ""' if zones == "" else zones}))
    assert sim.journal()[-1]["status"] == 200 and "viewer" in sim.journal()[-1]["body"]["query"]
    sim.settings(graphql_error_status=True)
    ask(sim, **{**arguments, "zones": 'zoneTag: ""' if zones == "" else zones})
    assert sim.journal()[-1]["status"] in (400, 403, 429)


def test_filter_may_be_a_variable(sim: t.Any) -> None:
    sim.seed(uploads={sim.zone: [upload(1)]})
    text = """query($f: ZoneLogpushHealthAdaptiveGroupsFilter_InputObject!, $o: [ZoneLogpushHealthAdaptiveGroupsOrderBy!], $n: uint64!, $z: string)
      {viewer{zones(filter:{zoneTag:$z}, limit: 1){logpushHealthAdaptiveGroups(filter:$f, orderBy:$o, limit:$n){count}}}}"""
    answer = sim.query(text, f={"datetime_geq": hours_ago(2), "status": 200}, o=["count_DESC"], n=5, z=sim.zone)
    assert answer["data"] == {"viewer": {"zones": [{"logpushHealthAdaptiveGroups": [{"count": 1}]}]}}
    wrong = sim.query(text, f={"datetime_geq": 5}, o=[], n=5, z=sim.zone)
    assert message(wrong).startswith("error parsing args")


def test_query_of_several_accounts_is_refused(sim: t.Any, account: t.Any) -> None:
    for tags, words in ((f'["{account.id}", "x"]', "too many nodes"), ('["x"]', "not authorized for that account")):
        assert words in message(sim.query(f"{{viewer{{accounts(filter:{{accountTag_in:{tags}}}){{accountTag}}}}}}"))


def test_queries_have_a_separate_rate_limit(sim: t.Any) -> None:
    sim.settings(rate_limit=1, graphql_rate_limit=2)
    assert [ask(sim)["errors"] for _unused in range(2)] == [None, None]
    assert message(ask(sim)).startswith("rate limiter budget depleted")
    assert sim.request("GET", "/zones")[0] == 200
    sim.settings(graphql_rate_limit=0)
    sim.faults(
        {"kind": "graphql_error"},
        {"kind": "graphql_error", "index": 1, "message": "unable to execute query", "status": 500},
    )
    assert message(ask(sim)).startswith("rate limiter budget depleted") and message(ask(sim)) == "unable to execute query"
    assert sim.journal()[-1]["status"] == 500


def test_queries_write_nothing(sim: t.Any) -> None:
    assert "mutation" in message(sim.query("mutation {zones}"))
    assert sim.writes() == [] and len(sim.journal()) == 1
    assert sim.request("POST", "/graphql", {"variables": {}})[0] == 400


def test_uploads_are_stored(sim: t.Any) -> None:
    sim.seed(uploads={sim.zone: [upload(1)]})
    kept = sim.snapshot()
    sim.reset()
    assert health(sim) == []
    sim.restore(kept)
    assert len(health(sim)) == 1
