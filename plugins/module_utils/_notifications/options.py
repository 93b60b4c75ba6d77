# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import HOLDS_DATA, STATE_OPTION, Json, invalid_option
from .._text import json_type
from .facts import MAX_HISTORY_DAYS, MECHANISMS

# One of these is required to identify a policy.
IDENTITY = ("name", "policy_id")

OPTIONS: dict[str, dict[str, t.Any]] = {
    **STATE_OPTION,
    "name": {"type": "str", HOLDS_DATA: True},
    "policy_id": {"type": "str"},
    "alert_type": {"type": "str"},
    "mechanisms": {
        "type": "dict",
        "options": {name: {"type": "list", "elements": "str", HOLDS_DATA: True} for name in MECHANISMS},
    },
    "filters": {"type": "dict", HOLDS_DATA: True},
    "description": {"type": "str", HOLDS_DATA: True},
    "enabled": {"type": "bool"},
    "alert_interval": {"type": "str"},
}

Params = t.Mapping[str, t.Any]


class DesiredPolicy(t.NamedTuple):
    """The desired state of a notification policy; None stands for an omitted option.

    `mechanisms` has the types that are given; its webhooks are ids or names.
    """

    present: bool
    name: str | None
    policy_id: str | None
    alert_type: str | None
    mechanisms: t.Mapping[str, tuple[str, ...]]
    filters: t.Mapping[str, tuple[str, ...]] | None
    plain: t.Mapping[str, Json]


class PolicyQuery(t.NamedTuple):
    """Which policies to report; None for any. `history_days`: so many days of what was sent, 0 for none."""

    name: str | None = None
    policy_id: str | None = None
    history_days: int = 0


INFO_OPTIONS: dict[str, dict[str, t.Any]] = {
    "name": {"type": "str", HOLDS_DATA: True},
    "policy_id": {"type": "str"},
    "history_days": {"type": "int", "default": 0},
}


def desire(params: Params) -> DesiredPolicy:
    for option in ("name", "policy_id", "alert_type"):
        if params[option] == "":
            raise invalid_option(option, "is empty")
    mechanisms = {name: values for name, values in (params["mechanisms"] or {}).items() if values is not None}
    for name, values in mechanisms.items():
        for index, value in enumerate(values):
            if not value.strip():
                raise invalid_option(f"mechanisms.{name}[{index}]", "is empty")
    return DesiredPolicy(
        present=params["state"] == "present",
        name=params["name"],
        policy_id=params["policy_id"],
        alert_type=params["alert_type"],
        mechanisms={name: tuple(sorted({value.strip() for value in values})) for name, values in mechanisms.items()},
        filters=None if params["filters"] is None else _filters(params["filters"]),
        plain={name: params[name] for name in ("description", "enabled", "alert_interval") if params[name] is not None},
    )


def _filters(filters: t.Mapping[str, Json]) -> dict[str, tuple[str, ...]]:
    """Return the filters that restrict something; an empty one is the same as none."""
    texts: dict[str, tuple[str, ...]] = {}
    for name, values in filters.items():
        items = values if isinstance(values, list) else [values]
        for index, value in enumerate(items):
            place = f"filters.{name}[{index}]" if isinstance(values, list) else f"filters.{name}"
            if not isinstance(value, str):
                raise invalid_option(place, f"must be a string, not {json_type(value)}; quote it")
            if not value.strip():
                raise invalid_option(place, "is empty; an empty list is the same as no filter")
        texts[name] = tuple(sorted(set(map(str, items))))
    return {name: values for name, values in sorted(texts.items()) if values}


def desire_report(params: Params) -> PolicyQuery:
    days = params["history_days"]
    if not 0 <= days <= MAX_HISTORY_DAYS:
        raise invalid_option("history_days", f"{days} is not between 0 and {MAX_HISTORY_DAYS}")
    return PolicyQuery(params["name"], params["policy_id"], days)
