# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import (
    ACTION,
    DEFAULT_DESCRIPTION,
    EXPRESSION,
    FIELD_KINDS,
    PRESERVE_DUPLICATES,
    RESPONSE_KINDS,
)
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.options import Desired
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import (
    Document,
    Fields,
    Rule,
    comparable,
)

Items = t.Mapping[str, Document]


def main_rule(rules: t.Sequence[Rule]) -> Rule | None:
    """The rule that is kept and reported: the first whose fields are logged, so that no disabled one has to be switched on."""
    return next((rule for rule in rules if rule.effective), rules[0] if rules else None)


def present_rules(desired: Desired, rules: t.Sequence[Rule]) -> list[Rule]:
    """Our rules in the desired state: one with everything under `purge`, otherwise the names added to the current ones."""
    kept = main_rule(rules)
    others = [rule for rule in rules if rule is not kept]
    base = [kept] if kept else []
    start = merged([*base, *others] if desired.purge else base)
    elsewhere = merged(rule for rule in others if rule.effective)
    fields = {kind: _desired_items(desired, kind, start[kind], elsewhere[kind]) for kind in FIELD_KINDS}
    main = Rule(_main_document(desired, kept), fields)
    after = [main if rule is kept else rule for rule in rules if rule is kept or not desired.purge]
    return [_flagged(desired, rule) for rule in ([*after, main] if kept is None else after)]


def remaining_rules(desired: Desired, rules: t.Sequence[Rule]) -> list[Rule]:
    """Our rules without the names that are to go; without lists, none. A rule whose last field goes, goes too."""
    if not desired.given:
        return []
    after = []
    for rule in rules:
        fields = {kind: _without(rule.fields[kind], desired.given.get(kind, ())) for kind in FIELD_KINDS}
        smaller = rule._replace(fields=fields)
        if fields == rule.fields or any(smaller.to_send()["action_parameters"].values()):
            after.append(smaller)
    return after


def merged(rules: t.Iterable[Rule]) -> Fields:
    """The fields of several rules as one; a header whose values one of them keeps, keeps them."""
    union: dict[str, dict[str, Document]] = {kind: {} for kind in FIELD_KINDS}
    for rule in rules:
        for kind, items in rule.fields.items():
            for key, item in items.items():
                first = union[kind].setdefault(key, item)
                if item.get(PRESERVE_DUPLICATES):
                    union[kind][key] = {**first, PRESERVE_DUPLICATES: True}
    return union


def _desired_items(desired: Desired, kind: str, there: Items, elsewhere: Items) -> Items:
    """The items of a type: current items keep their places and flags, new names follow in their own order."""
    if kind not in desired.given:
        return there
    asked = {comparable(kind, name): name for name in desired.given[kind]}
    items = {
        key: {**item, "name": asked.get(key, item["name"])} for key, item in there.items() if key in asked or not desired.purge
    }
    new = {key: {"name": name} for key, name in asked.items() if key not in items and key not in elsewhere}
    return {**items, **new}


def _main_document(desired: Desired, kept: Rule | None) -> Document:
    document = dict(kept.document) if kept else {"action": ACTION, "description": DEFAULT_DESCRIPTION}
    if desired.description is not None:
        document["description"] = desired.description
    return {**document, "expression": EXPRESSION, "enabled": True}


def _flagged(desired: Desired, rule: Rule) -> Rule:
    """The rule with the flags that the task asks for; under `purge` its list is the whole, otherwise flags are only added."""
    if desired.preserve_duplicates is None:
        return rule
    flagged = {
        kind: {key: _with_flag(item, _flag(desired, key, item)) for key, item in rule.fields[kind].items()}
        for kind in RESPONSE_KINDS
    }
    return rule._replace(fields={**rule.fields, **flagged})


def _flag(desired: Desired, key: str, item: Document) -> bool:
    asked = key in (desired.preserve_duplicates or ())
    return asked or (not desired.purge and bool(item.get(PRESERVE_DUPLICATES)))


def _with_flag(item: Document, flag: bool) -> Document:
    """An item with its flag; `false` is what the service means by leaving it out, so nothing is added for it."""
    if bool(item.get(PRESERVE_DUPLICATES)) == flag:
        return item
    bare = {name: value for name, value in item.items() if name != PRESERVE_DUPLICATES}
    return {**bare, PRESERVE_DUPLICATES: True} if flag else bare


def _without(items: Items, names: t.Collection[str]) -> Items:
    return {key: item for key, item in items.items() if key not in names}
