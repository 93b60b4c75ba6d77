# SPDX-License-Identifier: GPL-3.0-or-later

"""The number of requests of each module: one read for each resource, and one write for a change."""

import typing as t

import pytest

from harness import Modules

NAME = "edgeops.observability"
JOB = {
    "name": "main",
    "enabled": True,
    "destination_conf": "s3://bucket/logs?region=eu-west-1&endpoint=store.example.com",
    "fields": ["RayID"],
    "filter": {"key": "ClientIP", "operator": "eq", "value": "192.0.2.1"},
}
FIELDS = {"request_fields": ["x-a"], "cookie_fields": ["Session"]}
MONITOR = {"enabled": True}


def in_a_row(modules: Modules, *desired_states: tuple[str, dict[str, t.Any]], **run: t.Any) -> list[list[str]]:
    tasks = [{"name": f"{number}", f"{NAME}.{module}": args} for number, (module, args) in enumerate(desired_states)]
    return [[entry["method"] for entry in outcome.journal] for outcome in modules.run(tasks, **run).ours]


@pytest.mark.parametrize("reads", [["GET"], ["GET", "GET"]], ids=["script_monitor", "page_shield"])
def test_script_monitor(modules: Modules, simulator: t.Any, reads: list[str]) -> None:
    simulator.settings(script_monitor_routes=len(reads) == 1)
    desired = ("script_monitor", MONITOR)
    assert in_a_row(modules, desired, desired) == [[*reads, "PUT"], reads]


def test_log_custom_fields(modules: Modules) -> None:
    desired, more = ("log_custom_fields", FIELDS), ("log_custom_fields", {"request_fields": ["x-b"]})
    _created, *others = in_a_row(modules, desired, desired, more, ("log_custom_fields_info", {}))
    assert others == [["GET"], ["GET", "PUT"], ["GET"]]


def test_logpush_job(modules: Modules, simulator: t.Any) -> None:
    desired, more = ("logpush_job", JOB), ("logpush_job", {"name": "main", "max_upload_records": 1000})
    created, unchanged, changed, info = in_a_row(modules, desired, desired, more, ("logpush_job_info", {"name": "main"}))
    assert created == ["GET", "GET", "POST", "GET"], (
        "the list, the fields of the dataset, the job, and a look for another creator"
    )
    assert unchanged == ["GET"]
    assert changed == ["GET", "PUT"]
    assert info == ["GET"]
    (job,) = simulator.state(modules.zone)["jobs"]
    by_id = {"job_id": job["id"]}
    removed = in_a_row(
        modules, ("logpush_job_info", by_id), ("logpush_job", by_id), ("logpush_job", {**by_id, "state": "absent"})
    )
    assert removed == [["GET"], ["GET"], ["GET", "DELETE"]]


def test_fields_are_read_once_and_only_on_change(modules: Modules) -> None:
    """The fields of a dataset are read once, and only if the selected fields change."""
    more = {"name": "main", "fields": ["RayID", "ClientIP"]}
    methods = in_a_row(
        modules,
        ("logpush_job", {**JOB, "validate_fields": False}),
        ("logpush_job", {**more, "validate_fields": False}),
        ("logpush_job", JOB),
        ("logpush_job", {**JOB, "timestamp_format": "rfc3339"}),
        ("logpush_jobs", {"jobs": [more, {**JOB, "name": "b"}, {**JOB, "name": "c", "fields": ["ClientIP"]}]}),
        ("logpush_dataset_info", {"dataset": "http_requests"}),
    )
    assert methods == [
        ["GET", "POST", "GET"],
        ["GET", "PUT"],
        ["GET", "GET", "PUT"],
        ["GET", "PUT"],
        ["GET", "GET", "PUT", "POST", "POST", "GET"],
        ["GET"],
    ]


def test_refusals_send_nothing(modules: Modules) -> None:
    desired_states = [("log_custom_fields", {"cookie_fields": ["a b"]}), ("script_monitor", {"enabled": True, "zone_id": "none"})]
    for desired in desired_states:
        assert in_a_row(modules, desired, fails="invalid_option") == [[]]


def scripts(count: int) -> list[dict[str, t.Any]]:
    return [{"script_id": f"{number:032x}", "status": "active", "host": "a.example"} for number in range(count)]


def test_script_info_reads_status_and_pages(modules: Modules, simulator: t.Any) -> None:
    """The module reads the status once, and each page of scripts once."""
    simulator.seed(script_monitor={modules.zone: MONITOR}, scripts={modules.zone: scripts(950)})
    simulator.settings(latency_ms=50)
    report = modules.run({f"{NAME}.script_monitor_info": {}})
    listed = [entry for entry in report.journal if entry["path"].endswith("/scripts")]
    assert len(report.journal) == 1 + 10
    assert sorted(entry["query"].partition("&per")[0] for entry in listed) == sorted(f"page={page}" for page in range(1, 11))
    assert len({entry["connection"] for entry in listed}) > 1, "the pages came one after the other"
    ids = [script["script_id"] for script in report.result["scripts"]]
    assert ids == [script["script_id"] for script in scripts(950)]
