# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from harness import Modules

RULE = {
    "id": "a1" * 16,
    "ref": "r1",
    "action": "log_custom_field",
    "expression": "true",
    "action_parameters": {"request_fields": [{"name": "x-trace-id"}]},
}


def written(modules: Modules, *, check: bool = False, **args: t.Any) -> dict[str, t.Any]:
    options = {"custom_fields": {"request_fields": [], "response_fields": [], "cookie_fields": []}, **args}
    return modules.run({"edgeops.observability.zone_observability": options}, check=check).result


def evaluated(modules: Modules, fails: str | None = None, *, check: bool = False, **args: t.Any) -> dict[str, t.Any]:
    """What the guard says of what a check run of the zone predicts."""
    record = {"zone": "shop.example", "zone_id": modules.zone, "result": written(modules, check=True, **args.pop("of", {}))}
    task = {"edgeops.observability.delivery_guard": {"zones": [record], **args}, "ignore_errors": True}
    return modules.run(task, fails=fails, check=check).result


def test_evaluated_in_both_modes(modules: Modules) -> None:
    """What would be lost is named; the same in check mode; an approval holds until it was applied."""
    ruleset = {"id": "b1" * 16, "kind": "zone", "phase": "http_log_custom_fields", "name": "n", "rules": [RULE]}
    modules.simulator.seed(rulesets={modules.zone: [ruleset]})
    refused, again = (evaluated(modules, "gate", check=mode, allow=[]) for mode in (True, False))
    assert refused["error"]["kind"] == "gate" and "shop.example (empty_fields)" in refused["msg"]
    assert refused["destructive"] == {"shop.example": ["empty_fields"]}
    assert again == refused
    allowed, same = (evaluated(modules, check=mode, allow=["empty_fields"]) for mode in (True, False))
    assert allowed["changed_zones"] == same["changed_zones"] == ["shop.example"]
    assert evaluated(modules, approved_plan_id=allowed["plan_id"])["plan_id"] == allowed["plan_id"]
    written(modules)
    assert evaluated(modules, "conflict", approved_plan_id=allowed["plan_id"])["error"]["kind"] == "conflict"


def test_destination_sent_again_matches(modules: Modules) -> None:
    """The one plan that still matches after it was applied: the service shows no trace of a destination that was sent again."""
    job = {"name": "logs", "destination_conf": "gs://logs/edge", "fields": ["RayID"], "send_destination": "always"}
    written(modules, job=job)
    first = evaluated(modules, of={"job": job})
    written(modules, job=job)
    second = evaluated(modules, of={"job": job}, approved_plan_id=first["plan_id"])
    assert first["plan_id"] == second["plan_id"] and second["changed_zones"] == ["shop.example"]


def test_rules_alone_are_validated(modules: Modules) -> None:
    tasks = [
        {"name": "Rules", "edgeops.observability.delivery_guard": args, "ignore_errors": True}
        for args in ({"allow": ["delete_jobs"]}, {"max_changed_zones": "many"}, {"approved_plan_id": ""}, {"allow": "delete_job"})
    ]
    report = modules.run(tasks, fails={"invalid_option", "conflict"})
    assert [(outcome.result.get("error") or {}).get("kind") for outcome in report.ours] == [
        "invalid_option",
        "invalid_option",
        "conflict",
        None,
    ]
    assert "(did you mean 'delete_job'?)" in report.ours[0].result["msg"]
    assert not report.journal
