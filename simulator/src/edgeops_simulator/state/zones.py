# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator.state.zone import Zone

_NAME_OPERATORS: t.Mapping[str, t.Callable[[str, str], bool]] = {
    "equal": lambda name, text: name == text,
    "not_equal": lambda name, text: name != text,
    "starts_with": lambda name, text: name.startswith(text),
    "ends_with": lambda name, text: name.endswith(text),
    "contains": lambda name, text: text in name,
}


def _name_fits(name: str, condition: str) -> bool:
    operator, colon, text = condition.partition(":")
    if colon and operator in _NAME_OPERATORS:
        return _NAME_OPERATORS[operator](name.lower(), text.lower())
    return name.lower() in [item.strip().lower() for item in condition.split(",")]


def select(zones: t.Iterable[Zone], query: t.Mapping[str, str]) -> list[Zone]:
    """The zones that the query asks for, in the order it asks for."""
    found = [
        zone
        for zone in zones
        if (not query.get("name") or _name_fits(zone.name, query["name"]))
        and (not query.get("status") or zone.status == query["status"])
        and (not query.get("account.id") or zone.account.get("id") == query["account.id"])
        and (not query.get("account.name") or _name_fits(zone.account.get("name", ""), query["account.name"]))
    ]
    if query.get("order") in ("name", "status"):
        found.sort(key=lambda zone: str(getattr(zone, query["order"])))
    elif query.get("order") == "account.id":
        found.sort(key=lambda zone: str(zone.account.get("id")))
    if query.get("direction") == "desc":
        found.reverse()
    return found
