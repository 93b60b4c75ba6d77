# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._logpush.coverage import log_field_coverage
from ...module_utils._text import dict_of, is_integer
from ...module_utils._zone.record import Reason, ZoneRecord
from ...module_utils._zone.result import ReportedJob
from . import alerts, findings, survey
from .document import NOTHING, Copied, Row, address
from .facts import COMPLIANT, MANAGED, UNAUDITED, UNMANAGED
from .items import Problem, in_order, items_of, problem
from .options import DesiredReport

# Rows of the report from the records of a run, one for each zone and account.


def rows_of(desired: DesiredReport, seen_before: t.Mapping[str, str]) -> list[Row]:
    """Return the rows; `seen_before` has since when the items of the previous report are known, by their ids."""
    watched = alerts.watched_of(desired.records)
    return [_row_of(record, desired, watched[record["account_id"]], seen_before) for record in desired.records]


def _row_of(record: ZoneRecord, desired: DesiredReport, watched: alerts.Watched, seen_before: t.Mapping[str, str]) -> Row:
    named: Row = {
        **NOTHING,
        "zone": record["zone"],
        "zone_id": record["zone_id"],
        "account_id": record["account_id"],
        "scope": record["scope"],
        "account_name": record["account_name"],
    }
    owner, jobs, audit = address(named), record["jobs"], record["scripts"]
    items = items_of(owner, _problems(record, desired, watched), desired.at)
    noted = {str(item["subject"]): seen_before.get(item["id"], desired.at) for item in items if item["type"] == "job_never"}
    silent = findings.silent(jobs or (), desired.at, desired.silent_after_days, noted)
    is_audited = record["error"] is None
    managed = {name: part for name in MANAGED if (part := (record["result"] or {}).get(name))} if record["declared"] else {}
    return {
        **named,
        "status": UNAUDITED if not is_audited else COMPLIANT if managed else UNMANAGED,
        "audited_at": desired.at if is_audited else None,
        # The plan of a zone that could not be audited as a whole is not one to approve.
        "plan_ids": {name: (managed.get(name) or {}).get("plan_id") if is_audited else None for name in MANAGED},
        "items": in_order([*items, *items_of(owner, silent, desired.at)]),
        "error": _error(record["error"]),
        "evidence": (audit or {}).get("evidence") or None,
        "delivery": record["delivery"],
        "proposals": (audit or {}).get("proposals"),
        "resources": _resources(record, desired),
        "jobs": None if jobs is None else [_job(label, job) for label, job in findings.labelled(jobs)],
        "inventory": None if audit is None else [_script(each) for each in audit.get("inventory") or ()],
    }


def _error(reason: Reason | None) -> dict[str, str] | None:
    """Return a reason as the report has it: with the permission only where one is missing."""
    if reason is None:
        return None
    lacking = {"permission": reason["permission"]} if reason["permission"] else {}
    return {"kind": reason["kind"], "message": reason["message"], **lacking}


def _problems(record: ZoneRecord, desired: DesiredReport, watched: alerts.Watched) -> t.Iterator[Problem]:
    """Yield what the audit found; whatever was read counts, also where something else could not be read."""
    result, jobs, coverage = record["result"] or {}, record["jobs"] or (), record["coverage"]
    for name, reason in record["unreadable"]:
        yield problem("not_readable", None, reason["message"], resource=name)
    if record["declared"]:
        yield from findings.differences(result, jobs)
        yield from findings.unlisted(result, jobs)
        yield from findings.rules(result)
    else:
        yield from survey.notes(record)
    yield from alerts.notes(record, watched)
    yield from findings.health(jobs)
    if record["scripts"] is not None:
        yield from findings.scripts(record["scripts"])
    fields = (result.get("custom_fields") or {}).get("custom_fields")
    if coverage is None and record["jobs"] is not None and isinstance(fields, dict):
        coverage = log_field_coverage(fields, jobs)
    if coverage is not None:
        yield from findings.coverage(coverage, jobs)
    if record["delivery"] is not None:
        yield from findings.delivery(record["delivery"], record["jobs"])
    if _requires_fields(record):
        yield from findings.required(desired.required_fields, record["scope"], record["jobs"])


def _requires_fields(record: ZoneRecord) -> bool:
    """Return whether the run would know which fields are delivered: not of a zone that it does not read."""
    if record["jobs"] is not None:
        return True
    return record["error"] is None and (not record["declared"] or any((record["result"] or {}).get(name) for name in MANAGED))


def _resources(record: ZoneRecord, desired: DesiredReport) -> list[str]:
    """Return the resources that were read: only their problems can be resolved."""
    result, jobs = record["result"] or {}, record["jobs"]
    looked: list[str] = [name for name in MANAGED if result.get(name)]
    if jobs is not None and "jobs" not in looked:
        looked.append("jobs")
    parts = {"scripts": record["scripts"], "health": jobs, "coverage": record["coverage"], "delivery": record["delivery"]}
    looked += [name for name, part in parts.items() if part is not None]
    compares_fields = bool(desired.required_fields) or not record["declared"]
    looked += ["notifications"] if record["notifications"] is not None else []
    return looked + (["fields"] if compares_fields and (record["error"] is None or jobs is not None) else [])


def _job(label: str, job: ReportedJob) -> Copied:
    last = job.get("last_complete")
    transformer = job.get("transformer") or job.get("transformer_id")
    return {
        "job": label,
        "job_id": findings.job_number(job),
        "health": findings.health_state(job),
        "last_complete": last if isinstance(last, str) else None,
        **({"transformer": transformer} if transformer and (isinstance(transformer, str) or is_integer(transformer)) else {}),
    }


def _script(listed: Copied) -> Copied:
    """Return a script that the audit saw, with the entry of the baseline that covers it."""
    script = dict_of(listed.get("script"))
    return {"script_url": script.get("script_url") or script.get("url"), "host": script.get("host"), "entry": listed.get("entry")}
