# SPDX-License-Identifier: GPL-3.0-or-later

"""An independent account of what custom log fields have to become, in sets of names; it shares no code with the collection."""

from __future__ import annotations

import dataclasses
import typing as t

Json = t.Any
Document = t.Mapping[str, Json]
# For each kind, the names with whether every value of a name is logged.
Fields = dict[str, dict[str, bool]]

KINDS = ("request_fields", "transformed_request_fields", "response_fields", "raw_response_fields", "cookie_fields")
RESPONSE = ("response_fields", "raw_response_fields")
EXCLUSIVE = (("request_fields", "transformed_request_fields"), ("response_fields", "raw_response_fields"))
PHASE, ACTION = "http_log_custom_fields", "log_custom_field"


class Refused(Exception):
    """The desired state is impossible and has to be refused as an invalid option."""


def entry_point(state: Document) -> Document | None:
    """The zone's own ruleset of the phase."""
    found = [each for each in state["rulesets"] if each["kind"] == "zone" and each["phase"] == PHASE]
    assert len(found) <= 1
    return found[0] if found else None


def own_rules(state: Document) -> list[Document]:
    ruleset = entry_point(state)
    return [rule for rule in ruleset["rules"] if rule["action"] == ACTION] if ruleset else []


def untouchable(state: Document) -> Json:
    """What no task about custom log fields may touch, in its order."""
    moving = ("version", "last_updated")
    ruleset = entry_point(state)
    foreign = [rule for rule in ruleset["rules"] if rule["action"] != ACTION] if ruleset else []
    rules = [{name: value for name, value in rule.items() if name not in moving} for rule in foreign]
    return (
        rules,
        [each for each in state["rulesets"] if each is not ruleset],
        state["jobs"],
        state["script_monitor"],
        state["scripts"],
    )


def fields_of(rule: Document) -> Fields:
    parameters = rule["action_parameters"]
    return {kind: {item["name"]: bool(item.get("preserve_duplicates")) for item in parameters.get(kind, ())} for kind in KINDS}


def union(rules: t.Iterable[Document]) -> Fields:
    """All fields of some rules; a name keeps all values where one rule does."""
    found: Fields = {kind: {} for kind in KINDS}
    for rule in rules:
        for kind, names in fields_of(rule).items():
            for name, flag in names.items():
                found[kind][name] = flag or found[kind].get(name, False)
    return found


def shown(fields: Fields) -> dict[str, list[str]]:
    """The fields as results and diffs name them."""
    flagged = {name for kind in RESPONSE for name, flag in fields[kind].items() if flag}
    return {**{kind: sorted(fields[kind]) for kind in KINDS}, "preserve_duplicates": sorted(flagged)}


@dataclasses.dataclass(frozen=True)
class DesiredFields:
    """The options of a task in normal form."""

    options: Document

    @property
    def present(self) -> bool:
        return self.options.get("state", "present") == "present"

    @property
    def purge(self) -> bool:
        return bool(self.options.get("purge", True))

    @property
    def given(self) -> dict[str, set[str]]:
        lists = {kind: self.options[kind] for kind in KINDS if self.options.get(kind) is not None}
        return {kind: {_normal(kind, name) for name in names} for kind, names in lists.items()}

    @property
    def flagged(self) -> set[str] | None:
        names = self.options.get("preserve_duplicates")
        return None if names is None else {name.strip().lower() for name in names}

    def expected(self, state: Document) -> Fields:
        """The union of all fields afterwards; raises `Refused`."""
        rules = own_rules(state)
        if not self.present:
            return self._remaining(rules)
        fields = union(rules)
        for kind, names in self.given.items():
            kept = {name: flag for name, flag in fields[kind].items() if name in names or not self.purge}
            fields[kind] = {**dict.fromkeys(names, False), **kept}
        for kind in RESPONSE if self.flagged is not None else ():
            keep = not self.purge
            fields[kind] = {name: name in (self.flagged or ()) or (keep and flag) for name, flag in fields[kind].items()}
        self._refuse(fields)
        return fields

    def _remaining(self, rules: list[Document]) -> Fields:
        fields = union(rules)
        if not self.given:
            return {kind: {} for kind in KINDS}
        return {
            kind: {name: flag for name, flag in names.items() if name not in self.given.get(kind, ())}
            for kind, names in fields.items()
        }

    def _refuse(self, fields: Fields) -> None:
        names = {kind: set(found) for kind, found in fields.items()}
        nothing = not any(names.values())
        clash = any(names[one] & names[other] for one, other in EXCLUSIVE)
        strays = (self.flagged or set()) - names["response_fields"] - names["raw_response_fields"]
        limit = self.options.get("field_limit", 40)
        if nothing or clash or strays or (limit and sum(map(len, names.values())) > limit):
            raise Refused


def _normal(kind: str, name: str) -> str:
    return name if kind == "cookie_fields" else name.strip().lower()
