# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import typing as t

from .._core import Json, invalid_option
from .._text import format_time, parse_time
from .._version import VERSION
from .earlier import Earlier, carry_over, compare, gather
from .facts import SCHEMA_VERSION
from .items import Row, compact
from .options import Order
from .waivers import apply_waivers, with_unmatched
from .zones import counts_of, fleet_plan_id, outcome_of, with_status

# The report as data: a pure function of what the run found out, earlier reports and the time.


def build(order: Order, previous: Earlier | None, slices: t.Sequence[Earlier]) -> dict[str, Json]:
    """The report; equal arguments give an equal report."""
    sourced = gather(order, slices)
    if all(each.row["carried"] for each in sourced):
        raise invalid_option("zones", "there is no zone to report on, neither here nor in expected or merge")
    marked, waivers = apply_waivers([(each.row, each.waivers) for each in sourced], order.at, order.waivers)
    elsewhere = {row["zone"] for row in previous.rows} - {row["zone"] for row in marked} if previous else set()
    noted = with_unmatched(marked, order.waivers, waivers, elsewhere, order.at)
    rows = [with_status(_in_utc(row)) for row in carry_over(noted, previous)]
    rows.sort(key=lambda row: (row["zone"], row["carried"], row["zone_id"] or row["account_id"] or ""))
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
        "trend": list(previous.trend[-order.keep :]) if previous and order.keep else [],
    }
    return {**report, "report_id": hashlib.sha256(_text(report).encode()).hexdigest()[:32]}


def _text(report: dict[str, Json]) -> str:
    try:
        return compact(report)
    except ValueError:
        raise invalid_option("zones", "a number in a record is infinite or not a number, which JSON cannot hold") from None
    except RecursionError:
        raise invalid_option("zones", "a record is nested more deeply than JSON that can be read again") from None


def _in_utc(row: Row) -> Row:
    """A row with its times as this report writes them."""
    items = [{**item, "first_seen": _time(item["first_seen"])} for item in row["items"]]
    return {**row, "audited_at": _time(row["audited_at"]), "items": items}


def _time(text: str | None) -> str | None:
    time = parse_time(text)
    return text if time is None else format_time(time)
