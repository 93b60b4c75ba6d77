# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Waivers: accepted differences and findings, each with a reason, an owner and a last day.
import fnmatch
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import FINDING
from ansible_collections.edgeops.observability.plugins.module_utils._report.items import (
    Item,
    Observation,
    compact,
    in_order,
    items_of,
)
from ansible_collections.edgeops.observability.plugins.module_utils._times import need_date

MEMBER = "waiver"
PATTERNS = ("zone", "resource", "member", "subject")
_NEEDED = ("reason", "owner", "until")
MEMBERS = (*PATTERNS, *_NEEDED)


class Waiver(t.NamedTuple):
    """A waiver with its patterns compiled; an omitted pattern fits everything."""

    given: dict[str, str | None]
    patterns: tuple[re.Pattern[str] | None, ...]

    def fits(self, zone: str, item: Item) -> bool:
        """Whether the waiver names this item of this zone; it never names what an expired waiver left behind."""
        texts = (zone, item["resource"], item["member"] or "", item["subject"] or "")
        return item["member"] != MEMBER and all(
            pattern is None or pattern.match(text) for pattern, text in zip(self.patterns, texts, strict=True)
        )

    def is_expired(self, at: str) -> bool:
        """Whether its last day is over at that moment, in UTC."""
        return (self.given["until"] or "") < at[:10]


def parse_waivers(given: t.Sequence[t.Mapping[str, Json]], place: str = "waivers") -> tuple[Waiver, ...]:
    """Waivers, each with reason, owner and a date; raise `invalid_option` with the path of what is missing."""
    found = (_parse(f"{place}[{number}]", waiver) for number, waiver in enumerate(given))
    return tuple({compact(waiver.given): waiver for waiver in found}.values())


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


def apply_waivers(rows: t.Sequence[dict[str, Json]], waivers: t.Sequence[Waiver], at: str) -> list[dict[str, Json]]:
    """Mark the items that a waiver names, and add a finding for each waiver that expired and still names one.

    Returns the waivers as the report shows them, with the ids of the items that they name.
    """
    named: list[set[str]] = [set() for _waiver in waivers]
    for row in rows:
        late: list[Observation] = []
        for item in row["items"]:
            if item["carried"]:
                continue
            fitting = [place for place, waiver in enumerate(waivers) if waiver.fits(row["zone"], item)]
            item["waived"] = any(not waivers[place].is_expired(at) for place in fitting)
            for place in fitting:
                named[place].add(item["id"])
            late += [_expired(waivers[place], item) for place in fitting if waivers[place].is_expired(at)]
        row["items"] = in_order([*row["items"], *items_of(row["zone_id"], late, at)])
    return [
        {**waiver.given, "expired": waiver.is_expired(at), "items": sorted(ids)}
        for waiver, ids in zip(waivers, named, strict=True)
    ]


def _expired(waiver: Waiver, item: Item) -> Observation:
    message = f"the waiver of {waiver.given['owner']} ended on {waiver.given['until']}: {waiver.given['reason']}"
    return Observation(FINDING, item["resource"], compact(waiver.given), MEMBER, "medium", message)
