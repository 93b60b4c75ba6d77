# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._core import BAD_RESPONSE, Answer, Conclusion, Failure, Json, Plan
from .._text import dict_of, list_of
from .facts import FIELD_KINDS, PRESERVE_DUPLICATES, RESPONSE_KINDS
from .options import DesiredCustomFields
from .state import Document, Fields, Ruleset, RulesetRule, main_rule, merged, read_fields, read_ruleset


def names_of(rules: t.Sequence[RulesetRule]) -> dict[str, list[str]]:
    """Return the custom fields of rules for results: sorted names of each type, and the names with `preserve_duplicates`."""
    fields = merged(rules)
    names = {kind: sorted(item["name"] for item in fields[kind].values()) for kind in FIELD_KINDS}
    flagged = {item["name"] for kind in RESPONSE_KINDS for item in fields[kind].values() if item.get(PRESERVE_DUPLICATES)}
    return {**names, PRESERVE_DUPLICATES: sorted(flagged)}


def view(rules: t.Sequence[RulesetRule], in_detail: bool) -> dict[str, Json]:
    """Return the managed state for a diff; `in_detail`: with the fields of each rule, for several rules."""
    views = [
        {
            "id": rule.id,
            "description": rule.description,
            "enabled": rule.enabled,
            "expression": rule.expression,
            **({"custom_fields": names_of([rule])} if in_detail else {}),
        }
        for rule in rules
    ]
    return {"custom_fields": names_of(rules), "rules": views}


# Before what an option says, in the diff.
_IN_VIEW = re.compile(r"^(?:custom_fields|rules\[[0-9]+\])\.")


def option_of(path: str) -> str:
    """Return the option that a path of `view` is about."""
    return _IN_VIEW.sub("", path)


def result_of(ruleset: Ruleset | None, rules: t.Sequence[RulesetRule], made: bool) -> dict[str, t.Any]:
    """Return the documented result; `made`: whether a missing ruleset would be created."""
    main = main_rule(rules)
    members = {
        "id": ruleset.id if ruleset else None,
        "version": ruleset.version if ruleset else None,
        "rule_id": main.id if main else None,
        "ref": main.document.get("ref") if main else None,
        "last_updated": ruleset.last_updated if ruleset else None,
    }
    return {"custom_fields": names_of(rules), "ruleset": members if ruleset or made else None}


def report(ruleset: Ruleset | None) -> dict[str, t.Any]:
    return result_of(ruleset, ruleset.own_rules if ruleset else (), made=False)


# Compared members of an own rule, beside its fields, and of a foreign rule, for which empty and omitted are equal.
_OWN = ("description", "enabled", "expression")
_FOREIGN = ("action", "action_parameters", "description", "expression")


def conclude(desired: DesiredCustomFields, state: Ruleset | None, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
    """Return the result of a plan's writes; raise `bad_response` if the answer differs from what was sent."""
    answered = read_ruleset(answers[-1].result)
    # A creation counts from the version that it made; its answer has no rules that matter here.
    base = state or read_ruleset({name: dict_of(answers[0].result).get(name) for name in ("id", "version")})
    sent = list(map(dict_of, list_of(dict_of(plan.requests[-1].body)["rules"])))
    differences = _differences(sent, answered) if answered.id == base.id else [f"it is of ruleset {answered.id}, not {base.id}"]
    if differences:
        raise Failure(
            BAD_RESPONSE,
            f"The service accepted the write, but its response differs from the desired state: {'; '.join(differences)}.",
        )
    warnings = _foreign_writes(base, answered)
    # A retried write may have increased the version several times.
    return Conclusion(
        {**report(answered), "undeclared": plan.result["undeclared"]}, warnings if answers[-1].attempts <= 1 else ()
    )


def _differences(sent: t.Sequence[Document], answered: Ruleset) -> list[str]:
    if answered.rules is None and sent:
        return ["it shows no rules"]
    remaining = {rule.id: rule for rule in answered.rules or ()}
    differences: list[str] = []
    for document in sent:
        # A created rule has no id yet. It is the only own rule, because one is created only if there was none.
        created = next((identifier for identifier, rule in remaining.items() if rule.own), None)
        identifier = RulesetRule(document).id or created
        rule = remaining.pop(identifier, None)
        if rule is None:
            differences.append(f"rule {identifier or 'that is new'} is missing")
        elif members := _differing_members(document, rule):
            differences.append(f"rule {rule.id} differs in {', '.join(members)}")
    return differences + [f"rule {identifier} was not asked for" for identifier in remaining]


def _differing_members(document: Document, rule: RulesetRule) -> list[str]:
    sent = RulesetRule(document)
    # If no reference was sent, the service sets one.
    ref = ["ref"] if document.get("ref") and document["ref"] != rule.document.get("ref") else []
    if sent.own and rule.own:
        requested, answered = _names(read_fields(document["action_parameters"], "action_parameters")), _names(rule.fields)
        members = [name for name in _OWN if getattr(sent, name) != getattr(rule, name)]
        return members + ref + [name for name in requested if requested[name] != answered[name]]
    members = [name for name in _FOREIGN if (document.get(name) or None) != (rule.document.get(name) or None)]
    return members + ref + (["enabled"] if sent.enabled != rule.enabled else [])


def _names(fields: Fields) -> dict[str, set[str]]:
    flagged = {key for kind in RESPONSE_KINDS for key, item in fields[kind].items() if item.get(PRESERVE_DUPLICATES)}
    return {**{kind: set(items) for kind, items in fields.items()}, PRESERVE_DUPLICATES: flagged}


def _foreign_writes(before: Ruleset, after: Ruleset) -> tuple[str, ...]:
    """Return a warning if the versions show another write between the read and the write."""
    old, new = (int(version) if version and version.isdecimal() else None for version in (before.version, after.version))
    if old is None or new is None or new - old <= 1:
        return ()
    text = (
        f"Ruleset {after.id} went from version {old} to {new} although this run wrote once: another client changed it"
        " between the read and the write, and that change may have been replaced."
    )
    return (text,)
