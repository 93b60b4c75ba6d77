# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from harness import Modules

pytestmark = pytest.mark.every_core


def info(dataset: str, **more: t.Any) -> dict[str, t.Any]:
    return {"name": "Info", "edgeops.observability.logpush_dataset_info": {"dataset": dataset}, **more}


def test_fields_of_a_dataset_are_sorted(modules: Modules) -> None:
    report = modules.run([info("http_requests"), info("firewall_events"), info("http_requests", check_mode=True)])
    http, firewall, checked = (outcome.result["fields"] for outcome in report.ours)
    assert http["RayID"] and "RuleID" not in http
    assert "RuleID" in firewall and "EdgeStartTimestamp" not in firewall
    assert list(http) == sorted(http) and http == checked
    assert [entry["method"] for entry in report.journal] == ["GET"] * 3
    assert not any(outcome.result["changed"] for outcome in report.ours)


def test_unknown_dataset_fails(modules: Modules) -> None:
    report = modules.run(
        [info(name, ignore_errors=True) for name in ("", "../jobs", "no_such_dataset")], fails=["invalid_option", "not_found"]
    )
    assert [outcome.result["error"]["kind"] for outcome in report.ours] == ["invalid_option", "invalid_option", "not_found"]
    assert len(report.journal) == 1
