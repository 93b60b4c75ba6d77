# SPDX-License-Identifier: GPL-3.0-or-later

"""An independent model of custom log fields as sets of names; it shares no code with the collection."""

import typing as t

Json = t.Any
Document = t.Mapping[str, Json]
# For each kind, the names and whether all values of a name are logged.
Fields = dict[str, dict[str, bool]]

KINDS = ("request_fields", "transformed_request_fields", "response_fields", "raw_response_fields", "cookie_fields")
RESPONSE = ("response_fields", "raw_response_fields")
EXCLUSIVE = (("request_fields", "transformed_request_fields"), ("response_fields", "raw_response_fields"))
PHASE, ACTION = "http_log_custom_fields", "log_custom_field"
MOVING = ("version", "last_updated")


class Refused(Exception):
    """The desired state is impossible and must be refused as an invalid option."""


def entry_point(state: Document) -> Document | None:
    """Return the zone's own ruleset of the phase."""
    rulesets = [ruleset for ruleset in state["rulesets"] if ruleset["kind"] == "zone" and ruleset["phase"] == PHASE]
    assert len(rulesets) <= 1
    return rulesets[0] if rulesets else None


def own_rules(state: Document) -> list[Document]:
    ruleset = entry_point(state)
    return [rule for rule in ruleset["rules"] if rule["action"] == ACTION] if ruleset else []


def untouchable(state: Document) -> Json:
    """Return the rules of others, in their order, and the members of the ruleset that tasks must not change."""
    ruleset = entry_point(state)
    foreign = [rule for rule in ruleset["rules"] if rule["action"] != ACTION] if ruleset else []
    rules = [{name: value for name, value in rule.items() if name not in MOVING} for rule in foreign]
    others = [other for other in state["rulesets"] if other is not ruleset]
    return rules, others, state["jobs"], state["script_monitor"], state["scripts"]


def fields_of(rule: Document) -> Fields:
    parameters = rule["action_parameters"]
    return {kind: {item["name"]: bool(item.get("preserve_duplicates")) for item in parameters.get(kind, ())} for kind in KINDS}


def union(rules: t.Iterable[Document]) -> Fields:
    """Return all fields of some rules; all values of a name are logged if one rule logs them."""
    fields: Fields = {kind: {} for kind in KINDS}
    for rule in rules:
        for kind, names in fields_of(rule).items():
            for name, flag in names.items():
                fields[kind][name] = flag or fields[kind].get(name, False)
    return fields


def shown(fields: Fields) -> dict[str, list[str]]:
    """Return the fields in the form of results and diffs."""
    flagged = {name for kind in RESPONSE for name, flag in fields[kind].items() if flag}
    return {**{kind: sorted(fields[kind]) for kind in KINDS}, "preserve_duplicates": sorted(flagged)}


def normal(kind: str, name: str) -> str:
    return name if kind == "cookie_fields" else name.strip().lower()


def given(options: Document) -> dict[str, set[str]]:
    """Return the names in the options of a task, by kind."""
    return {kind: {normal(kind, name) for name in options[kind]} for kind in KINDS if kind in options}


def expected(options: Document, rules: list[Document]) -> Fields:
    """Return the union of all fields after a task with these options; raise `Refused` if they are invalid."""
    fields = union(rules)
    lists = given(options)
    if options.get("state") == "absent":
        gone = lists or {kind: set(names) for kind, names in fields.items()}
        return {kind: {name: names[name] for name in set(names) - gone.get(kind, set())} for kind, names in fields.items()}
    keep = not options.get("purge", True)
    for kind, names in lists.items():
        kept = {name: flag for name, flag in fields[kind].items() if name in names or keep}
        fields[kind] = {**dict.fromkeys(names, False), **kept}
    flagged = {normal("response_fields", name) for name in options.get("preserve_duplicates", ())}
    if "preserve_duplicates" in options:
        for kind in RESPONSE:
            fields[kind] = {name: name in flagged or (keep and flag) for name, flag in fields[kind].items()}
    clash = any(set(fields[one]) & set(fields[other]) for one, other in EXCLUSIVE)
    strays = flagged - set(fields["response_fields"]) - set(fields["raw_response_fields"])
    limit = options.get("field_limit", 40)
    if not any(fields.values()) or clash or strays or (limit and sum(map(len, fields.values())) > limit):
        raise Refused
    return fields
