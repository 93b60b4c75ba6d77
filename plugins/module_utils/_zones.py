# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from ._core import Json

_ZONE_ID = re.compile(r"[0-9a-fA-F]{1,32}")


def is_zone_id(text: str) -> bool:
    """Return whether a text is 1 to 32 hexadecimal digits."""
    return bool(_ZONE_ID.fullmatch(text))


"""How zones are listed, selected and named as hosts, by the inventory and by the event source."""


PER_PAGE = 50
PAGES_SIDE_BY_SIDE = 4

Filters = t.Mapping[str, t.Sequence[str]]

# A host name is used in patterns, in paths and on terminals.
_HOST_NAME = re.compile(r"(?!.*\.\.)\w[\w.-]{0,252}")
_RESERVED = frozenset(("all", "ungrouped", "_meta", "localhost", "localhost.localdomain", "127.0.0.1"))


def query(filters: Filters) -> dict[str, str]:
    """Return the filters with one value, which the API supports as well; it accepts no lists.

    Zones are named in lower case, and whether the API compares another spelling of a name is not known.
    """
    names = filters["names"] if all(name == name.lower() for name in filters["names"]) else ()
    known = {"name": names, "status": filters["statuses"], "account.id": filters["account_ids"]}
    return {name: values[0] for name, values in known.items() if len(values) == 1}


def is_selected(zone: t.Mapping[str, Json], filters: Filters) -> bool:
    """Return whether a zone has one of the values of each filter that is set."""
    account = zone.get("account") or {}
    return (
        (not filters["names"] or zone["name"].lower() in {name.lower() for name in filters["names"]})
        and (not filters["statuses"] or zone.get("status") in filters["statuses"])
        and (not filters["account_ids"] or account.get("id") in filters["account_ids"])
    )


def host_name(name: str, zone_id: str) -> str:
    """Return the name of a zone as that of a host; an unsafe or reserved one has the id appended."""
    if _HOST_NAME.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return f"{re.sub(r'^-|[^a-zA-Z0-9_-]+', '_', name)[:200]}_{zone_id}"


def hosts(zones: t.Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the ids of zones, given with their names, and their names as hosts, of which no two are the same."""
    used: set[str] = set()
    found: list[tuple[str, str]] = []
    for zone_id, name in sorted(zones, key=lambda zone: (zone[1], zone[0])):
        host = host_name(name, zone_id)
        while host in used:
            host = f"{host}_{zone_id}"
        used.add(host)
        found.append((zone_id, host))
    return found
