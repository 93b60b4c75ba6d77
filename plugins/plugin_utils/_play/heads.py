# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._chain.kinds import KINDS, PAGES, SCRIPTS, Kind, is_digest
from ...module_utils._core import invalid_option
from ...module_utils._text import quoted
from .._host_variables import Host, HostVariables
from .._in_process import InProcessAction
from .._variables.table import variables_of

# The heads of chains that were stored elsewhere. A host may have its own, and the run those of all zones, by their ids: audits and verification
# compare both, whichever a user keeps.

_BY_ZONE = variables_of("script_evidence_info")["expected_heads"]
_OF_HOST: t.Mapping[str, str] = {
    kind.name: variables_of(module)["expected_head"] for kind, module in ((SCRIPTS, "script_audit"), (PAGES, "page_audit"))
}

Completed = tuple[dict[str, t.Any], dict[str, str]]


class AuditAction(InProcessAction):
    """The action of an audit: also the head of its zone among those of the run is compared."""

    kind: t.ClassVar[Kind]

    def _completed(self, options: t.Mapping[str, t.Any], host: Host) -> Completed:
        arguments, variables = super()._completed(options, host)
        heads = {} if "expected_head" in self._task.args else host.option(_BY_ZONE) or {}
        zone_id = arguments.get("zone_id")
        if heads and not zone_id and arguments.get("evidence_dir"):
            raise invalid_option(_BY_ZONE, "has the heads by the ids of zones; give zone_id")
        by_key = {str(key).lower(): head for key, head in heads.items()}
        head = by_key.get(self.kind.key(str(zone_id)))
        if head is None:
            return arguments, variables
        own = arguments.get("expected_head", head)
        if str(own).lower() != str(head).lower():
            raise _differing(variables["expected_head"], str(zone_id))
        return {**arguments, "expected_head": head}, {**variables, "expected_head": _BY_ZONE}


class VerificationAction(InProcessAction):
    """The action of a module that verifies chains: also the heads that the hosts of the inventory have are compared."""

    def _completed(self, options: t.Mapping[str, t.Any], host: Host) -> Completed:
        arguments, variables = super()._completed(options, host)
        given = arguments.get("expected_heads") or {}
        if "expected_heads" in self._task.args or not isinstance(given, dict):
            return arguments, variables
        hosts = HostVariables(self._task, host.raw, self._templar, self._loader)
        heads = {str(key).lower(): head for key, head in given.items()}
        added = {}
        for place, key, head in _heads_of_hosts(hosts, [str(name) for name in host.raw["groups"]["all"]]):
            if str(heads.setdefault(key, head)).lower() != head.lower():
                raise _differing(place, key)
            added[key] = head
        # Those of the run stay as they were typed, so that what is wrong with one is named so.
        lacking = {key: head for key, head in added.items() if key not in {str(key).lower() for key in given}}
        return ({**arguments, "expected_heads": {**given, **lacking}} if lacking else arguments), variables


def _differing(place: str, key: str) -> Exception:
    return invalid_option(place, f"another head of {key} is given, in {_BY_ZONE} or for another host; give the last one only")


def _heads_of_hosts(hosts: HostVariables, names: t.Sequence[str]) -> t.Iterator[tuple[str, str, str]]:
    """Yield each head that a host has, with where it was found and the key of its chain."""
    of_run = {variable for variable in _OF_HOST.values() if hosts.of_run(variable) not in (None, "")}
    used: set[str] = set()
    unused: set[str] = {*of_run}
    for name in names:
        own = of_run.union(hosts.own(name)) if of_run else hosts.own(name)
        for kind in KINDS:
            variable = _OF_HOST[kind.name]
            head = hosts.option(name, variable) if variable in own else None
            if head is None:
                continue
            key = _key(hosts.host(name), name, variable, kind)
            if key is None:
                unused.add(variable)
                continue
            used.add(variable)
            if not isinstance(head, str) or not is_digest(head.lower()):
                raise invalid_option(variable, f"{quoted(head)}, of the host {name!r}, is not 64 hexadecimal digits")
            yield f"{variable} of the host {name!r}", key, head
    for variable in sorted(unused - used):
        raise invalid_option(variable, f"no host that has it has a zone_id, by which its chain is named; set {_BY_ZONE}")


def _key(host: Host, name: str, variable: str, kind: Kind) -> str | None:
    """Return the key of the chain of a host; None for a host without a zone."""
    address = host.address()
    if "zone_name" in address:
        raise invalid_option(variable, f"the host {name!r} has no zone_id, by which its chain is named; set it, or {_BY_ZONE}")
    return kind.key(address["zone_id"]) if "zone_id" in address else None
