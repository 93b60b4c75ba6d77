# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Whether a predicted delivery to many zones may begin: the safety rails, and the approval of its plan.
import typing as t

from ...module_utils._core import GATE, PARTS, Failure, Json, ReportedEffect, conflict, invalid_option
from ...module_utils._zone.result import ZoneResult
from .._report.document import address
from .._report.earlier import read_report
from .._report.items import plural
from .._report.model import fleet_plan_id
from .variables import ALL, SWITCHES, Threshold, read_allow, read_boolean, read_count, read_threshold

_APPROVALS = ("edgeops_approved_plan_id", "edgeops_approved_report")
_AGAIN = "Nothing was written; review a new check run."


class Rails(t.NamedTuple):
    """The safety rails of a run; None is an omitted approval."""

    guard: bool
    deliver_partial: bool
    stop_on_failure: bool
    soak_seconds: int
    max_changed_zones: Threshold | None
    approved_plan_id: str | None
    approved_report: str | None
    allow: t.Mapping[str, tuple[str, ...]]

    @property
    def is_approved(self) -> bool:
        """Return whether a plan was approved, with the destructive changes that it contains."""
        return self.approved_plan_id is not None or self.approved_report is not None


def is_changed(result: ZoneResult) -> bool:
    """Return whether a part of the result of a zone is changed."""
    return any((result.get(name) or {}).get("changed") for name in PARTS)


class Prediction(t.NamedTuple):
    """The predicted result of a zone, or why there is none."""

    name: str
    zone_id: str
    result: ZoneResult
    error: str

    @property
    def changed(self) -> bool:
        """Return whether a delivery would write to the zone."""
        return not self.error and is_changed(self.result)

    @property
    def plan_ids(self) -> dict[str, str | None]:
        """Return the plan id of each part; None for one that is not managed."""
        return {name: (self.result.get(name) or {}).get("plan_id") for name in PARTS}

    @property
    def effects(self) -> list[ReportedEffect]:
        """Return what a delivery would destroy."""
        return list(self.result.get("effects") or ())


def read_rails(values: t.Mapping[str, Json], given: t.Collection[str], allow: t.Mapping[str, Json]) -> Rails:
    """Return the rails in the variables of a run; `given` are the names that are set, `allow` is the variable of each host.

    Raise `conflict` for an approval that is given and empty.
    """
    switches = {name: read_boolean(name, values[name], default) for name, default in SWITCHES.items()}
    approvals = {name: str(values[name] or "").strip() if name in given else None for name in _APPROVALS}
    for name in _APPROVALS:
        if approvals[name] is not None and not switches["edgeops_guard"]:
            raise invalid_option(name, "needs edgeops_guard: without it a run is one phase, and no plan is compared")
        if approvals[name] == "":
            raise conflict(f"{name}: is given and empty, so nothing was approved. {_AGAIN}")
    return Rails(
        guard=switches["edgeops_guard"],
        deliver_partial=switches["edgeops_deliver_partial"],
        stop_on_failure=switches["edgeops_stop_on_failure"],
        soak_seconds=read_count("edgeops_soak_seconds", values["edgeops_soak_seconds"]),
        max_changed_zones=read_threshold("edgeops_max_changed_zones", values["edgeops_max_changed_zones"]),
        approved_plan_id=approvals["edgeops_approved_plan_id"],
        approved_report=approvals["edgeops_approved_report"],
        allow={host: read_allow(value) for host, value in allow.items()},
    )


def describe(rails: Rails, batches: t.Sequence[int | str]) -> list[str]:
    """Return the rails in force, a line for each."""
    if not rails.guard:
        return ["edgeops_guard is false: no rail applies, and zones are written without a prediction"]
    limit = rails.max_changed_zones
    lines = [f"at most {limit.text} zones may change" if limit else "any number of zones may change"]
    lines += list(_describe_allow(rails))
    if rails.is_approved:
        lines.append("only the approved plan is applied")
    lines.append(f"zones that cannot be predicted {'are left out' if rails.deliver_partial else 'stop the run'}")
    if list(batches) != ["100%"]:
        lines.append(f"batches of the zones that change: {', '.join(map(str, batches))}")
    if rails.stop_on_failure:
        lines.append("the run stops after a batch in which a zone failed")
    if rails.soak_seconds:
        lines.append(f"the run stops if the health of a job is worse {rails.soak_seconds} seconds after its batch")
    return lines


def _describe_allow(rails: Rails) -> t.Iterator[str]:
    if rails.is_approved:
        yield "destructive changes are allowed as far as the approved plan contains them"
        return
    groups: dict[tuple[str, ...], list[str]] = {}
    for host, names in rails.allow.items():
        groups.setdefault(names, []).append(host)
    for names, hosts in sorted(groups.items()):
        which = "" if len(groups) == 1 else f" for {', '.join(hosts[:10])}{' and others' if len(hosts) > 10 else ''}"
        yield f"destructive changes that are allowed{which}: {', '.join(names) or 'none'}"


def refuse(rails: Rails, zones: t.Sequence[Prediction]) -> None:
    """Raise `gate` for what the rails refuse, naming every zone."""
    reasons = [*_partial(rails, zones), *_forbidden(rails, zones), *_too_many(rails, zones)]
    if reasons:
        raise Failure(GATE, " ".join([*reasons, "Nothing was written."]))


def _partial(rails: Rails, zones: t.Sequence[Prediction]) -> t.Iterator[str]:
    failed = [f"{zone.name} ({zone.error})" for zone in zones if zone.error]
    if failed and not rails.deliver_partial:
        yield (
            f"edgeops_deliver_partial: {plural(len(failed), 'zone')} could not be predicted: {'; '.join(failed)}."
            " Fix them, or allow a partial delivery."
        )


def _forbidden(rails: Rails, zones: t.Sequence[Prediction]) -> t.Iterator[str]:
    """Yield the refusal of destructive changes that `edgeops_allow` of the zone does not name."""
    if rails.is_approved:
        return
    found = []
    for zone in zones:
        allowed = rails.allow.get(zone.name, ())
        lost = [effect for effect in zone.effects if ALL not in allowed and effect["name"] not in allowed]
        if lost:
            found.append(f"{zone.name} ({', '.join(dict.fromkeys(_described(effect) for effect in lost))})")
    if found:
        yield (
            f"edgeops_allow: {plural(len(found), 'zone')} would have destructive changes that are not allowed: {'; '.join(found)}."
            " Name the change in edgeops_allow, or correct the variables."
        )


def _described(effect: ReportedEffect) -> str:
    """Return an effect with its subject: `delete_job edge-logs`."""
    subject = f" {effect['subject']}" if effect["subject"] else ""
    detail = f": {', '.join(effect['detail'])}" if effect["detail"] else ""
    return f"{effect['name']}{subject}{detail}"


def _too_many(rails: Rails, zones: t.Sequence[Prediction]) -> t.Iterator[str]:
    changed = [zone.name for zone in zones if zone.changed]
    limit = rails.max_changed_zones
    if limit and limit.exceeded(len(changed), len(zones)):
        yield (
            f"edgeops_max_changed_zones: {len(changed)} of {plural(len(zones), 'zone')} would change, which is more than {limit.text}:"
            f" {'; '.join(changed)}. Deliver to fewer zones at a time, or raise the threshold."
        )


def plan_id_of(zones: t.Sequence[Prediction]) -> str | None:
    """Return the digest of the plans of all zones, as `audit_report` does; None if a zone could not be predicted."""
    return None if any(zone.error for zone in zones) else fleet_plan_id((zone.zone_id, zone.plan_ids) for zone in zones)


def check_approval(rails: Rails, zones: t.Sequence[Prediction]) -> None:
    """Raise `conflict` if the plan of these zones is not the approved one."""
    if rails.approved_plan_id is not None:
        _check_digest(rails.approved_plan_id, zones)
    if rails.approved_report is not None:
        _check_rows(rails.approved_report, zones)


def _check_digest(approved: str, zones: t.Sequence[Prediction]) -> None:
    current = plan_id_of(zones)
    if current is None:
        failed = ", ".join(zone.name for zone in zones if zone.error)
        raise conflict(
            f"edgeops_approved_plan_id: there is no plan of all zones, because these could not be predicted: {failed}. {_AGAIN}"
        )
    if current != approved:
        raise conflict(
            f"edgeops_approved_plan_id: the plan of these {len(zones)} zones is {current}, but {approved} was approved:"
            f" a zone or its variables have changed since, or it was applied already. {_AGAIN}"
        )


def _check_rows(path: str, zones: t.Sequence[Prediction]) -> None:
    rows = {address(row): row for row in read_report("edgeops_approved_report", path)["zones"] if not row["carried"]}
    unknown = [zone.name for zone in zones if zone.zone_id not in rows]
    if len(unknown) == len(zones):
        raise invalid_option(
            "edgeops_approved_report", f"{path!r} is a report of other zones: none of {', '.join(unknown)} is in it"
        )
    if unknown:
        raise conflict(f"edgeops_approved_report: not in the approved report: {', '.join(unknown)}. {_AGAIN}")
    moved = [zone.name for zone in zones if zone.error or zone.plan_ids != rows[zone.zone_id]["plan_ids"]]
    if moved:
        raise conflict(
            f"edgeops_approved_report: the plan is not the approved one for {', '.join(moved)}: the zone or its variables have changed"
            f" since, or it was applied already. {_AGAIN}"
        )
