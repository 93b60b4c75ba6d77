# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from ...module_utils._core import INVALID_OPTION, Conclusion, Failure, Json, invalid_option
from ...module_utils._engine.task import Params, Spec
from .._ansible_core import repeats_values
from .._host_variables import HostVariables, has_template
from .._play.hosts import Play, PlayTask, pattern_of
from .._variables import readers
from .._variables.table import (
    EACH,
    HOST,
    PLAY,
    PLAYBOOK_VARIABLES,
    PREFIXES,
    ROLE_VARIABLES,
    RUN,
    Variable,
    check_early,
    check_extra,
    check_names,
    not_the_same,
    read_variable,
)
from .sources import check_sources

# Validates the variables of the hosts of a play, before anything is read.


class Validation(t.NamedTuple):
    """The validated options in a play; `known` is None for the variables of the collection, `hosts` for all hosts."""

    play: Play
    prefixes: tuple[str, ...]
    known: tuple[str, ...] | None
    required: tuple[str, ...]
    hosts: tuple[str, ...] | None
    keep_going: bool


class Read(t.NamedTuple):
    """The switches as they were read, the names of the variables of the run that are set, and the hosts with a variable that cannot be evaluated.

    Never a value that may be a secret.
    """

    run: dict[str, Json]
    hosts: dict[str, dict[str, Json]]
    given: list[str]
    refused: dict[str, str]


class ValidateVariables(PlayTask[Validation]):
    name = "validate_variables"
    spec = Spec(
        options={
            "prefixes": {"type": "list", "elements": "str", "default": list(PREFIXES)},
            "known": {"type": "list", "elements": "str"},
            "required": {"type": "list", "elements": "str", "default": []},
            "hosts": {"type": "list", "elements": "str"},
            "keep_going": {"type": "bool", "default": False},
        }
    )

    def desire(self, params: Params, play: Play) -> Validation:
        if not params["prefixes"] or not all(params["prefixes"]):
            raise invalid_option("prefixes", "at least one is needed, and none may be empty")
        known, hosts = params["known"], params["hosts"]
        return Validation(
            play=play,
            prefixes=tuple(params["prefixes"]),
            known=None if known is None else tuple(known),
            required=tuple(params["required"]),
            hosts=None if hosts is None else tuple(hosts),
            keep_going=bool(params["keep_going"]),
        )

    def report(self, desired: Validation) -> Conclusion:
        warnings = () if desired.hosts is None else check_sources(desired.play)
        variables = desired.play.variables
        hosts = _selected(variables, desired.play.asked, desired)
        if desired.known is None:
            check_extra(variables.extra)
        _check_names(variables, hosts, desired)
        read = _empty(hosts)
        if desired.known is not None:
            for name in sorted(desired.known):
                _values(variables, hosts, name)
        else:
            read = _read(variables, hosts, desired.prefixes)
            if repeats_values() and (desired.keep_going or desired.hosts is None):
                _refuse_unreadable(read, variables, desired.prefixes)
        if read.refused and not desired.keep_going:
            host, reason = next(iter(read.refused.items()))
            raise Failure(INVALID_OPTION, f"{reason}{_set_for(host)}")
        for name in desired.required:
            if any(value in (None, "") for value in _values(variables, hosts, name).values()):
                raise invalid_option(name, "is required")
        return Conclusion({**read._asdict(), "refused_hosts": [pattern_of(host) for host in read.refused]}, tuple(warnings))


def _selected(variables: HostVariables, names: t.Sequence[str], desired: Validation) -> list[str]:
    """Return the hosts of the play that the run is about; refuse a run about none."""
    if desired.hosts is None:
        return list(names)
    target = variables.option_of_run("edgeops_target")
    hosts = [name for name in names if name in desired.hosts]
    if not hosts:
        raise invalid_option(
            "edgeops_target", f"the inventory and its limit contain no host for {target!r}, so there is nothing to do"
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


def _empty(hosts: t.Iterable[str]) -> Read:
    return Read({}, {host: {} for host in hosts}, [], {})


def _read(variables: HostVariables, hosts: t.Sequence[str], prefixes: tuple[str, ...]) -> Read:
    """Read the variables of the collection that are about the run, and those of hosts that must not be wrong."""
    read = _empty(hosts)
    for name, variable in PLAYBOOK_VARIABLES.items():
        if not name.startswith(prefixes) or variable.scope is HOST:
            continue
        if variable.scope is EACH:
            raw = _values_of_each(read, variables, name)
        else:
            raw = {"": variables.of_run(name)} if variable.scope is PLAY else _values(variables, hosts, name)
        values = _read_each(name, variable, raw)
        if variable.scope is RUN and any(value != values[hosts[0]] for value in values.values()):
            raise not_the_same(name)
        is_switch = variable.read is readers.read_boolean
        if variable.scope is not EACH and any(value not in (None, "") for value in raw.values()):
            read.given.append(name)
        if is_switch and variable.scope is EACH:
            for host, value in values.items():
                read.hosts[host][name] = value
        elif is_switch:
            read.run[name] = next(iter(values.values()))
    return read


def _values_of_each(read: Read, variables: HostVariables, name: str) -> dict[str, Json]:
    """Return what a variable is for each host; one that cannot be evaluated refuses its host."""
    values = {}
    for host in read.hosts:
        try:
            values[host] = variables.host(host).given(name)
        except Failure as failure:
            read.refused.setdefault(host, failure.message)
    return values


def _refuse_unreadable(read: Read, variables: HostVariables, prefixes: tuple[str, ...]) -> None:
    """Refuse the hosts with a variable of the role that cannot be evaluated, before a task whose failure would repeat its secrets."""
    for host in read.hosts:
        of_host = variables.host(host)
        for name in ROLE_VARIABLES:
            if name.startswith(prefixes) and has_template(of_host.raw.get(name)):
                try:
                    of_host.given(name)
                except Failure as failure:
                    read.refused.setdefault(host, failure.message)


def _set_for(host: str) -> str:
    return f", set for {host}"


def _read_each(name: str, variable: Variable, raw: t.Mapping[str, Json]) -> dict[str, t.Any]:
    """Return a variable as each host has it; equal values are read once."""
    known: dict[str, t.Any] = {}
    values = {}
    for host, value in raw.items():
        key = json.dumps(value, sort_keys=True)
        if key not in known:
            try:
                known[key] = read_variable(name, value)
            except Failure as failure:
                where = _set_for(host) if variable.scope is EACH else ""
                raise Failure(failure.kind, f"{failure.message}{where}") from None
        values[host] = known[key]
    return values


def _values(variables: HostVariables, hosts: t.Sequence[str], name: str) -> dict[str, Json]:
    """Return what a variable is for each host, evaluated and not read."""
    return {host: variables.host(host).given(name) for host in hosts}
