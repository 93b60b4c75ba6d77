# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import DROP_CUSTOM_FIELDS, REJECTED, Effect, Json, Plan, Request
from .facts import FIELD_KINDS, PHASE, RULESET_KIND
from .options import (
    DesiredCustomFields,
    NamesByKind,
    require_limit,
    require_no_clash,
    require_response_names,
    require_something,
    warnings_about,
)
from .result import result_of, view
from .state import Rule, Ruleset, present_rules, remaining_rules


def plan(desired: DesiredCustomFields, ruleset: Ruleset | None) -> Plan:
    """Plan one PUT of all rules, after the POST that creates a missing ruleset; no request if nothing changes."""
    rules = ruleset.own_rules if ruleset else ()
    rules_after = present_rules(desired, rules) if desired.present else remaining_rules(desired, rules)
    if desired.present:
        _check(desired, rules_after)
    in_detail = len(rules) > 1
    before, after = view(rules, in_detail), view(rules_after, in_detail)
    return Plan(
        before=before,
        after=after,
        result=result_of(ruleset, rules_after, made=desired.present),
        requests=() if before == after else _requests(desired, ruleset, rules_after),
        basis={"ruleset_id": ruleset.id if ruleset else None, **view(rules, in_detail=True)},
        effects=_effects(before["custom_fields"], after["custom_fields"]),
        warnings=warnings_about(desired.given) if desired.present else (),
    )


def _effects(before: NamesByKind, after: NamesByKind) -> tuple[Effect, ...]:
    """Return the names that are no longer logged in their type; a name that moves to another type is one of them."""
    gone = sorted(f"{kind}: {name}" for kind in FIELD_KINDS for name in set(before[kind]) - set(after[kind]))
    return (Effect(DROP_CUSTOM_FIELDS, None, tuple(gone)),) if gone else ()


def _check(desired: DesiredCustomFields, rules_after: t.Sequence[Rule]) -> None:
    """Refuse rules that the service would not accept or log, including the names that it already has."""
    names = {kind: [name for rule in rules_after for name in rule.fields[kind]] for kind in FIELD_KINDS}
    require_something(names, desired.given)
    require_no_clash(names, desired.given)
    require_response_names(desired.preserve_duplicates or (), names)
    require_limit(names, desired.field_limit)


def _requests(desired: DesiredCustomFields, ruleset: Ruleset | None, rules_after: t.Sequence[Rule]) -> tuple[Request, ...]:
    if ruleset is None:
        return _creation(desired, rules_after)
    rules = _in_place(ruleset.rules or (), rules_after)
    return (
        Request(
            "rulesets.update",
            ids={"ruleset_id": ruleset.id},
            body={"rules": [rule.to_send() for rule in rules]},
            digested=_own_documents(rules_after),
            if_it_fails=_companions([rule for rule in rules if not rule.own]),
        ),
    )


def _creation(desired: DesiredCustomFields, rules_after: t.Sequence[Rule]) -> tuple[Request, ...]:
    body = {
        "name": desired.ruleset_name,
        "kind": RULESET_KIND,
        "description": desired.ruleset_description,
        "phase": PHASE,
    }
    return (
        # The service also refuses the creation if another client has created the ruleset in the meantime.
        Request("rulesets.create", body=body, creates=True, look_again_on=(REJECTED,)),
        Request(
            "rulesets.update",
            body=_own_documents(rules_after),
            id_from_answer="ruleset_id",
            if_it_fails="The entry point ruleset was created, but it is not certain that it contains the rule; run the task again.",
        ),
    )


def _own_documents(rules_after: t.Sequence[Rule]) -> dict[str, Json]:
    return {"rules": [rule.to_send() for rule in rules_after]}


def _in_place(rules: t.Sequence[Rule], rules_after: t.Sequence[Rule]) -> list[Rule]:
    """Return all rules in order: foreign rules unchanged, own rules in the desired state, a new rule at the end."""
    by_id = {rule.id: rule for rule in rules_after}
    kept = [by_id.get(rule.id, rule) for rule in rules if not rule.own or rule.id in by_id]
    return kept + [rule for rule in rules_after if rule.id is None]


def _companions(others: t.Sequence[Rule]) -> str:
    """Return a sentence that names the foreign rules in the request and their members, for a failure that they may have caused."""
    if not others:
        return ""
    rules = "; ".join(f"{rule.id} ({rule.document['action']}: {', '.join(sorted(rule.to_send()))})" for rule in others)
    return f"The request also carried, unchanged, the rules with other actions: {rules}."
