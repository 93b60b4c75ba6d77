# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The results of `zone_variables_info` as options of the module that writes them.
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._adopt.common import JOBS
from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._zone_id import is_zone_id

_NAME = re.compile(r"[^\x00-\x1f\x7f/\\\ud800-\udfff]+")
_MAX_NAME_BYTES = 255
# The items of each list, and the texts that they hold.
_LISTS: t.Mapping[str, tuple[type, tuple[str, ...]]] = {
    "vault": (str, ()),
    "vault_destinations": (dict, ("destination_conf",)),
    "left_out": (dict, ("what", "why")),
    "notes": (str, ()),
}


def checked_zones(zones: t.Sequence[Json]) -> list[dict[str, Json]]:
    """The results of several zones, each with a name and an id of its own; other members are ignored."""
    found = [_checked(zone, f"zones[{index}]") for index, zone in enumerate(zones)]
    if not found:
        raise invalid_option("zones", "is empty: no zone could be read")
    names = [zone["zone"] for zone in found]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise invalid_option("zones", f"{repeated!r} is there more than once")
    hosts: dict[str, str] = {}
    for zone in found:
        other = hosts.setdefault(zone["zone_id"].lower(), zone["zone"])
        if other != zone["zone"]:
            raise invalid_option("zones", f"{other!r} and {zone['zone']!r} are both hosts of the zone {zone['zone_id']}")
    return found


def check_name(place: str, name: str) -> str:
    """A name that can be the name of a folder."""
    unfit = not _NAME.fullmatch(name) or name in (".", "..") or name.strip() != name
    if unfit or len(name.encode()) > _MAX_NAME_BYTES:
        raise invalid_option(place, f"{name!r} cannot be the name of a folder")
    return name


def _checked(zone: Json, place: str) -> dict[str, Json]:
    for name in ("zone", "zone_id"):
        if not isinstance(zone.get(name), str):
            raise invalid_option(f"{place}.{name}", "is missing, or no text")
    check_name(f"{place}.zone", zone["zone"])
    if not is_zone_id(zone["zone_id"]):
        raise invalid_option(f"{place}.zone_id", f"{zone['zone_id']!r} is not 1 to 32 hexadecimal digits")
    if not isinstance(zone.get("variables"), dict):
        raise invalid_option(f"{place}.variables", "is missing, or no dict")
    if not _holds(zone["variables"].get(JOBS, []), dict, ()):
        raise invalid_option(f"{place}.variables.{JOBS}", "is no list of mappings")
    for name, (type_, texts) in _LISTS.items():
        if not _holds(zone.get(name), type_, texts):
            raise invalid_option(f"{place}.{name}", "is missing, or no list as zone_variables_info returns it")
    return {name: zone[name] for name in ("zone", "zone_id", "variables", *_LISTS)}


def _holds(value: Json, type_: type, texts: t.Sequence[str]) -> bool:
    """Whether a value is a list of items of one type, which hold these texts."""
    items: list[Json] = value if isinstance(value, list) else [None]
    return all(isinstance(item, type_) for item in items) and all(
        isinstance(item.get(name), str) for item in items for name in texts
    )
