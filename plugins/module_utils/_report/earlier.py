# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Reports of earlier runs: read whole, checked, and filled up with what a later minor version added.
import json
import os
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._filter.suggest import shown
from ansible_collections.edgeops.observability.plugins.module_utils._json import no_constant
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import (
    MANAGED,
    SCHEMA_MAJOR,
    SCHEMA_VERSION,
    STATUSES,
)
from ansible_collections.edgeops.observability.plugins.module_utils._report.zones import Row

_TEXT_OR_NULL = (str, type(None))
_ITEM = {
    "id": (str,),
    "kind": (str,),
    "resource": (str,),
    "subject": _TEXT_OR_NULL,
    "member": _TEXT_OR_NULL,
    "severity": (str,),
    "message": (str,),
    "first_seen": (str,),
    "waived": (bool,),
}
_ROW = {"zone": (str,), "zone_id": _TEXT_OR_NULL, "audited_at": _TEXT_OR_NULL, "plan_ids": (dict,), "items": (list,)}


class Earlier(t.NamedTuple):
    """What counts of an earlier report."""

    report_id: str
    rows: tuple[Row, ...]
    waivers: tuple[dict[str, Json], ...]


def read_report(place: str, path: str) -> Earlier:
    """The report in a file; raise `invalid_option` where it cannot be read or is of another major version."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file, parse_constant=no_constant)
    except OSError as error:
        raise invalid_option(place, f"{path!r} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise invalid_option(place, f"{path!r} is not JSON") from None
    version = report.get("schema_version") if isinstance(report, dict) else None
    if not isinstance(version, str):
        raise invalid_option(place, f"{path!r} is not a report of audit_report: it has no schema_version")
    if version.split(".")[0] != SCHEMA_MAJOR:
        raise invalid_option(place, f"{path!r} has schema version {shown(version)}; this release reads {SCHEMA_VERSION}")
    return _earlier(place, path, report)


def read_previous(path: str) -> Earlier | None:
    """The previous report; None where there is none yet."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        pass  # reading it fails with the reason
    return read_report("previous", path)


def _earlier(place: str, path: str, report: dict[str, Json]) -> Earlier:
    rows, waivers, identity = report.get("zones"), report.get("waivers"), report.get("report_id")
    if not isinstance(rows, list) or not isinstance(waivers, list) or not isinstance(identity, str):
        raise invalid_option(place, f"{path!r} is not a report of audit_report: report_id, zones or waivers is missing")
    if not all(isinstance(waiver, dict) for waiver in waivers):
        raise invalid_option(place, f"{path!r} is not a report of audit_report: waivers holds something else")
    return Earlier(identity, tuple(_row(place, f"zones[{number}]", row) for number, row in enumerate(rows)), tuple(waivers))


def _row(place: str, where: str, row: Json) -> Row:
    _check(place, where, row, _ROW)
    if row.get("status") not in STATUSES:
        raise invalid_option(place, f"{where}.status is {shown(row.get('status'))}")
    for number, item in enumerate(row["items"]):
        _check(place, f"{where}.items[{number}]", item, _ITEM)
    optional: Row = {
        name: row[name] if isinstance(row.get(name), kind) else None
        for name, kind in (("error", dict), ("jobs", list), ("inventory", list))
    }
    return {
        "zone": row["zone"],
        "zone_id": row["zone_id"],
        "status": row["status"],
        "audited_at": row["audited_at"],
        "plan_ids": {name: row["plan_ids"].get(name) for name in MANAGED},
        "items": [_item(item) for item in row["items"]],
        "evidence": row.get("evidence"),
        "carried": row.get("carried") is True,
        "resources": [name for name in row.get("resources") or () if isinstance(name, str)],
        **optional,
    }


def _item(item: dict[str, Json]) -> dict[str, Json]:
    kept = {name: item[name] for name in _ITEM}
    return {**kept, "before": item.get("before"), "after": item.get("after"), "carried": item.get("carried") is True}


def _check(place: str, where: str, value: Json, members: t.Mapping[str, tuple[type, ...]]) -> None:
    if not isinstance(value, dict):
        raise invalid_option(place, f"{where} is {shown(value)}, not an object")
    for name, types in members.items():
        if name not in value or not isinstance(value[name], types):
            raise invalid_option(place, f"{where}.{name} is missing or of another type than in a report")
