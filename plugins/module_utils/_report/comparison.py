# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What became of the problems of the previous report. A problem that was not looked at is never called resolved.
import datetime
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.earlier import Earlier
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import OBSERVED, UNAUDITED
from ansible_collections.edgeops.observability.plugins.module_utils._report.items import Item, in_order
from ansible_collections.edgeops.observability.plugins.module_utils._report.matching import match
from ansible_collections.edgeops.observability.plugins.module_utils._report.zones import Row
from ansible_collections.edgeops.observability.plugins.module_utils._times import parse_time

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
