# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._errors import BAD_RESPONSE, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._listed_zones import (
    PAGES_SIDE_BY_SIDE,
    PER_PAGE,
    Filters,
    hosts,
    is_selected,
    query,
)
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._zone_id import is_zone_id


class Zone(t.NamedTuple):
    """A zone that is watched: its id, its name if that is known, and its name as a host of an inventory."""

    id: str
    name: str | None = None
    host: str | None = None


def discover(client: Client, filters: Filters) -> tuple[Zone, ...]:
    """Return the zones that the credentials may see and that meet the filters."""
    listed = client.items("zones.list", query=query(filters), per_page=PER_PAGE, parallel=PAGES_SIDE_BY_SIDE)
    return with_hosts((item["id"], item["name"]) for item in map(_checked, listed) if is_selected(item, filters))


def with_hosts(zones: t.Iterable[tuple[str, str | None]]) -> tuple[Zone, ...]:
    """Return zones with their names as hosts of the inventory, where their names are known."""
    names = dict(zones)
    named = dict(hosts((zone_id, name) for zone_id, name in names.items() if name))
    return tuple(Zone(zone_id, name, named.get(zone_id)) for zone_id, name in names.items())


def name_of(client: Client) -> str | None:
    """Return the name of the client's zone."""
    name = client.call("zones.get").result.get("name")
    return name if isinstance(name, str) and name else None


def _checked(zone: Json) -> t.Mapping[str, Json]:
    is_sound = (
        isinstance(zone, dict)
        and isinstance(zone.get("id"), str)
        and is_zone_id(zone["id"])
        and isinstance(zone.get("name"), str)
        and isinstance(zone.get("account"), (dict, type(None)))
    )
    if not is_sound:
        raise Failure(BAD_RESPONSE, "The listing of zones holds one without a usable id or name.")
    return t.cast("t.Mapping[str, Json]", zone)
