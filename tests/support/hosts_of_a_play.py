# SPDX-License-Identifier: GPL-3.0-or-later

"""The hosts of a play without Ansible, for code that runs on the controller and decides about many zones."""

import copy
import typing as t

from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.edgeops.observability.plugins.plugin_utils._host_variables import Host
from ansible_collections.edgeops.observability.plugins.plugin_utils._play.hosts import Play
from ansible_collections.edgeops.observability.plugins.plugin_utils._variables.table import read_option


class Hosts:
    """Replaces `HostVariables`: variables without templates, of hosts and of the run."""

    def __init__(self, variables: t.Mapping[str, t.Mapping[str, t.Any]], of_run: t.Mapping[str, t.Any] | None = None) -> None:
        self._variables = variables
        self._of_run = of_run or {}
        self.extra: dict[str, t.Any] = {}

    def host(self, name: str) -> Host:
        return Host(self._variables[name], Templar(DataLoader()))

    def of(self, host: str) -> t.Mapping[str, t.Any]:
        return self._variables[host]

    own = of

    def of_run(self, name: str) -> t.Any:
        return self._of_run.get(name)

    def option(self, host: str, path: str) -> t.Any:
        return self.host(host).option(path)

    def option_of_run(self, name: str) -> t.Any:
        return read_option(name, self.of_run)


def play(
    variables: t.Mapping[str, t.Mapping[str, t.Any]],
    *,
    failed: t.Container[str] = (),
    groups: t.Mapping[str, t.Sequence[str]] | None = None,
    check_mode: bool = False,
    diff: bool = False,
) -> Play:
    """Return a play with these hosts, each of which has registered its own results; those in `failed` are no longer active."""
    active = frozenset(name for name in variables if name not in failed)
    hosts = t.cast("t.Any", Hosts({name: copy.deepcopy(of_host) for name, of_host in variables.items()}))
    return Play(hosts, tuple(variables), active, tuple(variables), groups or {}, (), check_mode, diff)
