# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from .._core import Conclusion, Failure, Plan, conflict


class Step(t.NamedTuple):
    """One of several plans of a task: the single task it belongs to, the place of its options, and what it was made from."""

    part: str
    place: str
    label: str
    desired: t.Any
    state: t.Any
    plan: Plan


class Outcome(t.NamedTuple):
    """The conclusion of a step, whether this run wrote anything for it, and whether it certainly created something."""

    step: Step
    conclusion: Conclusion
    written: bool
    created: bool = False


class Approval(t.NamedTuple):
    """The plan id that an option expects (None: no plan) and the id of the current plan; `compared`: whether the option is set."""

    option: str
    expected: str | None
    current: str | None
    compared: bool

    def refusal(self) -> Failure:
        """Return the failure for a plan that differs from the approved one."""
        if self.expected is not None and not self.expected.strip():
            return conflict(
                f"{self.option} is empty, so that no plan is approved. Nothing was written; omit it, or set the plan of a check run."
            )
        now = f"the plan is {self.current}" if self.current else "the task does not manage this"
        return conflict(
            f"{self.option}: {now}, but {self.expected or 'no plan'} was approved: the service or the options have changed since."
            " Nothing was written; review a new check run."
        )


class Composition(t.NamedTuple):
    """Several plans as one.

    `whole` is the plan for check mode, diff and approval. `steps` are the plans with requests, in the order of their writes.
    `conclude` combines the outcomes of all, some or none of the steps into one conclusion.
    `approvals` are for plans that are approved separately.
    """

    whole: Plan
    steps: tuple[Step, ...]
    conclude: t.Callable[[t.Sequence[Outcome]], Conclusion]
    approvals: t.Mapping[str, Approval] = types.MappingProxyType({})

    @classmethod
    def of(cls, step: Step) -> Composition:
        """Return the composition of one plan."""
        steps = (step,) if step.plan.requests else ()
        return cls(step.plan, steps, lambda done: done[0].conclusion if done else Conclusion(step.plan.result))


def conclusions_of(steps: t.Sequence[Step], done: t.Sequence[Outcome]) -> list[Conclusion]:
    """Return the conclusion of each step; of one that was not applied, the predicted result."""
    conclusions = {id(outcome.step): outcome.conclusion for outcome in done}
    return [conclusions.get(id(step)) or Conclusion(step.plan.result) for step in steps]
