# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import typing as t

from .._core import Json, invalid_option
from .._logpush.coverage import log_field_coverage
from .._text import diff_lines, format_time, line, parse_time
from .._version import VERSION
from .._zones import is_zone_id
from .earlier import Earlier, carry_over, compare, gather
from .facts import MANAGED, SCHEMA_VERSION
from .items import Row, compact
from .options import Order, failure_of
from .waivers import apply_waivers, with_unmatched
from .zones import counts_of, fleet_plan_id, outcome_of, with_status

# The report as data: a pure function of what the run found out, earlier reports and the time.


def build(order: Order, previous: Earlier | None, slices: t.Sequence[Earlier]) -> dict[str, Json]:
    """The report; equal arguments give an equal report."""
    sourced = gather(order, slices)
    if all(each.row["carried"] for each in sourced):
        raise invalid_option("zones", "there is no zone to report on, neither here nor in expected or merge")
    marked, waivers = apply_waivers([(each.row, each.waivers) for each in sourced], order.at, order.waivers)
    elsewhere = {row["zone"] for row in previous.rows} - {row["zone"] for row in marked} if previous else set()
    noted = with_unmatched(marked, order.waivers, waivers, elsewhere, order.at)
    rows = [with_status(_in_utc(row)) for row in carry_over(noted, previous)]
    rows.sort(key=lambda row: (row["zone"], row["carried"], row["zone_id"] or row["account_id"] or ""))
    counts = counts_of(rows)
    report = {
        "schema_version": SCHEMA_VERSION,
        "generated_at": order.at,
        "collection_version": VERSION,
        "title": order.title,
        "outcome": outcome_of(counts),
        "counts": counts,
        "plan_id": fleet_plan_id(rows),
        "zones": rows,
        "comparison": compare(rows, previous),
        "waivers": waivers,
        "trend": list(previous.trend[-order.keep :]) if previous and order.keep else [],
    }
    return {**report, "report_id": hashlib.sha256(_text(report).encode()).hexdigest()[:32]}


def _text(report: dict[str, Json]) -> str:
    try:
        return compact(report)
    except ValueError:
        raise invalid_option("zones", "a number in a record is infinite or not a number, which JSON cannot hold") from None
    except RecursionError:
        raise invalid_option("zones", "a record is nested more deeply than JSON that can be read again") from None


def _in_utc(row: Row) -> Row:
    """A row with its times as this report writes them."""
    items = [{**item, "first_seen": _time(item["first_seen"])} for item in row["items"]]
    return {**row, "audited_at": _time(row["audited_at"]), "items": items}


def _time(text: str | None) -> str | None:
    time = parse_time(text)
    return text if time is None else format_time(time)


# What the playbook `check` left behind, as records of zones and as lines for the terminal.


Record = dict[str, Json]

# The variables of a host that the playbook registers or sets.
RESULT, JOBS, CUSTOM_FIELDS = "log_delivery_result", "edgeops_check_jobs", "edgeops_check_custom_fields"
SCRIPTS, ERROR = "edgeops_check_scripts", "edgeops_check_error"
ZONE_IDS = ("log_delivery_zone_id", "zone_id")
_MAX_LINE = 2000
# So many of a zone are listed in the terminal; a zone without a baseline may have thousands.
_MAX_FINDINGS = 20
_UNREACHED = {"kind": "unavailable", "message": "it could not be reached"}


def zone_records(hosts: t.Iterable[str], hostvars: t.Mapping[str, t.Mapping[str, Json]]) -> list[Record]:
    """A record for each host; one that left nothing behind was not reached."""
    return [_record(str(host), hostvars[host]) for host in hosts]


def _record(host: str, variables: t.Mapping[str, Json]) -> Record:
    result, error = _done(variables.get(RESULT)), variables.get(ERROR)
    error = error or (_UNREACHED if result is None else _failure(variables))
    record: Record = {"zone": host, "zone_id": _zone_id(variables)}
    if error or result is None:
        return {**record, "error": error}
    listed, fields = _done(variables.get(JOBS)), _done(variables.get(CUSTOM_FIELDS))
    return {
        **record,
        "result": {name: result.get(name) or {} for name in MANAGED},
        "jobs": listed["jobs"] if listed else None,
        "coverage": log_field_coverage(fields, listed) if listed and fields else None,
        "scripts": _done(variables.get(SCRIPTS)),
    }


def _zone_id(variables: t.Mapping[str, Json]) -> str | None:
    """The id of the zone; a variable that is no id, or that cannot be evaluated, is none."""
    for name in ZONE_IDS:
        try:
            given = str(variables.get(name) or "")
        except Exception:  # noqa: S112  # whatever a template of the user raises: the failure of the zone has the reason
            continue
        if is_zone_id(given):
            return given
    return None


def _done(result: Json) -> dict[str, Json] | None:
    """The result of a task that ran."""
    return result if isinstance(result, dict) and not result.get("skipped") and not failure_of(result) else None


def _failure(variables: t.Mapping[str, Json]) -> dict[str, str] | None:
    """Why something that the audit was to look at, beside what the role manages, was not looked at."""
    for name in (CUSTOM_FIELDS, JOBS, SCRIPTS):
        found = variables.get(name)
        if isinstance(found, dict) and found.get("unreachable"):
            return dict(_UNREACHED)
        failure = failure_of(found) if isinstance(found, dict) else None
        if failure:
            return failure
    return None


def summary(records: t.Sequence[Record]) -> dict[str, Json]:
    """The zones by status, with the lines that describe what was found; the counts come last."""
    unknown = [record["zone"] for record in records if record.get("error") == _UNREACHED]
    failed = [record for record in records if record.get("error") and record["zone"] not in unknown]
    reached = [(record, _differences(record)) for record in records if not record.get("error")]
    unmanaged = [record["zone"] for record, _lines in reached if not any(record["result"].values())]
    drifted = [
        _drifted(record, lines) for record, lines in reached if any(part.get("changed") for part in record["result"].values())
    ]
    names = {zone["zone"] for zone in drifted}
    found = {
        "zones": [record["zone"] for record in records],
        "compliant": [record["zone"] for record, _lines in reached if record["zone"] not in names | set(unmanaged)],
        "drifted": drifted,
        "failed": [{name: record[name] for name in ("zone", "zone_id", "error")} for record in failed],
        "unknown": unknown,
        "unmanaged": unmanaged,
        "findings": [_findings(record) for record, _lines in reached if _script_findings(record)],
        "notes": [_notes(record) for record, _lines in reached if (record["coverage"] or {}).get("sentences")],
    }
    return {**found, "lines": list(_lines(found))}


def _differences(record: Record) -> dict[str, list[str]]:
    return {name: diff_lines(record["result"][name]) for name in MANAGED}


def _drifted(record: Record, lines: dict[str, list[str]]) -> Record:
    return {"zone": record["zone"], "zone_id": record["zone_id"], "differences": lines}


def _notes(record: Record) -> Record:
    return {"zone": record["zone"], "zone_id": record["zone_id"], "notes": record["coverage"]["sentences"]}


def _findings(record: Record) -> Record:
    return {"zone": record["zone"], "zone_id": record["zone_id"], "findings": _script_findings(record)}


def _script_findings(record: Record) -> list[str]:
    """A line for each finding of the script audit; an entry that matches nothing is only a note."""
    found = [each for each in (record["scripts"] or {}).get("findings") or () if each["kind"] != "unused"]
    texts = []
    for each in found[:_MAX_FINDINGS]:
        place = " on ".join(str(each[name]) for name in ("script_url", "host") if each.get(name))
        texts.append(line(": ".join(part for part in (each["kind"], place, each["message"]) if part), _MAX_LINE))
    return [*texts, *([f"{len(found) - _MAX_FINDINGS} more are in the report"] if len(found) > _MAX_FINDINGS else [])]


def _lines(found: t.Mapping[str, Json]) -> t.Iterator[str]:
    for zone in found["drifted"]:
        lines = [f"{name.replace('_', ' ')}: {text}" for name, texts in zone["differences"].items() for text in texts]
        yield from (line(f"{zone['zone']} drifted: {text}", _MAX_LINE) for text in lines or ["the result has no diff"])
    for zone in found["findings"]:
        yield from (line(f"{zone['zone']} finding: {text}", _MAX_LINE) for text in zone["findings"])
    for zone in found["failed"]:
        yield line(f"{zone['zone']} failed: {zone['error']['kind']}: {zone['error']['message']}", _MAX_LINE)
    yield from (line(f"{zone} failed: it could not be reached", _MAX_LINE) for zone in found["unknown"])
    for zone in found["notes"]:
        yield from (line(f"{zone['zone']} note: {note}", _MAX_LINE) for note in zone["notes"])
    counts = ", ".join(f"{len(found[name])} {name}" for name in ("compliant", "drifted", "unmanaged"))
    yield f"{len(found['zones'])} checked: {counts}, {len(found['failed']) + len(found['unknown'])} failed"
