# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._address import ACCOUNT
from ...module_utils._core import GATE, PARTS, Json
from ...module_utils._logpush.coverage import log_field_coverage
from ...module_utils._logpush.delivery import by_owner
from ...module_utils._schema import check
from ...module_utils._text import canonical, line
from ...module_utils._zone.record import failure_of
from ...module_utils._zone.result import LISTING, RESULT, ReportedJob, ZoneResult
from .rails import Prediction
from .variables import FAILED, LISTED, PREDICTION, SCRIPTS

# What the tasks of a run registered for a host, as records of zones, and the delivery facts of all of them.

Variables = t.Mapping[str, Json]
_UNREACHED = {"kind": "unavailable", "message": "it could not be reached"}
MAX_LINE = 2000


def done(result: Json) -> dict[str, Json] | None:
    """Return the result of a task that ran and did not fail."""
    return result if isinstance(result, dict) and not result.get("skipped") and not failure_of(result) else None


def done_zone(variables: Variables, name: str) -> ZoneResult | None:
    """Return the result of `zone_observability` that a host registered, if the task ran and did not fail."""
    result = done(variables.get(name))
    check(RESULT, result, name)
    return t.cast("ZoneResult | None", result)  # by the schema


def done_jobs(variables: Variables, name: str) -> list[ReportedJob] | None:
    """Return the jobs that a host registered from `logpush_job_info`, if the task ran and did not fail."""
    result = done(variables.get(name))
    if result is None:
        return None
    check(LISTING, result, name)
    return t.cast("list[ReportedJob]", result["jobs"])  # by the schema


def error_of(variables: Variables, names: t.Sequence[str]) -> dict[str, str] | None:
    """Return why a zone failed: the failure that ended its block, or that of one of the named tasks."""
    for name in (FAILED, *names):
        found = variables.get(name)
        if not isinstance(found, dict) or found.get("skipped"):
            continue
        if found.get("unreachable"):
            return dict(_UNREACHED)
        failure = failure_of(found)
        if failure:
            return {"kind": failure["kind"], "message": line(failure["message"], MAX_LINE)}
    return None


def gate_of(variables: Variables) -> str:
    """Return why the script audit of a zone fails, because edgeops_script_fail_on names one of its findings; "" otherwise."""
    found = variables.get(SCRIPTS)
    if not isinstance(found, dict) or not isinstance(found.get("error"), dict) or found["error"].get("kind") != GATE:
        return ""
    return f"gate: {line(' '.join(str(found.get('msg')).split()), MAX_LINE)}"


def predicted_zone(host: str, variables: Variables) -> Prediction:
    """Return what the first phase of a delivery found for a host."""
    error = error_of(variables, (PREDICTION,))
    result = done_zone(variables, PREDICTION)
    if error is None and result is None:
        error = dict(_UNREACHED)
    message = f"{error['kind']}: {error['message']}" if error else ""
    address = _address({**variables, **(result or {})})
    return Prediction(host, address.get("account_id") or address.get("zone_id") or "", result or {}, message)


# A member of `zones` of `audit_report`.
Record = dict[str, t.Any]


def audit_record(host: str, variables: Variables) -> Record:
    """Return the record of a host for a report; a host without any result was not reached."""
    result = done_zone(variables, PREDICTION)
    error = error_of(variables, (PREDICTION, LISTED, SCRIPTS)) or (None if result else dict(_UNREACHED))
    address = _address({**variables, **(result or {})})
    record: Record = {"zone": host, **address, **({"scope": ACCOUNT} if "account_id" in address else {})}
    if error or result is None:
        return {**record, "error": error}
    jobs = done_jobs(variables, LISTED)
    if jobs is None:
        jobs = result.get("listed_jobs")
    fields = result.get("custom_fields") or None
    coverage = result.get("coverage") or (log_field_coverage(fields, jobs) if fields and jobs is not None else None)
    return {
        **record,
        "result": {name: result.get(name) or {} for name in PARTS},
        "jobs": jobs,
        "coverage": coverage,
        "scripts": done(variables.get(SCRIPTS)),
    }


def zone_id_of(variables: Variables) -> str:
    """Return the id of the zone of a host; "" if its variables contain none."""
    return (_address(variables).get("zone_id") or "").lower()


def _address(found: Variables) -> dict[str, str | None]:
    """Return the `account_id` or `zone_id` of a result, or of the variables of a host that failed, unless it is a template."""
    for name in ("account_id", "zone_id"):
        for value in (found.get(f"log_delivery_{name}"), found.get(name)):
            if isinstance(value, (str, int)) and "{{" not in str(value):
                return {name: str(value)}
    return {"zone_id": None}


def questions(records: t.Mapping[str, Record], connection_of: t.Callable[[str], Json]) -> dict[str, dict[str, t.Any]]:
    """Return the options of `logpush_delivery_info` for each host that asks; the first host of a connection asks for all its zones."""
    first: dict[str, str] = {}
    found: dict[str, dict[str, t.Any]] = {}
    for host, record in records.items():
        if account_id := record.get("account_id"):
            found[host] = {"account_id": account_id}
        elif zone_id := record.get("zone_id"):
            asking = first.setdefault(canonical(connection_of(host)), host)
            found.setdefault(asking, {"zone_ids": []})["zone_ids"].append(zone_id)
    return found


def answered(
    records: t.Sequence[Record], asked: t.Mapping[str, t.Mapping[str, t.Any]], answers: t.Mapping[str, Variables]
) -> list[Record]:
    """Return the records with the delivery facts of each zone or account from the answers."""
    facts: dict[str, Json] = {}
    for host, question in asked.items():
        facts.update(by_owner(answers[host], question.get("zone_ids") or [question["account_id"]]))
    return [
        {**record, "delivery": facts[owner]} if (owner := record.get("account_id") or record.get("zone_id")) in facts else record
        for record in records
    ]
