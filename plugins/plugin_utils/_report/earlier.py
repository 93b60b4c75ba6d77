# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import itertools
import json
import os
import typing as t

from ...module_utils._core import Failure, invalid_option
from ...module_utils._files import read_regular
from ...module_utils._schema import Schema, completed, problems, schema_of
from ...module_utils._text import finite_float, format_time, no_constant, parse_time, quoted, unique_members
from .document import SCHEMA_VERSION, Item, Report, Row, TrendEntry
from .facts import DIFFERENCE, DRIFTED, FINDING, FINDINGS, KINDS, NOTE, UNAUDITED

# The JSON Schema of a report, which scripts/schema.py writes to extensions/schemas.

REPORT: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://github.com/edgeops/edgeops.observability/extensions/schemas/audit-report-1.json",
    "$comment": "SPDX-License-Identifier: GPL-3.0-or-later. A minor version only adds members.",
    "title": "Audit report of edgeops.observability, major version 1",
    **schema_of(Report),
}

# Reports of earlier runs: read, validated, and completed with the members that later minor versions added.


def read_report(place: str, path: str) -> Report:
    """Return the report in a file; raise `invalid_option` if it cannot be read or has another major version."""
    try:
        document = json.loads(
            read_regular(path), object_pairs_hook=unique_members, parse_constant=no_constant, parse_float=finite_float
        )
    except OSError as error:
        raise invalid_option(place, f"{path!r} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise invalid_option(place, f"{path!r} is not JSON that can be read: {reason}") from None
    version = document.get("schema_version") if isinstance(document, dict) else None
    if not isinstance(version, str):
        raise invalid_option(place, f"{path!r} is not a report of audit_report: it has no schema_version")
    if version.partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        raise invalid_option(place, f"{path!r} has schema version {quoted(version)}; this release reads {SCHEMA_VERSION}")
    is_later = version != SCHEMA_VERSION
    for problem in problems(REPORT, document, later=is_later):
        raise _refused(place, path, problem)
    report = completed(Report, document)
    for problem in itertools.chain(_repeated(report["zones"]), () if is_later else _contradictions(report)):
        raise _refused(place, path, problem)
    return as_previous(report)


def _refused(place: str, path: str, problem: str) -> Failure:
    return invalid_option(place, f"{path!r} is not a report of audit_report: {problem}")


def as_previous(report: Report) -> Report:
    """Return a report as a later run uses it: with its times in UTC, and with itself as the newest of its trend."""
    newest: TrendEntry = {"at": report["generated_at"], "counts": report["counts"]}
    return {**report, "zones": list(map(_in_utc, report["zones"])), "trend": [*report["trend"], newest]}


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
        place = (row["scope"], row["zone"], row["zone_id"] or row["account_id"])
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
        if row["carried"]:
            continue
        kinds = [item["kind"] for item in row["items"] if not item["waived"] and not item["carried"]]
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


def _in_utc(row: Row) -> Row:
    """Return a row with its times in UTC."""
    items: list[Item] = [{**item, "first_seen": _utc(item["first_seen"])} for item in row["items"]]
    return {**row, "audited_at": row["audited_at"] and _utc(row["audited_at"]), "items": items}


def _utc(text: str) -> str:
    """Return a time as reports contain it, so that times compare as texts; other tools may write an offset or a fraction."""
    time = parse_time(text)
    return text if time is None else format_time(time)
