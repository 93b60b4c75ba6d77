# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Whether the plan of a run is the one that was approved.
import typing as t

from .._core import conflict, invalid_option
from .._report.earlier import read_report
from .._report.facts import COMPLIANT, UNAUDITED
from .._report.items import address
from .._report.zones import fleet_plan_id
from .rails import Rails, Zone

_AGAIN = "Nothing was written; review a new check run."
_EMPTY = "is given and empty, so nothing was approved."


def plan_id_of(zones: t.Sequence[Zone]) -> str | None:
    """One digest over the plans of all zones, the one of `audit_report`; None where a zone could not be predicted."""
    return fleet_plan_id(
        [
            {
                "zone_id": zone.zone_id,
                "plan_ids": zone.plan_ids,
                "status": UNAUDITED if zone.error else COMPLIANT,
                "carried": False,
            }
            for zone in zones
        ]
    )


def check_given(rails: Rails) -> None:
    """Raise `conflict` for an approval that is given and empty; no zone is needed to see that."""
    for name, value in (("edgeops_approved_plan_id", rails.approved_plan_id), ("edgeops_approved_report", rails.approved_report)):
        if value == "":
            raise conflict(f"{name}: {_EMPTY} {_AGAIN}")


def check_approval(rails: Rails, zones: t.Sequence[Zone]) -> None:
    """Raise `conflict` where another plan than that of these zones was approved."""
    check_given(rails)
    if rails.approved_plan_id is not None:
        _check_digest(rails.approved_plan_id, zones)
    if rails.approved_report is not None:
        _check_rows(rails.approved_report, zones)


def _check_digest(approved: str, zones: t.Sequence[Zone]) -> None:
    current = plan_id_of(zones)
    if current is None:
        failed = ", ".join(zone.name for zone in zones if zone.error)
        raise conflict(
            f"edgeops_approved_plan_id: there is no plan of all zones, because these could not be predicted: {failed}. {_AGAIN}"
        )
    if current != approved:
        raise conflict(
            f"edgeops_approved_plan_id: the plan of these {len(zones)} zones is {current}, but {approved} was approved:"
            f" a zone or its variables have changed since, or it was applied already. {_AGAIN}"
        )


def _check_rows(path: str, zones: t.Sequence[Zone]) -> None:
    rows = {address(row): row for row in read_report("edgeops_approved_report", path).rows if not row["carried"]}
    unknown = [zone.name for zone in zones if zone.zone_id not in rows]
    if len(unknown) == len(zones):
        raise invalid_option(
            "edgeops_approved_report", f"{path!r} is a report of other zones: none of {', '.join(unknown)} is in it"
        )
    if unknown:
        raise conflict(f"edgeops_approved_report: not in the approved report: {', '.join(unknown)}. {_AGAIN}")
    moved = [zone.name for zone in zones if zone.error or zone.plan_ids != rows[zone.zone_id]["plan_ids"]]
    if moved:
        raise conflict(
            f"edgeops_approved_report: the plan is not the approved one for {', '.join(moved)}: the zone or its variables have changed"
            f" since, or it was applied already. {_AGAIN}"
        )
