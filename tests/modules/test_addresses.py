# SPDX-License-Identifier: GPL-3.0-or-later

"""The address of a task: the id or the name of a zone, or the id of an account."""

import typing as t

import pytest

from harness import Modules

NAME = "edgeops.observability."
JOB = {
    "name": "edge-logs",
    "destination_conf": "https://logs.example/in?header_Authorization=Bearer%20canary-of-a-destination",
    "fields": ["ClientIP"],
    "enabled": True,
}


def run(
    modules: Modules, module: str, address: dict[str, str], check: bool = False, fails: t.Any = None, **options: t.Any
) -> t.Any:
    tasks = {"name": "Run", f"{NAME}{module}": {**options, **address}}
    return modules.run(tasks, defaults={}, check=check, fails=fails)


def test_zone_name_equals_zone_id(modules: Modules) -> None:
    """With the name instead of the id, plan, plan id and requests are the same except for one more GET."""
    modules.simulator.seed(zones=[{"id": modules.zone, "name": "shop.example"}])
    by_id = run(modules, "logpush_job", {"zone_id": modules.zone}, check=True, **JOB)
    by_name = run(modules, "logpush_job", {"zone_name": "Shop.Example", "zone_id": ""}, check=True, **JOB)
    assert by_name.result == by_id.result and by_id.result["zone_id"] == modules.zone
    paths = [entry["path"] for entry in by_name.journal]
    assert paths == ["/zones", *(entry["path"] for entry in by_id.journal)]


def test_jobs_of_an_account(modules: Modules) -> None:
    """Results contain the id of the account, and its jobs and datasets differ from those of zones."""
    account = {"account_id": modules.simulator.account}
    options = {**JOB, "dataset": "gateway_dns", "fields": ["Datetime"]}
    made = run(modules, "logpush_job", account, **options).result
    assert made["changed"] and made["account_id"] == modules.simulator.account and "zone_id" not in made
    assert [job["name"] for job in run(modules, "logpush_job_info", account).result["jobs"]] == ["edge-logs"]
    assert run(modules, "logpush_job_info", {"zone_id": modules.zone}).result["jobs"] == []
    assert "Datetime" in run(modules, "logpush_dataset_info", account, dataset="gateway_dns").result["fields"]


def test_zone_settings_are_refused_for_accounts(modules: Modules) -> None:
    tasks = {"name": "Run", f"{NAME}zone_observability": {"account_id": "9a", "script_monitor_enabled": True}}
    report = modules.run(tasks, defaults={}, fails="invalid_option")
    assert report.result["msg"].startswith("script_monitor_enabled: only zones have this") and not report.journal


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("logpush_dataset_info", {"dataset": "gateway_dns"}),
        ("logpush_job", {**JOB, "dataset": "gateway_dns"}),
        ("logpush_jobs", {"jobs": [{**JOB, "dataset": "gateway_dns"}]}),
        ("zone_observability", {"job": {**JOB, "dataset": "gateway_dns"}}),
    ],
)
def test_a_missing_address_is_said_before_options_are_judged_by_it(
    modules: Modules, module: str, options: dict[str, t.Any]
) -> None:
    """Without an address it is not known whether a dataset is one of it."""
    report = run(modules, module, {}, fails="invalid_option", **options)
    assert report.result["msg"].startswith("zone_id: zone_id, zone_name or account_id: one of them is required"), report.result
    assert not report.journal
