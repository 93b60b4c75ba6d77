# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports of checks in an object storage: compared with the previous one, and merged from slices."""

import json
import typing as t

import pytest
from awx.example import ACTIVE, CHECK, MERGE, SELECTED, UNPROVEN, Configured, artifacts, launch
from support import file_store

from harness import Playbook
from harness.outcome import Report

SECRET = "Bearer planted-storage-token-7c20"
STORAGE = "Audit reports"


@pytest.fixture
def store() -> t.Iterator[file_store.Store]:
    """Run a storage that requires a header in each request."""
    with file_store.running(SECRET) as server:
        yield server


@pytest.fixture
def job(configured: Configured, playbook: Playbook, store: file_store.Store, zones: dict[str, str]) -> t.Callable[..., Report]:
    """Return a function that launches a template with the credential of the storage."""

    def start(template: str, number: int, **run: t.Any) -> Report:
        inputs = {STORAGE: {"url": f"{store.url}/audits/", "authorization": SECRET}}
        secrets = [SECRET.removeprefix("Bearer ")]
        return launch(playbook, configured.controller, template, number=number, inputs=inputs, secrets=secrets, **run)

    return start


def kept(store: file_store.Store, path: str) -> dict[str, t.Any]:
    """Return a report in the storage."""
    return t.cast("dict[str, t.Any]", json.loads(store.files[f"/audits/{path}"].body))


def test_slices_are_merged_into_one_report(
    job: t.Callable[..., Report], store: file_store.Store, configured: Configured, simulator: t.Any, zones: dict[str, str]
) -> None:
    """A check without slices uploads its report; for two slices, a later job merges their artifacts and uploads one report.

    Each report is compared with the previous one. The zones of a lost slice are unaudited.
    """
    alone = job(CHECK, 1, extra_vars={"report_slices": 1}, fails="ansible", warns=UNPROVEN)
    assert artifacts(alone)["edgeops_check"]["statuses"]["drifted"] == ACTIVE
    first = kept(store, "report.json")
    assert first["counts"]["statuses"]["drifted"] == 2 and set(store.files) == {
        f"/audits/report.{kind}" for kind in ("json", "html", "xml")
    }

    delivered = job(SELECTED, 2, limit="blog.example", warns=UNPROVEN)
    assert {outcome.host for outcome in delivered.ours if outcome.module == "zone_observability"} == {"blog.example"}
    assert [len(simulator.state(zone)["jobs"]) for zone in zones.values()] == [1, 0, 0]
    quick = {"edgeops_report_formats": ["json"]}
    slices = [
        job(CHECK, 10, zones=ACTIVE[0], extra_vars=quick),
        job(CHECK, 11, zones=ACTIVE[1], extra_vars=quick, fails="ansible", warns=UNPROVEN),
    ]
    handed_on: dict[str, t.Any] = {}
    for part in slices:
        handed_on |= artifacts(part)
    answers = {"edgeops_fail_on": "findings, drifted"}
    merged = job(MERGE, 20, extra_vars=handed_on, answers=answers, fails="ansible")
    report = kept(store, "report.json")
    assert {zone["zone"]: zone["status"] for zone in report["zones"]} == {"blog.example": "compliant", "shop.example": "drifted"}
    assert report["comparison"]["previous_id"] == first["report_id"] and report["comparison"]["resolved"]
    assert artifacts(merged)["edgeops_report"] == {"outcome": "drifted", "counts": report["counts"]}
    assert artifacts(merged)["edgeops_plan_id"] == report["plan_id"]
    assert not merged.ours[0].result["changed"] and not merged.writes
    assert "shop.example" in merged.failures[0].result["msg"]
    assert store.files["/audits/report.html"].content_type == "text/html; charset=utf-8"

    del handed_on["audit_slice_11"]
    lost = job(MERGE, 22, extra_vars={**handed_on, **quick, "audit_slice_12": True}, fails="ansible")
    assert "shop.example" in lost.failures[0].result["msg"]
    last = kept(store, "report.json")
    assert {zone["zone"]: zone["status"] for zone in last["zones"]}["shop.example"] == "unaudited"
    assert last["comparison"]["previous_id"] == report["report_id"]


def test_storage_that_refuses_fails_the_job_and_another_host_gets_no_header(
    job: t.Callable[..., Report], store: file_store.Store
) -> None:
    """A host to which the storage redirects gets no header, and refuses.

    An unreadable previous report is not treated as missing, and the job fails before it audits any zone.
    """
    with file_store.running("unused") as elsewhere:
        store.redirect = elsewhere.url.replace("127.0.0.1", "localhost")
        report = job(CHECK, 1, extra_vars={"report_slices": 1}, fails="ansible")
        assert elsewhere.seen and not [headers for headers in elsewhere.seen if "authorization" in headers]
    assert "status 401" in report.failures[0].result["msg"]
    assert not store.files and not elsewhere.files and not report.ours


def test_missing_slices_fail(job: t.Callable[..., Report]) -> None:
    report = job(MERGE, 1, fails="ansible")
    assert report.failures[0].result["msg"].startswith("There is nothing to merge.")
