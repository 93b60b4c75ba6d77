# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import fnmatch
import re
import typing as t

from ...module_utils._core import Json, invalid_option
from ...module_utils._schema import completed
from ...module_utils._text import canonical, did_you_mean, nearest, need_date, quoted
from .document import Item, Row, WaiverRow, identity
from .facts import DIFFERENCE, EXPIRED, OF_ITEMS, OF_WAIVERS, PATTERNS, RESOURCES, TYPES, UNAUDITED, UNMATCHED, type_of
from .items import Problem, in_order, items_of, problem

# Waivers: accepted differences and findings, each with a reason, an owner and a last day.

_NEEDED = ("reason", "owner", "until")
MEMBERS = (*PATTERNS, *_NEEDED)
# The names that these patterns must match.
_NAMES: t.Mapping[str, t.Sequence[str]] = {"resource": RESOURCES, "type": (DIFFERENCE, *TYPES)}


class Waiver(t.NamedTuple):
    """A waiver with its compiled patterns; an omitted pattern matches everything.

    The key is its members as JSON. The waiver of a merged report has no patterns: it covers only the items that it covered there.
    """

    members: WaiverRow
    key: str
    patterns: t.Mapping[str, re.Pattern[str]]
    only: frozenset[str] | None = None

    def covers(self, zone: str) -> bool:
        """Return whether the waiver may cover an item of this zone."""
        return self._matches("zone", zone)

    def fits(self, item: Item) -> bool:
        """Return whether the waiver covers this item of a zone that it covers; items about waivers are never covered."""
        if item["type"] in OF_WAIVERS or (self.only is not None and item["id"] not in self.only):
            return False
        return all(self._matches(name, item[name] or "") for name in OF_ITEMS)

    def could_show(self, row: Row) -> bool:
        """Return whether this run read what the waiver is about, so that it would have found an item."""
        looked = {*row["resources"], *(("fields",) if row["jobs"] is not None else ())}
        names = [name for name in RESOURCES if name in looked and self._matches("resource", name)]
        types = [type_name for type_name in _NAMES["type"] if self._matches("type", type_name)]
        return any(type_name == DIFFERENCE or type_of(type_name).resource in names for type_name in types) and bool(names)

    def is_expired(self, at: str) -> bool:
        """Return whether its last day is over at that time, in UTC."""
        return self.members["until"] < at[:10]

    def _matches(self, name: str, text: str) -> bool:
        return name not in self.patterns or self.patterns[name].match(text) is not None


def parse_waivers(waivers: t.Sequence[t.Mapping[str, Json]]) -> tuple[Waiver, ...]:
    """Return the waivers without duplicates; raise `invalid_option` with the path of what is missing or matches no name."""
    parsed = (_parse(f"waivers[{number}]", waiver) for number, waiver in enumerate(waivers))
    return tuple({waiver.key: waiver for waiver in parsed}.values())


def merged_waivers(rows: t.Iterable[WaiverRow]) -> tuple[Waiver, ...]:
    """Return the waivers of a merged report, as they applied to its own rows."""
    return tuple(_waiver(row, {}, frozenset(row["items"])) for row in rows)


def _waiver(
    waiver: t.Mapping[str, Json], patterns: t.Mapping[str, re.Pattern[str]], only: frozenset[str] | None = None
) -> Waiver:
    members = {name: waiver.get(name) for name in MEMBERS}
    return Waiver(completed(WaiverRow, members), canonical(members), patterns, only)


def _parse(place: str, waiver: t.Mapping[str, Json]) -> Waiver:
    for name in _NEEDED:
        if not str(waiver.get(name) or "").strip():
            raise invalid_option(f"{place}.{name}", "needed, so that a waiver can be reviewed")
    until = need_date(f"{place}.until", str(waiver["until"]))
    patterns: dict[str, re.Pattern[str]] = {}
    for name in PATTERNS:
        pattern = waiver.get(name)
        if pattern is None:
            continue
        pattern = str(pattern)
        if not pattern.strip():
            raise invalid_option(
                f"{place}.{name}", "an empty pattern; omit it, or write '*', for a waiver that covers everything"
            )
        patterns[name] = re.compile(fnmatch.translate(pattern), re.DOTALL)
        if name in _NAMES and not any(map(patterns[name].match, _NAMES[name])):
            hint = did_you_mean(nearest(pattern, _NAMES[name]))
            raise invalid_option(f"{place}.{name}", f"{quoted(pattern)} matches no {name}{hint}")
    return _waiver({**waiver, "until": until}, patterns)


def apply_waivers(
    rows: t.Sequence[tuple[Row, t.Sequence[Waiver]]], at: str, waivers: t.Sequence[Waiver]
) -> tuple[list[Row], list[WaiverRow]]:
    """Mark the items that a waiver of their row covers, and add a finding for each expired waiver that still covers one.

    Return the rows, and the waivers of the report with the ids of the items that they cover; `waivers` come first.
    """
    listed = {waiver.key: waiver for waiver in (*waivers, *(applied for _row, applicable in rows for applied in applicable))}
    covered: dict[str, set[str]] = {key: set() for key in listed}
    marked: list[Row] = []
    for row, applicable in rows:
        near = [waiver for waiver in applicable if waiver.covers(row["zone"])]
        items: list[Item] = []
        late: list[Problem] = []
        for item in row["items"]:
            fitting = [] if item["carried"] else [waiver for waiver in near if waiver.fits(item)]
            ended = [waiver for waiver in fitting if waiver.is_expired(at)]
            for waiver in fitting:
                covered[waiver.key].add(item["id"])
            for waiver in ended:
                message = "the waiver of {owner} ended on {until}: {reason}".format_map(waiver.members)
                late.append(problem(EXPIRED, waiver.key, message, member="waiver", resource=item["resource"]))
            items.append(item if item["carried"] else {**item, "waived": len(ended) < len(fitting)})
        marked.append({**row, "items": in_order([*items, *items_of(identity(row), late, at)])})
    return marked, [
        {**waiver.members, "expired": waiver.is_expired(at), "items": sorted(covered[key])} for key, waiver in listed.items()
    ]


def with_unmatched(
    rows: t.Iterable[Row],
    waivers: t.Sequence[Waiver],
    listed: t.Sequence[WaiverRow],
    inherited: t.Sequence[Row],
    elsewhere: t.Collection[str],
    at: str,
) -> list[Row]:
    """Add a note for each waiver of this run that covers nothing, although everything that it could cover was read.

    The note is in the first zone that the waiver could cover, or in the first of all. `listed` are the waivers with the ids of
    what they cover, beginning with those of this run; `inherited` are the rows with what this run did not judge, and `elsewhere` are zones
    outside this run.
    """
    rows = sorted(rows, key=lambda row: row["zone"])
    carried = [(row["zone"], item) for row in inherited for item in row["items"] if item["carried"]]
    for waiver, known in zip(waivers, listed, strict=False):
        near = [row for row in rows if waiver.covers(row["zone"])]
        unseen = any(row["carried"] or row["status"] == UNAUDITED for row in near) or any(map(waiver.covers, elsewhere))
        unseen = unseen or any(waiver.covers(zone) and waiver.fits(item) for zone, item in carried)
        if known["items"] or unseen or (near and not any(map(waiver.could_show, near))):
            continue
        first = next((row for row in near or rows if not row["carried"]), None)
        if first is not None:
            note = problem(UNMATCHED, waiver.key, "the waiver matches no difference, finding or note")
            items = in_order([*first["items"], *items_of(identity(first), [note], at)])
            rows = [{**row, "items": items} if row is first else row for row in rows]
    return rows
