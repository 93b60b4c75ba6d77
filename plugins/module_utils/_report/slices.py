# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The rows of this run and of the slices of one job, one for each zone, each with the waivers of the report that it comes from.
import datetime
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._report.comparison import inherit
from ansible_collections.edgeops.observability.plugins.module_utils._report.earlier import Earlier
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import UNAUDITED
from ansible_collections.edgeops.observability.plugins.module_utils._report.matching import match
from ansible_collections.edgeops.observability.plugins.module_utils._report.options import Order
from ansible_collections.edgeops.observability.plugins.module_utils._report.waivers import (
    Waiver,
    is_expired_waiver,
    merged_waivers,
)
from ansible_collections.edgeops.observability.plugins.module_utils._report.zones import Row, row_of, unaudited
from ansible_collections.edgeops.observability.plugins.module_utils._times import parse_time

_NO_RECORD = {"kind": "not_found", "message": "the run has no record of this zone"}
_NEVER = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)


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
    now = parse_time(order.at) or _NEVER
    own = [Sourced(row_of(record, order.required_fields, order.at), now, order.waivers) for record in order.records]
    groups = [[each] for each in own]
    for number, part in enumerate(slices):
        waivers = (*order.waivers, *merged_waivers(part.waivers, f"merge[{number}].waivers"))
        _join(groups, [_of_slice(row, waivers) for row in part.rows])
    return _with_expected([_latest(group) for group in groups], order)


def _of_slice(row: Row, waivers: tuple[Waiver, ...]) -> Sourced:
    """A row of a slice without what its own waivers added, since they are applied again."""
    plain = {**row, "items": [item for item in row["items"] if not is_expired_waiver(item)]}
    return Sourced(plain, parse_time(row["audited_at"]) or _NEVER, waivers)


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
        *(Sourced(inherit(row, known), _NEVER, order.waivers) for row, known in zip(missing, old, strict=True)),
    ]
