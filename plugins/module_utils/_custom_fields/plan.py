# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import DROP_CUSTOM_FIELDS, REJECTED, Effect, Json, Plan, Request
from .._redact import require_unmasked
from .._text import dict_of
from .facts import ACTION, DEFAULT_DESCRIPTION, EXPRESSION, FIELD_KINDS, PHASE, PRESERVE_DUPLICATES, RESPONSE_KINDS, RULESET_KIND
from .options import DesiredCustomFields, require_possible, warnings_about
from .result import names_of, result_of, view
from .state import CustomField, Ruleset, RulesetRule, comparable, main_rule, merged

Items = t.Mapping[str, CustomField]


def plan(desired: DesiredCustomFields, ruleset: Ruleset | None) -> Plan:
    """Plan one PUT of all rules, after the POST that creates a missing ruleset; no request if nothing changes."""
    rules = ruleset.own_rules if ruleset else ()
    rules_after = _present_rules(desired, rules) if desired.present else _remaining_rules(desired, rules)
    if desired.present:
        # Names that the service already has count as well.
        names = {kind: [name for rule in rules_after for name in rule.fields[kind]] for kind in FIELD_KINDS}
        require_possible(desired, names, FIELD_KINDS)
    in_detail = len(rules) > 1
    # A name that moves to another type is no longer logged in its type, either.
    gone = tuple(sorted(_logged(rules) - _logged(rules_after)))
    before, after = view(rules, in_detail), view(rules_after, in_detail)
    return Plan(
        before=before,
        after=after,
        result={**result_of(ruleset, rules_after, made=desired.present), "undeclared": _undeclared(desired, rules_after)},
        requests=() if before == after else _requests(desired, ruleset, rules_after),
        basis={"ruleset_id": ruleset.id if ruleset else None, **view(rules, in_detail=True)},
        effects=(Effect(DROP_CUSTOM_FIELDS, None, gone),) if gone else (),
        warnings=warnings_about(desired.names) if desired.present else (),
    )


def _undeclared(desired: DesiredCustomFields, rules: t.Sequence[RulesetRule]) -> list[str]:
    """Return the lists with names that the task leaves alone: whoever changes them is not seen."""
    lists = {**desired.names, **({} if desired.preserve_duplicates is None else {PRESERVE_DUPLICATES: ()})}
    return [kind for kind, names in names_of(rules).items() if names and kind not in lists] if desired.present else []


def _logged(rules: t.Sequence[RulesetRule]) -> set[str]:
    names = names_of(rules)
    return {f"{kind}: {name}" for kind in FIELD_KINDS for name in names[kind]}


def _present_rules(desired: DesiredCustomFields, rules: t.Sequence[RulesetRule]) -> list[RulesetRule]:
    """Return the own rules in the desired state: a single rule with `purge`, otherwise the current ones with the names added."""
    kept = main_rule(rules)
    others = [rule for rule in rules if rule is not kept]
    base = [kept] if kept else []
    start = merged([*base, *others] if desired.purge else base)
    elsewhere = merged(rule for rule in others if rule.effective)
    fields = {kind: _desired_items(desired, kind, start[kind], elsewhere[kind]) for kind in FIELD_KINDS}
    document = dict(kept.document) if kept else {"action": ACTION, "description": DEFAULT_DESCRIPTION}
    if desired.description is not None:
        document["description"] = desired.description
    main = RulesetRule({**document, "expression": EXPRESSION, "enabled": True}, fields)
    remaining = [main if rule is kept else rule for rule in rules if rule is kept or not desired.purge]
    return [_flagged(desired, rule) for rule in ([*remaining, main] if kept is None else remaining)]


def _desired_items(desired: DesiredCustomFields, kind: str, current: Items, elsewhere: Items) -> Items:
    """Return the items of a type: current items keep their order and flags, new names are appended."""
    if kind not in desired.names:
        return current
    requested = {comparable(kind, name): name for name in desired.names[kind]}
    items: dict[str, CustomField] = {
        key: {**item, "name": requested.get(key, item["name"])}
        for key, item in current.items()
        if key in requested or not desired.purge
    }
    return {**items, **{key: {"name": name} for key, name in requested.items() if key not in items and key not in elsewhere}}


def _flagged(desired: DesiredCustomFields, rule: RulesetRule) -> RulesetRule:
    """Return the rule with the desired flags: with `purge` the list replaces the flags, otherwise flags are only added."""
    names = desired.preserve_duplicates
    if names is None:
        return rule
    fields = dict(rule.fields)
    for kind in RESPONSE_KINDS:
        items = {key: item.copy() for key, item in fields[kind].items()}
        for key, item in items.items():
            if key in names:
                item[PRESERVE_DUPLICATES] = True
            elif desired.purge:
                item.pop(PRESERVE_DUPLICATES, None)  # false is omitted, as the service does
        fields[kind] = items
    return rule._replace(fields=fields)


def _remaining_rules(desired: DesiredCustomFields, rules: t.Sequence[RulesetRule]) -> list[RulesetRule]:
    """Return the own rules without the listed names and without rules that become empty; without lists, return no rules."""
    if not desired.names:
        return []
    remaining = []
    for rule in rules:
        fields = {
            kind: {key: item for key, item in items.items() if key not in desired.names.get(kind, ())}
            for kind, items in rule.fields.items()
        }
        smaller = rule._replace(fields=fields)
        if fields == rule.fields or any(dict_of(smaller.to_send()["action_parameters"]).values()):
            remaining.append(smaller)
    return remaining


def _requests(desired: DesiredCustomFields, ruleset: Ruleset | None, rules_after: t.Sequence[RulesetRule]) -> tuple[Request, ...]:
    own = {"rules": [rule.to_send() for rule in rules_after]}
    if ruleset is not None:
        rules = _in_place(ruleset.rules or (), rules_after)
        require_unmasked(_kept(desired, rules), f"The ruleset {ruleset.id}", "change that rule at the service itself")
        update = Request(
            "rulesets.update",
            ids={"ruleset_id": ruleset.id},
            body={"rules": [rule.to_send() for rule in rules]},
            digested=own,
            if_it_fails=_describe_foreign([rule for rule in rules if not rule.own]),
        )
        return (update,)
    body = {"name": desired.ruleset_name, "kind": RULESET_KIND, "description": desired.ruleset_description, "phase": PHASE}
    return (
        # The service also refuses the creation if another client has created the ruleset in the meantime.
        Request("rulesets.create", body=body, creates=True, look_again_on=(REJECTED,)),
        Request(
            "rulesets.update",
            body=own,
            id_from_answer="ruleset_id",
            if_it_fails="The entry point ruleset was created, but it is not certain that it contains the rule; run the task again.",
        ),
    )


def _in_place(rules: t.Sequence[RulesetRule], rules_after: t.Sequence[RulesetRule]) -> list[RulesetRule]:
    """Return all rules in order: foreign rules unchanged, own rules in the desired state, a new rule at the end."""
    by_id = {rule.id: rule for rule in rules_after}
    kept = [by_id.get(rule.id, rule) for rule in rules if not rule.own or rule.id in by_id]
    return kept + [rule for rule in rules_after if rule.id is None]


def _kept(desired: DesiredCustomFields, rules: t.Sequence[RulesetRule]) -> dict[str, Json]:
    """Return what a write of all rules has from the service, by path; texts of expressions contain whatever they compare with."""
    declared = ("description",) if desired.description is not None else ()
    return {
        f"rules[{index}].{name}": value
        for index, rule in enumerate(rules)
        for name, value in rule.to_send().items()
        if name != "expression" and not (rule.own and name in declared)
    }


def _describe_foreign(others: t.Sequence[RulesetRule]) -> str:
    """Return a sentence that names the foreign rules in the request and their members, which the service may have refused."""
    if not others:
        return ""
    rules = "; ".join(f"{rule.id} ({rule.document['action']}: {', '.join(sorted(rule.to_send()))})" for rule in others)
    return f"The request also carried, unchanged, the rules with other actions: {rules}."
