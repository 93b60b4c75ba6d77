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
from ansible_collections.edgeops.observability.plugins.module_utils._json import finite_float, no_constant
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import (
    MANAGED,
    SCHEMA_MAJOR,
    SCHEMA_VERSION,
)
from ansible_collections.edgeops.observability.plugins.module_utils._report.schema import (
    ITEM,
    MORE_OF_ITEM,
    MORE_OF_ROW,
    ROW,
    problems,
)
from ansible_collections.edgeops.observability.plugins.module_utils._report.zones import Row


class Earlier(t.NamedTuple):
    """What counts of an earlier report."""

    report_id: str
    rows: tuple[Row, ...]
    waivers: tuple[dict[str, Json], ...]


def read_report(place: str, path: str) -> Earlier:
    """The report in a file; raise `invalid_option` where it cannot be read or is of another major version."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file, parse_constant=no_constant, parse_float=finite_float)
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
    found = next(_problems(report), None)
    if found is not None:
        raise invalid_option(place, f"{path!r} is not a report of audit_report: {found}")
    return Earlier(report["report_id"], tuple(map(_row, report["zones"])), tuple(report["waivers"]))


def read_previous(path: str) -> Earlier | None:
    """The previous report; None where there is none yet."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        pass  # reading it fails with the reason
    return read_report("previous", path)


def _problems(report: dict[str, Json]) -> t.Iterator[str]:
    """What makes a report unusable, the first of it first."""
    if not all(isinstance(report.get(name), kind) for name, kind in (("report_id", str), ("zones", list), ("waivers", list))):
        yield "report_id, zones or waivers is missing"
        return
    if not all(isinstance(waiver, dict) for waiver in report["waivers"]):
        yield "waivers holds something else"
    yield from problems(report, later=report["schema_version"] != SCHEMA_VERSION)
    yield from _repeated(report["zones"])


def _repeated(rows: t.Sequence[Row]) -> t.Iterator[str]:
    """Zones and items that are there twice; zones of several accounts may have one name."""
    seen: dict[str, set[str | None]] = {}
    for number, row in enumerate(rows):
        ids = seen.setdefault(row["zone"], set())
        if ids and (row["zone_id"] in ids or None in (*ids, row["zone_id"])):
            yield f"zones[{number}].zone: {shown(row['zone'])} is there twice"
        ids.add(row["zone_id"])
        names = [item["id"] for item in row["items"]]
        twice = [place for place, name in enumerate(names) if name in names[:place]] if len(set(names)) < len(names) else []
        yield from (f"zones[{number}].items[{place}].id: {names[place]} is there twice" for place in twice)


def _row(row: dict[str, Json]) -> Row:
    """A row without the members of later minor versions."""
    kept = _known(row, ROW, MORE_OF_ROW)
    plans = {name: row["plan_ids"][name] for name in MANAGED}
    return {**kept, "plan_ids": plans, "items": [_known(item, ITEM, MORE_OF_ITEM) for item in row["items"]]}


def _known(given: dict[str, Json], names: t.Sequence[str], more: t.Mapping[str, Json]) -> dict[str, Json]:
    return {**{name: given[name] for name in names}, **{name: given.get(name, default) for name, default in more.items()}}
