# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields and datasets that a job no longer gets, and bills above a budget."""

import pytest
from support.samples.fleet import items, job, report, row, zone_id

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.plugin_utils._report.gates import unjudged

SELECTING = {
    "output_options": {"field_names": ["RayID", "Gone"]},
    "filter": {"where": {"key": "Lost", "operator": "eq", "value": 1}},
}
FIELDS = {"http_requests": {"fields": {"RayID": "", "ClientIP": ""}}}
DENIED = {
    "failed": True,
    "msg": "no right",
    "error": {"kind": "permission", "path": "/zones/a/logpush/datasets/http_requests/fields"},
}


def zone(name="a", **members):
    return {"zone": name, "zone_id": zone_id(name), "account_id": "ac", "declared": False, "jobs": [job(**SELECTING)], **members}


def account(**members):
    return {
        "zone": "acme",
        "account_id": "ac",
        "scope": "account",
        "account_name": "Shop",
        "declared": False,
        "jobs": [],
        **members,
    }


def found(made, name, *types):
    return [(item["type"], item["subject"], item["member"]) for item in items(made, name) if item["type"] in types]


@pytest.mark.parametrize(
    ("fields", "jobs", "expected"),
    [
        (FIELDS, [job(**SELECTING)], [("field_removed", "edge", "Gone"), ("field_removed", "edge", "Lost")]),
        (FIELDS, [job(output_options={"field_names": ["RayID"]})], []),
        (FIELDS, [job(**SELECTING, enabled=False)], []),
        # Selected and compared is one finding.
        (
            FIELDS,
            [job(output_options={"field_names": ["Lost"]}, filter=SELECTING["filter"])],
            [("field_removed", "edge", "Lost")],
        ),
        ({"http_requests": {"fields": {}}}, [job(**SELECTING)], [("not_readable", "http_requests", "not_readable")]),
        ({"http_requests": DENIED}, [job(**SELECTING)], [("not_readable", "http_requests", "not_readable")]),
        ({"dns_logs": {"fields": {"A": ""}}}, [job(**SELECTING)], [("not_readable", "http_requests", "not_readable")]),
        # A member of a field is no field, and what the service makes of it in a filter is not documented.
        (FIELDS, [job(filter={"key": "RayID.a", "operator": "eq", "value": 1})], [("not_readable", "edge", "not_readable")]),
        (FIELDS, [job(filter={"key": "Gone.a", "operator": "eq", "value": 1})], [("field_removed", "edge", "Gone.a")]),
        # What a job delivers may not be known.
        (
            FIELDS,
            [job(output_options=None, unreadable=["output_options"], destination={})],
            [("not_readable", "edge", "not_readable")],
        ),
        (FIELDS, [job(dataset=None, destination={})], [("not_readable", "edge", "not_readable")]),
        ({}, [job(dataset=None, destination={})], [("not_readable", "edge", "not_readable")]),
        (
            FIELDS,
            [job(output_options={"field_names": ["Gone"]}, filter="zzz")],
            [("field_removed", "edge", "Gone"), ("not_readable", "edge", "not_readable")],
        ),
        (None, [job(**SELECTING)], []),
    ],
)
def test_removed_field_is_a_finding_of_its_job(fields, jobs, expected):
    made = report(zone(fields=fields, jobs=jobs))
    of_fields = [item for item in items(made, "a") if item["resource"] == "fields"]
    assert [(item["type"], item["subject"], item["member"]) for item in of_fields] == expected
    assert all(item["severity"] == "high" for item in items(made) if item["type"] == "field_removed")


@pytest.mark.parametrize(
    ("boundary", "dataset", "expected"),
    [
        ({"regions": ["eu"]}, "nel_reports", ["a", "acme"]),
        ({"regions": ["eu"]}, "http_requests", ["acme"]),
        ({"regions": ["eu"], "allow_out_of_region_access": True}, "nel_reports", []),
        ({"regions": ["us"]}, "nel_reports", []),
        (DENIED, "nel_reports", []),
        ({"regions": ["eu"]}, None, ["acme"]),
    ],
)
def test_job_outside_the_region_is_a_finding_where_it_is(boundary, dataset, expected):
    made = report(
        zone(jobs=[job(dataset=dataset, destination={})]), account(boundary=boundary, jobs=[job("audit", dataset="audit_logs")])
    )
    assert [name for name in ("a", "acme") if found(made, name, "region_gap")] == expected
    reasons = [gap["reason"] for gap in made["not_audited"] if gap["part"] == "boundary"]
    assert bool(reasons) is (boundary is DENIED or dataset is None)


def test_region_that_the_table_lacks_is_not_audited():
    made = report(zone(), account(boundary={"regions": ["zz"]}))
    (gap,) = [gap for gap in made["not_audited"] if gap["part"] == "boundary"]
    assert "'zz'" in gap["reason"]


COST = {
    "month": "2026-01",
    "internal": {"gb": 0.0},
    "external": {"gb": 437.0},
    "estimated": True,
    "excluded": ["workers_trace_events"],
}
NOW = "2026-01-13T00:00:00Z"


def test_bill_above_the_budget_is_a_finding_with_its_sentence():
    rows = [{"zone_id": zone_id("a"), "job_id": 1, "bytes": 61}, {"zone_id": zone_id("a"), "job_id": 2, "bytes": 39}]
    jobs = [job(id=1), job("dns", id=2, dataset="dns_logs")]
    made = report(zone(jobs=jobs, delivery=rows), account(cost=COST), at=NOW, monthly_budget_usd=100)
    (item,) = [item for item in items(made, "acme") if item["type"] == "over_budget"]
    assert item["is"] == (
        "Logpush of account 'Shop' cost 41.20 USD in 12 days and will cost about 110 USD this month, above 100"
        " (estimated; without transformers and workers_trace_events): http_requests of a 61 %"
    )
    assert (item["severity"], item["resource"], item["subject"]) == ("medium", "delivery", "ac")
    assert row(made, "acme")["budget"] == {
        "usd": 100.0,
        "so_far": 41.2,
        "projected": pytest.approx(110.39, abs=0.01),
        "days": 12,
        "estimated": True,
        "excluded": ["workers_trace_events"],
    }


@pytest.mark.parametrize(
    ("cost", "budget", "types"),
    [
        (COST, 111, []),
        (COST, "111", []),
        (COST, 110, ["over_budget"]),
        ({**COST, "budget_usd": 50}, None, ["over_budget"]),
        ({**COST, "budget_usd": 500}, 50, []),
        # Nor are figures of a part of the month, unless they are above the budget already.
        ({**COST, "since": "2026-01-01T00:00:00Z"}, 500, []),
        ({**COST, "since": "2026-01-12T00:00:00Z"}, 500, ["not_readable"]),
        ({**COST, "since": "2026-01-12T00:00:00Z"}, 41, ["over_budget"]),
        ({**COST, "since": None}, 500, ["not_readable"]),
        ({**COST, "missing_days": {"2026-01-03": 5}}, 500, ["not_readable"]),
        ({**COST, "missing_days": {"2026-01-03": None}}, 500, ["not_readable"]),
        ({**COST, "missing_days": {"2026-01-03": 0}}, 500, []),
        ({**COST, "missing_days": {"2026-01-03": 5}}, 41, ["over_budget"]),
        # No figures are never a pass.
        ({**COST, "month": "2025-12"}, 100, ["not_readable"]),
        ({**COST, "external": None}, 100, ["not_readable"]),
        (DENIED, 100, ["not_readable"]),
        (None, 100, ["not_readable"]),
        (None, None, []),
        (COST, None, []),
    ],
)
def test_budget_is_compared_or_not_known(cost, budget, types):
    made = report(account(cost=cost), at=NOW, monthly_budget_usd=budget)
    assert [item["type"] for item in items(made, "acme") if item["resource"] == "delivery"] == types


@pytest.mark.parametrize("budget", ["", "x", True, "inf", 0, -1, [1]])
def test_budget_that_is_no_amount_is_refused(budget):
    with pytest.raises(Failure, match=r"monthly_budget_usd: .* is not a number above 0"):
        report(account(), monthly_budget_usd=budget)


NO_BYTES = {"external": {"gb": 0.0}}
NOTHING = {**COST, **NO_BYTES}
DELIVERED = [{"zone_id": zone_id("a"), "job_id": 1, "bytes": 61}]
BILLED = {**COST, "estimated": False}
OWN = [job("audit", id=9, dataset="audit_logs")]
ON_ACCOUNT = [{"account_id": "ac", "job_id": 1, "bytes": 5}]


@pytest.mark.parametrize(
    ("cost", "of_account", "of_zone", "types"),
    [
        # The account shows nothing of what its zone delivers, or shows its own jobs only.
        (NOTHING, {}, {"delivery": DELIVERED}, ["not_readable"]),
        (NOTHING, {}, {"account_id": "AC", "delivery": DELIVERED}, ["not_readable"]),
        (NOTHING, {}, {"account_id": None, "delivery": DELIVERED}, ["not_readable"]),
        (NOTHING, {}, {"delivery": None}, ["not_readable"]),
        (NOTHING, {}, {"delivery": []}, ["not_readable"]),
        (NOTHING, {}, {"jobs": {"failed": True, "msg": "no"}}, ["not_readable"]),
        ({**COST, "jobs": [9]}, {"jobs": OWN}, {"delivery": DELIVERED}, ["not_readable"]),
        ({**COST, "jobs": [9, 1]}, {"jobs": OWN}, {"delivery": DELIVERED}, []),
        # Of an account whose own job has the same number.
        ({**COST, "jobs": [1]}, {"jobs": [job("audit", id=1)]}, {"delivery": DELIVERED}, ["not_readable"]),
        ({**COST, "jobs": None}, {"jobs": OWN, "delivery": ON_ACCOUNT}, {"delivery": DELIVERED}, []),
        (COST, {}, {"delivery": DELIVERED}, []),
        # What was never delivered, or not in this month, is missing nowhere.
        (NOTHING, {}, {"jobs": [], "delivery": []}, []),
        (NOTHING, {}, {"jobs": [job(enabled=False, last_complete="2025-12-31T23:00:00Z")]}, []),
        (NOTHING, {}, {"jobs": [job(enabled=False, last_complete=None)]}, []),
        (NOTHING, {}, {"jobs": [job(enabled=False, last_complete="2026-01-01T00:00:00Z")]}, ["not_readable"]),
        (NOTHING, {}, {"jobs": [job(enabled=False, last_complete="lately")]}, ["not_readable"]),
        (NOTHING, {}, {"jobs": [job(last_complete=None)], "delivery": []}, []),
        (NOTHING, {}, {"jobs": [job(last_complete="2025-12-31T23:00:00Z")], "delivery": []}, []),
        ({**BILLED, **NO_BYTES, "missing_days": {"2026-01-03": 0}}, {}, {"jobs": [job(last_complete=None)]}, []),
        (NOTHING, {}, {"account_id": "other", "delivery": DELIVERED}, []),
        # What the service bills is of the whole account.
        (BILLED, {}, {"delivery": DELIVERED}, []),
        # Unless it bills nothing of a day on which only the jobs of zones may have delivered.
        ({**BILLED, "missing_days": {"2026-01-03": 0}}, {}, {"delivery": DELIVERED}, ["not_readable"]),
        ({**BILLED, "missing_days": {"2026-01-03": 0}}, {}, {}, []),
        (
            {**BILLED, "missing_days": {"2026-01-03": 0}},
            {},
            {"jobs": [job(last_complete="2026-01-12T00:00:00Z")]},
            ["not_readable"],
        ),
        ({**BILLED, **NO_BYTES, "missing_days": {"2026-01-03": 0}}, {}, {}, ["not_readable"]),
        ({**BILLED, "missing_days": {"2026-01-03": 0}, "jobs": [1]}, {}, {"delivery": DELIVERED}, []),
    ],
)
def test_estimate_without_the_jobs_of_zones_is_not_known(cost, of_account, of_zone, types):
    made = report(zone(**{"jobs": [job(id=1)], **of_zone}), account(cost=cost, **of_account), at=NOW, monthly_budget_usd=500)
    figures = [item for item in items(made, "acme") if item["resource"] == "delivery" and "USD" in item["is"]]
    assert [item["type"] for item in figures] == types
    # Figures that are not those of the account are not shown.
    assert (row(made, "acme")["budget"] is None) is bool(types)


@pytest.mark.parametrize(("name", "refused"), [("over_budget", True), ("records_dropped", False), ("no_upload", False)])
def test_budget_that_is_not_known_hides_no_lost_records(name, refused):
    made = report(account(cost={**COST, "since": None}, delivery=[]), at=NOW, monthly_budget_usd=500)
    assert bool(unjudged(row(made, "acme"), name)) is refused


@pytest.mark.parametrize(("own", "of_run"), [("1", None), (None, 1), (1.0, 9999)])
def test_budget_of_an_account_counts_as_text_and_null_is_none(own, of_run):
    """A budget is compared however a record writes it; without one of its own an account has that of the run."""
    made = report(zone(), account(cost={**COST, "budget_usd": own}), at=NOW, monthly_budget_usd=of_run)
    assert [item["type"] for item in items(made, "acme") if item["member"] == "over_budget"] == ["over_budget"]


def test_budget_of_a_record_that_is_no_amount_is_refused():
    with pytest.raises(Failure, match=r"cost\.budget_usd of acme: 'much' is not a number above 0"):
        report(zone(), account(cost={**COST, "budget_usd": "much"}), at=NOW)
