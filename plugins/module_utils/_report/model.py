# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The report as data: a pure function of what the run found out, earlier reports and the time.
import hashlib
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.comparison import carry_over, compare
from ansible_collections.edgeops.observability.plugins.module_utils._report.earlier import Earlier
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import FINDING, SCHEMA_VERSION
from ansible_collections.edgeops.observability.plugins.module_utils._report.items import compact
from ansible_collections.edgeops.observability.plugins.module_utils._report.options import Order
from ansible_collections.edgeops.observability.plugins.module_utils._report.outcome import counts_of, fleet_plan_id, outcome_of
from ansible_collections.edgeops.observability.plugins.module_utils._report.waivers import (
    MEMBER,
    MEMBERS,
    Waiver,
    apply_waivers,
    parse_waivers,
)
from ansible_collections.edgeops.observability.plugins.module_utils._report.zones import Row, row_of, unaudited
from ansible_collections.edgeops.observability.plugins.module_utils._version import VERSION

_NO_RECORD = {"kind": "not_found", "message": "the run has no record of this zone"}


def build(order: Order, previous: Earlier | None, slices: t.Sequence[Earlier]) -> dict[str, Json]:
    """The report; equal arguments give an equal report."""
    rows = _rows(order, slices)
    if all(row["carried"] for row in rows):
        raise invalid_option("zones", "there is no zone to report on, neither here nor in expected or merge")
    waivers = apply_waivers([row for row in rows if not row["carried"]], _waivers(order, slices), order.at)
    rows = sorted(carry_over(rows, previous), key=lambda row: (row["zone"], row["zone_id"] or ""))
    counts = counts_of(rows)
    report = {
        "schema_version": SCHEMA_VERSION,
        "generated_at": order.at,
        "collection_version": VERSION,
        "title": order.title,
        "outcome": outcome_of(counts),
        "counts": counts,
        "plan_id": fleet_plan_id(rows),
        "zones": rows,
        "comparison": compare(rows, previous),
        "waivers": waivers,
    }
    return {**report, "report_id": hashlib.sha256(compact(report).encode()).hexdigest()[:32]}


def _rows(order: Order, slices: t.Sequence[Earlier]) -> list[Row]:
    """One row for each zone: of several the one that was audited last."""
    found: dict[str, Row] = {}
    own = [row_of(record, order.required_fields, order.at) for record in order.records]
    for row in (*own, *(_without_waivers(row) for each in slices for row in each.rows)):
        if row["zone"] not in found or _rank(row) > _rank(found[row["zone"]]):
            found[row["zone"]] = row
    for zone in order.expected:
        if zone not in found or found[zone]["carried"]:
            found[zone] = unaudited(zone, found[zone]["zone_id"] if zone in found else None, _NO_RECORD)
    return list(found.values())


def _rank(row: Row) -> tuple[bool, str]:
    return not row["carried"], row["audited_at"] or ""


def _without_waivers(row: Row) -> Row:
    """A row of a slice without what its own waivers added, since they are applied again."""
    return {**row, "items": [item for item in row["items"] if (item["kind"], item["member"]) != (FINDING, MEMBER)]}


def _waivers(order: Order, slices: t.Sequence[Earlier]) -> list[Waiver]:
    """The waivers of this run and of the slices, each once."""
    further = [{name: waiver.get(name) for name in MEMBERS} for each in slices for waiver in each.waivers]
    merged = {compact(waiver.given): waiver for waiver in (*order.waivers, *parse_waivers(further, "merge.waivers"))}
    return list(merged.values())
