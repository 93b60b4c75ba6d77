# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import hashlib
import typing as t

from .._core import Json, invalid_option
from .._text import canonical, format_time, line, parse_time
from .._version import VERSION
from .document import Comparison, Content, Item, Report, Row
from .earlier import Earlier
from .facts import DIFFERENCE, OBSERVED, SCHEMA_VERSION, UNAUDITED
from .items import address, in_order
from .options import Order
from .waivers import Waiver, apply_waivers, is_of_waiver, merged_waivers, with_unmatched
from .zones import NOTHING, counts_of, fleet_plan_id, match, outcome_of, rows_of, with_status

# The report as data: a pure function of the records of a run, earlier reports and the time.

_LONG_AGO = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)


def build(order: Order, previous: Earlier | None, slices: t.Sequence[Earlier]) -> Report:
    """Return the report; equal arguments give equal reports."""
    sourced = gather(order, slices)
    if all(each.row["carried"] for each in sourced):
        raise invalid_option("zones", "there is no zone to report on, neither here nor in expected or merge")
    marked, waivers = apply_waivers([(each.row, each.waivers) for each in sourced], order.at, order.waivers)
    elsewhere = {row["zone"] for row in previous.rows} - {row["zone"] for row in marked} if previous else set()
    noted = with_unmatched(marked, order.waivers, waivers, elsewhere, order.at)
    rows = [with_status(_in_utc(row)) for row in carry_over(noted, previous)]
    rows.sort(key=lambda row: (row["zone"], row["carried"], row["zone_id"] or row["account_id"] or ""))
    counts = counts_of(rows)
    plans = ((address(row), row["plan_ids"]) for row in rows if not row["carried"])
    report: Content = {
        "schema_version": SCHEMA_VERSION,
        "generated_at": order.at,
        "collection_version": VERSION,
        "title": order.title,
        "outcome": outcome_of(counts),
        "counts": counts,
        "plan_id": None if counts[UNAUDITED] else fleet_plan_id(plans),
        "zones": rows,
        "comparison": compare(rows, previous),
        "waivers": waivers,
        "trend": list(previous.trend[-order.keep :]) if previous and order.keep else [],
    }
    try:
        text = canonical(report)
    except ValueError:
        raise invalid_option("zones", "a number in a record is infinite or not a number, which JSON cannot hold") from None
    except RecursionError:
        raise invalid_option("zones", "a record is nested more deeply than JSON that can be read again") from None
    return {**report, "report_id": hashlib.sha256(text.encode()).hexdigest()[:32]}


def _in_utc(row: Row) -> Row:
    """Return a row with its times in UTC; those of earlier reports may have other offsets, and fractions."""
    items: list[Item] = [{**item, "first_seen": _utc(item["first_seen"])} for item in row["items"]]
    return {**row, "audited_at": row["audited_at"] and _utc(row["audited_at"]), "items": items}


def _utc(text: str) -> str:
    time = parse_time(text)
    return text if time is None else format_time(time)


def _instant(text: str | None) -> datetime.datetime:
    return parse_time(text) or _LONG_AGO


# The comparison with the previous report. A problem that this run did not look for is never resolved.

# Their messages contain durations and amounts, which change in every run while the problem stays the same.
_MOVING = ("health", "delivery")


def carry_over(rows: t.Sequence[Row], previous: Earlier | None) -> list[Row]:
    """Return the rows with what they inherit from the previous report, and the rows of zones outside this run."""
    if previous is None:
        return list(rows)
    places, left = match(rows, previous.rows)
    names = {row["zone"] for row in rows}
    # A zone that was created again has a new id; its old row is dropped if it had no problem.
    outside = [row for row in map(previous.rows.__getitem__, left) if row["items"] or row["zone"] not in names]
    carried: list[Row] = [{**row, "carried": True, "items": in_order(map(_carried, row["items"]))} for row in outside]
    audited = zip(rows, places, strict=True)
    return [*(inherit(row, None if place is None else previous.rows[place]) for row, place in audited), *carried]


def compare(rows: t.Sequence[Row], previous: Earlier | None) -> Comparison:
    """Return the ids of problems by their change since the previous report; without one, nothing is new."""
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
    """Return the values by which a problem counts as changed."""
    values = [item["is"], item["should_be"]] if item["kind"] == DIFFERENCE else [item["message"]]
    return [item["severity"], *([] if item["resource"] in _MOVING else values)]


def inherit(row: Row, old: Row | None) -> Row:
    """Return a row with what it inherits from an earlier audit: when problems were first seen, and problems that were not looked for now."""
    if old is None or row["carried"]:
        return row
    since = {item["id"]: item["first_seen"] for item in old["items"]}
    own: list[Item] = [
        {**item, "first_seen": min(item["first_seen"], since.get(item["id"], item["first_seen"]), key=_instant)}
        for item in row["items"]
    ]
    ids = {item["id"] for item in own}
    left = [_carried(item) for item in old["items"] if item["id"] not in ids and not _looked_at(row, item)]
    inherited: Row = {
        **row,
        "zone_id": row["zone_id"] or old["zone_id"],
        "account_id": row["account_id"] or old["account_id"],
        "items": in_order([*own, *left]),
    }
    if row["status"] == UNAUDITED:
        inherited["audited_at"] = max(row["audited_at"], old["audited_at"], key=_instant)
        inherited["jobs"] = row["jobs"] or old["jobs"]
    return inherited


def _looked_at(row: Row, item: Item) -> bool:
    """Return whether the absence of a problem means that it is resolved."""
    if row["status"] == UNAUDITED:
        return False
    return item["resource"] not in OBSERVED or item["resource"] in row["resources"]


def _carried(item: Item) -> Item:
    return {**item, "carried": True}


# The rows of this run and of the slices of one job: one for each zone, with the waivers of the report that it comes from.

_NO_RECORD = {"kind": "not_found", "message": "the run has no record of this zone"}


class Sourced(t.NamedTuple):
    """A row with the time of its audit, and the waivers that apply to it."""

    row: Row
    looked_at: datetime.datetime
    waivers: tuple[Waiver, ...]

    @property
    def rank(self) -> tuple[bool, datetime.datetime, bool]:
        """Return the order of rows of one zone, the last of which is used: the latest audit, and of two at the same time the failed one."""
        return not self.row["carried"], self.looked_at, self.row["status"] == UNAUDITED


def gather(order: Order, slices: t.Sequence[Earlier]) -> list[Sourced]:
    """Return the latest row of each zone, with what it inherits from the others; expected zones without a record are unaudited."""
    now = _instant(order.at)
    groups = [[Sourced(row, now, order.waivers)] for row in rows_of(order)]
    for number, part in enumerate(slices):
        waivers = (*order.waivers, *merged_waivers(part.waivers, f"merge[{number}].waivers"))
        rows = [_of_slice(row, waivers, now) for row in part.rows]
        places, left = match([_head(group) for group in groups], part.rows)
        for group, place in zip(groups, places, strict=True):
            if place is not None:
                group.append(rows[place])
        groups += [[rows[place]] for place in left]
    return _with_expected([_latest(group) for group in groups], order)


def _of_slice(row: Row, waivers: tuple[Waiver, ...], now: datetime.datetime) -> Sourced:
    """Return a row of a slice without the items that its waivers added, because they are applied again.

    An audit in the future counts as of now, so that a clock that is ahead does not hide what this run found.
    """
    plain: Row = {**row, "items": [item for item in row["items"] if not is_of_waiver(item)]}
    return Sourced(plain, min(_instant(row["audited_at"]), now), waivers)


def _head(group: t.Sequence[Sourced]) -> Row:
    """Return the first row of a group with the first id that a row of the group has."""
    rows = [each.row for each in group]
    zone_id = next((row["zone_id"] for row in rows if row["zone_id"]), None)
    account_id = next((row["account_id"] for row in rows if row["account_id"]), None)
    return {**rows[0], "zone_id": zone_id, "account_id": account_id}


def _latest(group: t.Sequence[Sourced]) -> Sourced:
    """Return the row that is used, with what it inherits from the others; of equal ones that of this run, then of the first slice."""
    latest, *others = sorted(group, key=lambda each: each.rank, reverse=True)
    known: Row | None = None
    for each in reversed(others):
        known = inherit(each.row, known)
    return latest._replace(row=inherit(latest.row, known))


def _with_expected(found: list[Sourced], order: Order) -> list[Sourced]:
    """Return the rows with an unaudited one for each expected zone that this run has no record of."""
    present = {each.row["zone"] for each in found if not each.row["carried"]}
    missing: list[Row] = [{**NOTHING, "zone": zone, "error": _NO_RECORD} for zone in order.expected if zone not in present]
    places, left = match(missing, [each.row for each in found])
    return [
        *(found[place] for place in left),
        *(
            Sourced(inherit(row, None if place is None else found[place].row), _LONG_AGO, order.waivers)
            for row, place in zip(missing, places, strict=True)
        ),
    ]


def dated_ahead(slices: t.Sequence[Earlier], at: str) -> str:
    """Return a warning about audits of slices that are later than this report; "" if there is none."""
    now = _instant(at)
    ahead = [
        f"merge[{number}]: {line(row['zone'], 100)} was audited at {row['audited_at']}"
        for number, part in enumerate(slices)
        for row in part.rows
        if _instant(row["audited_at"]) > now
    ]
    more = f" (and {len(ahead) - 1} more)" if len(ahead) > 1 else ""
    return f"{ahead[0]}{more}, later than this report ({at}): a clock is ahead. Such audits count as of {at}." if ahead else ""
