# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import hashlib
import json
import typing as t

from .._core import Json
from .facts import DIFFERENCE, KINDS, RESOURCES, SEVERITIES, TYPES, ZONE, type_of
from .sentences import sentence

# An item is one difference, finding or note of a zone; a row is one zone of the report.

Item = dict[str, Json]
Row = dict[str, Json]

_ORDER = {name: place for names in (KINDS, RESOURCES, SEVERITIES) for place, name in enumerate(names)}


class Observation(t.NamedTuple):
    """What one look at a zone found, before it has a history."""

    type: str
    subject: str | None
    member: str | None
    present: Json = None
    desired: Json = None
    resource: str | None = None
    kind: str | None = None
    remark: str = ""


def found(name: str, subject: str | None, present: str, **others: t.Any) -> Observation:
    """A finding or note, with what should be in its place as the table of types says it."""
    return Observation(name, subject, others.pop("member", name), present, type_of(name).should_be, **others)


def address(row: t.Mapping[str, Json]) -> str | None:
    """The id by which the service knows what a row is about: that of the zone, or of the account."""
    address: str | None = row["zone_id"] if row.get("scope", ZONE) == ZONE else row.get("account_id")
    return address


def item_id(owner: str | None, kind: str, resource: str, subject: str | None, member: str | None) -> str:
    """Identify a problem by where it is, not by its values: the same id in every format and every run."""
    return hashlib.sha256(compact([owner, kind, resource, subject, member]).encode()).hexdigest()[:16]


def compact(value: Json) -> str:
    """Compact ASCII JSON with sorted members: one text for equal values; raise `ValueError` for a number that JSON cannot hold."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def items_of(owner: str | None, observations: t.Iterable[Observation], at: str) -> list[Item]:
    """The items of a zone or account, each problem once, in a fixed order."""
    items: dict[str, Item] = {}
    for seen in observations:
        item = _item(owner, seen, at)
        items.setdefault(item["id"], item)
    return in_order(items.values())


def _item(owner: str | None, seen: Observation, at: str) -> Item:
    of_type = type_of(seen.type)
    kind, resource = seen.kind or of_type.kind, seen.resource or of_type.resource
    item = {
        "id": item_id(owner, kind, resource, seen.subject, seen.member),
        "kind": kind,
        "type": seen.type,
        "resource": resource,
        "subject": seen.subject,
        "member": seen.member,
        "severity": of_type.severity if kind == of_type.kind else "low",
        "is": seen.present,
        "should_be": seen.desired,
        "first_seen": at,
        "waived": False,
        "carried": False,
    }
    return {**item, "message": sentence(item) + seen.remark}


def in_order(items: t.Iterable[Item]) -> list[Item]:
    """By kind, severity, resource, subject and member; carried ones last."""
    return sorted(items, key=_place)


def _place(item: Item) -> tuple[Json, ...]:
    return (
        item["carried"],
        *(_ORDER.get(item[name], len(_ORDER)) for name in ("kind", "severity", "resource")),
        item["subject"] or "",
        item["member"] or "",
        item["id"],
    )


def counting(items: t.Iterable[Item]) -> list[Item]:
    """The items that decide: neither waived nor carried over from an earlier report."""
    return [item for item in items if not item["waived"] and not item["carried"]]


def subject_words(item: Item) -> str:
    """The subject as a user reads it: that of a script's finding is JSON, here its URL, the host of the page, and the entry."""
    subject: str = item["subject"] or ""
    if item["type"] in ("expired_waiver", "unmatched_waiver"):
        return _waiver_words(subject)
    if item["resource"] != "scripts":
        return subject
    parts = _parsed(subject)
    if not isinstance(parts, list) or len(parts) != 3:
        return subject
    script = " on ".join(str(part) for part in parts[:2] if part)
    entry = f"entry {parts[2]}" if parts[2] else ""
    return f"{script} ({entry})" if script and entry else script or entry


def _waiver_words(subject: str) -> str:
    waiver = _parsed(subject)
    if not isinstance(waiver, dict):
        return subject
    named = [f"{name} {waiver[name]}" for name in ("zone", "resource", "type", "member", "subject") if waiver.get(name)]
    return f"waiver for {', '.join(named) or 'everything'}"


def _parsed(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def count_types(items: t.Iterable[Item]) -> dict[str, int]:
    """The number of items of each known type of finding or note."""
    numbers = collections.Counter(item["type"] for item in items if item["kind"] != DIFFERENCE)
    return {name: numbers[name] for name in TYPES}
