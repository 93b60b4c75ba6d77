# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What became of the problems of the previous report. A problem that was not looked at is never called resolved.
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.earlier import Earlier
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import OBSERVED, UNAUDITED
from ansible_collections.edgeops.observability.plugins.module_utils._report.items import Item, in_order
from ansible_collections.edgeops.observability.plugins.module_utils._report.zones import Row

_VALUES = ("before", "after", "severity")
# A finding of these shows its values, such as hashes, in its message alone; that of a job's health has the time of each failure.
_IN_WORDS = ("scripts", "coverage")


def carry_over(rows: t.Sequence[Row], previous: Earlier | None) -> list[Row]:
    """The rows with what they inherit from the previous report, and the rows of zones outside this run."""
    if previous is None:
        return list(rows)
    known = _Known(previous.rows)
    return [*(_inherited(row, known.take(row)) for row in rows), *(_carried_row(row) for row in known.left(rows))]


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


class _Known:
    """The rows of an earlier report: a zone is found by its name, or by its id where it was renamed."""

    def __init__(self, rows: t.Sequence[Row]) -> None:
        self._rows = rows
        self._by_name = {row["zone"]: row for row in rows}
        self._by_id = {row["zone_id"]: row for row in rows if row["zone_id"]}
        self._taken: set[str] = set()

    def take(self, row: Row) -> Row | None:
        """The earlier row of a zone."""
        found = self._by_name.get(row["zone"]) or self._by_id.get(row["zone_id"])
        if found:
            self._taken.add(found["zone"])
        return found

    def left(self, rows: t.Sequence[Row]) -> list[Row]:
        """The rows of zones that have no row now."""
        names = {row["zone"] for row in rows}
        return [row for row in self._rows if row["zone"] not in self._taken | names]


def _inherited(row: Row, old: Row | None) -> Row:
    if old is None or row["carried"]:
        return row
    since = {item["id"]: item["first_seen"] for item in old["items"]}
    own = [{**item, "first_seen": min(item["first_seen"], since.get(item["id"], item["first_seen"]))} for item in row["items"]]
    ids = {item["id"] for item in own}
    left = [_carried(item) for item in old["items"] if item["id"] not in ids and not _looked_at(row, item)]
    inherited = {**row, "zone_id": row["zone_id"] or old["zone_id"], "items": in_order([*own, *left])}
    if row["status"] == UNAUDITED:
        inherited.update(audited_at=row["audited_at"] or old["audited_at"], jobs=row["jobs"] or old["jobs"])
    return inherited


def _looked_at(row: Row, item: Item) -> bool:
    """Whether the absence of a problem shows that it is resolved."""
    if row["status"] == UNAUDITED:
        return False
    return item["resource"] not in OBSERVED or item["resource"] in row["resources"]


def _carried(item: Item) -> Item:
    return {**item, "carried": True}


def _carried_row(row: Row) -> Row:
    return {**row, "carried": True, "items": in_order(_carried(item) for item in row["items"])}
