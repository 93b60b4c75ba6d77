# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._errors import BAD_RESPONSE, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._zone_id import is_zone_id

_PER_PAGE = 50
_PAGES_SIDE_BY_SIDE = 4
# What the inventory plugin names a host; a test compares the two.
_HOST_NAME = re.compile(r"(?!.*\.\.)\w[\w.-]{0,252}")
_RESERVED = frozenset(("all", "ungrouped", "_meta", "localhost", "localhost.localdomain", "127.0.0.1"))


class Zone(t.NamedTuple):
    """A zone that is watched: its id, its name if that is known, and its name as a host of an inventory."""

    id: str
    name: str | None = None
    host: str | None = None


def discover(client: Client, filters: t.Mapping[str, t.Sequence[str]]) -> tuple[Zone, ...]:
    """Return the zones that the credentials may see and that meet the filters."""
    listed = client.items("zones.list", query=_query(filters), per_page=_PER_PAGE, parallel=_PAGES_SIDE_BY_SIDE)
    return with_hosts((item["id"], item["name"]) for item in map(_checked, listed) if _matches(item, filters))


def with_hosts(zones: t.Iterable[tuple[str, str | None]]) -> tuple[Zone, ...]:
    """Return zones with the host names of the inventory plugin: unsafe names, and all but the first of several, have the id appended."""
    used: set[str] = set()
    named: list[Zone] = []
    for zone_id, name in sorted(zones, key=lambda zone: (zone[1] or "", zone[0])):
        host = _host(name, zone_id) if name else None
        while host in used:
            host = f"{host}_{zone_id}"
        named.append(Zone(zone_id, name, host))
        used.update([host] if host else ())
    return tuple(named)


def _host(name: str, zone_id: str) -> str:
    if _HOST_NAME.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return f"{re.sub(r'[^a-zA-Z0-9_-]+', '_', name)[:200]}_{zone_id}"


def name_of(client: Client) -> str | None:
    """Return the name of the client's zone."""
    name = client.call("zones.get").result.get("name")
    return name if isinstance(name, str) and name else None


def _query(filters: t.Mapping[str, t.Sequence[str]]) -> dict[str, str]:
    """Return the filters that the service has too, where they hold one value; it takes no lists of them."""
    known = {"name": filters["names"], "status": filters["statuses"], "account.id": filters["account_ids"]}
    return {name: values[0] for name, values in known.items() if len(values) == 1}


def _matches(zone: t.Mapping[str, Json], filters: t.Mapping[str, t.Sequence[str]]) -> bool:
    account = zone.get("account") or {}
    return (
        (not filters["names"] or zone["name"].lower() in {name.lower() for name in filters["names"]})
        and (not filters["statuses"] or zone.get("status") in filters["statuses"])
        and (not filters["account_ids"] or account.get("id") in filters["account_ids"])
    )


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
