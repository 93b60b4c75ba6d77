# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator.delivery.traffic import Pairs, Visit
from edgeops_simulator.rules.custom_fields import ACTION, KINDS
from edgeops_simulator.rules.rulesets import CUSTOM_FIELDS_PHASE
from edgeops_simulator.state import rulesets
from edgeops_simulator.state.owners import Zone

MAX_BYTES = 8 * 1024
_NEVER_LOGGED = ("range",)
Names = dict[str, dict[str, bool]]


def configured(zone: Zone) -> Names:
    """Return kind -> name -> whether all values are logged, from all enabled rules of the zone's entry point.

    Fields that the API would refuse are ignored; only a seed can contain them.
    """
    names: Names = {}
    entry_point = rulesets.entry_point(zone.rulesets, CUSTOM_FIELDS_PHASE) or {"rules": []}
    for rule in entry_point["rules"]:
        if rule.get("action") != ACTION or not rule.get("enabled", True):
            continue
        parameters = rule.get("action_parameters")
        for kind in KINDS if isinstance(parameters, dict) else ():
            items = parameters.get(kind)
            for item in items if isinstance(items, list) else ():
                if isinstance(item, dict) and isinstance(item.get("name"), str):
                    names.setdefault(kind, {})[item["name"]] = bool(item.get("preserve_duplicates"))
    return names


def truncated(value: str) -> str:
    """Cut a value to 8 KB, between characters."""
    data = value.encode("utf-8", "surrogatepass")
    return value if len(data) <= MAX_BYTES else data[:MAX_BYTES].decode("utf-8", "ignore")


def _picked(names: dict[str, bool], pairs: Pairs, *, headers: bool, all_values: bool = False) -> dict[str, t.Any]:
    """Return the first value of each name, or with `all_values` all values of the names whose duplicates are preserved."""
    picked: dict[str, t.Any] = {}
    for requested in [name for name, preserved in names.items() if preserved is all_values]:
        values = [truncated(v) for name, v in pairs if (name.lower() if headers else name) == requested]
        if values and not (headers and requested in _NEVER_LOGGED):
            picked[requested] = values if all_values else values[0]
    return picked


def members(names: Names, visit: Visit) -> dict[str, dict[str, t.Any]]:
    """Return the members of a log record for custom fields: the configured fields that the request or the response contains."""
    request = _picked(names.get("request_fields", {}), visit.request, headers=True)
    request.update(_picked(names.get("transformed_request_fields", {}), visit.transformed, headers=True))
    response, lists = (
        {
            **_picked(names.get("response_fields", {}), visit.response, headers=True, all_values=all_values),
            **_picked(names.get("raw_response_fields", {}), visit.raw_response, headers=True, all_values=all_values),
        }
        for all_values in (False, True)
    )
    cookies = _picked(names.get("cookie_fields", {}), visit.cookies, headers=False)
    return {"RequestHeaders": request, "ResponseHeaders": response, "ResponseFields": lists, "Cookies": cookies}
