# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import conflict, invalid_option
from .._report.earlier import read_report
from .._report.facts import COMPLIANT, UNAUDITED
from .._report.zones import fleet_plan_id
from .options import Desired, Zone

# Whether the plan of a run is the one that was approved.


_AGAIN = "Nothing was written; review a new check run."


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


def check_approval(desired: Desired) -> None:
    """Raise `conflict` where an approval was given for another plan, or is empty; without zones only the latter shows."""
    if desired.approved_plan_id is not None:
        _check_digest(desired)
    if desired.approved_plan is not None and not desired.approved_plan.strip():
        raise conflict(f"approved_plan: is given and empty, so nothing was approved. {_AGAIN}")
    if desired.approved_plan is not None and desired.zones:
        _check_rows(desired, desired.approved_plan)


def _check_digest(desired: Desired) -> None:
    approved = desired.approved_plan_id
    if not approved or not approved.strip():
        raise conflict(f"approved_plan_id: is given and empty, so nothing was approved. {_AGAIN}")
    if not desired.zones:
        return
    current = plan_id_of(desired.zones)
    if current is None:
        failed = ", ".join(zone.name for zone in desired.zones if zone.error)
        raise conflict(
            f"approved_plan_id: there is no plan of all zones, because these could not be predicted: {failed}. {_AGAIN}"
        )
    if current != approved.strip():
        raise conflict(
            f"approved_plan_id: the plan of these {len(desired.zones)} zones is now {current}, not the approved {approved.strip()}:"
            f" a zone or its variables have changed since, or it was applied already. {_AGAIN}"
        )


def _check_rows(desired: Desired, path: str) -> None:
    rows = {row["zone_id"]: row for row in read_report("approved_plan", path).rows if not row["carried"]}
    unknown = [zone.name for zone in desired.zones if zone.zone_id not in rows]
    if len(unknown) == len(desired.zones):
        raise invalid_option("approved_plan", f"{path!r} is a report of other zones: none of {', '.join(unknown)} is in it")
    if unknown:
        raise conflict(f"approved_plan: not in the approved report: {', '.join(unknown)}. {_AGAIN}")
    moved = [zone.name for zone in desired.zones if zone.error or zone.plan_ids != rows[zone.zone_id]["plan_ids"]]
    if moved:
        raise conflict(
            f"approved_plan: the plan is not the approved one for {', '.join(moved)}: the zone or its variables have changed since,"
            f" or it was applied already. {_AGAIN}"
        )
