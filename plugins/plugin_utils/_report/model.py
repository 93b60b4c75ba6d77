# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import hashlib
import typing as t

from ...module_utils._address import ACCOUNT, ZONE
from ...module_utils._core import GATE, invalid_option
from ...module_utils._text import canonical, duration, format_time, line, parse_time
from ...module_utils._version import VERSION
from ...module_utils._zone.told import Told, told
from .alerts import Used, merged
from .comparison import JudgeOfWaivers, as_carried, carry_over, compare, inherit, match
from .document import NOTHING, SCHEMA_VERSION, Counts, Item, Report, Row, RowError, WaiverRow, address, fleet_plan_id
from .facts import (
    COMPLIANT,
    DIFFERENCE,
    DRIFTED,
    EXPIRED,
    FINDING,
    FINDINGS,
    NEEDS_ATTENTION,
    NOTE,
    OF_WAIVERS,
    SEVERITIES,
    STATUSES,
    UNAUDITED,
    UNMANAGED,
    UNMATCHED,
)
from .items import counting, in_order
from .not_audited import not_audited, with_carried
from .options import DesiredReport
from .rows import rows_of
from .waivers import MEMBERS, Waiver, apply_waivers, merged_waivers, with_unmatched

# The report as data: a pure function of the records of a run, earlier reports and the time.


def build(desired: DesiredReport, previous: Report | None, slices: t.Sequence[Report]) -> Report:
    """Return the report; equal arguments give equal reports."""
    who = told(desired.records, desired.at)
    audited = gather(desired, who, slices, previous)
    if all(entry.row["carried"] for entry in audited):
        raise invalid_option("zones", "there is no zone to report on, neither here nor in expected or merge")
    marked, waivers = apply_waivers([(entry.row, entry.waivers) for entry in audited], desired.at, desired.waivers)
    elsewhere = {row["zone"] for row in previous["zones"]} - {row["zone"] for row in marked} if previous else set()
    # A waiver may be about a problem of the previous report that this run did not judge.
    unjudged, _before = carry_over(marked, previous, _judge_of_waivers(audited, waivers, marked))
    noted = with_unmatched(marked, desired.waivers, waivers, unjudged, elsewhere, desired.at)
    inherited, before = carry_over(noted, previous, _judge_of_waivers(audited, waivers, noted))
    rows: list[Row] = [{**row, "status": status_of(row), "not_audited": with_carried(row)} for row in inherited]
    rows.sort(key=lambda row: (row["zone"], row["carried"], row["zone_id"] or row["account_id"] or ""))
    counts = counts_of(rows)
    plans = ((address(row), row["plan_ids"]) for row in rows if not row["carried"])
    report: Report = {
        "schema_version": SCHEMA_VERSION,
        "report_id": "",
        "generated_at": desired.at,
        "collection_version": VERSION,
        "title": desired.title,
        "outcome": next((status for status in STATUSES if counts["statuses"][status]), COMPLIANT),
        "counts": counts,
        "plan_id": None if counts["statuses"][UNAUDITED] else fleet_plan_id(plans),
        "zones": rows,
        "comparison": compare(rows, previous, before),
        "waivers": waivers,
        "trend": list(previous["trend"][-desired.keep :]) if previous and desired.keep else [],
        "not_audited": not_audited(rows),
        "alerts": merged([who.alerts, *(part["alerts"] for part in slices)], _used(audited)),
    }
    try:
        text = canonical({name: value for name, value in report.items() if name != "report_id"})
    except ValueError:
        raise invalid_option("zones", "a number in a record is infinite or not a number, which JSON cannot hold") from None
    except RecursionError:
        raise invalid_option("zones", "a record is nested more deeply than JSON that can be read again") from None
    return {**report, "report_id": hashlib.sha256(text.encode()).hexdigest()[:32]}


def _judge_of_waivers(audited: t.Sequence[AuditedRow], listed: t.Sequence[WaiverRow], rows: t.Sequence[Row]) -> JudgeOfWaivers:
    """Return whether an item about a waiver is resolved: the waiver is gone, or nothing that it may cover is unknown."""
    known = {waiver.key: waiver for entry in audited for waiver in entry.waivers}
    used = {canonical({name: value for name, value in row.items() if name in MEMBERS}) for row in listed if row["items"]}
    # The note stands at the first host that the waiver could cover, which may be another one now.
    used |= {item["subject"] or "" for row in rows for item in row["items"] if item["type"] == UNMATCHED}

    def is_judged(item: Item, row: Row, left: t.Sequence[Item]) -> bool:
        waiver = known.get(item["subject"] or "")
        if waiver is None:
            return True
        is_unknown = any(waiver.fits(other) for other in left) and waiver.covers(row["zone"])
        return not is_unknown if item["type"] == EXPIRED else waiver.key in used

    return is_judged


def _used(audited: t.Sequence[AuditedRow]) -> dict[str, list[Used]]:
    """Return where the row of each host is from; one that is carried, or whose audit is too old, does not say how the host is now."""
    used: dict[str, list[Used]] = {}
    for entry in audited:
        is_old = entry.report > 0 and entry.row["status"] == UNAUDITED and not entry.row["resources"]
        used.setdefault(entry.row["zone"], []).append(Used(entry.report, not (entry.row["carried"] or is_old)))
    return used


def status_of(row: Row) -> str:
    """Return the status that follows from the items of a row; a carried row keeps its status."""
    if row["carried"] or row["status"] == UNAUDITED:
        return row["status"]
    kinds = {item["kind"] for item in counting(row["items"])}
    plain = COMPLIANT if _is_declared(row) else UNMANAGED
    return DRIFTED if DIFFERENCE in kinds else FINDINGS if FINDING in kinds else plain


def _is_declared(row: Row) -> bool:
    """Return whether a row says how a zone differs from what is declared for it."""
    return row["status"] in (COMPLIANT, DRIFTED) or any(row["plan_ids"].values())


def counts_of(rows: t.Sequence[Row]) -> Counts:
    """Return the numbers of zones and accounts and of items, without what was carried over from an earlier report."""
    present = [row for row in rows if not row["carried"]]
    items = [item for row in present for item in row["items"] if not item["carried"]]
    kinds = [item["kind"] for item in counting(items)]
    severities = [item["severity"] for item in counting(items) if item["kind"] != NOTE]
    return {
        "zones": sum(row["scope"] == ZONE for row in present),
        "accounts": sum(row["scope"] == ACCOUNT for row in present),
        "statuses": {status: sum(row["status"] == status for row in present) for status in STATUSES},
        "differences": kinds.count(DIFFERENCE),
        "findings": kinds.count(FINDING),
        "notes": kinds.count(NOTE),
        "severities": {severity: severities.count(severity) for severity in SEVERITIES},
        "waived": sum(item["waived"] for item in items),
    }


# The clocks of the machines that run the slices of one job may differ by so much.
_MAX_SECONDS_AHEAD = 300

# The rows of this run and of the slices of one job: one for each zone, with the waivers of the report that it comes from.


class AuditedRow(t.NamedTuple):
    """A row with the time of its audit, the waivers that apply to it, and the place of its report: 0 is this run, 1 the first slice."""

    row: Row
    looked_at: str
    waivers: tuple[Waiver, ...]
    report: int = 0


def gather(desired: DesiredReport, who: Told, slices: t.Sequence[Report], previous: Report | None) -> list[AuditedRow]:
    """Return the latest row of each zone, with what it inherits from the others; expected zones without a record are unaudited.

    Slices apply their own waivers as well. An audit in the future hides nothing that this run found: a little ahead it counts as of now,
    further ahead it is of no known time.
    """
    before = previous["zones"] if previous else ()
    sources = [[AuditedRow(row, desired.at, desired.waivers) for row in rows_of(desired, who, before)]]
    for number, part in enumerate(slices, 1):
        waivers = (*desired.waivers, *merged_waivers(part["waivers"]))
        at = parse_time(part["generated_at"])
        places, _left = match(part["zones"], before)
        rows = [
            _overtaken(_aged(_plain(row), desired), None if place is None else before[place])
            for row, place in zip(part["zones"], places, strict=True)
        ]
        looked = (_looked_when(row, at, desired) for row in part["zones"])
        sources.append([AuditedRow(row, when, waivers, number) for row, when in zip(rows, looked, strict=True)])
    groups: list[list[AuditedRow]] = []
    for source in sources:
        # A group is known by its first row that has an id.
        heads = [next((entry.row for entry in group if address(entry.row)), group[0].row) for group in groups]
        places, left = match(heads, [entry.row for entry in source])
        for group, place in zip(groups, places, strict=True):
            if place is not None:
                group.append(source[place])
        groups += [[source[place]] for place in left]
    latest = [_latest(group) for group in groups]
    present = {entry.row["zone"] for entry in latest if not entry.row["carried"]}
    error: RowError = {"kind": "not_found", "message": "the run has no record of this zone"}
    missing: list[Row] = [{**NOTHING, "zone": zone, "error": error} for zone in desired.expected if zone not in present]
    places, left = match(missing, [entry.row for entry in latest])
    inherited = (inherit(row, None if place is None else latest[place].row) for row, place in zip(missing, places, strict=True))
    return [*(latest[place] for place in left), *(AuditedRow(row, "", desired.waivers) for row in inherited)]


def _plain(row: Row) -> Row:
    """Return a row of a slice without the items about waivers, which are made again."""
    return {**row, "items": [item for item in row["items"] if item["type"] not in OF_WAIVERS]}


def _aged(row: Row, desired: DesiredReport) -> Row:
    """Return a row of a slice, unaudited if its audit is too old to say how the zone is now, or of no known time."""
    if row["carried"] or row["status"] == UNAUDITED:
        return row
    audited, now = parse_time(row["audited_at"]), parse_time(desired.at)
    if audited is None or now is None:
        message = "its report does not say when it was audited, so that it may be older than max_age_days"
    else:
        age = (now - audited).total_seconds()
        if -_MAX_SECONDS_AHEAD <= age <= desired.max_age_days * 86_400:
            return row
        message = (
            f"its last audit is dated {row['audited_at']}, {duration(-age)} after this report, so that it is not known when it was"
            if age < 0
            else f"its last audit was at {row['audited_at']}, {duration(age)} before this report;"
            f" max_age_days is {desired.max_age_days}"
        )
    return _unaudited(row, message)


def _overtaken(row: Row, old: Row | None) -> Row:
    """Return a row of a slice, unaudited if the previous report has a later audit of the zone: nobody has looked since then."""
    if old is None or row["carried"] or row["status"] == UNAUDITED:
        return row
    own, later = parse_time(row["audited_at"]), parse_time(old["audited_at"])
    if own is None or later is None or own >= later:
        return row
    return _unaudited(row, f"its last audit was at {row['audited_at']}, before that of the previous report, {old['audited_at']}")


def _unaudited(row: Row, message: str) -> Row:
    """Return a row of which an audit does not say how the zone is now."""
    items = in_order(map(as_carried, row["items"]))
    unaudited: Row = {**row, "status": UNAUDITED, "error": {"kind": GATE, "message": message}, "items": items}
    return {**unaudited, "resources": [], "not_audited": None}


def _looked_when(row: Row, reported: datetime.datetime | None, desired: DesiredReport) -> str:
    """Return when a slice looked at a zone, at the latest now; "" if that is not known. `reported` is the time of its report.

    A zone that could not be audited then has no time of an audit, or that of an earlier one.
    """
    if row["status"] == UNAUDITED:
        return desired.at if reported is None else min(format_time(reported), desired.at)
    audited, now = parse_time(row["audited_at"]), parse_time(desired.at)
    if audited is None or now is None or (audited - now).total_seconds() > _MAX_SECONDS_AHEAD:
        return ""
    return min(row["audited_at"] or "", desired.at)


def _latest(group: t.Sequence[AuditedRow]) -> AuditedRow:
    """Return the row that is used, with what it inherits from the others: the latest audit, and of two at the same time the worse one.

    Of equal ones it is that of this run, then that of the first slice. A row of a zone for which nothing is declared never replaces
    one that needs attention, nor, unless it needs attention itself, any other audit.
    """
    rank = [(not entry.row["carried"], entry.looked_at, _badness(entry.row)) for entry in group]
    order = sorted(range(len(group)), key=lambda place: (rank[place], -place))
    latest = order[-1]
    if not _is_audited(group[latest].row):
        audits = [place for place in order if _is_audited(group[place].row) and not group[place].row["carried"]]
        if audits and (_badness(group[audits[-1]].row) or not _badness(group[latest].row)):
            latest = audits[-1]
    others = [place for place in order if place != latest]
    known: Row | None = None
    for place in others:
        known = inherit(group[place].row, known)
    return group[latest]._replace(row=inherit(group[latest].row, known))


def _is_audited(row: Row) -> bool:
    """Return whether a zone was compared with what is declared for it, or should have been."""
    return row["status"] == UNAUDITED or _is_declared(row)


def _badness(row: Row) -> int:
    """Return a number that is higher for a worse status, and 0 for those that need no attention."""
    status = status_of(row)
    return len(NEEDS_ATTENTION) - NEEDS_ATTENTION.index(status) if status in NEEDS_ATTENTION else 0


def dated_ahead(slices: t.Sequence[Report], at: str) -> str:
    """Return a warning about audits of slices that are later than this report; "" if there is none."""
    ahead = [
        f"merge[{number}]: {line(row['zone'], 100)} was audited at {row['audited_at']}"
        for number, part in enumerate(slices)
        for row in part["zones"]
        if (row["audited_at"] or "") > at
    ]
    more = f" (and {len(ahead) - 1} more)" if len(ahead) > 1 else ""
    return (
        f"{ahead[0]}{more}, later than this report ({at}): a clock is ahead."
        f" Such audits count as of {at}, and as of no known time if they are more than five minutes later."
        if ahead
        else ""
    )
