# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import secrets
import typing as t

from edgeops_simulator import clock
from edgeops_simulator.state.part import Document, JobIds, Table, need

_DEFAULT_RULE: t.Mapping[str, t.Any] = {"description": "", "enabled": True}
_SERVER_MADE = ("id", "version", "last_updated", "position")


class Rulesets(Table):
    """The rulesets of a zone, by id."""

    members: t.ClassVar[t.Mapping[str, type]] = {"id": str, "rules": list}

    def add(self, ids: JobIds, item: Document, index: int) -> None:
        moment = clock.stamp()
        made = {"id": new_id(), "name": "", "description": "", "kind": "zone", "phase": "http_log_custom_fields"}
        ruleset = {**made, "version": "1", "last_updated": moment, **copy.deepcopy(item)}
        ruleset["rules"] = [_seeded(rule, moment) for rule in item.get("rules") or []]
        self[ruleset["id"]] = ruleset


def _seeded(rule: t.Any, moment: str) -> Document:
    rule = copy.deepcopy(need(dict, rule, "a rule of a ruleset"))
    rule_id = rule.get("id") or new_id()
    made = {"id": rule_id, "version": "1", "ref": rule_id, "last_updated": moment, "enabled": True, "description": ""}
    return {**made, **rule}


def new_id() -> str:
    return secrets.token_hex(16)


def following(version: t.Any) -> str:
    """Return the next version; versions are decimal texts."""
    return str(int(version) + 1) if str(version).isdigit() else "1"


def without_rules(ruleset: Document) -> Document:
    return {name: value for name, value in ruleset.items() if name != "rules"}


def entry_point(rulesets: Rulesets, phase: str) -> Document | None:
    return next((r for r in rulesets.values() if r.get("kind") == "zone" and r.get("phase") == phase), None)


def create(rulesets: Rulesets, body: Document) -> Document:
    moment = clock.stamp()
    ruleset = {
        "id": new_id(),
        "name": body.get("name", ""),
        "description": body.get("description", ""),
        "kind": "zone",
        "phase": body["phase"],
        "version": "1",
        "last_updated": moment,
        "rules": [_made(rule, None, moment) for rule in body.get("rules") or []],
    }
    rulesets[ruleset["id"]] = ruleset
    return ruleset


def _made(rule: Document, before: Document | None, moment: str) -> Document:
    """Return a rule to store. An existing rule keeps its id and its ref; otherwise both are new unless `ref` was sent."""
    rule_id = before["id"] if before else new_id()
    ref = rule.get("ref") or (before["ref"] if before else rule_id)
    members = {name: value for name, value in rule.items() if name not in _SERVER_MADE and value is not None}
    version = following(before["version"]) if before else "1"
    return {"id": rule_id, "version": version, **_DEFAULT_RULE, **members, "ref": ref, "last_updated": moment}


def _counterpart(rule: Document, present: t.Sequence[Document]) -> Document | None:
    """Return the existing rule for a sent one: by its id, otherwise by its ref."""
    for name in ("id", "ref"):
        if rule.get(name):
            counterpart = next((r for r in present if r[name] == rule[name]), None)
            if counterpart:
                return counterpart
    return None


def _touch(ruleset: Document, moment: str) -> Document:
    ruleset["version"] = following(ruleset["version"])
    ruleset["last_updated"] = moment
    return ruleset


def update(ruleset: Document, body: Document) -> Document:
    """PUT replaces all rules with those sent; other members are kept if omitted."""
    moment = clock.stamp()
    for name in ("name", "description"):
        if body.get(name) is not None:
            ruleset[name] = body[name]
    if body.get("rules") is not None:
        present = ruleset["rules"]
        ruleset["rules"] = [_made(rule, _counterpart(rule, present), moment) for rule in body["rules"]]
    return _touch(ruleset, moment)


def _place(rules: list[Document], rule: Document, position: Document | None) -> None:
    position = position or {}
    ids = [r["id"] for r in rules]
    if position.get("before") in ids:
        index = ids.index(position["before"])
    elif position.get("after") in ids:
        index = ids.index(position["after"]) + 1
    elif position.get("before") == "":
        index = 0
    else:
        index = position["index"] - 1 if "index" in position else len(rules)
    rules.insert(index, rule)


def add_rule(ruleset: Document, rule: Document) -> Document:
    moment = clock.stamp()
    _place(ruleset["rules"], _made(rule, None, moment), rule.get("position"))
    return _touch(ruleset, moment)


def change_rule(ruleset: Document, rule_id: str, rule: Document) -> Document:
    """PATCH with a definition replaces the rule; with a position alone it moves the rule, whose version is kept."""
    moment = clock.stamp()
    rules = ruleset["rules"]
    index = next(i for i, present in enumerate(rules) if present["id"] == rule_id)
    only_moves = set(rule) <= {"position", "id"}
    changed = rules[index] if only_moves else _made({**rule, "id": rule_id}, rules[index], moment)
    if rule.get("position"):
        del rules[index]
        _place(rules, changed, rule["position"])
    else:
        rules[index] = changed
    return _touch(ruleset, moment)


def remove_rule(ruleset: Document, rule_id: str) -> Document:
    ruleset["rules"] = [rule for rule in ruleset["rules"] if rule["id"] != rule_id]
    return _touch(ruleset, clock.stamp())
