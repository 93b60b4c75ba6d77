# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import json
import os
import typing as t

from .._core import Failure, Json, invalid_option
from .._files import read_regular
from .._text import finite_float, line, no_constant, parse_time, shown
from .facts import DIFFERENCE, MANAGED, OBSERVED, SCHEMA_MAJOR, SCHEMA_VERSION, UNAUDITED, ZONE
from .items import Item, Row, in_order
from .options import Order
from .schema import REPORT, problems
from .waivers import Waiver, is_of_waiver, merged_waivers
from .zones import NOTHING, match, rows_of, unaudited

# Reports of earlier runs: read whole, checked, and filled up with what a later minor version added.


class Earlier(t.NamedTuple):
    """What counts of an earlier report."""

    report_id: str
    rows: tuple[Row, ...]
    waivers: tuple[dict[str, Json], ...]
    trend: tuple[dict[str, Json], ...] = ()


def read_report(place: str, path: str) -> Earlier:
    """The report in a file; raise `invalid_option` where it cannot be read or is of another major version."""
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
    for problem in _problems(report, later=version != SCHEMA_VERSION):
        raise invalid_option(place, f"{path!r} is not a report of audit_report: {problem}")
    return of_report(report)


def of_report(report: t.Mapping[str, Json]) -> Earlier:
    """What counts of a report that was checked; it is the newest entry of its own trend."""
    trend = (*report.get("trend", ()), {"at": report["generated_at"], "counts": report["counts"]})
    return Earlier(report["report_id"], tuple(map(_row, report["zones"])), tuple(report["waivers"]), trend)


def read_previous(path: str) -> Earlier | None:
    """The previous report; None where there is none yet."""
    try:
        return read_report("previous", path)
    except Failure:
        if _is_missing(path):
            return None
        raise


def _is_missing(path: str) -> bool:
    """Whether there is no file; a link to nothing is none either."""
    try:
        return not os.path.exists(path)
    except ValueError:
        return False


def _problems(report: dict[str, Json], *, later: bool) -> t.Iterator[str]:
    """What makes a report unusable, the first of it first."""
    yield from problems(REPORT, report, later=later)
    yield from _repeated(report["zones"])


def _repeated(rows: t.Sequence[Row]) -> t.Iterator[str]:
    """Zones and items that are there twice; zones of several accounts may have one name."""
    seen: dict[tuple[str, str], set[str | None]] = {}
    for number, row in enumerate(rows):
        owner = row["zone_id"] or row.get("account_id")
        ids = seen.setdefault((row.get("scope", ZONE), row["zone"]), set())
        if ids and (owner in ids or None in (*ids, owner)):
            yield f"zones[{number}].zone: {shown(row['zone'])} is there twice"
        ids.add(owner)
        names = [item["id"] for item in row["items"]]
        twice = [place for place, name in enumerate(names) if name in names[:place]] if len(set(names)) < len(names) else []
        yield from (f"zones[{number}].items[{place}].id: {names[place]} is there twice" for place in twice)


def _row(row: dict[str, Json]) -> Row:
    """A row without the members of later minor versions, and with those that another program left out."""
    kept = {name: row[name] for name in ("zone", *NOTHING) if name in row}
    items = [{name: item.get(name, False) for name in _ITEM} for item in row["items"]]
    return {**NOTHING, **kept, "plan_ids": {name: row["plan_ids"][name] for name in MANAGED}, "items": items}


_ITEM = tuple(REPORT["properties"]["zones"]["items"]["properties"]["items"]["items"]["properties"])


# What became of the problems of the previous report. A problem that was not looked at is never called resolved.


# The words of these tell how long something has lasted or how much it has come to: that moves while the problem stays the same.
_MOVING = ("health", "delivery")
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
    values = [item["is"], item["should_be"]] if item["kind"] == DIFFERENCE else [item["message"]]
    return [item["severity"], *([] if item["resource"] in _MOVING else values)]


def inherit(row: Row, old: Row | None) -> Row:
    """A row with what an earlier look at its zone left: when problems were first seen, and problems that nobody looked for now."""
    if old is None or row["carried"]:
        return row
    since = {item["id"]: item["first_seen"] for item in old["items"]}
    own = [{**item, "first_seen": _sorted([item["first_seen"], since.get(item["id"])])[0]} for item in row["items"]]
    ids = {item["id"] for item in own}
    left = [_carried(item) for item in old["items"] if item["id"] not in ids and not _looked_at(row, item)]
    ids_known = {name: row[name] or old[name] for name in ("zone_id", "account_id")}
    inherited = {**row, **ids_known, "items": in_order([*own, *left])}
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
    own = [Sourced(row, now, order.waivers) for row in rows_of(order)]
    groups = [[each] for each in own]
    for number, part in enumerate(slices):
        waivers = (*order.waivers, *merged_waivers(part.waivers, f"merge[{number}].waivers"))
        _join(groups, [_of_slice(row, waivers, now) for row in part.rows])
    return _with_expected([_latest(group) for group in groups], order)


def _of_slice(row: Row, waivers: tuple[Waiver, ...], now: datetime.datetime) -> Sourced:
    """A row of a slice without what its own waivers added, since they are applied again.

    A slice whose clock is ahead counts as of now: its time must not hide what this run found.
    """
    plain = {**row, "items": [item for item in row["items"] if not is_of_waiver(item)]}
    return Sourced(plain, min(parse_time(row["audited_at"]) or _LONG_AGO, now), waivers)


def dated_ahead(slices: t.Sequence[Earlier], at: str) -> str:
    """A warning about slices with audits that are later than this report; empty where there is none."""
    now = parse_time(at) or _LONG_AGO
    ahead = [
        f"merge[{number}]: {line(row['zone'], 100)} was audited at {row['audited_at']}"
        for number, part in enumerate(slices)
        for row in part.rows
        if (parse_time(row["audited_at"]) or _LONG_AGO) > now
    ]
    more = f" (and {len(ahead) - 1} more)" if len(ahead) > 1 else ""
    return f"{ahead[0]}{more}, later than this report ({at}): a clock is ahead. Such audits count as of {at}." if ahead else ""


def _join(groups: list[list[Sourced]], others: t.Sequence[Sourced]) -> None:
    """Add rows to the groups of their zones, and new groups for the rest."""
    heads = [
        {
            **group[0].row,
            **{name: next((each.row[name] for each in group if each.row[name]), None) for name in ("zone_id", "account_id")},
        }
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
    missing = [unaudited(zone, _NO_RECORD) for zone in order.expected if zone not in present]
    old, left = match(missing, [each.row for each in found if each.row["carried"]])
    kept = {id(row) for row in left}
    return [
        *(each for each in found if not each.row["carried"] or id(each.row) in kept),
        *(Sourced(inherit(row, known), _LONG_AGO, order.waivers) for row, known in zip(missing, old, strict=True)),
    ]
