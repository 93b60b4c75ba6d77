# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from harness import Playbook

RULE = {
    "id": "a1" * 16,
    "ref": "r1",
    "action": "log_custom_field",
    "expression": "true",
    "action_parameters": {"request_fields": [{"name": "x-trace-id"}]},
}


def predict(**args: t.Any) -> dict[str, t.Any]:
    options = {"custom_fields": {"request_headers": [], "response_headers": [], "cookies": []}, **args}
    return {
        "name": "Predict",
        "edgeops.observability.zone_observability": options,
        "check_mode": True,
        "diff": True,
        "register": "predicted",
    }


def guard(zone: str, check_mode: bool = False, **args: t.Any) -> dict[str, t.Any]:
    record = {"zone": "shop.example", "zone_id": zone, "result": "{{ predicted }}"}
    return {
        "name": "Evaluate",
        "edgeops.observability.delivery_guard": {"zones": [record], **args},
        "check_mode": check_mode,
        "register": "evaluated",
        "ignore_errors": True,
    }


def test_evaluated_in_both_modes(playbook: Playbook) -> None:
    """What would be lost is named; the same in check mode; an approval holds until it was applied."""
    zone = playbook.zone
    ruleset = {"id": "b1" * 16, "kind": "zone", "phase": "http_log_custom_fields", "name": "n", "rules": [RULE]}
    playbook.simulator.seed(rulesets={zone: [ruleset]})
    apply = {**predict(), "name": "Apply", "check_mode": False, "register": "applied"}
    tasks = [
        predict(),
        *(guard(zone, mode, allow=allow) for allow in ([], ["empty_fields"]) for mode in (True, False)),
        guard(zone, approved_plan_id="{{ evaluated.plan_id }}"),
        apply,
        predict(),
        guard(zone, approved_plan_id="{{ evaluated.plan_id }}"),
    ]
    report = playbook.run(tasks, fails={"gate", "conflict"})
    refused, again, allowed, same, approved, moved = [outcome for outcome in report.ours if outcome.name == "Evaluate"]
    assert refused.result["error"]["kind"] == "gate" and "shop.example (empty_fields)" in refused.result["msg"]
    assert refused.result["destructive"] == {"shop.example": ["empty_fields"]}
    assert {name: again.result[name] for name in ("msg", "error")} == {name: refused.result[name] for name in ("msg", "error")}
    assert allowed.result["changed_zones"] == same.result["changed_zones"] == ["shop.example"]
    assert approved.result["plan_id"] == allowed.result["plan_id"] and not approved.result.get("failed")
    assert moved.result["error"]["kind"] == "conflict"
    assert len(report.writes) == 1


def test_destination_sent_again_matches(playbook: Playbook) -> None:
    """The one plan that still matches after it was applied: the service shows no trace of a destination that was sent again."""
    job = {"name": "logs", "destination_conf": "gs://logs/edge", "fields": ["RayID"], "send_destination": "always"}
    apply = {**predict(job=job), "name": "Apply", "check_mode": False, "register": "applied"}
    again = guard(playbook.zone, approved_plan_id="{{ evaluated.plan_id }}")
    report = playbook.run([apply, predict(job=job), guard(playbook.zone), apply, predict(job=job), again])
    first, second = [outcome.result for outcome in report.ours if outcome.name == "Evaluate"]
    assert first["plan_id"] == second["plan_id"] and second["changed_zones"] == ["shop.example"]


def test_rules_alone_are_validated(playbook: Playbook) -> None:
    tasks = [
        {"name": "Rules", "edgeops.observability.delivery_guard": args, "ignore_errors": True}
        for args in ({"allow": ["delete_jobs"]}, {"max_changed_zones": "many"}, {"approved_plan_id": ""}, {"allow": "delete_job"})
    ]
    report = playbook.run(tasks, fails={"invalid_option", "conflict"})
    assert [(outcome.result.get("error") or {}).get("kind") for outcome in report.ours] == [
        "invalid_option",
        "invalid_option",
        "conflict",
        None,
    ]
    assert "(did you mean 'delete_job'?)" in report.ours[0].result["msg"]
    assert not report.journal
