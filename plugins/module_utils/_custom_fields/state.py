# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import (
    ACTION,
    COOKIE_FIELDS,
    EXPRESSION,
    FIELD_KINDS,
    PRESERVE_DUPLICATES,
    SERVER_MADE,
)
from ansible_collections.edgeops.observability.plugins.module_utils._errors import BAD_RESPONSE, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._json import json_type
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

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
