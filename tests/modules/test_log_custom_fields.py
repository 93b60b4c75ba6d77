# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest
from support.samples import custom_fields as samples
from support.samples.custom_fields import NONE, own

from harness import Modules

WRITE = "edgeops.observability.log_custom_fields"
READ = "edgeops.observability.log_custom_fields_info"
FOREIGN = {**samples.FOREIGN, "id": "0f" * 16}
RULESET = "0e" * 16


@pytest.fixture
def seed(simulator: t.Any, zone: str) -> t.Callable[..., None]:
    """Puts an entry point with these rules into the zone, next to a ruleset of another phase."""

    def seeded(*rules: dict[str, t.Any]) -> None:
        ours = {
            "id": RULESET,
            "name": "n",
            "kind": "zone",
            "phase": "http_log_custom_fields",
            "version": "5",
            "rules": list(rules),
        }
        other = {**ours, "id": "0d" * 16, "phase": "http_request_transform", "rules": []}
        simulator.seed(rulesets={zone: [other, ours]})

    return seeded


@pytest.fixture
def rules(simulator: t.Any, zone: str) -> t.Callable[[], list[dict[str, t.Any]]]:
    """The rules that the zone's entry point has now."""

    def present() -> list[dict[str, t.Any]]:
        found = [each for each in simulator.state(zone)["rulesets"] if each["phase"] == "http_log_custom_fields"]
        return t.cast("list[dict[str, t.Any]]", found[0]["rules"] if found else [])

    return present


def task(**options: t.Any) -> dict[str, t.Any]:
    return {"name": "Write", WRITE: options, "ignore_errors": options.pop("ignore", False)}


def methods(journal: t.Iterable[t.Mapping[str, t.Any]]) -> list[str]:
    return [entry["method"] for entry in journal]


def test_the_twelve_steps(modules: Modules) -> None:
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


def test_changes_leave_foreign_rules_alone(
    modules: Modules, seed: t.Callable[..., None], rules: t.Callable[[], list[dict[str, t.Any]]]
) -> None:
    """Adding, removing and merging leave the rules of others alone."""
    seed(own("0a" * 16, request_fields=["a"]), FOREIGN, own("0b" * 16, request_fields=["b"], cookie_fields=["C"]))
    added, taken, folded = modules.converge_each(
        "log_custom_fields",
        [
            {"request_fields": ["b", "c"], "purge": False},
            {"state": "absent", "request_fields": ["a", "b"]},
            {"request_fields": ["d"], "field_limit": 2},
        ],
    )
    assert [len(each.diff["after"]["rules"]) for each in (added, taken, folded)] == [2, 2, 1]
    assert added.result["custom_fields"]["request_fields"] == ["a", "b", "c"]
    assert taken.result["custom_fields"] == {**NONE, "request_fields": ["c"], "cookie_fields": ["C"]}
    assert folded.result["custom_fields"] == {**NONE, "request_fields": ["d"], "cookie_fields": ["C"]}
    assert folded.result["ruleset"]["rule_id"] == "0a" * 16
    theirs = next(rule for rule in rules() if rule["id"] == FOREIGN["id"])
    aside = ("version", "last_updated")
    assert {name: value for name, value in theirs.items() if name not in aside} == {
        name: value for name, value in FOREIGN.items() if name not in aside
    }


def test_lost_race_keeps_the_winners_rules(
    modules: Modules, simulator: t.Any, seed: t.Callable[..., None], rules: t.Callable[[], list[dict[str, t.Any]]]
) -> None:
    """A run that loses the race to create the entry point loses no rule of the winner."""
    seed(FOREIGN)
    # The reads before the creation do not show yet what the winner has made.
    simulator.faults(
        {"kind": "status", "status": 404, "code": 10003, "message": "no entry point", "path": "*/entrypoint"},
        {"kind": "rewrite", "method": "GET", "path": "*/rulesets", "set": {"1.phase": "http_request_transform"}},
    )
    report = modules.run(task(request_fields=["a"]))
    assert [(entry["method"], entry["status"]) for entry in report.writes] == [("POST", 400), ("PUT", 200)]
    assert [rule["action"] for rule in rules()] == ["set_config", "log_custom_field"]
    assert report.result["ruleset"]["id"] == RULESET


def test_the_info_module_reads_what_is_there(modules: Modules, seed: t.Callable[..., None]) -> None:
    nothing = modules.run({"name": "Read", READ: {}}).result
    assert (nothing["custom_fields"], nothing["ruleset"], nothing["changed"]) == (NONE, None, False)
    seed(FOREIGN, own("0a" * 16, request_fields=["b", "a"]), own("0b" * 16, cookie_fields=["C"]))
    report = modules.run({"name": "Read", READ: {}})
    assert methods(report.journal) == ["GET"]
    assert report.result["custom_fields"] == {**NONE, "request_fields": ["a", "b"], "cookie_fields": ["C"]}
    ruleset = report.result["ruleset"]
    assert (ruleset["id"], ruleset["version"], ruleset["rule_id"]) == (RULESET, "5", "0a" * 16)
