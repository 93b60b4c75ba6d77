# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import typing as t

from .._text import line
from .._zone.result import ReportedJob
from . import findings
from .document import Copied, Counts, JobRow, Row, ScriptRow
from .facts import (
    COMPLIANT,
    DIFFERENCE,
    DRIFTED,
    FINDING,
    FINDINGS,
    MANAGED,
    NOTE,
    STATUSES,
    UNAUDITED,
    UNMANAGED,
    ZONE,
)
from .items import Observation, address, counting, found, items_of
from .options import AuditRecord, Order

# Rows of the report, one for each zone, and the totals of all rows.

_MAX_NAMED = 10
# The row of a zone that was not audited.
NOTHING: Row = {
    "zone": "",
    "zone_id": None,
    "account_id": None,
    "scope": ZONE,
    "status": UNAUDITED,
    "audited_at": None,
    "plan_ids": dict.fromkeys(MANAGED),
    "items": [],
    "error": None,
    "evidence": None,
    "delivery": None,
    "proposals": None,
    "carried": False,
    "resources": [],
    "jobs": None,
    "inventory": None,
}


def rows_of(order: Order) -> list[Row]:
    """Return the rows of all records."""
    destinations = findings.Destinations(order.records) if order.survey else None
    return [_row_of(record, order, destinations) for record in order.records]


def _row_of(record: AuditRecord, order: Order, destinations: findings.Destinations | None) -> Row:
    row: Row = {**NOTHING, "zone": record.zone, "zone_id": record.zone_id, "account_id": record.account_id, "scope": record.scope}
    notes = [found("not_readable", None, reason, resource=name) for name, reason in record.unreadable]
    if record.error:
        return {**row, "error": record.error, "items": items_of(record.address, notes, order.at)}
    result = record.result or {}
    managed = {} if order.survey else {name: part for name in MANAGED if (part := result.get(name))}
    seen = [*notes, *_observations(record, order, destinations)]
    audit = record.scripts or {}
    return {
        **row,
        "status": COMPLIANT if managed else UNMANAGED,
        "audited_at": order.at,
        "plan_ids": {name: (managed.get(name) or {}).get("plan_id") for name in MANAGED},
        "items": items_of(record.address, seen, order.at),
        "evidence": audit.get("evidence") or None,
        "delivery": record.delivery,
        "proposals": audit.get("proposals"),
        "resources": _resources(record, order),
        "jobs": None if record.jobs is None else [_job(label, job) for label, job in findings.labelled(record.jobs)],
        "inventory": None if record.scripts is None else [_script(each) for each in audit.get("inventory") or ()],
    }


def _observations(record: AuditRecord, order: Order, destinations: findings.Destinations | None) -> t.Iterator[Observation]:
    jobs = record.jobs or ()
    coverage = findings.covered(record) if destinations else record.coverage
    if destinations:
        yield from findings.survey(record, destinations)
    else:
        yield from findings.differences(record.result or {}, jobs)
        yield from findings.unlisted(record.result or {}, jobs)
    yield from findings.health(jobs)
    if record.scripts is not None:
        yield from findings.scripts(record.scripts)
    if coverage is not None:
        yield from findings.coverage(coverage, jobs)
    if record.delivery is not None:
        yield from findings.delivery(record.delivery, record.jobs)
    # A zone without a declared state is not read, so no field can be missing there.
    if destinations or record.jobs is not None or any((record.result or {}).get(name) for name in MANAGED):
        yield from findings.required(order.required_fields, record.jobs)


def _resources(record: AuditRecord, order: Order) -> list[str]:
    """Return the resources that were read: only their problems can be resolved."""
    result = record.result or {}
    looked: list[str] = [name for name in MANAGED if result.get(name)]
    if record.jobs is not None and "jobs" not in looked:
        looked.append("jobs")
    parts = {"scripts": record.scripts, "health": record.jobs, "coverage": record.coverage, "delivery": record.delivery}
    looked += [name for name, part in parts.items() if part is not None]
    return looked + (["fields"] if order.required_fields or order.survey else [])


def _job(label: str, job: ReportedJob) -> JobRow:
    last = job.get("last_complete")
    return {
        "job": label,
        "job_id": findings.job_number(job),
        "health": findings.health_state(job),
        "last_complete": last if isinstance(last, str) else None,
    }


def _script(listed: Copied) -> ScriptRow:
    """Return a script that the audit saw, with the entry of the baseline that covers it."""
    script = listed.get("script")
    members = script if isinstance(script, dict) else {"url": script}
    url = members.get("url") or members.get("script_url")
    return {"script_url": url, "host": members.get("host"), "entry": listed.get("entry")}


def with_status(row: Row) -> Row:
    """Return a row with the status that follows from its items; a carried row keeps its status."""
    if row["carried"] or row["status"] == UNAUDITED:
        return row
    kinds = {item["kind"] for item in counting(row["items"])}
    declared = row["status"] in (COMPLIANT, DRIFTED) or any(row["plan_ids"].values())
    plain = COMPLIANT if declared else UNMANAGED
    return {**row, "status": DRIFTED if DIFFERENCE in kinds else FINDINGS if FINDING in kinds else plain}


# Matching of the rows of two reports by zone.

_Key = t.Callable[[Row], t.Hashable]
_Fits = t.Callable[[Row, Row], bool]
# The most certain match first: zones of two accounts may have the same name, and a zone that cannot be read may have no id.
_STEPS: tuple[tuple[_Key, _Fits], ...] = (
    (lambda row: (row["scope"], address(row), row["zone"]), lambda row, other: True),
    (lambda row: (row["scope"], address(row)), lambda row, other: address(row) is not None),
    (lambda row: (row["scope"], row["zone"]), lambda row, other: None in (address(row), address(other))),
)


def match(rows: t.Sequence[Row], others: t.Sequence[Row]) -> tuple[list[int | None], list[int]]:
    """Return for each row the place of the other row of its zone, by id, or by name if one has no id; and the places that are left."""
    matched: list[int | None] = [None] * len(rows)
    left = dict.fromkeys(range(len(others)))
    for key, fits in _STEPS:
        places: dict[t.Hashable, list[int]] = {}
        for place in left:
            places.setdefault(key(others[place]), []).append(place)
        for number, row in enumerate(rows):
            if matched[number] is None:
                fitting = (place for place in places.get(key(row), ()) if place in left and fits(row, others[place]))
                matched[number] = found_place = next(fitting, None)
                if found_place is not None:
                    del left[found_place]
    return matched, list(left)


# The totals: counts, outcome, the plan id of the fleet, and what `fail_on` refuses.


def counts_of(rows: t.Sequence[Row]) -> Counts:
    """Return the numbers of zones by status and of items by kind, without what was carried over from an earlier report.

    `findings` counts items: the zones with that status are what the other statuses leave of all zones, see `zones_with`.
    """
    present = [row for row in rows if not row["carried"]]
    items = [item for row in present for item in row["items"] if not item["carried"]]
    kinds = [item["kind"] for item in counting(items)]
    return {
        "zones": len(present),
        **{status: sum(row["status"] == status for row in present) for status in STATUSES if status != FINDINGS},
        "differences": kinds.count(DIFFERENCE),
        "findings": kinds.count(FINDING),
        "notes": kinds.count(NOTE),
        "waived": sum(item["waived"] for item in items),
    }


def zones_with(counts: Counts, status: str) -> int:
    """Return the number of zones with a status."""
    if status != FINDINGS:
        return counts[status]
    return counts["zones"] - sum(counts[other] for other in STATUSES if other != FINDINGS)


def outcome_of(counts: Counts) -> str:
    """Return the first of the statuses that a zone has."""
    return next((status for status in STATUSES if zones_with(counts, status)), COMPLIANT)


def names_by_status(rows: t.Sequence[Row]) -> dict[str, list[str]]:
    """Return the sorted names of the zones of this run by status."""
    return {status: sorted(row["zone"] for row in rows if not row["carried"] and row["status"] == status) for status in STATUSES}


def fleet_plan_id(plans: t.Iterable[tuple[str | None, t.Mapping[str, str | None]]]) -> str:
    """Return one digest of the plans of several zones, each given with its id and its plan ids by resource."""
    lines = sorted(f"{owner} {resource} {plan}" for owner, ids in plans for resource, plan in ids.items() if plan)
    return "sha256:" + hashlib.sha256("\n".join(lines).encode(errors="surrogatepass")).hexdigest()


def refused(rows: t.Sequence[Row], fail_on: t.Sequence[str]) -> dict[str, list[str]]:
    """Return the zones that `fail_on` refuses, by the status or type that it names."""
    zones: dict[str, list[str]] = {name: [] for name in fail_on}
    for row in rows:
        found = {row["status"], *(item["type"] for item in counting(row["items"]) if item["kind"] == FINDING)}
        for name in () if row["carried"] else found.intersection(fail_on):
            zones[name].append(row["zone"])
    return {name: named for name, named in zones.items() if named}


def refusal(refusals: t.Mapping[str, t.Sequence[str]], path: str) -> str:
    """Return why `fail_on` refuses a report, naming the zones; "" if it does not."""
    parts = []
    for name, zones in refusals.items():
        more = f" and {len(zones) - _MAX_NAMED} more" if len(zones) > _MAX_NAMED else ""
        parts.append(f"{name} in {', '.join(line(zone, 100) for zone in zones[:_MAX_NAMED])}{more}")
    return f"fail_on: {'; '.join(parts)}. The report is in {path}." if parts else ""
