# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the whole task of a module in the test's own process, against the simulator and without Ansible."""

import contextlib
import dataclasses
import functools
import importlib
import io
import itertools
import json
import logging
import os
import tempfile
import typing as t
from pathlib import Path
from unittest import mock

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import without_empty
from ansible_collections.edgeops.observability.plugins.module_utils._core import INVALID_OPTION, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._engine.run import Run

from . import canaries, invariants
from .outcome import COLLECTION, Outcome, Report, Tasks
from .prediction import Converged

Document = dict[str, t.Any]
Args = t.Mapping[str, t.Any]
MODULES = f"ansible_collections.{COLLECTION}.plugins.modules"
ACTIONS = f"ansible_collections.{COLLECTION}.plugins.action"
KEYWORDS = {"name", "check_mode", "diff", "ignore_errors"}
STEPS = ("check run", "real run", "second check run", "second real run")


def task_of(module: str) -> t.Any:
    """Return the task that the file of a module declares; for a module that runs on the controller only, that of its action."""
    declared = importlib.import_module(f"{MODULES}.{module}")
    return getattr(declared, "TASK", None) or importlib.import_module(f"{ACTIONS}.{module}").ActionModule.task


@functools.cache
def _validator(task: t.Any) -> t.Any:
    return ArgumentSpecValidator(**task.arguments())


def checked(task: t.Any, args: t.Mapping[str, t.Any]) -> t.Any:
    """Return the arguments as AnsibleModule validates and completes them; modules receive them as JSON."""
    return _validator(task).validate(without_empty(json.loads(json.dumps(args))))


def execute(task: t.Any, validation: t.Any, *, check: bool = False, diff: bool = True) -> Document:
    """Run a task with validated arguments once; return its result."""
    if validation.errors.errors:
        refused = Failure(INVALID_OPTION, validation.errors.msg)
        return {"failed": True, "changed": False, "msg": str(refused), "error": refused.report()}
    result = Run(validation.validated_parameters, check_mode=check, diff_mode=diff).finish(task)
    # The conversion to JSON fails for values that a playbook could not receive either.
    return t.cast("Document", json.loads(json.dumps(result)))


@dataclasses.dataclass
class Modules:
    """Run modules against one simulator, by default in one zone, and check the invariants of each run."""

    simulator: t.Any
    zone: str
    folder: Path
    _count: t.Iterator[int] = dataclasses.field(default_factory=itertools.count)

    def run(
        self,
        tasks: Tasks,
        *,
        check: bool = False,
        diff: bool = True,
        env: t.Mapping[str, str | None] | None = None,
        defaults: t.Mapping[str, t.Any] | None = None,
        warns: t.Sequence[str] = (),
        fails: str | t.Collection[str] | None = None,
        secrets: t.Iterable[str] = (),
    ) -> Report:
        """Run tasks in order, up to the first failure without `ignore_errors`; check the invariants.

        `defaults` are arguments for every task that has these options; if omitted, the id of the zone. `fails` is the expected kind of
        failure, `warns` the patterns of the expected warnings. `secrets` are further strings that no result may contain, besides the
        credentials of the simulator and the secret options of the tasks. In `env`, None removes a variable.
        """
        folder = self.folder / f"run-{next(self._count)}"
        steps = [tasks] if isinstance(tasks, t.Mapping) else list(tasks)
        options = {"zone_id": self.zone} if defaults is None else dict(defaults)
        seen = len(self.simulator.journal())
        outcomes: list[Outcome] = []
        with _surroundings(folder, {**self.simulator.environment(), **(env or {})}) as log:
            for task in steps:
                outcomes.append(
                    self._outcome(task, options, check, diff, seen + sum(len(outcome.journal) for outcome in outcomes))
                )
                if outcomes[-1].status == "failed":
                    break
        record = "\n".join(json.dumps([outcome.name, outcome.result], ensure_ascii=False) for outcome in outcomes)
        journal = [entry for outcome in outcomes for entry in outcome.journal]
        failed = any(outcome.status == "failed" for outcome in outcomes)
        report = Report(2 if failed else 0, record, "", log.getvalue(), record, outcomes, journal, folder)
        planted: dict[str, str] = {}
        canaries.hoist(steps, planted)
        invariants.check_secrets(report, canaries.all_of(self.simulator, secrets, planted, env))
        invariants.check(report, check, diff, fails, warns)
        return report

    def converge(self, module: str, args: Args, **run: t.Any) -> Converged:
        """Apply a desired state in four runs: check, real, check, real.

        The first check run must predict the real run, which must change something; the other two must change nothing.
        """
        return self.converge_each(module, [args], **run)[0]

    def lifecycle(self, module: str, *, create: Args, modify: Args, delete: Args, **run: t.Any) -> list[Converged]:
        """Create, modify and delete, in four runs each: twelve steps."""
        return self.converge_each(module, [create, modify, delete], **run)

    def converge_each(self, module: str, desired_states: t.Sequence[Args], **run: t.Any) -> list[Converged]:
        """Apply several desired states in order, in four runs each; `run` are further arguments of `run`."""
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
        for convergence in converged:
            convergence.check()
        return converged

    def _outcome(self, described: t.Mapping[str, t.Any], options: Document, check: bool, diff: bool, seen: int) -> Outcome:
        (action,) = set(described) - KEYWORDS  # all other keywords need Ansible
        module = action.removeprefix(f"{COLLECTION}.")
        task = task_of(module)
        known = {name: value for name, value in options.items() if name in task.arguments()["argument_spec"]}
        in_check = check or bool(described.get("check_mode"))
        validation = checked(task, {**known, **described[action]})
        result = execute(task, validation, check=in_check, diff=described.get("diff", diff))
        status = "ok" if not result.get("failed") else "ignored" if described.get("ignore_errors") else "failed"
        journal = self.simulator.journal(since=seen)
        return Outcome(described.get("name", module), f"{COLLECTION}.{module}", self.zone, status, result, in_check, journal)


@contextlib.contextmanager
def _surroundings(folder: Path, variables: t.Mapping[str, str | None]) -> t.Iterator[io.StringIO]:
    """Give a task its own folder, home and environment; yield a stream of the log lines that libraries write in this time."""
    home = folder / "home"
    (folder / "input").mkdir(parents=True)
    (home / "tmp").mkdir(parents=True)
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C.UTF-8",
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "XDG_STATE_HOME": str(home / "state"),
        **{name: value for name, value in variables.items() if value is not None},
    }
    log, root = io.StringIO(), logging.getLogger()
    handler = logging.StreamHandler(log)
    level, before = root.level, Path.cwd()
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    os.chdir(folder / "input")
    try:
        with mock.patch.dict(os.environ, environment, clear=True), mock.patch.object(tempfile, "tempdir", None):
            yield log
    finally:
        os.chdir(before)
        root.setLevel(level)
        root.removeHandler(handler)
