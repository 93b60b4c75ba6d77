# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._address import ZONE
from ...module_utils._core import CONFLICT, GATE, ReportedEffect, conflict, invalid_option
from .._arguments import user_path
from .._diff import fold
from .._host_variables import HostVariables
from .._play.results import Zone
from .._report.document import Row, address, fleet_plan_id
from .._report.earlier import read_report
from .._variables.readers import ALL, Threshold
from .._words import count_hosts, hosts_such_as, part_of_hosts

# Whether a predicted delivery to many zones may begin: the safety rails, and the approval of its plan.

_ALLOW = "edgeops_allow"
_PARTIAL = "edgeops_deliver_partial"
_APPROVED_PLAN, _APPROVED_REPORT = _APPROVALS = ("edgeops_approved_plan_id", "edgeops_approved_report")
# All zones that change, in one batch.
_ONE_BATCH = "100%"
NOTHING_WRITTEN = "Nothing was written."
_AGAIN = f"{NOTHING_WRITTEN} Review a new check run."
# Before the options of the command that consents, with which a refusal ends.
CONSENT = "To consent, run it again with "
# More zones are not all named in one line; each of them fails with a line of its own.
_MAX_NAMED = 20


class Rails(t.NamedTuple):
    """The safety rails of a run; None is an omitted approval."""

    guard: bool = True
    deliver_partial: bool = True
    stop_on_failure: bool = False
    max_changed_zones: Threshold | None = None
    approved_plan_id: str | None = None
    approved_report: str | None = None
    allow: t.Mapping[str, tuple[str, ...]] = {}
    batches: t.Sequence[str] = (_ONE_BATCH,)

    @property
    def is_approved(self) -> bool:
        """Return whether a plan was approved, with the destructive changes that it contains."""
        return self.approved_plan_id is not None or self.approved_report is not None


class Refusal(t.NamedTuple):
    """Why nothing is written: a message, the kind of failure, a reason for each zone that it is about, and the options that would consent."""

    kind: str
    message: str
    zones: t.Mapping[str, str]
    consent: str = ""


def read_rails(variables: HostVariables, hosts: t.Sequence[str], left_out: t.Container[str] = ()) -> Rails:
    """Return the rails in the variables of the hosts of a run; raise `conflict` for an approval that is given and empty.

    Hosts that are left out, perhaps by this very variable, allow nothing.
    """

    def option(name: str) -> t.Any:
        return variables.option(hosts[0], name)

    guard = option("edgeops_guard")
    approvals = {}
    for name in _APPROVALS:
        value = option(name)
        # One that is set for any host counts, because an approval that is empty approves nothing.
        if not any(name in variables.of(host) for host in hosts):
            continue
        if not guard:
            raise invalid_option(name, "needs edgeops_guard: without it a run is one phase, and no plan is compared")
        if value is None or not str(value).strip():
            raise conflict(f"{name}: is given and empty, so nothing was approved. {_AGAIN}")
        approvals[name] = str(value).strip()
    report = approvals.get(_APPROVED_REPORT)
    return Rails(
        guard=guard,
        deliver_partial=option(_PARTIAL),
        stop_on_failure=option("edgeops_stop_on_failure"),
        max_changed_zones=option("edgeops_max_changed_zones"),
        approved_plan_id=approvals.get(_APPROVED_PLAN),
        approved_report=report and user_path(report),
        allow={host: () if host in left_out else tuple(variables.option(host, _ALLOW)) for host in hosts},
        batches=variables.option_of_run("edgeops_zones_at_once"),
    )


def describe(rails: Rails) -> list[str]:
    """Return the rails in force, a line for each."""
    if not rails.guard:
        return ["edgeops_guard is false: no rail applies, and zones are written without a prediction"]
    limit = rails.max_changed_zones
    lines = [
        f"at most {limit.text}{' of the' if limit.text.endswith('%') else ''} zones may change"
        if limit
        else "any number of zones may change"
    ]
    lines += list(_describe_allow(rails))
    if rails.is_approved:
        lines.append("only the approved plan is applied")
    # There is no plan of all zones then, which an approved plan could be.
    is_left_out = rails.deliver_partial and rails.approved_plan_id is None
    lines.append(f"zones that cannot be predicted {'are left out' if is_left_out else 'stop the run'}")
    if list(rails.batches) != [_ONE_BATCH]:
        lines.append(f"batches of the zones that change: {', '.join(rails.batches)}")
    if rails.stop_on_failure:
        lines.append("the run stops after a batch in which a zone failed")
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


def refuse(rails: Rails, zones: t.Sequence[Zone]) -> Refusal | None:
    """Return what the rails refuse: another plan than the approved one, otherwise what each rail does not allow."""
    other_plan = _other_plan(rails, zones) or _other_rows(rails, zones)
    if other_plan:
        return other_plan
    refusals = [refusal for refusal in (_partial(rails, zones), _forbidden(rails, zones), _too_many(rails, zones)) if refusal]
    if not refusals:
        return None
    concerned: dict[str, str] = {}
    for refusal in refusals:
        for name, reason in refusal.zones.items():
            concerned[name] = f"{concerned[name]} {reason}" if name in concerned else reason
    consent = " ".join(refusal.consent for refusal in refusals)
    said = " ".join(refusal.message for refusal in refusals)
    return Refusal(GATE, f"{said} {NOTHING_WRITTEN} {CONSENT}{consent}", concerned)


def _partial(rails: Rails, zones: t.Sequence[Zone]) -> Refusal | None:
    failed = {zone.name: zone.error for zone in zones if zone.error}
    if rails.deliver_partial or not failed:
        return None
    counts = count_hosts(zone.scope for zone in zones if zone.error)
    message = f"{_PARTIAL}: {counts} could not be predicted: {_folded(failed.items(), zones)}. Fix what failed."
    return Refusal(GATE, message, _unpredicted(failed, GATE, _PARTIAL), f"-e {_PARTIAL}=true")


def _folded(reasons: t.Iterable[tuple[str, str]], zones: t.Sequence[Zone]) -> str:
    """Return zones with their reasons, each reason once."""
    groups = fold(reasons, key=lambda reason: reason)
    return "; ".join(f"{_names(names, zones)} ({reason})" for names, reason in groups)


def _names(names: t.Sequence[str], zones: t.Sequence[Zone]) -> str:
    if len(names) <= _MAX_NAMED:
        return ", ".join(names)
    return hosts_such_as(names, [zone.scope for zone in zones if zone.name in set(names)])


def _unpredicted(failed: t.Mapping[str, str], kind: str, rail: str) -> dict[str, str]:
    """Return for each zone that could not be predicted the rail that this breaks, and its own reason."""
    return {name: f"{kind}: {rail}: the zone could not be predicted: {error}" for name, error in failed.items()}


def _forbidden(rails: Rails, zones: t.Sequence[Zone]) -> Refusal | None:
    """Return the refusal of destructive changes that `edgeops_allow` of the zone does not name."""
    if rails.is_approved:
        return None
    refused: dict[str, list[ReportedEffect]] = {}
    for zone in zones:
        allowed = rails.allow.get(zone.name, ())
        lost = [effect for effect in zone.effects if ALL not in allowed and effect["name"] not in allowed]
        if lost:
            refused[zone.name] = lost
    if not refused:
        return None
    scopes = count_hosts(zone.scope for zone in zones if zone.name in refused)
    groups = fold(refused.items(), key=lambda lost: [dict(effect) for effect in lost])
    text = "; ".join(f"{_names(names, zones)} ({_lost(lost)})" for names, lost in groups)
    message = (
        f"{_ALLOW}: {scopes} would have destructive changes that are not allowed: {text}. Correct the variables, or consent."
    )
    # The variable of the command takes the place of those of all zones, so it names also what these allow.
    names = ",".join(sorted({effect["name"] for zone in zones for effect in zone.effects}))
    reasons = {name: f"{GATE}: {_ALLOW} does not allow {_lost(lost)}." for name, lost in refused.items()}
    return Refusal(GATE, message, reasons, f"-e {_ALLOW}={names}")


def _lost(effects: t.Iterable[ReportedEffect]) -> str:
    return ", ".join(dict.fromkeys(_described(effect) for effect in effects))


def _described(effect: ReportedEffect) -> str:
    """Return an effect with its subject: `delete_job edge-logs`."""
    subject = f" {effect['subject']}" if effect["subject"] else ""
    detail = f": {', '.join(effect['detail'])}" if effect["detail"] else ""
    return f"{effect['name']}{subject}{detail}"


def _too_many(rails: Rails, zones: t.Sequence[Zone]) -> Refusal | None:
    changed = [zone.name for zone in zones if zone.differs]
    limit = rails.max_changed_zones
    if limit is None:
        return None
    # Several hosts of one zone are one zone, which changes if any of them would change it.
    owners: dict[tuple[str, str], bool] = {}
    for zone in zones:
        owners[zone.owner] = owners.get(zone.owner, False) or zone.differs
    # A percentage is one of zones: accounts, which change less often, must not thin it out.
    alone = {owner: differs for owner, differs in owners.items() if owner[0] == ZONE}
    counted = alone if limit.percent and limit.exceeded(sum(alone.values()), len(alone)) else owners
    differing = sum(counted.values())
    if not limit.exceeded(differing, len(counted)):
        return None
    counts = f"{part_of_hosts(differing, (scope for scope, _id in counted))} would change, which is more than {limit.text}"
    message = f"edgeops_max_changed_zones: {counts}: {_names(changed, zones)}. Deliver to fewer zones at a time, or consent."
    reason = f"{GATE}: edgeops_max_changed_zones: {counts}."
    return Refusal(GATE, message, dict.fromkeys(changed, reason), f"-e edgeops_max_changed_zones={sum(owners.values())}")


def plan_id_of(zones: t.Sequence[Zone]) -> str | None:
    """Return the digest of the plans of all zones, as `audit_report` does; None if a zone could not be predicted."""
    return None if any(zone.error for zone in zones) else fleet_plan_id((zone.zone_id, zone.plan_ids) for zone in zones)


def _other_plan(rails: Rails, zones: t.Sequence[Zone]) -> Refusal | None:
    approved, current = rails.approved_plan_id, plan_id_of(zones)
    if approved is None or current == approved:
        return None
    failed = {zone.name: zone.error for zone in zones if zone.error}
    if failed:
        text = f"there is no plan of all zones, because these could not be predicted: {', '.join(failed)}. {_AGAIN}"
        return Refusal(CONFLICT, f"{_APPROVED_PLAN}: {text}", _unpredicted(failed, CONFLICT, _APPROVED_PLAN))
    text = (
        f"{_APPROVED_PLAN}: the plan of {count_hosts(zone.scope for zone in zones)} is {current}, but {approved} was approved:"
        f" a zone or its variables have changed since, or it was applied already. {_AGAIN}"
    )
    names = [zone.name for zone in zones if zone.differs] or [zone.name for zone in zones]
    return Refusal(CONFLICT, text, dict.fromkeys(names, f"{CONFLICT}: {text}"))


def approved_rows(rails: Rails) -> dict[str | None, list[Row]] | None:
    """Return the rows of the approved report by the ids of their zones, which may have several hosts; None if no report was approved."""
    path = rails.approved_report
    if path is None:
        return None
    rows: dict[str | None, list[Row]] = {}
    for row in read_report(_APPROVED_REPORT, path)["zones"]:
        if not row["carried"]:
            rows.setdefault(address(row), []).append(row)
    return rows


def _other_rows(rails: Rails, zones: t.Sequence[Zone]) -> Refusal | None:
    rows = approved_rows(rails)
    if rows is None:
        return None
    predicted = [zone for zone in zones if not zone.error]
    unknown = [zone.name for zone in predicted if zone.zone_id not in rows]
    if predicted and len(unknown) == len(predicted):
        raise invalid_option(
            _APPROVED_REPORT, f"{rails.approved_report!r} is a report of other zones: none of {', '.join(unknown)} is in it"
        )
    if unknown:
        reason = f"{_APPROVED_REPORT}: not in the approved report"
        return Refusal(
            CONFLICT, f"{reason}: {', '.join(unknown)}. {_AGAIN}", dict.fromkeys(unknown, f"{CONFLICT}: {reason}. {_AGAIN}")
        )
    moved = [zone.name for zone in predicted if zone.plan_ids not in [row["plan_ids"] for row in rows[zone.zone_id]]]
    if not moved:
        return None
    why = f"the zone or its variables have changed since, or it was applied already. {_AGAIN}"
    message = f"{_APPROVED_REPORT}: the plan is not the approved one for {', '.join(moved)}: {why}"
    return Refusal(
        CONFLICT, message, dict.fromkeys(moved, f"{CONFLICT}: {_APPROVED_REPORT}: the plan is not the approved one: {why}")
    )
