# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import json
import os
import typing as t

from .._core import Json, invalid_option
from .._text import finite_float, no_constant, parse_time, shown
from .facts import MANAGED, OBSERVED, SCHEMA_MAJOR, SCHEMA_VERSION, UNAUDITED
from .findings import Item, in_order
from .options import ITEM, MORE_OF_ITEM, MORE_OF_ROW, ROW, Order, problems
from .waivers import Waiver, is_expired_waiver, merged_waivers
from .zones import Row, match, row_of, unaudited

# Reports of earlier runs: read whole, checked, and filled up with what a later minor version added.


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


# What became of the problems of the previous report. A problem that was not looked at is never called resolved.


_VALUES = ("before", "after", "severity")
# A finding of these shows its values, such as hashes, in its message alone; that of a job's health has the time of each failure.
_IN_WORDS = ("scripts", "coverage")
_NEVER = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)


def carry_over(rows: t.Sequence[Row], previous: Earlier | None) -> list[Row]:
    """The rows with what they inherit from the previous report, and the rows of zones outside this run."""
    if previous is None:
        return list(rows)
    known, left = match(rows, previous.rows)
    names = {row["zone"] for row in rows}
    # A zone that was made again has a new id; of the old one nothing is left to tell if it had no problem.
    outside = [row for row in left if row["items"] or row["zone"] not in names]
    return [*map(inherit, rows, known), *map(_carried_row, outside)]


def compare(rows: t.Sequence[Row], previous: Earlier | None) -> dict[str, Json]:
    """The ids of problems by what became of them since the previous report; nothing is new without one."""
    if previous is None:
        return {"previous_id": None, "new": [], "resolved": [], "changed": [], "persisting": [], "unknown": []}
    before = {item["id"]: item for row in previous.rows for item in row["items"]}
    items = [item for row in rows for item in row["items"]]
    now = {item["id"]: item for item in items if not item["carried"]}
    unknown = {item["id"] for item in items if item["carried"]} - now.keys()
    both = before.keys() & now.keys()
    changed = {name for name in both if _values(before[name]) != _values(now[name])}
    return {
        "previous_id": previous.report_id,
        "new": sorted(now.keys() - before.keys()),
        "resolved": sorted(before.keys() - now.keys() - unknown),
        "changed": sorted(changed),
        "persisting": sorted(both - changed),
        "unknown": sorted(unknown & before.keys()),
    }


def _values(item: Item) -> list[Json]:
    """What of a problem may change while it stays the same problem."""
    return [*(item[name] for name in _VALUES), item["message"] if item["resource"] in _IN_WORDS else None]


def inherit(row: Row, old: Row | None) -> Row:
    """A row with what an earlier look at its zone left: when problems were first seen, and problems that nobody looked for now."""
    if old is None or row["carried"]:
        return row
    since = {item["id"]: item["first_seen"] for item in old["items"]}
    own = [{**item, "first_seen": _sorted([item["first_seen"], since.get(item["id"])])[0]} for item in row["items"]]
    ids = {item["id"] for item in own}
    left = [_carried(item) for item in old["items"] if item["id"] not in ids and not _looked_at(row, item)]
    inherited = {**row, "zone_id": row["zone_id"] or old["zone_id"], "items": in_order([*own, *left])}
    if row["status"] == UNAUDITED:
        audited = _sorted([row["audited_at"], old["audited_at"]])
        inherited.update(audited_at=audited[-1] if audited else None, jobs=row["jobs"] or old["jobs"])
    return inherited


def _sorted(times: t.Iterable[str | None]) -> list[str]:
    """The times that are known, the earliest first; reports of other tools may write them with fractions or an offset."""
    return sorted((time for time in times if time), key=lambda time: parse_time(time) or _NEVER)


def _looked_at(row: Row, item: Item) -> bool:
    """Whether the absence of a problem shows that it is resolved."""
    if row["status"] == UNAUDITED:
        return False
    return item["resource"] not in OBSERVED or item["resource"] in row["resources"]


def _carried(item: Item) -> Item:
    return {**item, "carried": True}


def _carried_row(row: Row) -> Row:
    return {**row, "carried": True, "items": in_order(_carried(item) for item in row["items"])}


# The rows of this run and of the slices of one job, one for each zone, each with the waivers of the report that it comes from.


_NO_RECORD = {"kind": "not_found", "message": "the run has no record of this zone"}
_LONG_AGO = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)


class Sourced(t.NamedTuple):
    """A row with when its zone was looked at, and with the waivers that apply to it."""

    row: Row
    looked_at: datetime.datetime
    waivers: tuple[Waiver, ...]

    @property
    def rank(self) -> tuple[bool, datetime.datetime, bool]:
        """The highest counts: of a zone that was looked at, the latest look, and of two at once the one that failed."""
        return not self.row["carried"], self.looked_at, self.row["status"] == UNAUDITED


def gather(order: Order, slices: t.Sequence[Earlier]) -> list[Sourced]:
    """One row for each zone, the latest, with what it inherits from the others; expected zones without a record are unaudited."""
    now = parse_time(order.at) or _LONG_AGO
    own = [Sourced(row_of(record, order.required_fields, order.at), now, order.waivers) for record in order.records]
    groups = [[each] for each in own]
    for number, part in enumerate(slices):
        waivers = (*order.waivers, *merged_waivers(part.waivers, f"merge[{number}].waivers"))
        _join(groups, [_of_slice(row, waivers) for row in part.rows])
    return _with_expected([_latest(group) for group in groups], order)


def _of_slice(row: Row, waivers: tuple[Waiver, ...]) -> Sourced:
    """A row of a slice without what its own waivers added, since they are applied again."""
    plain = {**row, "items": [item for item in row["items"] if not is_expired_waiver(item)]}
    return Sourced(plain, parse_time(row["audited_at"]) or _LONG_AGO, waivers)


def _join(groups: list[list[Sourced]], others: t.Sequence[Sourced]) -> None:
    """Add rows to the groups of their zones, and new groups for the rest."""
    heads = [
        {**group[0].row, "zone_id": next((each.row["zone_id"] for each in group if each.row["zone_id"]), None)}
        for group in groups
    ]
    by_row = {id(each.row): each for each in others}
    found, left = match(heads, [each.row for each in others])
    for group, row in zip(groups, found, strict=True):
        if row is not None:
            group.append(by_row[id(row)])
    groups.extend([by_row[id(row)]] for row in left)


def _latest(group: t.Sequence[Sourced]) -> Sourced:
    """The row that counts, with what it inherits from the others; of equal ones that of this run or of an earlier slice counts."""
    ranked = [group[place] for place in sorted(range(len(group)), key=lambda place: (group[place].rank, -place))]
    row = ranked[0].row
    for each in ranked[1:]:
        row = inherit(each.row, row)
    return ranked[-1]._replace(row=row)


def _with_expected(found: list[Sourced], order: Order) -> list[Sourced]:
    """An expected zone that only an earlier run looked at is unaudited, like one of which nothing is known."""
    present = {each.row["zone"] for each in found if not each.row["carried"]}
    missing = [unaudited(zone, None, _NO_RECORD) for zone in order.expected if zone not in present]
    old, left = match(missing, [each.row for each in found if each.row["carried"]])
    kept = {id(row) for row in left}
    return [
        *(each for each in found if not each.row["carried"] or id(each.row) in kept),
        *(Sourced(inherit(row, known), _LONG_AGO, order.waivers) for row, known in zip(missing, old, strict=True)),
    ]
