# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._core import Json, invalid_option
from .._text import did_you_mean, nearest
from .destructive import DESTRUCTIVE

MANAGED = ("custom_fields", "jobs", "script_monitor")
DEFAULT_THRESHOLD = "30%"
# Below this number of zones one zone is a large part of them, and no threshold applies unless it is given.
MIN_ZONES_FOR_DEFAULT = 10
_THRESHOLD = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(%?)")


class Threshold(t.NamedTuple):
    """At most so many zones, as the user wrote it: a number, or a percentage of all zones of the run."""

    text: str
    number: float
    percent: bool

    def exceeded(self, count: int, total: int) -> bool:
        """Whether so many zones are too many; exactly the threshold is not."""
        return count * 100 > self.number * total if self.percent else count > self.number


class Zone(t.NamedTuple):
    """One zone of the run: its predicted result, or why there is none, and what it allows (None: nothing was given for it)."""

    name: str
    zone_id: str
    result: t.Mapping[str, Json]
    error: str
    allow: tuple[str, ...] | None

    @property
    def changed(self) -> bool:
        """Whether a delivery would write to the zone."""
        return any(bool((self.result.get(name) or {}).get("changed")) for name in MANAGED)

    @property
    def plan_ids(self) -> dict[str, str | None]:
        """The plan of each resource, None for one that is left alone."""
        return {name: (self.result.get(name) or {}).get("plan_id") for name in MANAGED}


class Desired(t.NamedTuple):
    """What the guard evaluates, and by which rules; None is a rule that was not given."""

    zones: tuple[Zone, ...]
    max_destructive_zones: Threshold | None
    max_changed_zones: Threshold | None
    allow: tuple[str, ...] | None
    approved_plan_id: str | None
    approved_plan: str | None
    deliver_partial: bool


def desire(params: t.Mapping[str, t.Any]) -> Desired:
    """The rules and zones in validated options."""
    if not params["guard"] and (params["approved_plan_id"] is not None or params["approved_plan"] is not None):
        name = "approved_plan_id" if params["approved_plan_id"] is not None else "approved_plan"
        raise invalid_option(name, "needs the guard: without it a run is one phase, and no plan is compared")
    zones = tuple(
        _zone(f"zones[{index}]", zone, params["zone_allow"].get(zone.get("zone")))
        for index, zone in enumerate(params["zones"] or ())
    )
    if params["zones"] == []:
        raise invalid_option("zones", "is empty: there is no zone to deliver to")
    return Desired(
        zones=tuple(sorted(zones, key=lambda zone: (zone.name, zone.zone_id))),
        max_destructive_zones=_threshold("max_destructive_zones", params["max_destructive_zones"]),
        max_changed_zones=_threshold("max_changed_zones", params["max_changed_zones"]),
        allow=parse_allow("allow", params["allow"]),
        approved_plan_id=params["approved_plan_id"],
        approved_plan=params["approved_plan"],
        deliver_partial=params["deliver_partial"],
    )


def parse_allow(place: str, given: Json) -> tuple[str, ...] | None:
    """The names of allowed changes, given as a list or as text with commas; None where nothing is given."""
    if given is None or given is False:
        return None
    if not isinstance(given, (list, tuple, str)):
        raise invalid_option(place, "is no list of names")
    names = [name.strip() for name in given.split(",") if name.strip()] if isinstance(given, str) else list(given)
    for index, name in enumerate(names):
        if name not in DESTRUCTIVE:
            hint = did_you_mean(nearest(str(name), DESTRUCTIVE)) or f"; the names are {', '.join(DESTRUCTIVE)}"
            raise invalid_option(f"{place}[{index}]", f"{name!r} is not the name of a destructive change{hint}")
    return tuple(dict.fromkeys(names))


def _threshold(place: str, text: str | None) -> Threshold | None:
    if text is None or not text.strip():
        return None
    found = _THRESHOLD.fullmatch(text.strip())
    if not found or (found[2] and float(found[1]) > 100) or (not found[2] and "." in found[1]):
        raise invalid_option(place, f"{text!r} is neither a number of zones nor a percentage of 0% to 100%")
    return Threshold(text.strip(), float(found[1]), bool(found[2]))


def _zone(place: str, given: t.Mapping[str, Json], allow: Json) -> Zone:
    result, error = given.get("result") or {}, given.get("error") or {}
    # A zone whose variables do not even name it has an error in place of an id.
    for name in ("zone",) if error and given.get("zone_id") is None else ("zone", "zone_id"):
        if not isinstance(given.get(name), str):
            raise invalid_option(f"{place}.{name}", "is missing, or no text")
    for name, value in (("result", result), ("error", error)):
        if not isinstance(value, dict):
            raise invalid_option(f"{place}.{name}", "is no mapping")
    for name in MANAGED:
        part = result.get(name) or {}
        if not isinstance(part, dict) or (part.get("changed") and not isinstance(part.get("diff"), dict)):
            raise invalid_option(f"{place}.result.{name}", "has no diff: predict it in check mode with diff")
    if isinstance(allow, str) and "{{" in allow:
        allow = []  # what ansible-core before 2.19 leaves of a variable that cannot be evaluated allows nothing
    message = str(error.get("message") or error.get("kind") or "it could not be predicted") if error else ""
    return Zone(given["zone"], given.get("zone_id") or "", result, message, parse_allow(f"zone_allow.{given['zone']}", allow))
