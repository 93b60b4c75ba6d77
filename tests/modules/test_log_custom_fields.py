# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest

from harness import Modules

WRITE = "edgeops.observability.log_custom_fields"
READ = "edgeops.observability.log_custom_fields_info"
KINDS = ("request_fields", "transformed_request_fields", "response_fields", "raw_response_fields", "cookie_fields")
EMPTY: dict[str, list[str]] = {kind: [] for kind in (*KINDS, "preserve_duplicates")}
FOREIGN = {
    "id": "0f" * 16,
    "ref": "their-ref",
    "version": "3",
    "last_updated": "2026-01-01T00:00:00Z",
    "action": "set_config",
    "action_parameters": {"bic": True},
    "expression": 'http.host eq "a"',
    "description": "theirs",
    "enabled": False,
    "logging": {"enabled": True},
}
RULESET = "0e" * 16


def own(identifier: str, **kinds: list[str]) -> dict[str, t.Any]:
    return {
        "id": identifier,
        "ref": f"ref-{identifier}",
        "version": "1",
        "action": "log_custom_field",
        "expression": "true",
        "description": "ours",
        "enabled": True,
        "action_parameters": {kind: [{"name": name} for name in names] for kind, names in kinds.items()},
    }


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
        **EMPTY,
        "request_fields": ["content-type", "x-request-id"],
        "raw_response_fields": ["set-cookie"],
        "cookie_fields": ["Tier", "tier"],
        "preserve_duplicates": ["set-cookie"],
    }
    assert methods(create.reapplied.journal) == ["GET"]
    assert methods(modify.applied.journal) == ["GET", "PUT"]
    assert modify.result["custom_fields"] == {
        **EMPTY,
        "transformed_request_fields": ["content-type"],
        "response_fields": ["server-timing"],
        "raw_response_fields": ["set-cookie"],
        "cookie_fields": ["Tier", "tier"],
    }
    for member in ("id", "rule_id", "ref"):
        assert modify.result["ruleset"][member] == create.result["ruleset"][member]
    assert modify.diff["after"]["rules"][0]["description"] == "changed"
    assert delete.result["custom_fields"] == EMPTY
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
    assert taken.result["custom_fields"] == {**EMPTY, "request_fields": ["c"], "cookie_fields": ["C"]}
    assert folded.result["custom_fields"] == {**EMPTY, "request_fields": ["d"], "cookie_fields": ["C"]}
    assert folded.result["ruleset"]["rule_id"] == "0a" * 16
    theirs = next(rule for rule in rules() if rule["id"] == FOREIGN["id"])
    aside = ("version", "last_updated")
    assert {name: value for name, value in theirs.items() if name not in aside} == {
        name: value for name, value in FOREIGN.items() if name not in aside
    }


@pytest.mark.parametrize(("listed", "entrypoint", "alone"), [(True, False, False), (False, False, True), (False, True, False)])
def test_any_route_that_shows_the_rules_will_do(
    modules: Modules, simulator: t.Any, seed: t.Callable[..., None], listed: bool, entrypoint: bool, alone: bool
) -> None:
    seed(FOREIGN, own("0a" * 16, request_fields=["a"]))
    simulator.settings(rules_in_list=listed, entrypoint_route=entrypoint, get_ruleset_route=alone)
    modules.converge("log_custom_fields", {"request_fields": ["b"]})


def test_unseen_rules_are_never_replaced(modules: Modules, simulator: t.Any, seed: t.Callable[..., None]) -> None:
    """Rules that no route shows are never replaced."""
    seed(FOREIGN, own("0a" * 16, request_fields=["a"]))
    simulator.settings(rules_in_list=False, entrypoint_route=False, get_ruleset_route=False)
    tasks = [task(request_fields=["b"], ignore=True), task(state="absent", ignore=True), {"name": "Read", READ: {}}]
    report = modules.run(tasks, fails="bad_response")
    assert len(report.failures) == 3
    assert report.writes == []
    assert RULESET in report.failures[0].result["msg"]


def test_lost_creation_is_adopted(modules: Modules, simulator: t.Any, rules: t.Callable[[], list[dict[str, t.Any]]]) -> None:
    """An entry point that another run created first is adopted."""
    refused = {"kind": "status", "status": 400, "code": 20217, "message": "exceeded maximum number of rulesets"}
    simulator.faults({**refused, "applied": True, "method": "POST"})
    result = modules.run(task(request_fields=["a"])).result
    assert result["changed"] is True
    assert methods(simulator.writes()) == ["POST", "PUT"]
    assert result["ruleset"]["rule_id"] == rules()[0]["id"]


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


def test_refused_foreign_rule_is_named(
    modules: Modules, simulator: t.Any, seed: t.Callable[..., None], rules: t.Callable[[], list[dict[str, t.Any]]]
) -> None:
    """A rule of others that the service refuses is named, and nothing is written."""
    seed(FOREIGN, own("0a" * 16, request_fields=["a"]))
    before = rules()
    simulator.settings(refuse_foreign_actions=["set_config"])
    report = modules.run(task(request_fields=["b"]), fails="rejected")
    assert "action 'set_config' is not allowed" in report.failure["msg"]
    assert f"{FOREIGN['id']} (set_config: " in report.failure["msg"]
    assert report.failure["changed"] is False
    assert rules() == before


def test_an_answer_that_differs_is_a_bad_response(modules: Modules, simulator: t.Any, seed: t.Callable[..., None]) -> None:
    seed(own("0a" * 16, request_fields=["a"]))
    simulator.faults({"kind": "rewrite", "method": "PUT", "set": {"rules": [own("0a" * 16, request_fields=["a"])]}})
    report = modules.run(task(request_fields=["b"]), fails="bad_response")
    assert f"rule {'0a' * 16} differs in request_fields" in report.failure["msg"]
    assert report.failure["changed"] is True


def test_version_jump_is_a_warning(modules: Modules, simulator: t.Any, seed: t.Callable[..., None]) -> None:
    """A version that jumps is a warning, unless the write was repeated."""
    seed(own("0a" * 16, request_fields=["a"]))
    simulator.faults({"kind": "rewrite", "method": "PUT", "set": {"version": "7"}})
    modules.run(task(request_fields=["b"]), warns=["from version 5 to 7"])
    simulator.clear_faults()
    simulator.faults({"kind": "504", "method": "PUT"})
    report = modules.run(task(request_fields=["c"]))
    assert methods(report.writes) == ["PUT", "PUT"]


def test_invalid_options_send_nothing(modules: Modules) -> None:
    """Options that are invalid whatever the current state is are refused before any request."""
    wrong: list[tuple[dict[str, t.Any], str]] = [
        ({"request_fields": ["fine", "not fine"]}, "request_fields[1]: "),
        ({"request_fields": ["a"], "transformed_request_fields": ["A"]}, "transformed_request_fields: 'a'"),
        ({kind: [] for kind in KINDS}, "state: absent"),
    ]
    report = modules.run([task(**options, ignore=True) for options, _said in wrong], fails="invalid_option")
    for outcome, (_options, said) in zip(report.failures, wrong, strict=True):
        assert said in outcome.result["msg"]
    assert report.journal == []


def test_state_conflicts_write_nothing(modules: Modules, seed: t.Callable[..., None]) -> None:
    """Options that contradict the current state are refused before any write."""
    seed(own("0a" * 16, request_fields=["a"], response_fields=["x"]))
    wrong: list[tuple[dict[str, t.Any], str]] = [
        ({"transformed_request_fields": ["a"]}, "transformed_request_fields: 'a'"),
        ({"raw_response_fields": ["x"], "purge": False}, "raw_response_fields: 'x'"),
        ({"preserve_duplicates": ["a"]}, "preserve_duplicates: 'a'"),
        ({"request_fields": [], "response_fields": []}, "state: absent"),
        ({"cookie_fields": ["C"], "field_limit": 2}, "field_limit: 3 custom fields"),
    ]
    report = modules.run([task(**options, ignore=True) for options, _said in wrong], fails="invalid_option")
    for outcome, (_options, said) in zip(report.failures, wrong, strict=True):
        assert said in outcome.result["msg"]
    assert report.writes == []


def test_the_range_header_is_a_warning(modules: Modules) -> None:
    modules.run(task(request_fields=["Range", "accept"]), warns=["request_fields: .*'range'"])


def test_absent_creates_no_ruleset(modules: Modules) -> None:
    """state=absent in a zone without a ruleset creates none."""
    converged = modules.converge("log_custom_fields", {"state": "absent"}, expect_changed=False)
    assert converged.result["ruleset"] is None
    assert converged.result["custom_fields"] == EMPTY
    assert methods(converged.applied.journal) == ["GET"]


def test_approval_ends_when_fields_change(modules: Modules, simulator: t.Any, seed: t.Callable[..., None]) -> None:
    """An approved plan is valid while others write, and ends when the fields change."""
    seed(FOREIGN, own("0a" * 16, request_fields=["a"]))
    approved = modules.run(task(request_fields=["b"]), check=True).result["plan_id"]
    seed({**FOREIGN, "enabled": True, "description": "moved"}, own("0a" * 16, request_fields=["a"]))
    assert modules.run(task(request_fields=["b"], expected_plan_id=approved)).result["changed"] is True
    seed(FOREIGN, own("0a" * 16, request_fields=["a", "c"]))
    report = modules.run(task(request_fields=["b"], expected_plan_id=approved), fails="conflict")
    assert report.writes == []


def test_the_info_module_reads_what_is_there(modules: Modules, seed: t.Callable[..., None]) -> None:
    nothing = modules.run({"name": "Read", READ: {}}).result
    assert (nothing["custom_fields"], nothing["ruleset"], nothing["changed"]) == (EMPTY, None, False)
    seed(FOREIGN, own("0a" * 16, request_fields=["b", "a"]), own("0b" * 16, cookie_fields=["C"]))
    report = modules.run({"name": "Read", READ: {}})
    assert methods(report.journal) == ["GET"]
    assert report.result["custom_fields"] == {**EMPTY, "request_fields": ["a", "b"], "cookie_fields": ["C"]}
    ruleset = report.result["ruleset"]
    assert (ruleset["id"], ruleset["version"], ruleset["rule_id"]) == (RULESET, "5", "0a" * 16)


def test_garbled_answer_fails_the_info_module(modules: Modules, simulator: t.Any, seed: t.Callable[..., None]) -> None:
    """The info module never takes a garbled answer for "does not exist"."""
    seed(own("0a" * 16, request_fields=["a"]))
    simulator.faults({"kind": "rewrite", "method": "GET", "set": {"rules": None}})
    modules.run({"name": "Read", READ: {}}, fails="bad_response")
