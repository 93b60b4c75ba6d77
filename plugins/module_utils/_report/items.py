# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import KINDS, RESOURCES, SEVERITIES

Item = dict[str, Json]

_ORDER = {name: place for names in (KINDS, RESOURCES, SEVERITIES) for place, name in enumerate(names)}


class Observation(t.NamedTuple):
    """What one look at a zone found, before it has a history."""

    kind: str
    resource: str
    subject: str | None
    member: str | None
    severity: str
    message: str
    before: Json = None
    after: Json = None


def item_id(zone_id: str | None, kind: str, resource: str, subject: str | None, member: str | None) -> str:
    """Identify a problem by where it is, not by its values: the same id in every format and every run."""
    return hashlib.sha256(compact([zone_id, kind, resource, subject, member]).encode()).hexdigest()[:16]


def subject_words(item: Item) -> str:
    """The subject as a user reads it: that of a script's finding is JSON, here its URL and the host of the page."""
    subject: str = item["subject"] or ""
    if item["resource"] != "scripts":
        return subject
    try:
        parts = json.loads(subject)
    except (ValueError, RecursionError):
        return subject
    return " on ".join(str(part) for part in parts[:2] if part) if isinstance(parts, list) else subject


def compact(value: Json) -> str:
    """Compact ASCII JSON with sorted members: one text for equal values; raise `ValueError` for a number that JSON cannot hold."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def items_of(zone_id: str | None, observations: t.Iterable[Observation], at: str) -> list[Item]:
    """The items of a zone, each problem once, in a fixed order."""
    found: dict[str, Item] = {}
    for seen in observations:
        identity = item_id(zone_id, seen.kind, seen.resource, seen.subject, seen.member)
        found.setdefault(identity, {"id": identity, **seen._asdict(), "first_seen": at, "waived": False, "carried": False})
    return in_order(found.values())


def in_order(items: t.Iterable[Item]) -> list[Item]:
    """By kind, severity, resource, subject and member; carried ones last."""
    return sorted(items, key=_place)


def counting(items: t.Iterable[Item]) -> list[Item]:
    """The items that decide: neither waived nor carried over from an earlier report."""
    return [item for item in items if not item["waived"] and not item["carried"]]


def _place(item: Item) -> tuple[Json, ...]:
    return (
        item["carried"],
        *(_ORDER.get(item[name], len(_ORDER)) for name in ("kind", "severity", "resource")),
        item["subject"] or "",
        item["member"] or "",
        item["id"],
    )
