# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import functools
import types
import typing as t

from .._core import Json, bad_answer
from .._text import dict_of, json_type, quoted
from .facts import ACTION, COOKIE_FIELDS, EXPRESSION, FIELD_KINDS, PRESERVE_DUPLICATES, SERVER_MADE

bad = functools.partial(bad_answer, answer="The service's answer holds a ruleset that")

Document = t.Mapping[str, Json]


class CustomField(t.TypedDict, total=False):
    """A custom field as the service sent it, always with a name; other members are kept as well."""

    name: str
    preserve_duplicates: bool | None


# For each type, the service's items by comparable name: headers in lower case, cookies unchanged.
Fields = t.Mapping[str, t.Mapping[str, CustomField]]


class RulesetRule(t.NamedTuple):
    """One rule: the document from the service, and its custom fields if its action is `log_custom_field`."""

    document: Document
    fields: Fields = types.MappingProxyType({})

    @property
    def own(self) -> bool:
        """Return whether the rule configures custom log fields; any other is a foreign rule."""
        return bool(self.document.get("action") == ACTION)

    @property
    def id(self) -> str | None:
        """Return the id, None for a rule that does not exist yet."""
        return _text(self.document, "id", "a rule")

    @property
    def description(self) -> str:
        """Return the description, which the service omits if it is empty."""
        return _text(self.document, "description", "a rule") or ""

    @property
    def enabled(self) -> bool:
        """Return whether the rule is enabled, which is the default if the service omits it."""
        return self.document.get("enabled") is not False

    @property
    def expression(self) -> str:
        return (_text(self.document, "expression", "a rule") or "").strip()

    @property
    def effective(self) -> bool:
        """Return whether the fields of the rule are logged for every request."""
        return self.enabled and self.expression == EXPRESSION

    def to_send(self) -> dict[str, Json]:
        """Return the document for a write, without the members that the service sets and without empty lists."""
        document = {name: value for name, value in self.document.items() if name not in SERVER_MADE}
        if self.own:
            # The service may return null for a member, but does not accept null.
            document = {name: value for name, value in document.items() if value is not None}
            lists = {kind: list(items.values()) for kind, items in self.fields.items() if items}
            parameters = dict_of(document.get("action_parameters"))
            others = {name: value for name, value in parameters.items() if name not in FIELD_KINDS}
            document["action_parameters"] = {**others, **lists}
        return document


class Ruleset(t.NamedTuple):
    """The entry point of the phase in a zone; `rules` is None if the answer omits them."""

    id: str
    version: str | None
    last_updated: str | None
    rules: tuple[RulesetRule, ...] | None

    @property
    def own_rules(self) -> tuple[RulesetRule, ...]:
        return tuple(rule for rule in self.rules or () if rule.own)


def comparable(kind: str, name: str) -> str:
    """Return a name for comparison: header names ignore case, cookie names do not."""
    return name if kind == COOKIE_FIELDS else name.lower()


def read_ruleset(document: Json) -> Ruleset:
    """Parse a ruleset; raise `bad_response` if it is invalid, because the next write would lose rules that are not understood."""
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


def read_rule(document: Json, place: str) -> RulesetRule:
    """Parse a rule; only the fields of a rule with our action are parsed."""
    if not isinstance(document, dict):
        raise bad(f"{place} is {json_type(document)}")
    for name in ("id", "action"):
        if not isinstance(document.get(name), str) or not document[name]:
            raise bad(f"{place} has no {name}")
    if document["action"] != ACTION:
        parameters = dict_of(document.get("action_parameters"))
        if document["action"].lower() == ACTION or not parameters.keys().isdisjoint(FIELD_KINDS):
            raise bad(f"{place} has custom fields, and {quoted(document['action'])} as its action")
        return RulesetRule(document)
    for name in ("description", "expression", "ref"):
        _text(document, name, place)
    if not isinstance(document.get("enabled"), (bool, type(None))):
        raise bad(f"{place} has {json_type(document['enabled'])} in 'enabled'")
    rule = RulesetRule(document, read_fields(document.get("action_parameters"), f"{place}.action_parameters"))
    if not rule.expression:
        # For which requests its fields are logged is not known, and a write would replace it.
        raise bad(f"{place} has no expression")
    return rule


def read_fields(parameters: Json, place: str) -> Fields:
    """Parse the custom fields of a rule; a type that is omitted or null has none."""
    if not isinstance(parameters, dict):
        raise bad(f"{place} is {json_type(parameters)}")
    return {kind: _read_items(kind, parameters.get(kind), f"{place}.{kind}") for kind in FIELD_KINDS}


def _read_items(kind: str, items: Json, place: str) -> dict[str, CustomField]:
    if not isinstance(items, (list, type(None))):
        raise bad(f"{place} is {json_type(items)}")
    fields: dict[str, CustomField] = {}
    for index, item in enumerate(items or ()):
        if not isinstance(item, dict) or not isinstance(item.get("name"), str) or not item["name"]:
            raise bad(f"{place}[{index}] has no name")
        if not _is_field(item):
            raise bad(f"{place}[{index}] has {json_type(item[PRESERVE_DUPLICATES])} in {PRESERVE_DUPLICATES!r}")
        _add(fields, comparable(kind, item["name"]), item)
    return fields


def _add(fields: dict[str, CustomField], key: str, item: CustomField) -> None:
    """Add an item; of several of one name the first one counts, with `preserve_duplicates` if one of them has it."""
    first = fields.setdefault(key, item)
    if item.get(PRESERVE_DUPLICATES):
        fields[key] = {**first, PRESERVE_DUPLICATES: True}


def _is_field(item: dict[str, Json]) -> t.TypeGuard[CustomField]:
    return isinstance(item.get("name"), str) and isinstance(item.get(PRESERVE_DUPLICATES), (bool, type(None)))


def _text(document: Document, name: str, place: str) -> str | None:
    value = document.get(name)
    if not isinstance(value, (str, type(None))):
        raise bad(f"{place} has {json_type(value)} in {name!r}")
    return value


def main_rule(rules: t.Sequence[RulesetRule]) -> RulesetRule | None:
    """Return the rule to keep and report: the first whose fields are logged, otherwise the first; None without rules."""
    return next((rule for rule in rules if rule.effective), rules[0] if rules else None)


def merged(rules: t.Iterable[RulesetRule]) -> Fields:
    """Merge the fields of several rules."""
    union: dict[str, dict[str, CustomField]] = {kind: {} for kind in FIELD_KINDS}
    for rule in rules:
        for kind, items in rule.fields.items():
            for key, item in items.items():
                _add(union[kind], key, item)
    return union
