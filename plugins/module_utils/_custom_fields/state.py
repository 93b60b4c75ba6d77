# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from .._core import BAD_RESPONSE, Failure, Json
from .._text import json_type
from .facts import (
    ACTION,
    COOKIE_FIELDS,
    DEFAULT_DESCRIPTION,
    EXPRESSION,
    FIELD_KINDS,
    PRESERVE_DUPLICATES,
    RESPONSE_KINDS,
    SERVER_MADE,
)
from .options import Desired

Document = t.Mapping[str, Json]
# For each kind, the service's items by comparable name: a header's in lower case, a cookie's as it is.
Fields = t.Mapping[str, t.Mapping[str, Document]]


class Rule(t.NamedTuple):
    """One rule: the document as the service has it, and for our action the custom fields in it."""

    document: Document
    fields: Fields = types.MappingProxyType({})

    @property
    def own(self) -> bool:
        """Return whether the rule configures custom log fields; any other is a foreign rule."""
        return bool(self.document.get("action") == ACTION)

    @property
    def id(self) -> str | None:
        """The identifier; None where the rule is yet to be made."""
        return self.document.get("id")

    @property
    def description(self) -> str:
        """The description; the service leaves out an empty one."""
        return self.document.get("description") or ""

    @property
    def enabled(self) -> bool:
        """Whether the rule is in force, which is what the service means when it does not say."""
        return self.document.get("enabled") is not False

    @property
    def expression(self) -> str:
        """The expression, without blanks around it."""
        return (self.document.get("expression") or "").strip()

    @property
    def effective(self) -> bool:
        """Whether the fields of the rule are logged for every request."""
        return self.enabled and self.expression == EXPRESSION

    def to_send(self) -> dict[str, Json]:
        """The document as a write wants it: without what the service makes, and without empty lists."""
        document = {name: value for name, value in self.document.items() if name not in SERVER_MADE}
        if self.own:
            # The service may show null for a member that it has no value for, but does not take it back.
            document = {name: value for name, value in document.items() if value is not None}
            lists = {kind: list(items.values()) for kind, items in self.fields.items() if items}
            others = {name: value for name, value in document.get("action_parameters", {}).items() if name not in FIELD_KINDS}
            document["action_parameters"] = {**others, **lists}
        return document


class Ruleset(t.NamedTuple):
    """The phase's entry point of a zone; `rules` is None where the answer did not show them."""

    id: str
    version: str | None
    last_updated: str | None
    rules: tuple[Rule, ...] | None

    @property
    def own_rules(self) -> tuple[Rule, ...]:
        """The rules with our action, in order."""
        return tuple(rule for rule in self.rules or () if rule.own)


def comparable(kind: str, name: str) -> str:
    """Header names mean the same in any case; cookie names do not."""
    return name if kind == COOKIE_FIELDS else name.lower()


def read_ruleset(document: Json) -> Ruleset:
    """A ruleset of the service; refuses what is garbled, because a rule that is not understood would be lost in the next write."""
    if not isinstance(document, dict):
        raise bad("it is not an object")
    identifier = document.get("id")
    if not isinstance(identifier, str) or not identifier:
        raise bad("it has no id")
    rules = document.get("rules", ())
    if not isinstance(rules, (list, tuple)):
        raise bad(f"{identifier} has {json_type(rules)} in 'rules'")
    read = tuple(read_rule(rule, f"{identifier}, rules[{index}]") for index, rule in enumerate(rules))
    if len({rule.id for rule in read}) != len(read):
        raise bad(f"{identifier} has two rules of one id")
    return Ruleset(
        identifier,
        _text(document, "version", identifier),
        _text(document, "last_updated", identifier),
        read if "rules" in document else None,
    )


def read_rule(document: Json, place: str) -> Rule:
    """A rule of the service; only a rule of our action is looked into."""
    if not isinstance(document, dict):
        raise bad(f"{place} is {json_type(document)}")
    for name in ("id", "action"):
        if not isinstance(document.get(name), str) or not document[name]:
            raise bad(f"{place} has no {name}")
    if document["action"] != ACTION:
        return Rule(document)
    for name in ("description", "expression", "ref"):
        _text(document, name, place)
    if not isinstance(document.get("enabled"), (bool, type(None))):
        raise bad(f"{place} has {json_type(document['enabled'])} in 'enabled'")
    return Rule(document, read_fields(document.get("action_parameters"), f"{place}.action_parameters"))


def read_fields(parameters: Json, place: str) -> Fields:
    """The custom fields of a rule; a kind that is left out or null has none."""
    if not isinstance(parameters, dict):
        raise bad(f"{place} is {json_type(parameters)}")
    return {kind: _read_items(kind, parameters.get(kind), f"{place}.{kind}") for kind in FIELD_KINDS}


def _read_items(kind: str, items: Json, place: str) -> dict[str, Document]:
    if not isinstance(items, (list, type(None))):
        raise bad(f"{place} is {json_type(items)}")
    found: dict[str, Document] = {}
    for index, item in enumerate(items or ()):
        if not isinstance(item, dict) or not isinstance(item.get("name"), str) or not item["name"]:
            raise bad(f"{place}[{index}] has no name")
        if not isinstance(item.get(PRESERVE_DUPLICATES), (bool, type(None))):
            raise bad(f"{place}[{index}] has {json_type(item[PRESERVE_DUPLICATES])} in {PRESERVE_DUPLICATES!r}")
        found.setdefault(comparable(kind, item["name"]), item)
    return found


def bad(what: str) -> Failure:
    """An answer of the rulesets routes that cannot be relied on."""
    return Failure(BAD_RESPONSE, f"The service's answer holds a ruleset that cannot be used: {what}.")


def _text(document: Document, name: str, place: str) -> str | None:
    value = document.get(name)
    if not isinstance(value, (str, type(None))):
        raise bad(f"{place} has {json_type(value)} in {name!r}")
    return value


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
