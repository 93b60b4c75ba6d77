# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
import typing as t

from ...module_utils._core import GATE, Conclusion, Json, invalid_option
from ...module_utils._difference import CREATE, DELETE, UPDATE, Difference
from ...module_utils._engine.task import Params, Spec
from .._diff import fold, unified
from .._play.hosts import Play, PlayTask, pattern_of
from .._play.results import Zone
from .._variables.table import RESULT
from .._words import count_hosts, hosts_such_as, plural
from .rails import Rails, Refusal, approved_rows, describe, plan_id_of, read_rails, refuse

# The plan of a delivery to all zones of a run: what would change, whether the rails allow it, and which hosts are written.

_NOT_RUN = "unavailable: nothing was predicted, because the task of the host did not run"


# The result of `validate_only`.
_NOTHING: t.Mapping[str, Json] = {
    **{name: [] for name in ("lines", "changed_zones", "written", "hosts")},
    **{name: {} for name in ("plan_ids", "effects", "refused")},
    "plan_id": None,
}


class DesiredPlan(t.NamedTuple):
    """The play, and the name of the variable with the predictions of its hosts; None if only the rails are validated.

    `left_out` are hosts that are not written, whatever the guard says.
    """

    play: Play
    registered: str | None
    left_out: frozenset[str] = frozenset()


class DeliveryPlan(PlayTask[DesiredPlan]):
    name = "delivery_plan"
    spec = Spec(
        options={
            "registered": {"type": "str", "default": RESULT},
            "validate_only": {"type": "bool", "default": False},
            "leave_out": {"type": "list", "elements": "str", "default": []},
        }
    )

    def desire(self, params: Params, play: Play) -> DesiredPlan:
        if play.waiting:
            # They have no prediction yet, so that a rail for all zones would see a part of them.
            others = f"{len(play.waiting)} of {plural(len(play.hosts), 'host')}"
            raise invalid_option(
                "serial",
                f"must be omitted or 100%: the plan is about all hosts of the play, of which {others} are in other batches",
            )
        registered = None if params["validate_only"] else str(params["registered"] or RESULT)
        return DesiredPlan(play, registered, frozenset(params["leave_out"]))

    def report(self, desired: DesiredPlan) -> Conclusion:
        play, registered, left_out = desired
        if registered is None:
            # Approvals are those of the run, so that one host tells them.
            approved_rows(read_rails(play.variables, play.hosts[:1]))
            return Conclusion(_NOTHING)
        rails = read_rails(play.variables, play.hosts, left_out)
        is_predicted = rails.guard or play.check_mode
        zones = (
            [play.zone(name, registered) or Zone(name, "", {}, _NOT_RUN, scope=play.scope(name)) for name in play.hosts]
            if is_predicted
            else []
        )
        refusal = refuse(rails, zones) if rails.guard else None
        hosts = [name for name in play.hosts if name not in left_out]
        return _concluded(play, hosts, rails, zones, refusal)


def _concluded(play: Play, hosts: t.Sequence[str], rails: Rails, zones: t.Sequence[Zone], refusal: Refusal | None) -> Conclusion:
    """Return the plan; `hosts` are those that are written without a prediction, where there is no guard."""
    changed = [zone.name for zone in zones if zone.differs]
    written = changed if rails.guard else list(hosts)
    written = [] if refusal or play.check_mode else written
    lines = describe(rails) if rails.guard or not play.check_mode else []
    if play.diff:
        lines += diff_of(zones)
    if zones:
        lines.append(summary(zones))
    if refusal:
        lines.append(refusal.message)
    result: dict[str, Json] = {
        "lines": lines,
        "changed_zones": changed,
        "plan_id": plan_id_of(zones) if zones else None,
        "plan_ids": {zone.name: zone.plan_ids for zone in zones if not zone.error},
        "effects": {zone.name: zone.effects for zone in zones if zone.effects},
        "refused": dict(refusal.zones) if refusal else {},
        "written": written,
        "hosts": [pattern_of(name) for name in written],
    }
    return Conclusion(result, refused=refusal.message if refusal else "", refused_as=refusal.kind if refusal else GATE)


def summary(zones: t.Sequence[Zone]) -> str:
    """Return what a delivery would do to all zones in a line; several hosts of one zone are one zone, which fails or changes if one of them does."""
    owners: dict[tuple[str, str], list[Zone]] = {}
    for zone in zones:
        owners.setdefault(zone.owner, []).append(zone)
    failed = sum(any(host.error for host in hosts) for hosts in owners.values())
    differing = [
        hosts for hosts in owners.values() if any(host.differs for host in hosts) and not any(host.error for host in hosts)
    ]
    kinds = [
        kind
        for hosts in owners.values()
        for kind in _kinds(found for host in hosts if host.differs for found in host.differences)
    ]
    numbers = ", ".join(plural(kinds.count(kind), word) for kind, word in _NOUNS.items())
    unchanged = len(owners) - len(differing) - failed
    counts = count_hosts(scope for scope, _id in owners)
    return f"{counts}: {len(differing)} would change ({numbers}), {unchanged} unchanged, {failed} failed"


_NOUNS = {CREATE: "addition", UPDATE: "change", DELETE: "deletion"}


def _kinds(differences: t.Iterable[Difference]) -> t.Iterable[str]:
    """Return what would be done to each job, rule and setting that differs."""
    return {
        (difference.resource, difference.subject): UPDATE if difference.path else difference.action for difference in differences
    }.values()


def diff_of(zones: t.Sequence[Zone]) -> list[str]:
    """Return the lines of a unified diff, each job, rule or setting that differs equally in several zones once."""
    objects = [
        (zone.name, list(part))
        for zone in zones
        if zone.differs
        for _object, part in itertools.groupby(zone.differences, key=lambda difference: (difference.resource, difference.subject))
    ]
    blocks: dict[tuple[str, ...], list[Difference]] = {}
    for names, part in fold(objects, key=lambda part: [list(difference) for difference in part]):
        blocks.setdefault(tuple(names), []).extend(part)
    scopes = {zone.name: zone.scope for zone in zones}
    return [
        text for names, part in blocks.items() for text in unified(part, hosts_such_as(names, [scopes[name] for name in names]))
    ]
