# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._logpush.coverage import log_field_coverage
from ...module_utils._text import dict_of
from ...module_utils._zone.result import ReportedJob
from . import findings
from .document import NOTHING, Copied, Item, Row, address
from .facts import COMPLIANT, MANAGED, UNMANAGED
from .items import found, items_of
from .options import AuditRecord, Order

# Rows of the report from the records of a run, one for each zone.


def rows_of(order: Order) -> list[Row]:
    destinations = findings.destinations_of(order.records) if order.survey else None
    return [_row_of(record, order, destinations) for record in order.records]


def _row_of(record: AuditRecord, order: Order, destinations: findings.Destinations | None) -> Row:
    zone_id, account_id = record["zone_id"], record["account_id"]
    row: Row = {**NOTHING, "zone": record["zone"], "zone_id": zone_id, "account_id": account_id, "scope": record["scope"]}
    notes = [found("not_readable", None, reason, resource=name) for name, reason in record["unreadable"]]
    if record["error"]:
        return {**row, "error": record["error"], "items": items_of(address(row), notes, order.at)}
    result, jobs, audit = record["result"] or {}, record["jobs"], record["scripts"]
    managed = {} if order.survey else {name: part for name in MANAGED if (part := result.get(name))}
    seen = [*notes, *_findings(record, order, destinations)]
    inventory = None if audit is None else [_script(each) for each in audit.get("inventory") or ()]
    return {
        **row,
        "status": COMPLIANT if managed else UNMANAGED,
        "audited_at": order.at,
        "plan_ids": {name: (managed.get(name) or {}).get("plan_id") for name in MANAGED},
        "items": items_of(address(row), seen, order.at),
        "evidence": (audit or {}).get("evidence") or None,
        "delivery": record["delivery"],
        "proposals": (audit or {}).get("proposals"),
        "resources": _resources(record, order),
        "jobs": None if jobs is None else [_job(label, job) for label, job in findings.labelled(jobs)],
        "inventory": inventory,
    }


def _findings(record: AuditRecord, order: Order, destinations: findings.Destinations | None) -> t.Iterator[Item]:
    result, jobs = record["result"] or {}, record["jobs"] or ()
    coverage = record["coverage"]
    if destinations is not None:
        yield from findings.survey(record, destinations)
        fields = (result.get("custom_fields") or {}).get("custom_fields")
        if coverage is None and record["jobs"] is not None and isinstance(fields, dict):
            coverage = log_field_coverage(fields, jobs)
    else:
        yield from findings.differences(result, jobs)
        yield from findings.unlisted(result, jobs)
    yield from findings.health(jobs)
    if record["scripts"] is not None:
        yield from findings.scripts(record["scripts"])
    if coverage is not None:
        yield from findings.coverage(coverage, jobs)
    if record["delivery"] is not None:
        yield from findings.delivery(record["delivery"], record["jobs"])
    # A zone without a declared state is not read, so no field can be missing there.
    if order.survey or record["jobs"] is not None or any(result.get(name) for name in MANAGED):
        yield from findings.required(order.required_fields, record["jobs"])


def _resources(record: AuditRecord, order: Order) -> list[str]:
    """Return the resources that were read: only their problems can be resolved."""
    result = record["result"] or {}
    looked: list[str] = [name for name in MANAGED if result.get(name)]
    if record["jobs"] is not None and "jobs" not in looked:
        looked.append("jobs")
    parts = {
        "scripts": record["scripts"],
        "health": record["jobs"],
        "coverage": record["coverage"],
        "delivery": record["delivery"],
    }
    looked += [name for name, part in parts.items() if part is not None]
    return looked + (["fields"] if order.required_fields or order.survey else [])


def _job(label: str, job: ReportedJob) -> Copied:
    last = job.get("last_complete")
    return {
        "job": label,
        "job_id": findings.job_number(job),
        "health": findings.health_state(job),
        "last_complete": last if isinstance(last, str) else None,
    }


def _script(listed: Copied) -> Copied:
    """Return a script that the audit saw, with the entry of the baseline that covers it."""
    script = dict_of(listed.get("script"))
    return {"script_url": script.get("script_url") or script.get("url"), "host": script.get("host"), "entry": listed.get("entry")}
