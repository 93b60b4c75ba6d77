# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# One row of the report: what a run found out about a zone.
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report import differences, findings
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import (
    COMPLIANT,
    DIFFERENCE,
    DRIFTED,
    MANAGED,
    UNAUDITED,
    UNMANAGED,
)
from ansible_collections.edgeops.observability.plugins.module_utils._report.items import Observation, items_of
from ansible_collections.edgeops.observability.plugins.module_utils._report.options import Record

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
