# SPDX-License-Identifier: GPL-3.0-or-later

"""The results and requests of a run, for assertions."""

import dataclasses
import typing as t
from pathlib import Path

COLLECTION = "edgeops.observability"
READS = ("GET", "HEAD")
# POST requests that change nothing: a GraphQL query and the preview of a transformer.
READING_POSTS = ("/graphql", "/logpush/transformers/preview")
FAILED = ("failed", "ignored", "unreachable")

Tasks = t.Mapping[str, t.Any] | t.Sequence[t.Mapping[str, t.Any]]  # tasks as YAML in a playbook has them
Entry = t.Mapping[str, t.Any]  # one request in the simulator's journal


def writes(entries: t.Iterable[Entry]) -> list[Entry]:
    """Return the requests that could change the service."""
    return [entry for entry in entries if entry["method"] not in READS and not entry["path"].endswith(READING_POSTS)]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """One task on one host, and the requests of all hosts while it ran."""

    name: str
    action: str
    host: str
    status: str
    result: dict[str, t.Any]
    check_mode: bool
    journal: list[Entry]

    @property
    def module(self) -> str | None:
        """Return the name of the collection's module, None for a module of another collection."""
        return self.action.removeprefix(f"{COLLECTION}.") if self.action.startswith(f"{COLLECTION}.") else None

    @property
    def failed(self) -> bool:
        return self.status in FAILED

    @property
    def writes(self) -> list[Entry]:
        return writes(self.journal)

    def each(self) -> list[dict[str, t.Any]]:
        """Return the results: one, or one for each item of a loop."""
        items = self.result.get("results")
        looped = isinstance(items, list) and all(isinstance(item, dict) and "ansible_loop_var" in item for item in items)
        return items if looped and items else [self.result]


@dataclasses.dataclass(frozen=True)
class Report:
    """One run of modules or of ansible-playbook."""

    returncode: int
    stdout: str
    stderr: str
    log: str
    record: str
    outcomes: list[Outcome]
    journal: list[Entry]
    folder: Path

    @property
    def writes(self) -> list[Entry]:
        return writes(self.journal)

    @property
    def ours(self) -> list[Outcome]:
        """Return the outcomes of the collection's modules without skipped tasks."""
        return [outcome for outcome in self.outcomes if outcome.module and outcome.status != "skipped"]

    @property
    def failures(self) -> list[Outcome]:
        """Return the outcomes of failed tasks, including those with `ignore_errors`."""
        return [outcome for outcome in self.outcomes if outcome.failed]

    @property
    def failure(self) -> dict[str, t.Any]:
        """Return the result of the only task that failed."""
        (failed,) = self.failures
        return failed.result

    @property
    def result(self) -> dict[str, t.Any]:
        """Return the result of the only task of the collection."""
        (outcome,) = self.ours
        return outcome.result

    def named(self, name: str, host: str | None = None) -> Outcome:
        """Return the only outcome of the task with this name."""
        (outcome,) = [outcome for outcome in self.outcomes if outcome.name == name and host in (None, outcome.host)]
        return outcome

    def __str__(self) -> str:
        return f"exit code {self.returncode}\n--- stdout\n{self.stdout[-6000:]}\n--- stderr\n{self.stderr[-3000:]}"
