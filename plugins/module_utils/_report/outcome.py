# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What a report comes to: counts, the outcome, the plan id of the fleet, and whether the user's policy refuses it.
import hashlib
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import (
    DIFFERENCE,
    FINDING,
    GATES,
    NOTE,
    STATUSES,
    UNAUDITED,
    UNMANAGED,
)
from ansible_collections.edgeops.observability.plugins.module_utils._report.items import counting
from ansible_collections.edgeops.observability.plugins.module_utils._report.text import line
from ansible_collections.edgeops.observability.plugins.module_utils._report.zones import Row

_MAX_NAMED = 10
_KINDS = {"drifted": DIFFERENCE, "finding": FINDING}
_NOUNS = {"drifted": "differences", "finding": "findings"}


def counts_of(rows: t.Sequence[Row]) -> dict[str, int]:
    """Zones by status and items by kind; what was carried over from an earlier report counts nowhere."""
    present = [row for row in rows if not row["carried"]]
    items = [item for row in present for item in row["items"] if not item["carried"]]
    kinds = [item["kind"] for item in counting(items)]
    return {
        "zones": len(present),
        **{status: sum(row["status"] == status for row in present) for status in STATUSES},
        "differences": kinds.count(DIFFERENCE),
        "findings": kinds.count(FINDING),
        "notes": kinds.count(NOTE),
        "waived": sum(item["waived"] for item in items),
    }


def outcome_of(counts: t.Mapping[str, int]) -> str:
    """The worst that the counts hold."""
    if counts[UNAUDITED]:
        return UNAUDITED
    if counts["findings"]:
        return "findings"
    if counts["differences"]:
        return "drifted"
    return UNMANAGED if counts[UNMANAGED] else "clean"


def fleet_plan_id(rows: t.Sequence[Row]) -> str | None:
    """One digest over the plans of all zones of the run; None where a zone has none because it is unaudited."""
    present = [row for row in rows if not row["carried"]]
    if any(row["status"] == UNAUDITED for row in present):
        return None
    lines = sorted(f"{row['zone_id']} {resource} {plan}" for row in present for resource, plan in row["plan_ids"].items() if plan)
    return hashlib.sha256("\n".join(lines).encode(errors="surrogatepass")).hexdigest()


def refused(rows: t.Sequence[Row], fail_on: t.Sequence[str]) -> dict[str, list[str]]:
    """The zones that the user's policy refuses, by the name that `fail_on` gives the reason."""
    present = [row for row in rows if not row["carried"]]
    found = {name: [row["zone"] for row in present if _is(row, name)] for name in fail_on}
    return {name: zones for name, zones in found.items() if zones}


def sentence(found: t.Mapping[str, t.Sequence[str]], counts: t.Mapping[str, int], path: str) -> str:
    """Why a report is refused, naming the zones; empty where it is not."""
    parts = [f"{_NOUNS.get(name, name)}: {counts[GATES[name]]} in {_named(zones)}" for name, zones in found.items()]
    return f"fail_on: {'; '.join(parts)}. The report is in {path}." if parts else ""


def _is(row: Row, name: str) -> bool:
    kind = _KINDS.get(name)
    return any(item["kind"] == kind for item in counting(row["items"])) if kind else row["status"] == name


def _named(zones: t.Sequence[str]) -> str:
    more = f" and {len(zones) - _MAX_NAMED} more" if len(zones) > _MAX_NAMED else ""
    return ", ".join(line(zone, 100) for zone in zones[:_MAX_NAMED]) + more
