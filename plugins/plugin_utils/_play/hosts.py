# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._engine.task import Task
from .._host_variables import HostVariables
from .._in_process import InProcessAction
from .records import scope_of_host
from .results import Zone, zone_of

# What a task that runs once for all hosts of a play knows of them.


class Play(t.NamedTuple):
    """The hosts of a play with their variables; `active` are those that have not failed, `asked` those that the task is about.

    `groups` are those of the inventory with their hosts.
    """

    variables: HostVariables
    hosts: tuple[str, ...]
    active: frozenset[str]
    asked: tuple[str, ...]
    groups: t.Mapping[str, t.Sequence[str]]
    inventory: tuple[str, ...]
    check_mode: bool
    diff: bool

    @classmethod
    def of(cls, task: t.Any, variables: t.Mapping[str, t.Any], templar: t.Any, loader: t.Any) -> Play:
        """Return the play of a task; check mode is that of the command, because a play of predictions is always in check mode."""
        hosts = tuple(map(str, variables["ansible_play_hosts_all"]))
        return cls(
            HostVariables(task, variables, templar, loader),
            hosts=hosts,
            asked=hosts if task.run_once else (str(variables["inventory_hostname"]),),
            active=frozenset(map(str, variables["ansible_play_hosts"])),
            groups=variables["groups"],
            inventory=tuple(map(str, variables.get("ansible_inventory_sources") or ())),
            check_mode=bool(variables.get("ansible_check_mode")),
            diff=bool(task.diff),
        )

    def scope(self, name: str) -> str:
        """Return whether a host is a zone or an account, by its address."""
        return scope_of_host(self.variables.host(name))

    def zone(self, name: str, variable: str) -> Zone | None:
        """Return what a host registered in this play or an earlier one of the same playbook; None if its task did not run.

        A host that failed before it could register anything else has what an earlier playbook registered for it.
        """
        zone = zone_of(name, self.variables.of(name), variable)
        if zone is None or not (zone.error or name in self.active):
            return None
        return zone._replace(scope=self.scope(name))


class PlayAction(InProcessAction):
    """The action plugin of a module about the hosts of its play; the class of its task takes the play."""

    def performed(self, variables: dict[str, t.Any]) -> Task:
        """Return the task with its play."""
        play = Play.of(self._task, variables, self._templar, self._loader)
        return type(self.task)(play)  # type: ignore[call-arg]  # as the class says
