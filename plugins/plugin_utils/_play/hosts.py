# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import abc
import re
import typing as t

from ansible import constants

from ...module_utils._core import Conclusion, invalid_option
from ...module_utils._engine.run import Performs, Run
from ...module_utils._engine.task import Params, Task
from ...module_utils._text import dict_of
from .._host_variables import HostVariables
from .._in_process import InProcessAction
from .records import is_registered_once, own_id, scope_of_host
from .results import Zone, zone_of

# What a task that runs once for all hosts of a play knows of them.

# A name with other characters would be read as a pattern.
_PLAIN = re.compile(r"\w[\w.-]*")


def pattern_of(name: str) -> str:
    """Return a host pattern that matches a host, whatever its name is. The name of a host alone matches no hosts of a group of this name."""
    if _PLAIN.fullmatch(name):
        return name
    escaped = (character if character.isalnum() and character.isascii() else f"\\U{ord(character):08x}" for character in name)
    return f"~^{''.join(escaped)}$"


def patterns_of(failed: t.Container[str], hosts: t.Sequence[str]) -> list[str]:
    """Return patterns for the play that ends a run: of the hosts that fail, and of one that does not.

    If all hosts of a play fail, Ansible ends the run, with all plays and hosts that were to follow.
    """
    others = [name for name in hosts if name not in failed]
    return [pattern_of(name) for name in [*others[:1], *(name for name in hosts if name in failed)]]


class Play(t.NamedTuple):
    """The hosts of a play with their variables; `active` are those that have not failed, `asked` those that the task is about.

    `waiting` are active hosts of other batches (`serial`). `groups` are those of the inventory with their hosts. `needs_hosts` is the setting
    with which a source of the inventory without hosts fails a run. `loader` reads files of the inventory, encrypted ones too.
    """

    variables: HostVariables
    hosts: tuple[str, ...]
    active: frozenset[str]
    asked: tuple[str, ...]
    groups: t.Mapping[str, t.Sequence[str]]
    inventory: tuple[str, ...]
    check_mode: bool
    diff: bool
    waiting: tuple[str, ...] = ()
    needs_hosts: bool = False
    loader: t.Any = None

    @classmethod
    def of(cls, task: t.Any, variables: t.Mapping[str, t.Any], templar: t.Any, loader: t.Any) -> Play:
        """Return the play of a task; check mode is that of the command, because a play of predictions is always in check mode."""
        hosts = tuple(map(str, variables["ansible_play_hosts_all"]))
        active = frozenset(map(str, variables["ansible_play_hosts"]))
        batch = frozenset(map(str, variables["ansible_play_batch"]))
        return cls(
            HostVariables(task, variables, templar, loader),
            hosts=hosts,
            asked=hosts if task.run_once else (str(variables["inventory_hostname"]),),
            active=active,
            waiting=tuple(name for name in hosts if name in active - batch),
            groups=variables["groups"],
            inventory=tuple(map(str, variables.get("ansible_inventory_sources") or ())),
            check_mode=bool(variables.get("ansible_check_mode")),
            diff=bool(task.diff),
            needs_hosts=bool(constants.INVENTORY_ANY_UNPARSED_IS_FAILED),
            loader=loader,
        )

    def scope(self, name: str) -> str:
        """Return whether a host is a zone or an account, by its address."""
        return scope_of_host(self.variables.host(name))

    def zone(self, name: str, variable: str) -> Zone | None:
        """Return what a host registered in this play or an earlier one of the same playbook; None if its task did not run.

        A host that failed before it could register anything else has what an earlier playbook registered for it.
        """
        raw, host = self.variables.of(name), self.variables.host(name)
        owner = own_id(host, dict_of(raw.get(variable)))
        once = not owner and is_registered_once(name, {other: self.variables.host(other) for other in self.hosts}, variable)
        zone = zone_of(name, raw, variable, owner, is_registered_once=once)
        if zone is None or not (zone.error or name in self.active):
            return None
        return zone._replace(scope=self.scope(name))


Desired = t.TypeVar("Desired")


class PlayTask(Task, t.Generic[Desired]):
    """A task about the hosts of its play; it runs on the controller only, and sends no requests."""

    on_controller = True

    @abc.abstractmethod
    def desire(self, params: Params, play: Play) -> Desired:
        """Return what validated options ask for in a play; raise `invalid_option`."""

    @abc.abstractmethod
    def report(self, desired: Desired) -> Conclusion:
        """Return the predicted result."""

    def write(self, desired: Desired) -> None:
        """Write what `report` has predicted."""

    def perform(self, run: Run) -> None:  # noqa: ARG002  # as a task declares it
        """Refuse to run without a play."""
        raise invalid_option("hosts", f"{self.name} is about the hosts of a play, so that it runs in a play only")

    def perform_in(self, play: Play, run: Run) -> None:
        """Report, and write unless this is check mode."""
        desired = self.desire(run.params, play)
        run.report(self.report(desired))
        if run.result["changed"] and not run.check_mode:
            self.write(desired)


class _InPlay(t.NamedTuple):
    """A task with its play."""

    task: PlayTask[t.Any]
    play: Play

    def perform(self, run: Run) -> None:
        self.task.perform_in(self.play, run)


class PlayAction(InProcessAction):
    """The action plugin of a module about the hosts of its play."""

    task: t.ClassVar[PlayTask[t.Any]]

    def performed(self, variables: dict[str, t.Any]) -> Performs:
        """Return the task with its play."""
        return _InPlay(self.task, Play.of(self._task, variables, self._templar, self._loader))
