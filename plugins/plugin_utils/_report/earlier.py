# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import json
import os
import typing as t

from ...module_utils._address import SCOPES, ZONE
from ...module_utils._core import invalid_option
from ...module_utils._files import read_regular
from ...module_utils._schema import Schema, array, nullable, problems, record, string
from ...module_utils._text import finite_float, format_time, no_constant, parse_time, quoted
from .document import NOTHING, SCHEMA_VERSION, Item, Report, Row
from .facts import (
    DIFFERENCE,
    DRIFTED,
    FINDING,
    FINDINGS,
    KINDS,
    MANAGED,
    NOTE,
    PATTERNS,
    RESOURCES,
    SEVERITIES,
    STATUSES,
    UNAUDITED,
)
from .not_audited import PARTS

# The JSON Schema of a report, which scripts/schema.py writes to extensions/schemas.

_ANY: Schema = {}
_NUMBER: Schema = {"type": "integer", "minimum": 0}
_FLAG: Schema = {"type": "boolean"}
_TIME = string(
    description="RFC 3339; written in UTC with seconds.",
    pattern=r"^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$",
)
_ID = string(
    description="The first 16 hexadecimal digits of SHA-256 over zone_id (or account_id), kind, resource, subject and member.",
    pattern="^[0-9a-f]{16}$",
)
_COUNTS = record(
    {
        **dict.fromkeys(("zones", "accounts"), _NUMBER),
        "statuses": record(dict.fromkeys(STATUSES, _NUMBER), description="Zones and accounts, each in one."),
        **dict.fromkeys(("differences", "findings", "notes"), _NUMBER),
        "severities": record(dict.fromkeys(SEVERITIES, _NUMBER), description="Differences and findings, by severity."),
        "waived": _NUMBER,
    },
    description="Zones and accounts of this run, and items that are neither waived nor carried; waived items.",
)
_ITEM = record(
    {
        "id": _ID,
        "kind": string(enum=list(KINDS)),
        "type": string(description="The type of finding or note, or difference.", minLength=1),
        "resource": string(enum=list(RESOURCES)),
        "subject": nullable(string()),
        "member": nullable(string()),
        "severity": string(enum=list(SEVERITIES)),
        "message": string(description="What is, and what should be."),
        "is": {},
        "should_be": {},
        "first_seen": _TIME,
        "waived": _FLAG,
        "carried": {**_FLAG, "description": "Taken over from an earlier report, because this run did not look; counts nowhere."},
    },
    optional=("carried",),
)
_JOB = record(
    {
        "job": string(),
        "job_id": {"type": ["integer", "null"]},
        "dataset": nullable(string()),
        "destination": {"type": ["object", "null"], "description": "Scheme, address and readable options."},
        "filter_explained": nullable(string(description="The filter as a sentence.")),
        "transformer": {
            "type": ["string", "integer", "null"],
            "description": "Name of the transformer, or its id where only that was read.",
        },
        "personal_fields": nullable(
            array(string(), description="Selected fields that identify persons; null where the dataset is unknown.")
        ),
        "health": string(),
        "last_complete": nullable(string()),
    },
    optional=("job_id", "dataset", "destination", "filter_explained", "transformer", "personal_fields"),
)
_PART = string(description="What was not audited.", enum=list(PARTS))
_GAP: t.Mapping[str, Schema] = {
    "part": _PART,
    "jobs": {"type": ["integer", "null"], "description": "Null where the part is no part of jobs."},
    "reason": string(),
}
_ZONE = record(
    {
        "zone": string(minLength=1),
        "zone_id": nullable(string()),
        "account_id": nullable(
            string(description="Of an account in place of zone_id; of a zone the account that it belongs to.")
        ),
        "scope": string(enum=list(SCOPES)),
        "account_name": nullable(string(description="The name of the account, or of the account that the zone belongs to.")),
        "status": string(enum=list(STATUSES)),
        "audited_at": nullable({**_TIME, "description": "When the zone was last audited."}),
        "plan_ids": record(dict.fromkeys(MANAGED, nullable(string())), description="Null where a resource is left alone."),
        "items": array(_ITEM),
        "error": nullable(
            record(
                {
                    "kind": string(),
                    "message": string(),
                    "permission": nullable(string(description="What the token lacks, where that is the reason.")),
                },
                optional=("permission",),
                description="Why the zone could not be audited, or not all of it.",
            )
        ),
        "evidence": {
            "description": "seq and head of the evidence of scripts, and as pages those of the evidence of pages.",
            "type": ["object", "null"],
        },
        "delivery": nullable(
            array({"type": "object"}, description="What was delivered and lost, a row for each job; null if not read.")
        ),
        "budget": {
            "description": "Cost of an account so far, projected and allowed; null if not asked for.",
            "type": ["object", "null"],
        },
        "proposals": nullable(
            array({"type": "object"}, description="Entries for the baseline of scripts; null if scripts were not audited.")
        ),
        "carried": {**_FLAG, "description": "The zone was not part of this run; its row is that of its last audit."},
        "resources": array(string(), description="What was looked at."),
        "jobs": nullable(array(_JOB, description="Null where jobs were not read.")),
        "inventory": nullable(
            array(
                record(dict.fromkeys(("script_url", "host", "entry"), _ANY)),
                description="Scripts with the entry of the baseline; null where scripts were not audited.",
            )
        ),
        "not_audited": nullable(
            array(
                record({**_GAP, "asked": {**_FLAG, "description": "Whether this run was to judge it, and could not."}}),
                description="What of it was not audited.",
            )
        ),
    },
    optional=(
        *("account_id", "scope", "account_name", "delivery", "budget", "proposals", "carried", "resources", "jobs", "inventory"),
        "not_audited",
    ),
)
_WAIVER = record(
    {
        **dict.fromkeys(PATTERNS, nullable(string())),
        **dict.fromkeys(("reason", "owner"), string(pattern=r"\S")),
        "until": string(format="date"),
        "expired": _FLAG,
        "items": array(_ID, description="Items that it names.", uniqueItems=True),
    },
    optional=(*PATTERNS, "expired", "items"),
)
_COVERAGE = {
    "covered": "somebody is told",
    "perhaps": "perhaps somebody is told",
    "uncovered": "nobody is told",
}
_ALERT = record(
    {
        "account_id": string(),
        "alert_type": string(),
        "policies": array(
            record(
                {
                    "name": string(),
                    "mechanisms": {
                        "type": "object",
                        "additionalProperties": array(string()),
                        "description": "Recipients by type.",
                    },
                    "last_delivery": {
                        **nullable(string()),
                        "description": "When a webhook got something last; null where it is not shown.",
                    },
                    "reason": {**nullable(string()), "description": "Why the policy tells nobody, or not of all."},
                }
            ),
            description="The policies of the alert.",
        ),
        **{name: array(string(), description=f"Hosts of the run: {words}.") for name, words in _COVERAGE.items()},
    }
)
REPORT: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://github.com/edgeops/edgeops.observability/extensions/schemas/audit-report-1.json",
    "$comment": "SPDX-License-Identifier: GPL-3.0-or-later. A minor version only adds members.",
    "title": "Audit report of edgeops.observability, major version 1",
    **record(
        {
            "schema_version": string(description="Major and minor version.", pattern=r"^1\.\d+$"),
            "report_id": string(description="Digest of everything else in the report."),
            "generated_at": _TIME,
            "collection_version": string(),
            "title": string(),
            "outcome": string(description="The first of the statuses that a zone or account has.", enum=list(STATUSES)),
            "counts": _COUNTS,
            "plan_id": nullable(
                string(
                    description="SHA-256 over the sorted lines 'zone_id resource plan_id'; null if a zone is unaudited.",
                    pattern="^sha256:[0-9a-f]{64}$",
                )
            ),
            "zones": array(_ZONE, description="Sorted by name."),
            "comparison": record(
                {
                    "previous_id": nullable(string(description="report_id of the previous report.")),
                    **dict.fromkeys(("new", "resolved", "changed", "persisting"), array(_ID, uniqueItems=True)),
                    "unknown": array(_ID, description="Not looked at by this run.", uniqueItems=True),
                },
                description="Ids of items by what became of them since the previous report.",
            ),
            "waivers": array(_WAIVER),
            "trend": array(record({"at": _TIME, "counts": _COUNTS}), description="Counts of earlier reports, the oldest first."),
            "not_audited": array(
                record({**_GAP, "zones": {**_NUMBER, "description": "Zones and accounts."}}),
                description="What was not audited, and why.",
            ),
            "alerts": array(
                _ALERT,
                description="Who is told: by account and type of alert, the policies and the hosts they cover.",
            ),
        },
        optional=("trend", "not_audited", "alerts"),
    ),
}

# Reports of earlier runs: read, validated, and completed with the members that later minor versions added.


def read_report(place: str, path: str) -> Report:
    """Return the report in a file; raise `invalid_option` if it cannot be read or has another major version."""
    try:
        report = json.loads(read_regular(path), parse_constant=no_constant, parse_float=finite_float)
    except OSError as error:
        raise invalid_option(place, f"{path!r} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise invalid_option(place, f"{path!r} is not JSON that can be read: {reason}") from None
    version = report.get("schema_version") if isinstance(report, dict) else None
    if not isinstance(version, str):
        raise invalid_option(place, f"{path!r} is not a report of audit_report: it has no schema_version")
    if version.partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        raise invalid_option(place, f"{path!r} has schema version {quoted(version)}; this release reads {SCHEMA_VERSION}")
    is_later = version != SCHEMA_VERSION
    problem = (
        next(problems(REPORT, report, later=is_later), None)
        or next(_repeated(report["zones"]), None)
        or (None if is_later else next(_contradictions(t.cast("Report", report)), None))
    )
    if problem:
        raise invalid_option(place, f"{path!r} is not a report of audit_report: {problem}")
    return completed(t.cast("Report", report))  # by the schema


def completed(report: Report) -> Report:
    """Return a valid report as a later run uses it: with all members of its zones, and with itself as the newest of its trend."""
    trend = [*report.get("trend", ()), {"at": report["generated_at"], "counts": report["counts"]}]
    later = {"not_audited": report.get("not_audited", []), "alerts": report.get("alerts", [])}
    return t.cast("Report", {**report, **later, "zones": list(map(_row, report["zones"])), "trend": trend})


def read_previous(path: str) -> Report | None:
    """Return the previous report; None if the file does not exist yet. One that cannot be looked at is refused, not missing."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        pass  # reading it names the reason
    return read_report("previous", path)


def _repeated(rows: t.Sequence[Row]) -> t.Iterator[str]:
    """Yield duplicate zones and items; zones of different accounts may have the same name."""
    known = set()
    for number, row in enumerate(rows):
        place = (row.get("scope", ZONE), row["zone"], row["zone_id"] or row.get("account_id"))
        if place in known:
            yield f"zones[{number}].zone: {quoted(row['zone'])} is a duplicate"
        known.add(place)
        ids = [item["id"] for item in row["items"]]
        if len(set(ids)) < len(ids):
            yield f"zones[{number}].items: an id is a duplicate"


def _contradictions(report: Report) -> t.Iterator[str]:
    """Yield what a report says and its items do not: a report from which items were cut out would count as a better one."""
    seen: collections.Counter[str] = collections.Counter()
    for number, row in enumerate(report["zones"]):
        if row.get("carried"):
            continue
        kinds = [item["kind"] for item in row["items"] if not item["waived"] and not item.get("carried")]
        seen.update(kinds)
        worst = DRIFTED if DIFFERENCE in kinds else FINDINGS if FINDING in kinds else None
        if row["status"] != UNAUDITED and worst != (row["status"] if row["status"] in (DRIFTED, FINDINGS) else None):
            yield f"zones[{number}].status is {row['status']}, but items has {', '.join(sorted(set(kinds))) or 'nothing'} that counts"
    for kind in KINDS:
        told = report["counts"][_COUNT_OF[kind]]
        if told != seen[kind]:
            yield f"counts.{_COUNT_OF[kind]} is {told}, but the zones have {seen[kind]}"


_COUNT_OF: t.Mapping[str, t.Literal["differences", "findings", "notes"]] = {
    DIFFERENCE: "differences",
    FINDING: "findings",
    NOTE: "notes",
}


def _row(row: Row) -> Row:
    """Return a row with its times in UTC, defaults for optional members, and without the members of later minor versions."""
    kept = {name: value for name, value in row.items() if name in NOTHING}
    plan_ids = {name: row["plan_ids"][name] for name in MANAGED}
    audited_at = row["audited_at"] and _utc(row["audited_at"])
    # By the schema, and its optional members are here.
    return t.cast(
        "Row", {**NOTHING, **kept, "plan_ids": plan_ids, "audited_at": audited_at, "items": list(map(_item, row["items"]))}
    )


def _item(item: Item) -> Item:
    known = {name: item.get(name, False) for name in _ITEM["properties"]}
    return t.cast("Item", {**known, "first_seen": _utc(item["first_seen"])})


def _utc(text: str) -> str:
    """Return a time as reports contain it, so that times compare as texts; other tools may write an offset or a fraction."""
    time = parse_time(text)
    return text if time is None else format_time(time)
