# SPDX-License-Identifier: GPL-3.0-or-later

"""What a playbook run left behind, ready for assertions."""

import dataclasses
import typing as t
from pathlib import Path

COLLECTION = "edgeops.observability"
READS = ("GET", "HEAD")
# A query changes nothing, nor does the preview of a transformer.
READING_POSTS = ("/graphql", "/logpush/transformers/preview")
FAILED = ("failed", "ignored", "unreachable")

Tasks = t.Mapping[str, t.Any] | t.Sequence[t.Mapping[str, t.Any]]  # a task is what a playbook has between two dashes
Entry = t.Mapping[str, t.Any]  # one request in the simulator's journal


def writes(entries: t.Iterable[Entry]) -> list[Entry]:
    """The requests that could change the service."""
    return [entry for entry in entries if entry["method"] not in READS and not entry["path"].endswith(READING_POSTS)]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """One task on one host, and the requests that reached the simulator while it ran (those of all hosts)."""

    name: str
    action: str
    host: str
    status: str
    result: dict[str, t.Any]
    check_mode: bool
    journal: list[Entry]

    @property
    def module(self) -> str | None:
        """The name of the collection's module, or None for a module of another collection."""
        return self.action.removeprefix(f"{COLLECTION}.") if self.action.startswith(f"{COLLECTION}.") else None

    @property
    def failed(self) -> bool:
        return self.status in FAILED

    @property
    def writes(self) -> list[Entry]:
        return writes(self.journal)

    def each(self) -> list[dict[str, t.Any]]:
        """The results proper: one, or one for each item of a loop."""
        items = self.result.get("results")
        looped = isinstance(items, list) and all(isinstance(item, dict) and "ansible_loop_var" in item for item in items)
        return items if looped and items else [self.result]


@dataclasses.dataclass(frozen=True)
class Report:
    """A whole run of ansible-playbook."""

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
        """The tasks that are modules of the collection, skipped ones left out."""
        return [outcome for outcome in self.outcomes if outcome.module and outcome.status != "skipped"]

    @property
    def failures(self) -> list[Outcome]:
        """All failed tasks, ignored ones included."""
        return [outcome for outcome in self.outcomes if outcome.failed]

    @property
    def failure(self) -> dict[str, t.Any]:
        """The result of the one task that failed."""
        (failed,) = self.failures
        return failed.result

    @property
    def result(self) -> dict[str, t.Any]:
        """The result of the one task of the collection."""
        (outcome,) = self.ours
        return outcome.result

    def named(self, name: str, host: str | None = None) -> Outcome:
        """The one outcome of the task of that name."""
        (found,) = [each for each in self.outcomes if each.name == name and host in (None, each.host)]
        return found

    def __str__(self) -> str:
        return f"exit code {self.returncode}\n--- stdout\n{self.stdout[-6000:]}\n--- stderr\n{self.stderr[-3000:]}"
