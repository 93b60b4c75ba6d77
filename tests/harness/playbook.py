# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The runner that integration tests use: a real ansible-playbook against the simulator, with every invariant looked at."""

from __future__ import annotations

import dataclasses
import itertools
import typing as t
from pathlib import Path

from . import canaries, invariants, prediction, process
from .outcome import COLLECTION, Entry, Outcome, Report

Tasks = t.Mapping[str, t.Any] | t.Sequence[t.Mapping[str, t.Any]]
Args = t.Mapping[str, t.Any]
GROUP = f"group/{COLLECTION}.zone"
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


@dataclasses.dataclass
class Playbook:
    """Runs tasks, plays or playbooks against one simulator, by default in one zone."""

    simulator: t.Any
    zone: str
    folder: Path
    in_process: bool | None = None
    _count: t.Iterator[int] = dataclasses.field(default_factory=itertools.count)

    def run(
        self,
        tasks: Tasks | None = None,
        *,
        playbook: str | Path | t.Sequence[t.Mapping[str, t.Any]] | None = None,
        check: bool = False,
        diff: bool = True,
        extra_vars: t.Mapping[str, t.Any] | None = None,
        verbosity: int = 3,
        in_process: bool | None = None,
        env: t.Mapping[str, str | None] | None = None,
        forks: int = 5,
        inventory: t.Mapping[str, t.Mapping[str, t.Any]] | str | Path | None = None,
        module_defaults: t.Mapping[str, t.Any] | None = None,
        warns: t.Sequence[str] = (),
        fails: str | t.Collection[str] | None = None,
        secrets: t.Iterable[str] = (),
        timeout: float = 300,
        arguments: t.Sequence[str] = (),
    ) -> Report:
        """Run once, and check the invariants.

        `tasks` is a task or a list of tasks for one play in this zone; `playbook` a list of plays, a file, or a name
        such as `edgeops.observability.deliver`. `fails` is the kind of failure that has to happen ("ansible" for one of
        ansible-core's own), `warns` the patterns of the warnings that have to appear. `secrets` are strings that no output
        may hold, beyond the credentials of the simulator and the secret options of the tasks. A variable of `env` that is
        None is taken away.
        """
        place = process.Place(self.folder / f"run-{next(self._count)}")
        planted: dict[str, str] = {}
        source = self._source(tasks, playbook, module_defaults)
        target = (
            str(source) if isinstance(source, str | Path) else str(place.write("playbook.yml", canaries.hoist(source, planted)))
        )
        variables = canaries.hoist(dict(extra_vars or {}), planted)
        chosen = self.in_process if in_process is None else in_process
        if chosen is not None:
            variables["edgeops_in_process"] = chosen
        command = [str(process.BIN / "ansible-playbook"), target, "-i", self._inventory(place, inventory, planted)]
        command += ["-e", f"@{place.write('vars.json', {**variables, **planted})}", *arguments]
        command += [
            option for option, given in (("--check", check), ("--diff", diff), ("-" + "v" * verbosity, verbosity > 0)) if given
        ]
        environment = self._environment(place, forks, env)
        report = self._execute(command, environment, place, timeout)
        invariants.check_secrets(report, self._secrets(secrets, planted, env))
        invariants.check_only_reads(report, check)
        invariants.check_failures(report, fails)
        invariants.check_warnings(report, warns)
        invariants.check_results(report, diff)
        return report

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
        """A desired state in four runs of one process: check, real, check, real.

        The check run has to predict the real run, and the second pair has to find nothing to do. `recreated` allows a
        new id for something that was there, `respelled` other words of the service for the same. Everything else goes to `run`.
        """
        return self.converge_each(
            module, [args], expect_changed=[expect_changed], recreated=recreated, respelled=respelled, **run
        )[0]

    def lifecycle(self, module: str, *, create: Args, modify: Args, delete: Args, **run: t.Any) -> list[Converged]:
        """The twelve steps in one process: create, modify and delete; each predicted, applied, and both again."""
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

    def _source(self, tasks: Tasks | None, playbook: t.Any, defaults: t.Mapping[str, t.Any] | None) -> t.Any:
        assert (tasks is None) != (playbook is None), "either tasks or a playbook"
        if playbook is not None:
            return playbook
        play = {
            "name": "Test",
            "hosts": "all",
            "gather_facts": False,
            "module_defaults": {GROUP: {"zone_id": self.zone}} if defaults is None else defaults,
            "tasks": [tasks] if isinstance(tasks, dict) else list(t.cast("t.Sequence[t.Any]", tasks)),
        }
        return [play]

    @staticmethod
    def _inventory(place: process.Place, given: t.Any, planted: dict[str, str]) -> str:
        if isinstance(given, str | Path):
            return str(given)
        return str(place.write("inventory.yml", canaries.hoist(process.inventory(given), planted)))

    def _environment(self, place: process.Place, forks: int, given: t.Mapping[str, str | None] | None) -> dict[str, str]:
        merged: dict[str, str | None] = {**place.environment(forks), **self.simulator.environment(), **(given or {})}
        return {name: value for name, value in merged.items() if value is not None}

    def _secrets(self, given: t.Iterable[str], planted: t.Mapping[str, str], env: t.Mapping[str, str | None] | None) -> set[str]:
        own = {value for value in (self.simulator.token, self.simulator.key) if value}
        from_env = {value for name, value in (env or {}).items() if value and name.endswith(("_TOKEN", "_API_KEY"))}
        return {*given, *own, *from_env, *canaries.of_variables(planted)}

    def _execute(self, command: list[str], environment: dict[str, str], place: process.Place, timeout: float) -> Report:
        seen = len(self.simulator.journal())
        returncode, stdout, stderr = process.execute(command, environment, place.input, timeout)
        journal = [entry for entry in self.simulator.journal()[seen:] if "x-simulator-editor" not in entry["headers"]]
        record = place.record.read_text(encoding="utf-8") if place.record.exists() else ""
        log = place.log.read_text(encoding="utf-8", errors="replace") if place.log.exists() else ""
        return Report(returncode, stdout, stderr, log, record, process.outcomes(record, journal), journal, place.folder)


def _check_converged(each: Converged, changes: bool, recreated: bool, respelled: bool) -> None:
    assert each.applied.result["changed"] is changes, f"{each.applied.name}: changed is {each.applied.result['changed']}"
    assert bool(each.writes) is changes, f"{each.applied.name}: the writes are {each.writes}"
    prediction.check_predicted(each.predicted, each.applied, recreated)
    prediction.check_settled(each.applied, each.rechecked, each.reapplied, respelled)
    if changes:
        assert each.applied.result["plan_id"] != each.reapplied.result["plan_id"], (
            f"{each.applied.name}: an applied plan still matches"
        )
