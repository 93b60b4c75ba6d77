# SPDX-License-Identifier: GPL-3.0-or-later

import time
import typing as t

import pytest

from harness import Modules

JOB = {"job_id": 4, "destination_type": "s3"}
MODULE = "edgeops.observability.logpush_delivery_info"


def upload(hours: float, **more: t.Any) -> dict[str, t.Any]:
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3600 * hours))
    return {"datetime": moment, "records": 10, "bytes": 1000, "bytes_compressed": 100, **JOB, **more}


def run(modules: Modules, check: bool = False, fails: str | None = None, warns: t.Sequence[str] = (), **options: t.Any) -> t.Any:
    return modules.run({"name": "Read", MODULE: options}, defaults={}, check=check, fails=fails, warns=warns)


@pytest.mark.every_core
@pytest.mark.parametrize("check", [True, False])
def test_delivered_and_lost_batches(modules: Modules, check: bool) -> None:
    """Delivered batches, retried batches and lost batches are counted separately, in check mode as well."""
    lost = {"status": 403, "error": "access denied", "success": 0, "records": 7}
    rows = [upload(5), upload(3), upload(2, **lost, final=0), upload(1, **lost), upload(1, job_id=9), upload(30)]
    modules.simulator.seed(uploads={modules.zone: rows})
    report = run(modules, check, zone_id=modules.zone)
    result = report.result
    assert result["available"] and result["reason"] is None and not result["changed"]
    first, second = result["jobs"]
    times = first.pop("first"), first.pop("last")
    assert times[0][11:] == f"{rows[0]['datetime'][11:13]}:00:00Z" and times[1] == rows[3]["datetime"]
    assert first == {
        "zone_id": modules.zone, "job_id": 4, "uploads": 2, "records": 20, "failed_uploads": 1, "dropped_records": 7, "retries": 1,
        "bytes": 2000, "bytes_compressed": 200, "statuses": {"200": 2, "403": 1},
    }  # fmt: skip
    assert (second["job_id"], second["dropped_records"], result["usage"], result["cost"]) == (9, 0, None, None)
    assert [(entry["method"], entry["path"]) for entry in report.journal] == [("POST", "/graphql")]


def test_fields_that_the_plan_lacks_are_null(modules: Modules) -> None:
    modules.simulator.seed(uploads={modules.zone: [upload(1)]})
    modules.simulator.settings(graphql_hidden_fields=["dimensions_final", "sum_bytes"])
    (job,) = run(modules, zone_id=modules.zone).result["jobs"]
    assert (job["uploads"], job["bytes"], job["dropped_records"], job["retries"]) == (1, None, None, None)


def test_plan_without_analytics(modules: Modules) -> None:
    """If the plan has no analytics, the task succeeds and returns the reason; if one of several zones has none, there is a warning."""
    other = "f" * 32
    modules.simulator.seed(zones=[other], uploads={other: [upload(1)]})
    modules.simulator.settings(graphql_disabled=[f"zones/{modules.zone}/*"])
    result = run(modules, zone_id=modules.zone).result
    assert result["available"] is False and "has no logpushHealthAdaptiveGroups" in result["reason"] and result["jobs"] == []
    both = run(modules, zone_ids=[modules.zone, other], warns=["There are no delivery facts of the zone"])
    assert both.result["available"] and [job["zone_id"] for job in both.result["jobs"]] == [other]
    modules.simulator.faults({"kind": "status", "status": 404, "path": "/graphql"})
    assert run(modules, zone_id=modules.zone).result["available"] is False


@pytest.mark.parametrize("fault", ["500", "not_json"])
def test_other_errors_fail(modules: Modules, fault: str) -> None:
    modules.simulator.faults({"kind": fault, "path": "/graphql"})
    run(modules, zone_id=modules.zone, fails="unavailable" if fault == "500" else "bad_response")


def test_query_is_retried(modules: Modules) -> None:
    """This POST only reads, and is retried like GET."""
    modules.simulator.faults({"kind": "503", "path": "/graphql", "count": 1})
    assert len(run(modules, zone_id=modules.zone).journal) == 2


def test_costs_are_estimated_with_published_or_own_rates(modules: Modules) -> None:
    account = modules.simulator.account
    gigabytes = 1_000_000_000
    delivered = [{"destination_type": "r2", "bytes": 40 * gigabytes}, {"bytes": 60 * gigabytes}, {"bytes": 9, "success": 0}]
    modules.simulator.seed(uploads={account: [upload(0.01, **row) for row in delivered]})
    result = run(modules, account_id=account, costs=True).result
    cost = result["cost"]
    assert sum(day["billable_bytes"] for day in result["usage"]) == 100 * gigabytes
    assert (cost["internal"]["amount"], cost["external"]["amount"], cost["amount"]) == (0.45, 3.5, 3.95)
    assert cost["estimated"] is False and result["account_id"] == result["jobs"][0]["account_id"] == account
    modules.simulator.settings(graphql_disabled=["*/logpushUsageAdaptiveGroups"])
    own = {"external": {"usd_per_gb": 1.0, "free_gb": 0.0}}
    estimated = run(modules, account_id=account, costs=True, rates=own).result
    assert estimated["usage"] is None and estimated["cost"]["estimated"] and estimated["cost"]["amount"] == 60.45


@pytest.mark.parametrize("page_size", [60, 10, 3])
@pytest.mark.parametrize("usage", [True, False])
def test_costs_count_what_a_page_leaves_out(modules: Modules, page_size: int, usage: bool) -> None:
    """Days of usage, and rows of deliveries, that do not fit on a page are read with further queries."""
    account, gigabyte = modules.simulator.account, 1_000_000_000
    hours = time.gmtime().tm_mday * 24 - 24 + time.gmtime().tm_hour
    rows = [upload(0.01 + hours * number / 40, job_id=number, bytes=gigabyte) for number in range(40)]
    modules.simulator.seed(uploads={account: rows})
    modules.simulator.settings(graphql_page_size=page_size, graphql_account_window=31 * 86400, graphql_usage_window=31 * 86400)
    if not usage:
        modules.simulator.settings(graphql_disabled=["*/logpushUsageAdaptiveGroups"])
    result = run(modules, account_id=account, costs=True).result
    assert (result["cost"]["external"]["gb"], result["cost"]["amount"], result["cost"]["estimated"]) == (40.0, 1.5, not usage)


@pytest.mark.parametrize(
    ("hidden", "external"), [("dimensions_destinationType", 60.0), ("sum_bytes", None)], ids=["destinations", "bytes"]
)
def test_costs_without_a_field_of_the_plan(modules: Modules, hidden: str, external: float | None) -> None:
    """Without types of destinations all bytes are external; if no bytes are known, the cost is null, and the facts are there."""
    account = modules.simulator.account
    modules.simulator.seed(uploads={account: [upload(0.01, bytes=60_000_000_000)]})
    modules.simulator.settings(graphql_hidden_fields=[hidden])
    billed = run(modules, account_id=account, costs=True).result
    assert billed["cost"]["external"]["gb"] == 60.0 and "by destination" in billed["cost"]["assumptions"][-1]
    modules.simulator.settings(graphql_disabled=["*/logpushUsageAdaptiveGroups"])
    warns = [] if external else ["cost is null"]
    estimated = run(modules, account_id=account, costs=True, warns=warns).result
    assert len(estimated["jobs"]) == 1 and (estimated["cost"] and estimated["cost"]["external"]["gb"]) == external


def test_costs_exclude_datasets_without_price_per_gigabyte(modules: Modules) -> None:
    account, gigabyte = modules.simulator.account, 1_000_000_000
    job = {"destination_conf": "https://logs.example.com/in"}
    jobs = [{**job, "id": 41, "dataset": "workers_trace_events"}, {**job, "id": 42, "dataset": "gateway_dns"}]
    delivered = [{"job_id": item["id"], "bytes": 60 * gigabyte} for item in jobs]
    modules.simulator.seed(jobs={account: jobs}, uploads={account: [upload(0.01, **row) for row in delivered]})
    modules.simulator.settings(graphql_disabled=["*/logpushUsageAdaptiveGroups"])
    cost = run(modules, account_id=account, costs=True).result["cost"]
    assert (cost["external"]["gb"], cost["amount"], cost["excluded"]) == (60.0, 3.5, ["workers_trace_events"])
    assert "workers_trace_events (job 41)" in cost["assumptions"][-1]
    modules.simulator.faults({"kind": "status", "status": 403, "path": "*/logpush/jobs", "code": 10000, "message": "no"})
    unknown = run(modules, account_id=account, costs=True).result["cost"]
    assert (unknown["amount"], unknown["excluded"]) == (9.5, []) and "cannot be listed" in unknown["assumptions"][-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "zone_ids: zone_ids, zone_id, zone_name or account_id: one of them is required"),
        ({"zone_ids": []}, "zone_ids: the list is empty"),
        (
            {"zone_ids": ["a"], "zone_id": "b"},
            "zone_ids: zone_ids, zone_id, zone_name or account_id: only one of them can be set",
        ),
        ({"zone_ids": ["a", "../b"]}, "zone_ids[1]: '../b' is not 1 to 32"),
        ({"zone_id": "a", "since": 721}, "since: 721 is not a number of hours from 1 to 720"),
        ({"zone_id": "a", "costs": True}, "costs: costs arise for an account"),
        ({"account_id": "a", "rates": {"external": {"free_gb": -1}}}, "rates.external.free_gb: -1.0 is not"),
    ],
)
def test_invalid_options_send_nothing(modules: Modules, options: dict[str, t.Any], message: str) -> None:
    report = run(modules, fails="invalid_option", **options)
    assert report.failure["msg"].startswith(message) and not report.journal
