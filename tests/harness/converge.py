# SPDX-License-Identifier: GPL-3.0-or-later

"""A desired state in four runs: predicted, applied, and both again. Whoever runs tasks, in whichever way, can do this."""

from __future__ import annotations

import abc
import dataclasses
import typing as t

from . import prediction
from .outcome import COLLECTION, Entry, Outcome, Report

Tasks = t.Mapping[str, t.Any] | t.Sequence[t.Mapping[str, t.Any]]  # a task is what a playbook has between two dashes
Args = t.Mapping[str, t.Any]
STEPS = ("check run", "real run", "second check run", "second real run")


@dataclasses.dataclass(frozen=True)
class Converged:
    """The four runs of one desired state: predicted, applied, and both again."""

    report: Report
    predicted: Outcome
    applied: Outcome
    rechecked: Outcome
    reapplied: Outcome

    @property
    def result(self) -> dict[str, t.Any]:
        """What the first real run returned."""
        return self.applied.result

    @property
    def diff(self) -> dict[str, t.Any]:
        """What the first real run changed, as the check run predicted it."""
        return t.cast("dict[str, t.Any]", self.applied.result["diff"])

    @property
    def writes(self) -> list[Entry]:
        """The writes of the first real run."""
        return self.applied.writes


class Runner(abc.ABC):
    """Runs tasks and looks at what has to hold for every run."""

    @abc.abstractmethod
    def run(self, *tasks: t.Any, **options: t.Any) -> Report:
        """Run tasks one after the other, and check the invariants."""

    def converge(
        self,
        module: str,
        args: Args,
        *,
        expect_changed: bool = True,
        recreated: bool = False,
        respelled: bool = False,
        **run: t.Any,
    ) -> Converged:
        """A desired state in four runs: check, real, check, real.

        The check run has to predict the real run, and the second pair has to find nothing to do. `recreated` allows a
        new id for something that was there, `respelled` other words of the service for the same. Everything else goes to `run`.
        """
        return self.converge_each(
            module, [args], expect_changed=[expect_changed], recreated=recreated, respelled=respelled, **run
        )[0]

    def lifecycle(self, module: str, *, create: Args, modify: Args, delete: Args, **run: t.Any) -> list[Converged]:
        """The twelve steps: create, modify and delete; each predicted, applied, and both again."""
        return self.converge_each(module, [create, modify, delete], **run)

    def converge_each(
        self,
        module: str,
        desired_states: t.Sequence[Args],
        *,
        expect_changed: t.Sequence[bool] | None = None,
        recreated: bool = False,
        respelled: bool = False,
        **run: t.Any,
    ) -> list[Converged]:
        """Several desired states one after the other, four runs each."""
        tasks = [
            {
                "name": f"{module} desired state {number}: {step}",
                f"{COLLECTION}.{module}": dict(args),
                "check_mode": "check" in step,
            }
            for number, args in enumerate(desired_states)
            for step in STEPS
        ]
        report = self.run(tasks, **run)
        assert len(report.ours) == len(tasks), f"{len(report.ours)} of {len(tasks)} steps ran\n{report}"
        converged = [Converged(report, *report.ours[first : first + 4]) for first in range(0, len(tasks), 4)]
        for each, changes in zip(converged, expect_changed or [True] * len(desired_states), strict=True):
            _check_converged(each, changes, recreated, respelled)
        return converged


def _check_converged(each: Converged, changes: bool, recreated: bool, respelled: bool) -> None:
    assert each.applied.result["changed"] is changes, f"{each.applied.name}: changed is {each.applied.result['changed']}"
    assert bool(each.writes) is changes, f"{each.applied.name}: the writes are {each.writes}"
    prediction.check_predicted(each.predicted, each.applied, recreated)
    prediction.check_settled(each.applied, each.rechecked, each.reapplied, respelled)
    if changes:
        assert each.applied.result["plan_id"] != each.reapplied.result["plan_id"], (
            f"{each.applied.name}: an applied plan still matches"
        )
