# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from support.samples import custom_fields as samples
from support.samples.custom_fields import NONE, own
from zone_runs import names, rules

from harness import Modules

pytestmark = pytest.mark.every_core

READ = "edgeops.observability.log_custom_fields_info"
FOREIGN = {**samples.FOREIGN, "id": "0f" * 16}
RULESET = "0e" * 16


def seed(modules: Modules, *rules: dict[str, t.Any]) -> None:
    """Seed an entry point with these rules, and a ruleset of another phase."""
    ours = {"id": RULESET, "kind": "zone", "phase": "http_log_custom_fields", "version": "5", "rules": list(rules)}
    other = {**ours, "id": "0d" * 16, "phase": "http_request_transform", "rules": []}
    modules.simulator.seed(rulesets={modules.zone: [other, ours]})


def methods(journal: t.Iterable[t.Mapping[str, t.Any]]) -> list[str]:
    return [entry["method"] for entry in journal]


def test_twelve_steps(modules: Modules) -> None:
    create, modify, delete = modules.lifecycle(
        "log_custom_fields",
        create={
            "request_fields": ["X-Request-Id ", "content-type"],
            "raw_response_fields": ["set-cookie"],
            "preserve_duplicates": ["set-cookie"],
            "cookie_fields": ["Tier", "tier"],
        },
        modify={
            "request_fields": [],
            "transformed_request_fields": ["content-type"],
            "response_fields": ["server-timing"],
            "preserve_duplicates": [],
            "description": "changed",
        },
        delete={"state": "absent"},
    )
    assert methods(create.applied.journal) == ["GET", "GET", "POST", "PUT"]
    assert create.writes[0]["body"] == {
        "name": "Zone-level phase entry point",
        "kind": "zone",
        "description": "Custom log fields of this zone",
        "phase": "http_log_custom_fields",
    }
    assert create.predicted.result["ruleset"] == dict.fromkeys(("id", "version", "rule_id", "ref", "last_updated"))
    assert create.result["custom_fields"] == {
        **NONE,
        "request_fields": ["content-type", "x-request-id"],
        "raw_response_fields": ["set-cookie"],
        "cookie_fields": ["Tier", "tier"],
        "preserve_duplicates": ["set-cookie"],
    }
    assert methods(create.reapplied.journal) == ["GET"]
    assert methods(modify.applied.journal) == ["GET", "PUT"]
    assert modify.result["custom_fields"] == {
        **NONE,
        "transformed_request_fields": ["content-type"],
        "response_fields": ["server-timing"],
        "raw_response_fields": ["set-cookie"],
        "cookie_fields": ["Tier", "tier"],
    }
    for member in ("id", "rule_id", "ref"):
        assert modify.result["ruleset"][member] == create.result["ruleset"][member]
    assert modify.diff["after"]["rules"][0]["description"] == "changed"
    assert delete.result["custom_fields"] == NONE
    assert delete.result["ruleset"]["id"] == create.result["ruleset"]["id"]
    assert (delete.result["ruleset"]["rule_id"], delete.result["ruleset"]["ref"]) == (None, None)


def test_changes_leave_foreign_rules_alone(modules: Modules) -> None:
    """Adding, removing and merging change only rules that the collection manages."""
    seed(
        modules,
        own("0a" * 16, request_fields=["a"]),
        FOREIGN,
        own("0b" * 16, {"enabled": False}, request_fields=["b"], cookie_fields=["C"]),
    )
    added, taken, folded = modules.converge_each(
        "log_custom_fields",
        [
            {"request_fields": ["b", "c"], "purge": False},
            {"state": "absent", "request_fields": ["a", "b"]},
            {"request_fields": ["d"], "field_limit": 2},
        ],
    )
    assert [len(step.diff["after"]["rules"]) for step in (added, taken, folded)] == [2, 2, 1]
    assert added.result["custom_fields"]["request_fields"] == ["a", "b", "c"]
    # The other rule with "b" is disabled, so that "b" is added here.
    assert names(added.writes[0]["body"]["rules"][0], "request_fields") == ["a", "b", "c"]
    assert taken.result["custom_fields"] == {**NONE, "request_fields": ["c"], "cookie_fields": ["C"]}
    assert folded.result["custom_fields"] == {**NONE, "request_fields": ["d"], "cookie_fields": ["C"]}
    assert folded.result["ruleset"]["rule_id"] == "0a" * 16
    theirs = next(rule for rule in rules(modules.simulator, modules.zone) if rule["id"] == FOREIGN["id"])
    moved = {name: theirs[name] for name in ("version", "last_updated")}
    assert theirs == {**FOREIGN, **moved}


def test_info_returns_fields_and_ruleset(modules: Modules) -> None:
    nothing = modules.run({"name": "Read", READ: {}}).result
    assert (nothing["custom_fields"], nothing["ruleset"], nothing["changed"]) == (NONE, None, False)
    seed(modules, FOREIGN, own("0a" * 16, request_fields=["b", "a"]), own("0b" * 16, cookie_fields=["C"]))
    report = modules.run({"name": "Read", READ: {}})
    assert methods(report.journal) == ["GET"]
    assert report.result["custom_fields"] == {**NONE, "request_fields": ["a", "b"], "cookie_fields": ["C"]}
    ruleset = report.result["ruleset"]
    assert (ruleset["id"], ruleset["version"], ruleset["rule_id"]) == (RULESET, "5", "0a" * 16)
