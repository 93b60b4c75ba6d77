# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from ...module_utils._core import Conclusion, Failure, Json, invalid_option
from ...module_utils._engine.task import LocalTask, Params, Spec
from .._host_variables import HostVariables
from .._play.hosts import Play
from .._variables import readers
from .._variables.table import EACH, HOST, PLAY, PLAYBOOK_VARIABLES, PREFIXES, RUN, check_early, check_extra, check_names

# Validates the variables of the hosts of a play, before anything is read.


class Validation(t.NamedTuple):
    """The validated options; `known` is None for the variables of the collection, `hosts` for all hosts."""

    prefixes: tuple[str, ...]
    known: tuple[str, ...] | None
    required: tuple[str, ...]
    hosts: tuple[str, ...] | None


class ValidateVariables(LocalTask[Validation]):
    name = "validate_variables"
    spec = Spec(
        options={
            "prefixes": {"type": "list", "elements": "str", "default": list(PREFIXES)},
            "known": {"type": "list", "elements": "str"},
            "required": {"type": "list", "elements": "str", "default": []},
            "hosts": {"type": "list", "elements": "str"},
        }
    )

    def __init__(self, play: Play | None = None) -> None:
        self._play = play

    def desire(self, params: Params) -> Validation:
        if not params["prefixes"] or not all(params["prefixes"]):
            raise invalid_option("prefixes", "at least one is needed, and none may be empty")
        known, hosts = params["known"], params["hosts"]
        return Validation(
            prefixes=tuple(params["prefixes"]),
            known=None if known is None else tuple(known),
            required=tuple(params["required"]),
            hosts=None if hosts is None else tuple(hosts),
        )

    def report(self, desired: Validation) -> Conclusion:
        if self._play is None:
            raise invalid_option("hosts", "variables of hosts exist in a play only")
        variables = self._play.variables
        hosts = _selected(variables, self._play.asked, desired)
        if desired.known is None:
            check_extra(variables.extra)
        _check_names(variables, hosts, desired)
        if desired.known is not None:
            for name in sorted(desired.known):
                _values(variables, hosts, name)
        else:
            _check_own(variables, hosts, desired.prefixes)
        for name in desired.required:
            if any(value in (None, "") for value in _values(variables, hosts, name).values()):
                raise invalid_option(name, "is required")
        return Conclusion({"hosts": hosts})


def _selected(variables: HostVariables, names: t.Sequence[str], desired: Validation) -> list[str]:
    """Return the hosts of the play that the run is about; refuse a run about none."""
    if desired.hosts is None:
        return list(names)
    target = variables.of_run("edgeops_target")
    if target is not None:
        readers.read_text("edgeops_target", target)
    hosts = [name for name in names if name in desired.hosts]
    if not hosts:
        pattern = "all" if target is None else target
        raise invalid_option(
            "edgeops_target", f"the inventory and its limit contain no host for {pattern!r}, so there is nothing to do"
        )
    return hosts


def _check_names(variables: HostVariables, hosts: t.Sequence[str], desired: Validation) -> None:
    own: dict[str, list[str]] = {}
    shared: dict[str, list[str]] = {name: [] for name in variables.extra if name.startswith(desired.prefixes)}
    for host in hosts:
        of_host = variables.own(host)
        for name in variables.of(host):
            if not name.startswith(desired.prefixes) or name in shared:
                continue
            if name in of_host:
                own.setdefault(name, []).append(host)
            else:
                shared[name] = []
    if desired.known is not None:
        check_names({**shared, **own}, desired.known)
        return
    check_names({**shared, **own})
    check_early(own)


def _check_own(variables: HostVariables, hosts: t.Sequence[str], prefixes: tuple[str, ...]) -> None:
    """Evaluate and read the variables of the collection that are about the run, and those of hosts that must not be wrong."""
    for name, variable in PLAYBOOK_VARIABLES.items():
        if not name.startswith(prefixes) or variable.scope is HOST:
            continue
        values = {"": variables.of_run(name)} if variable.scope is PLAY else _values(variables, hosts, name)
        if variable.scope is RUN and len({json.dumps(value, sort_keys=True) for value in values.values()}) > 1:
            raise invalid_option(
                name, "is not the same for all hosts of this run; set it for all of them, or as an extra variable"
            )
        for host, value in values.items():
            if value in (None, ""):
                continue
            try:
                variable.read(name, value)
            except Failure as failure:
                where = f", set for {host}" if variable.scope is EACH else ""
                raise Failure(failure.kind, f"{failure.message}{where}") from None
            if variable.scope is RUN:
                break


def _values(variables: HostVariables, hosts: t.Sequence[str], name: str) -> dict[str, Json]:
    return {host: variables.evaluated(host, name) for host in hosts}
