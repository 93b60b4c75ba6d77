# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import fnmatch
import re
import typing as t

from .._core import Json, invalid_option
from .._text import need_date
from .facts import FINDING
from .findings import Item, Observation, compact, in_order, items_of

Row = dict[str, Json]

# Waivers: accepted differences and findings, each with a reason, an owner and a last day.


MEMBER = "waiver"
PATTERNS = ("zone", "resource", "member", "subject")
_NEEDED = ("reason", "owner", "until")
MEMBERS = (*PATTERNS, *_NEEDED)


class Waiver(t.NamedTuple):
    """A waiver with its patterns compiled; an omitted pattern fits everything.

    One of a merged report names no item but those that it named there.
    """

    given: dict[str, str | None]
    patterns: tuple[re.Pattern[str] | None, ...]
    only: frozenset[str] | None = None

    def fits(self, zone: str, item: Item) -> bool:
        """Whether the waiver names this item of this zone; it never names what an expired waiver left behind."""
        texts = (zone, item["resource"], item["member"] or "", item["subject"] or "")
        if is_expired_waiver(item) or (self.only is not None and item["id"] not in self.only):
            return False
        return all(pattern is None or pattern.match(text) for pattern, text in zip(self.patterns, texts, strict=True))

    def covers(self, zone: str) -> bool:
        """Whether the waiver may name an item of this zone."""
        pattern = self.patterns[PATTERNS.index("zone")]
        return pattern is None or pattern.match(zone) is not None

    def is_expired(self, at: str) -> bool:
        """Whether its last day is over at that moment, in UTC."""
        return (self.given["until"] or "") < at[:10]


def parse_waivers(given: t.Sequence[t.Mapping[str, Json]], place: str = "waivers") -> tuple[Waiver, ...]:
    """Waivers, each with reason, owner and a date; raise `invalid_option` with the path of what is missing."""
    found = (_parse(f"{place}[{number}]", waiver) for number, waiver in enumerate(given))
    return tuple({_key(waiver.given): waiver for waiver in found}.values())


def merged_waivers(given: t.Sequence[t.Mapping[str, Json]], place: str) -> tuple[Waiver, ...]:
    """The waivers of a report that is merged, as they applied to its own rows."""
    plain = parse_waivers([{name: waiver.get(name) for name in MEMBERS} for waiver in given], place)
    named: dict[str, set[str]] = {}
    for waiver in given:
        named.setdefault(_key(waiver), set()).update(waiver.get("items") or ())
    return tuple(waiver._replace(only=frozenset(named.get(_key(waiver.given), ()))) for waiver in plain)


def is_expired_waiver(item: Item) -> bool:
    """Whether an item is the finding that a waiver expired; its subject is an object, that of a script's finding a list."""
    return (item["kind"], item["member"]) == (FINDING, MEMBER) and str(item["subject"]).startswith("{")


def _key(waiver: t.Mapping[str, Json]) -> str:
    """Equal for waivers that say the same."""
    return compact({name: waiver.get(name) for name in MEMBERS})


def _parse(place: str, waiver: t.Mapping[str, Json]) -> Waiver:
    for name in _NEEDED:
        if not str(waiver.get(name) or "").strip():
            raise invalid_option(f"{place}.{name}", "needed, so that a waiver can be reviewed")
    for name in PATTERNS:
        if waiver.get(name) is not None and not str(waiver[name]).strip():
            raise invalid_option(
                f"{place}.{name}", "an empty pattern; omit it, or write '*', for a waiver that covers everything"
            )
    until = need_date(f"{place}.until", str(waiver["until"]))
    plain: dict[str, str | None] = {name: waiver.get(name) for name in PATTERNS}
    plain.update(reason=str(waiver["reason"]), owner=str(waiver["owner"]), until=until)
    return Waiver(plain, tuple(_compiled(plain[name]) for name in PATTERNS))


def _compiled(pattern: str | None) -> re.Pattern[str] | None:
    return None if pattern is None else re.compile(fnmatch.translate(pattern), re.DOTALL)


def apply_waivers(
    rows: t.Sequence[tuple[Row, t.Sequence[Waiver]]], at: str, waivers: t.Sequence[Waiver]
) -> tuple[list[Row], list[dict[str, Json]]]:
    """Mark the items that a waiver of their row names, and add a finding for each waiver that expired and still names one.

    Returns the rows, and the waivers as the report shows them, with the ids of the items that they name; `waivers` come first.
    """
    shown = {_key(waiver.given): (waiver, set[str]()) for waiver in _each_once([waivers, *(own for _row, own in rows)])}
    found = []
    for row, applicable in rows:
        near = [waiver for waiver in applicable if waiver.covers(row["zone"])]
        items: list[Item] = []
        late: list[Observation] = []
        for item in row["items"]:
            fitting = [] if item["carried"] else [waiver for waiver in near if waiver.fits(row["zone"], item)]
            for waiver in fitting:
                shown[_key(waiver.given)][1].add(item["id"])
            late += [_expired(waiver, item) for waiver in fitting if waiver.is_expired(at)]
            waived = any(not waiver.is_expired(at) for waiver in fitting)
            items.append(item if item["carried"] else {**item, "waived": waived})
        found.append({**row, "items": in_order([*items, *items_of(row["zone_id"], late, at)])})
    return found, [{**waiver.given, "expired": waiver.is_expired(at), "items": sorted(ids)} for waiver, ids in shown.values()]


def _each_once(sources: t.Iterable[t.Sequence[Waiver]]) -> list[Waiver]:
    """Of waivers that say the same the first; many rows share one source."""
    listed: dict[str, Waiver] = {}
    for source in {id(each): each for each in sources}.values():
        for waiver in source:
            listed.setdefault(_key(waiver.given), waiver)
    return list(listed.values())


def _expired(waiver: Waiver, item: Item) -> Observation:
    message = f"the waiver of {waiver.given['owner']} ended on {waiver.given['until']}: {waiver.given['reason']}"
    return Observation(FINDING, item["resource"], compact(waiver.given), MEMBER, "medium", message)
