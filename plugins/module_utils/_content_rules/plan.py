# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import (
    NOT_FOUND,
    Answer,
    Conclusion,
    Failure,
    Json,
    Plan,
    Request,
    conflict,
    invalid_option,
    written_otherwise,
)
from .._policy.facts import SCRIPT_SRC, STRICT_DYNAMIC
from .._policy.matching import switched_off
from .._policy.parse import PLACE, Policy, undocumented
from .enforcement import effects_of
from .gate import judge
from .options import DesiredRule, require_length
from .rule import Rule, RuleState, parse_rule, show, warnings_about

_MEMBERS = ("action", "description", "enabled", "expression", "value")
_REQUIRED = ("description", "action", "expression")


def plan(desired: DesiredRule, state: RuleState) -> Plan:
    """Plan one POST, PUT or DELETE, or nothing; a plan that enforces more than is known to be harmless is refused."""
    before = state.rule
    after = rule_after(desired, before)
    if after is not None:
        for identifier, description in state.others.items():
            if description == after.description and before is not None and before.description != description:
                raise conflict(f"description: content security rule {identifier} is already named {description!r}.")
    verdict = judge(desired, state, after)
    result: dict[str, Json] = {"content_security_rule": show(after) if after else None, "violations": verdict.violations}
    if verdict.refused:
        result["refusals"] = list(verdict.refusals)
    return Plan(
        before=before.managed() if before else {},
        after=after.managed() if after else {},
        result=result,
        requests=_requests(before, after),
        # The spelling of a policy does not count.
        basis=None
        if before is None
        else {"id": before.id, **{name: getattr(before, name) for name in _MEMBERS}, "value": before.text},
        warnings=(*_warnings(desired, state, after), *verdict.warnings),
        effects=effects_of(before, after),
        refused=verdict.refused,
    )


def rule_after(desired: DesiredRule, before: Rule | None) -> Rule | None:
    """Return the rule in its desired state, None for none; refuse a new rule without what it needs."""
    if not desired.present:
        return None
    policy = _policy_after(desired, before)
    if before is None:
        return _new_rule(desired, policy)
    changed = policy if policy != before.policy else None
    return before._replace(
        description=before.description if desired.description is None else desired.description,
        action=desired.action or before.action,
        expression=before.expression if desired.expression is None else desired.expression,
        enabled=before.enabled if desired.enabled is None else desired.enabled,
        value=changed.text if changed else before.value,
        policy=changed or before.policy,
    )


def _new_rule(desired: DesiredRule, policy: Policy | None) -> Rule:
    if desired.rule_id is not None:
        raise Failure(
            NOT_FOUND,
            f"rule_id: the zone has no content security rule {desired.rule_id!r}; a new rule gets its id from the service.",
        )
    for name in _REQUIRED:
        if getattr(desired, name) is None:
            raise invalid_option(name, "is required for a new content security rule")
    if policy is None:
        raise invalid_option(PLACE, "directives or script_baseline is required for a new content security rule")
    return Rule(
        id=None,
        description=str(desired.description),
        action=str(desired.action),
        expression=str(desired.expression),
        enabled=desired.enabled is not False,
        value=policy.text,
        policy=policy,
    )


def _policy_after(desired: DesiredRule, before: Rule | None) -> Policy | None:
    """Return the desired policy, None if it is not managed; directives of the service that are not known are kept."""
    policy = desired.policy
    if policy is None and not desired.baseline:
        return None
    if policy is None:
        if before is not None and before.policy is None:
            raise invalid_option(
                PLACE, "the policy of the rule cannot be parsed, so that nothing can be added to it; set directives"
            )
        policy = before.policy if before and before.policy else Policy({})
    if desired.baseline:
        policy = policy.with_sources(SCRIPT_SRC, (entry.source for entry in desired.baseline))
    if before is not None and before.policy is not None:
        policy = policy._replace(kept=before.policy.kept)
    require_length(policy)
    return policy


def _requests(before: Rule | None, after: Rule | None) -> tuple[Request, ...]:
    if after is None:
        return (Request("content_security_rules.delete", ids={"rule_id": str(before.id)}),) if before else ()
    if before is None:
        return (Request("content_security_rules.create", body={name: getattr(after, name) for name in _MEMBERS}, creates=True),)
    body = {name: getattr(after, name) for name in _MEMBERS if getattr(before, name) != getattr(after, name)}
    return (Request("content_security_rules.update", ids={"rule_id": str(before.id)}, body=body),) if body else ()


_MAX_ENTRIES = 3


def _warnings(desired: DesiredRule, state: RuleState, after: Rule | None) -> t.Iterator[str]:
    if after is None:
        return
    for entry in desired.baseline:
        if entry.is_broader:
            yield f"script_baseline: as a source, entry {entry.entry!r} becomes broader than the entry: {SCRIPT_SRC} {entry.source}."
        if state.today and (why := entry.why_not_on(state.today)):
            yield f"script_baseline: entry {entry.entry!r} {why}, and is a source of {SCRIPT_SRC} all the same."
    if limited := [entry.entry for entry in desired.baseline if entry.has_hosts]:
        which = ", ".join(map(repr, limited[:_MAX_ENTRIES])) + (
            f" and {len(limited) - _MAX_ENTRIES} more" if limited[_MAX_ENTRIES:] else ""
        )
        yield f"script_baseline: a source counts on every host of the rule, also where the hosts of its entry do not name it: {which}."
    for name in desired.unauthorised:
        yield f"script_baseline: entry {name!r} has no authorised_by, so that it becomes no source; adopting is not authorising."
    if desired.policy is not None:
        yield from undocumented(desired.policy)
    if after.policy is not None:
        yield from _switched_off(after.policy)
    if state.rule is not None:
        yield from warnings_about(state.rule)


def _switched_off(policy: Policy) -> t.Iterator[str]:
    for directive, sources in sorted(policy.directives.items()):
        off = switched_off(directive, sources)
        if STRICT_DYNAMIC in sources and off:
            yield f"{PLACE}.{directive}: {STRICT_DYNAMIC} switches off {', '.join(off)}, which browsers then ignore."


def conclude(desired: DesiredRule, state: RuleState, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
    """Return the rule of the answer to the write; raise `bad_response` if it differs from what was sent."""
    request, after = plan.requests[-1], rule_after(desired, state.rule)
    if after is None:
        return Conclusion(plan.result)  # deleted
    answered = parse_rule(answers[-1].result)
    wrong = [name for name in _MEMBERS if name != "value" and getattr(answered, name) != getattr(after, name)]
    if answered.value != after.value and (answered.policy is None or answered.policy != after.policy):
        wrong.append("value")
    if request.ids and answered.id != request.ids["rule_id"]:
        wrong.append("id")
    if wrong:
        raise written_otherwise(f"content security rule {answered.id}", wrong)
    return Conclusion({**plan.result, "content_security_rule": show(answered)})
