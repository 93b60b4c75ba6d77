# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import BAD_RESPONSE, Answer, Conclusion, Failure, Json, Plan
from .facts import FIELD_KINDS, PRESERVE_DUPLICATES, RESPONSE_KINDS
from .options import DesiredCustomFields
from .state import Document, Fields, Rule, Ruleset, main_rule, merged, read_fields, read_ruleset


def names_of(rules: t.Sequence[Rule]) -> dict[str, list[str]]:
    """Return the custom fields of rules for results: sorted names of each type, and the names with `preserve_duplicates`."""
    fields = merged(rules)
    names = {kind: sorted(item["name"] for item in fields[kind].values()) for kind in FIELD_KINDS}
    flagged = {item["name"] for kind in RESPONSE_KINDS for item in fields[kind].values() if item.get(PRESERVE_DUPLICATES)}
    return {**names, PRESERVE_DUPLICATES: sorted(flagged)}


def view(rules: t.Sequence[Rule], in_detail: bool) -> dict[str, Json]:
    """Return the managed state for a diff; `in_detail`: with the fields of each rule, for several rules."""
    return {"custom_fields": names_of(rules), "rules": [_rule_view(rule, in_detail) for rule in rules]}


def _rule_view(rule: Rule, in_detail: bool) -> dict[str, Json]:
    parts = {"id": rule.id, "description": rule.description, "enabled": rule.enabled, "expression": rule.expression}
    return {**parts, "custom_fields": names_of([rule])} if in_detail else parts


def result_of(ruleset: Ruleset | None, rules: t.Sequence[Rule], made: bool) -> dict[str, Json]:
    """Return the documented result; `made`: whether a missing ruleset would be created."""
    return {"custom_fields": names_of(rules), "ruleset": _ruleset(ruleset, rules) if ruleset or made else None}


def _ruleset(ruleset: Ruleset | None, rules: t.Sequence[Rule]) -> dict[str, Json]:
    main = main_rule(rules)
    return {
        "id": ruleset.id if ruleset else None,
        "version": ruleset.version if ruleset else None,
        "rule_id": main.id if main else None,
        "ref": main.document.get("ref") if main else None,
        "last_updated": ruleset.last_updated if ruleset else None,
    }


def report(ruleset: Ruleset | None) -> dict[str, Json]:
    """Return the result for the current state."""
    return result_of(ruleset, ruleset.own_rules if ruleset else (), made=False)


_OWN = ("description", "enabled", "expression")
# Compared members of a foreign rule, for which empty and omitted are equal.
_OTHERS = ("action", "action_parameters", "description", "expression", "ref")


def conclude(desired: DesiredCustomFields, state: Ruleset | None, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
    """Return the result of a plan's writes; raise `bad_response` if the answer differs from what was sent."""
    answered = read_ruleset(answers[-1].result)
    base = state or _created(answers[0].result)
    sent = plan.requests[-1].body["rules"]
    found = _differences(sent, answered) if answered.id == base.id else [f"it is of ruleset {answered.id}, not {base.id}"]
    if found:
        raise Failure(
            BAD_RESPONSE, f"The service accepted the write, but its response differs from the desired state: {'; '.join(found)}."
        )
    # A retried write may have increased the version several times.
    warning = _foreign_write(base, answered) if answers[-1].attempts <= 1 else ""
    return Conclusion(report(answered), (warning,) if warning else ())


def _differences(sent: t.Sequence[Document], answered: Ruleset) -> list[str]:
    if answered.rules is None and sent:
        return ["it shows no rules"]
    there = {rule.id: rule for rule in answered.rules or ()}
    found: list[str] = []
    for document in sent:
        identifier = document["id"] if "id" in document else _new_rule(there)
        rule = there.pop(identifier, None)
        found += _rule_differences(document, rule) if rule else [f"rule {identifier or 'that is new'} is missing"]
    return found + [f"rule {identifier} was not asked for" for identifier in there]


def _new_rule(there: t.Mapping[str | None, Rule]) -> str | None:
    """Return the id of the created rule: the only own rule, because one is created only if there was none."""
    return next((identifier for identifier, rule in there.items() if rule.own), None)


def _rule_differences(document: Document, rule: Rule) -> list[str]:
    expected = Rule(document)
    if expected.own and rule.own:
        members = [name for name in _OWN if getattr(expected, name) != getattr(rule, name)]
        members += [name for name in ("ref",) if document.get(name) and document[name] != rule.document.get(name)]
        members += _field_differences(document, rule)
    else:
        # If no reference was sent, the service sets one.
        names = [name for name in _OTHERS if name != "ref" or document.get(name)]
        members = [name for name in names if (document.get(name) or None) != (rule.document.get(name) or None)]
        members += ["enabled"] if expected.enabled != rule.enabled else []
    return [f"rule {rule.id} differs in {', '.join(members)}"] if members else []


def _field_differences(document: Document, rule: Rule) -> list[str]:
    asked, answered = _comparable(read_fields(document["action_parameters"], "action_parameters")), _comparable(rule.fields)
    return [name for name in asked if asked[name] != answered[name]]


def _comparable(fields: Fields) -> dict[str, set[str]]:
    flagged = {key for kind in RESPONSE_KINDS for key, item in fields[kind].items() if item.get(PRESERVE_DUPLICATES)}
    return {**{kind: set(items) for kind, items in fields.items()}, PRESERVE_DUPLICATES: flagged}


def _created(document: Document) -> Ruleset:
    """Return id and version of the created ruleset, for comparison with the next answer."""
    return read_ruleset({name: document.get(name) for name in ("id", "version")})


def _foreign_write(before: Ruleset, after: Ruleset) -> str:
    """Return a warning if the version shows another write between the read and the write."""
    old, new = _number(before.version), _number(after.version)
    if old is None or new is None or new - old <= 1:
        return ""
    return (
        f"Ruleset {after.id} went from version {old} to {new} although this run wrote once: another client changed it"
        " between the read and the write, and that change may have been replaced."
    )


def _number(version: str | None) -> int | None:
    return int(version) if version is not None and version.isascii() and version.isdigit() else None
