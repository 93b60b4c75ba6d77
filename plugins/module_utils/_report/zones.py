# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import typing as t

from .._core import Json
from .._text import line
from . import findings
from . import findings as differences
from .facts import COMPLIANT, DIFFERENCE, DRIFTED, FINDING, GATES, MANAGED, NOTE, STATUSES, UNAUDITED, UNMANAGED
from .findings import Observation, counting, items_of
from .options import Record

# One row of the report: what a run found out about a zone.


Row = dict[str, Json]
RequiredFields = t.Mapping[str, t.Sequence[str]]

NO_PLANS: t.Mapping[str, None] = dict.fromkeys(MANAGED)


def row_of(record: Record, required: RequiredFields, at: str) -> Row:
    """The row of a zone that has a record."""
    if record.error:
        return unaudited(record.zone, record.zone_id, record.error)
    items = items_of(record.zone_id, _observations(record, required), at)
    return {
        "zone": record.zone,
        "zone_id": record.zone_id,
        "status": _status(record, any(item["kind"] == DIFFERENCE for item in items)),
        "audited_at": at,
        "plan_ids": {name: _managed(record).get(name, {}).get("plan_id") for name in MANAGED},
        "items": items,
        "error": None,
        "evidence": (record.scripts or {}).get("evidence") or None,
        "carried": False,
        "resources": _resources(record, required),
        "jobs": None if record.jobs is None else [_job(label, job) for label, job in findings.labelled(record.jobs)],
        "inventory": None if record.scripts is None else _inventory(record.scripts),
    }


def unaudited(zone: str, zone_id: str | None, error: t.Mapping[str, str]) -> Row:
    """The row of a zone of which this run found out nothing."""
    return {
        "zone": zone,
        "zone_id": zone_id,
        "status": UNAUDITED,
        "audited_at": None,
        "plan_ids": dict(NO_PLANS),
        "items": [],
        "error": dict(error),
        "evidence": None,
        "carried": False,
        "resources": [],
        "jobs": None,
        "inventory": None,
    }


def _managed(record: Record) -> dict[str, dict[str, Json]]:
    result = record.result or {}
    return {name: result[name] for name in MANAGED if result.get(name)}


def _status(record: Record, differs: bool) -> str:
    if not _managed(record):
        return UNMANAGED
    return DRIFTED if differs else COMPLIANT


def _observations(record: Record, required: RequiredFields) -> t.Iterator[Observation]:
    yield from differences.differences(record.result or {})
    if record.jobs is not None:
        yield from findings.health(record.jobs)
    if record.scripts is not None:
        yield from findings.scripts(record.scripts)
    if record.coverage is not None:
        yield from findings.coverage(record.coverage, record.jobs or ())
    yield from findings.required(required, record.jobs)


def _resources(record: Record, required: RequiredFields) -> list[str]:
    """What was looked at: a problem of anything else is not known to be resolved."""
    looked = list(_managed(record))
    looked += ["scripts"] if record.scripts is not None else []
    looked += ["health"] if record.jobs is not None else []
    looked += ["coverage"] if record.coverage is not None else []
    return looked + (["fields"] if required else [])


def _job(label: str, job: t.Mapping[str, Json]) -> Row:
    last = job.get("last_complete")
    return {"job": label, "health": findings.health_state(job), "last_complete": last if isinstance(last, str) else None}


def _inventory(audit: t.Mapping[str, Json]) -> list[Row]:
    """The scripts that the audit saw, with the entry of the baseline that covers each."""
    listed = audit.get("inventory")
    items = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    return [{**_script(item.get("script")), "entry": item.get("entry")} for item in items]


def _script(script: Json) -> Row:
    members = script if isinstance(script, dict) else {"url": script}
    return {"script_url": members.get("url") or members.get("script_url"), "host": members.get("host")}


# Which rows of two reports are about the same zone.


_Key = t.Callable[[Row], t.Hashable]
_Fits = t.Callable[[Row, Row], bool]
# From the surest on: two zones may have one name in two accounts, and a zone that cannot be read may have no id.
_STEPS: tuple[tuple[_Key, _Fits], ...] = (
    (lambda row: (row["zone_id"], row["zone"]), lambda row, other: True),
    (lambda row: row["zone_id"], lambda row, other: row["zone_id"] is not None),
    (lambda row: row["zone"], lambda row, other: None in (row["zone_id"], other["zone_id"])),
)


def match(rows: t.Sequence[Row], others: t.Sequence[Row]) -> tuple[list[Row | None], list[Row]]:
    """For each row the other one of its zone: by its id, or by its name where one has no id. Returns what is left of the others too."""
    found: dict[int, Row] = {}
    free = dict(enumerate(others))
    for key, fits in _STEPS:
        places: dict[t.Hashable, list[int]] = {}
        for place, other in free.items():
            places.setdefault(key(other), []).append(place)
        for number, row in enumerate(rows):
            fitting = (place for place in places.get(key(row), ()) if place in free and fits(row, free[place]))
            first = None if number in found else next(fitting, None)
            if first is not None:
                found[number] = free.pop(first)
    return [found.get(number) for number in range(len(rows))], list(free.values())


# What a report comes to: counts, the outcome, the plan id of the fleet, and whether the user's policy refuses it.


_MAX_NAMED = 10
_KINDS = {"drifted": DIFFERENCE, "finding": FINDING}
_NOUNS = {"drifted": "differences", "finding": "findings"}


def counts_of(rows: t.Sequence[Row]) -> dict[str, int]:
    """Zones by status and items by kind; what was carried over from an earlier report counts nowhere."""
    present = [row for row in rows if not row["carried"]]
    items = [item for row in present for item in row["items"] if not item["carried"]]
    kinds = [item["kind"] for item in counting(items)]
    return {
        "zones": len(present),
        **{status: sum(row["status"] == status for row in present) for status in STATUSES},
        "differences": kinds.count(DIFFERENCE),
        "findings": kinds.count(FINDING),
        "notes": kinds.count(NOTE),
        "waived": sum(item["waived"] for item in items),
    }


def outcome_of(counts: t.Mapping[str, int]) -> str:
    """The worst that the counts hold."""
    if counts[UNAUDITED]:
        return UNAUDITED
    if counts["findings"]:
        return "findings"
    if counts["differences"]:
        return "drifted"
    return UNMANAGED if counts[UNMANAGED] else "clean"


def fleet_plan_id(rows: t.Sequence[Row]) -> str | None:
    """One digest over the plans of all zones of the run; None where a zone has none because it is unaudited."""
    present = [row for row in rows if not row["carried"]]
    if any(row["status"] == UNAUDITED for row in present):
        return None
    lines = sorted(f"{row['zone_id']} {resource} {plan}" for row in present for resource, plan in row["plan_ids"].items() if plan)
    return hashlib.sha256("\n".join(lines).encode(errors="surrogatepass")).hexdigest()


def refused(rows: t.Sequence[Row], fail_on: t.Sequence[str]) -> dict[str, list[str]]:
    """The zones that the user's policy refuses, by the name that `fail_on` gives the reason."""
    present = [row for row in rows if not row["carried"]]
    found = {name: [row["zone"] for row in present if _is(row, name)] for name in fail_on}
    return {name: zones for name, zones in found.items() if zones}


def sentence(found: t.Mapping[str, t.Sequence[str]], counts: t.Mapping[str, int], path: str) -> str:
    """Why a report is refused, naming the zones; empty where it is not."""
    parts = [f"{_NOUNS.get(name, name)}: {counts[GATES[name]]} in {_named(zones)}" for name, zones in found.items()]
    return f"fail_on: {'; '.join(parts)}. The report is in {path}." if parts else ""


def _is(row: Row, name: str) -> bool:
    kind = _KINDS.get(name)
    return any(item["kind"] == kind for item in counting(row["items"])) if kind else row["status"] == name


def _named(zones: t.Sequence[str]) -> str:
    more = f" and {len(zones) - _MAX_NAMED} more" if len(zones) > _MAX_NAMED else ""
    return ", ".join(line(zone, 100) for zone in zones[:_MAX_NAMED]) + more
