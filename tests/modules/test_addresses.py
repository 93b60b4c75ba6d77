# SPDX-License-Identifier: GPL-3.0-or-later

"""One task, addressed by the id or the name of a zone, or by the id of an account."""

from __future__ import annotations

import typing as t

from harness import Modules

NAME = "edgeops.observability."
JOB = {
    "name": "edge-logs",
    "destination_conf": "https://logs.example/in?header_Authorization=Bearer%20canary-of-a-destination",
    "fields": ["ClientIP"],
    "enabled": True,
}


def run(modules: Modules, module: str, address: dict[str, str], check: bool = False, **options: t.Any) -> t.Any:
    tasks = {"name": "Run", f"{NAME}{module}": {**options, **address}}
    return modules.run(tasks, defaults={}, check=check)


def test_name_is_as_good_as_the_id(modules: Modules) -> None:
    """The plan, its id and the requests are the same but for one GET."""
    modules.simulator.seed(zones=[{"id": modules.zone, "name": "shop.example"}])
    by_id = run(modules, "logpush_job", {"zone_id": modules.zone}, check=True, **JOB)
    by_name = run(modules, "logpush_job", {"zone_name": "Shop.Example", "zone_id": ""}, check=True, **JOB)
    assert by_name.result == by_id.result and by_id.result["zone_id"] == modules.zone
    paths = [entry["path"] for entry in by_name.journal]
    assert paths == ["/zones", *(entry["path"] for entry in by_id.journal)]


def test_jobs_of_an_account(modules: Modules) -> None:
    """Jobs of an account are made, found and deleted below the path of the account, and results name it."""
    account = {"account_id": modules.simulator.account}
    options = {**JOB, "dataset": "gateway_dns", "fields": ["Datetime"]}
    predicted = run(modules, "logpush_job", account, check=True, **options).result
    made = run(modules, "logpush_job", account, **options)
    assert made.result["changed"] and made.result["plan_id"] == predicted["plan_id"]
    assert made.result["account_id"] == modules.simulator.account and "zone_id" not in made.result
    assert {entry["path"].split("/logpush")[0] for entry in made.journal} == {f"/accounts/{modules.simulator.account}"}
    assert not run(modules, "logpush_job", account, **options).result["changed"]
    assert [job["name"] for job in run(modules, "logpush_job_info", account).result["jobs"]] == ["edge-logs"]
    assert run(modules, "logpush_job_info", {"zone_id": modules.zone}).result["jobs"] == []
    assert "Datetime" in run(modules, "logpush_dataset_info", account, dataset="gateway_dns").result["fields"]
    found = run(modules, "zone_observability", account, state="absent", job={"name": "edge-logs", "dataset": "gateway_dns"})
    assert found.result["changed"] and run(modules, "logpush_job_info", account).result["jobs"] == []


def test_an_account_has_no_zone_settings(modules: Modules) -> None:
    tasks = {"name": "Run", f"{NAME}zone_observability": {"account_id": "9a", "script_monitor_enabled": True}}
    report = modules.run(tasks, defaults={}, fails="invalid_option")
    assert report.result["msg"].startswith("script_monitor_enabled: only zones have this") and not report.journal
