# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import os
import typing as t

from .._core import Json, invalid_option
from .._files import read_regular
from .._text import finite_float, no_constant, shown
from .facts import MANAGED, SCHEMA_MAJOR, SCHEMA_VERSION, ZONE
from .items import Row
from .schema import ITEM_MEMBERS, REPORT, problems
from .zones import NOTHING

# Reports of earlier runs: read, validated, and completed with the members that later minor versions added.


class Earlier(t.NamedTuple):
    """What a later run uses of an earlier report."""

    report_id: str
    rows: tuple[Row, ...]
    waivers: tuple[dict[str, Json], ...]
    trend: tuple[dict[str, Json], ...] = ()


def read_report(place: str, path: str) -> Earlier:
    """Return the report in a file; raise `invalid_option` if it cannot be read or has another major version."""
    try:
        report = json.loads(read_regular(path), parse_constant=no_constant, parse_float=finite_float)
    except OSError as error:
        raise invalid_option(place, f"{path!r} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise invalid_option(place, f"{path!r} is not JSON that can be read: {error}") from None
    except RecursionError:
        raise invalid_option(place, f"{path!r} is not JSON that can be read: it is nested too deeply") from None
    version = report.get("schema_version") if isinstance(report, dict) else None
    if not isinstance(version, str):
        raise invalid_option(place, f"{path!r} is not a report of audit_report: it has no schema_version")
    if version.split(".")[0] != SCHEMA_MAJOR:
        raise invalid_option(place, f"{path!r} has schema version {shown(version)}; this release reads {SCHEMA_VERSION}")
    problem = next(problems(REPORT, report, later=version != SCHEMA_VERSION), None) or next(_repeated(report["zones"]), None)
    if problem:
        raise invalid_option(place, f"{path!r} is not a report of audit_report: {problem}")
    return of_report(report)


def of_report(report: t.Mapping[str, Json]) -> Earlier:
    """Return what a later run uses of a valid report; the report itself becomes the newest entry of the trend."""
    trend = (*report.get("trend", ()), {"at": report["generated_at"], "counts": report["counts"]})
    return Earlier(report["report_id"], tuple(map(_row, report["zones"])), tuple(report["waivers"]), trend)


def read_previous(path: str) -> Earlier | None:
    """Return the previous report; None if the file does not exist yet."""
    return read_report("previous", path) if os.path.exists(path) else None


def _repeated(rows: t.Sequence[Row]) -> t.Iterator[str]:
    """Yield duplicate zones and items; zones of different accounts may have the same name."""
    zones: dict[tuple[str, str], set[str | None]] = {}
    for number, row in enumerate(rows):
        owner = row["zone_id"] or row.get("account_id")
        owners = zones.setdefault((row.get("scope", ZONE), row["zone"]), set())
        if owners and (owner in owners or None in (*owners, owner)):
            yield f"zones[{number}].zone: {shown(row['zone'])} is there twice"
        owners.add(owner)
        ids: set[str] = set()
        for place, item in enumerate(row["items"]):
            if item["id"] in ids:
                yield f"zones[{number}].items[{place}].id: {item['id']} is there twice"
            ids.add(item["id"])


def _row(row: dict[str, Json]) -> Row:
    """Return a row without the members of later minor versions, and with defaults for optional members."""
    kept = {name: row[name] for name in ("zone", *NOTHING) if name in row}
    items = [{name: item.get(name, False) for name in ITEM_MEMBERS} for item in row["items"]]
    return {**NOTHING, **kept, "plan_ids": {name: row["plan_ids"][name] for name in MANAGED}, "items": items}
