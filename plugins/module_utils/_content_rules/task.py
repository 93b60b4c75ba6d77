# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._api.client import Client
from .._core import Conclusion, Json, Plan, moved, within
from .._engine.steps import Composition, Outcome, Step, conclusions_of
from .._engine.task import Spec, StateTask
from .._text import dict_of, list_of
from .options import IDENTITY, OPTIONS, DesiredRule, desire
from .plan import conclude, plan
from .read import read, verify
from .rule import RuleState
from .rules import DesiredRules, RuleListing, labels, require_different, unlisted


class ContentSecurityRule(StateTask[DesiredRule, RuleState]):
    """One content security rule of a zone."""

    name = "content_security_rule"
    spec = Spec(options=OPTIONS, required_one_of=[IDENTITY])

    desire = staticmethod(desire)
    read = staticmethod(read)
    plan = staticmethod(plan)
    conclude = staticmethod(conclude)

    def verify(self, client: Client, outcomes: t.Sequence[Outcome]) -> None:
        verify(
            client,
            [(outcome.step.state, outcome.conclusion.result["content_security_rule"]) for outcome in outcomes if outcome.created],
        )


TASK = ContentSecurityRule()

# Deletions come first, because the number of rules is limited.
_ORDER = ("delete", "update", "create")


def plan_rules(desired: DesiredRules, listing: RuleListing) -> Composition:
    """Plan each item as `content_security_rule` would; rules that no item names are left alone."""
    require_different(desired, listing.states)
    steps = []
    for item, state, label in zip(desired.items, listing.states, labels(desired, listing.states), strict=True):
        with within(item.place):
            steps.append(Step(TASK.name, item.place, label, item.desired, state, plan(item.desired, state)))
    in_order = sorted((step for step in steps if step.plan.requests), key=_rank)
    others = unlisted(listing)

    def conclude_all(done: t.Sequence[Outcome]) -> Conclusion:
        ends = conclusions_of(steps, done)
        result: dict[str, Json] = {
            "content_security_rules": [end.result["content_security_rule"] for end in ends],
            "violations": {step.label: end.result["violations"] for step, end in zip(steps, ends, strict=True)},
            "unlisted_rules": others,
        }
        return Conclusion(
            result, tuple(moved(step.place, text) for step, end in zip(steps, ends, strict=True) for text in end.warnings)
        )

    refusals: list[Json] = [
        {**dict_of(refusal), "rule": step.label} for step in steps for refusal in list_of(step.plan.result.get("refusals"))
    ]
    whole = Plan(
        before={step.label: step.plan.before for step in steps},
        after={step.label: step.plan.after for step in steps},
        result={**conclude_all(()).result, **({"refusals": refusals} if refusals else {})},
        requests=tuple(request for step in in_order for request in step.plan.requests),
        basis=[step.plan.basis for step in steps],
        warnings=tuple(moved(step.place, text) for step in steps for text in step.plan.warnings),
        effects=tuple(effect._replace(subject=step.label) for step in steps for effect in step.plan.effects),
        refused=" ".join(f"{step.place}: {step.plan.refused}" for step in steps if step.plan.refused),
    )
    return Composition(whole, tuple(in_order), conclude_all)


def _rank(step: Step) -> int:
    return _ORDER.index(step.plan.requests[-1].operation.partition(".")[2])
