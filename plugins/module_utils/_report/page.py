# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What the page shows, in its order and cut to what a user reads: new and wrong first, a line for each zone that is fine.
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import (
    COMPLIANT,
    DRIFTED,
    SEVERITIES,
    UNAUDITED,
    UNMANAGED,
)
from ansible_collections.edgeops.observability.plugins.module_utils._report.items import Item, compact, counting
from ansible_collections.edgeops.observability.plugins.module_utils._report.page_zones import View, ZoneViews, item_view
from ansible_collections.edgeops.observability.plugins.module_utils._report.text import line
from ansible_collections.edgeops.observability.plugins.module_utils._report.waivers import PATTERNS
from ansible_collections.edgeops.observability.plugins.module_utils._report.zones import Row

MIN_SHARED = 3
_MAX_TEXT = 300
_MAX_FRESH = 200
_VERDICTS = {
    "unaudited": ("Not every zone could be audited", "high"),
    "findings": ("There are findings", "high"),
    "drifted": ("Zones have drifted", "medium"),
    "unmanaged": ("Some zones are unmanaged", "low"),
    "clean": ("Clean: every zone is compliant", "low"),
}

Group = list[tuple[Row, Item]]


def page_of(report: t.Mapping[str, Json]) -> View:
    """The page of a report as data for its template."""
    comparison, counts = report["comparison"], report["counts"]
    new = frozenset(comparison["new"])
    groups = _groups([row for row in report["zones"] if not row["carried"]])
    shared = {key for key, group in groups.items() if len(group) >= MIN_SHARED}
    fresh = {key for key, group in groups.items() if any(item["id"] in new for _row, item in group)}
    once = {item["id"] for key in shared for _row, item in groups[key]}
    alone = _in_order(groups[key] for key in fresh - shared)
    verdict, verdict_class = _VERDICTS[report["outcome"]]
    return {
        "title": line(report["title"], _MAX_TEXT),
        "verdict": verdict,
        "verdict_class": verdict_class,
        "generated_at": report["generated_at"],
        "report_id": report["report_id"],
        "previous_id": line(comparison["previous_id"] or "", _MAX_TEXT),
        "plan_id": report["plan_id"],
        "version": report["collection_version"],
        "zone_counts": [(name, counts[name]) for name in ("zones", UNAUDITED, DRIFTED, UNMANAGED, COMPLIANT)],
        "item_counts": [
            *((name, counts[name]) for name in ("differences", "findings", "notes", "waived")),
            *((name, len(comparison[name])) for name in ("new", "resolved", "unknown")),
        ],
        "fresh": [_group(group, new) for group in [*_in_order(groups[key] for key in fresh & shared), *alone[:_MAX_FRESH]]],
        "more_fresh": max(0, len(alone) - _MAX_FRESH),
        "groups": [_group(group, new) for group in _in_order(groups[key] for key in shared - fresh)],
        "sections": ZoneViews(report, once).sections(),
        "waivers": [_waiver(waiver) for waiver in report["waivers"]],
    }


def _groups(rows: t.Sequence[Row]) -> dict[str, Group]:
    """The items that count, those that are equal in several zones together."""
    groups: dict[str, Group] = {}
    for row in rows:
        for item in counting(row["items"]):
            members = ("kind", "resource", "subject", "member", "severity", "message", "before", "after")
            groups.setdefault(compact([item[name] for name in members]), []).append((row, item))
    return groups


def _in_order(groups: t.Iterable[Group]) -> list[Group]:
    """The most severe first, then those of most zones."""
    return sorted(groups, key=lambda group: (_severity(group[0][1]), -len(group), group[0][0]["zone"], group[0][1]["id"]))


def _severity(item: Item) -> int:
    return SEVERITIES.index(item["severity"]) if item["severity"] in SEVERITIES else 0


def _group(group: Group, new: frozenset[str]) -> View:
    return {
        "item": item_view(group[0][1]),
        "zones": [line(row["zone"], _MAX_TEXT) for row, _item in group],
        "newly": sum(item["id"] in new for _row, item in group),
    }


def _waiver(waiver: dict[str, Json]) -> View:
    covers = [f"{name} {waiver[name]}" for name in PATTERNS if waiver[name]]
    return {
        "covers": line(", ".join(covers) or "everything", _MAX_TEXT),
        "reason": line(waiver["reason"], _MAX_TEXT),
        "owner": line(waiver["owner"], _MAX_TEXT),
        "until": waiver["until"],
        "expired": waiver["expired"],
        "count": len(waiver["items"]),
    }
