# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._address import without_ids
from ...module_utils._text import line
from .document import Row
from .facts import DIFFERENCE, GAPS_OF_TYPES, GATES_OF_KINDS, STAND_INS, TYPES, UNAUDITED
from .items import counting
from .lines import about, error_text

# What `fail_on` refuses: what a host has, and what this run was to judge of it and could not.

_MAX_NAMED = 10
_MAX_REASON = 2000


def refused(row: Row, fail_on: t.Sequence[str]) -> dict[str, str]:
    """Return why `fail_on` refuses a host, by what it names: a status, a kind of items whatever the status, or a type of them.

    A type of items also refuses a host of which this run was to judge them and could not.
    """
    items = counting(row["items"])
    reasons: dict[str, str] = {}
    for name in fail_on:
        kind = GATES_OF_KINDS.get(name)
        named = [item for item in items if (item["kind"] == kind if kind else item["type"] == name)]
        if name == row["status"] == UNAUDITED:
            reasons[name] = error_text(row)
        elif named:
            more = f" (and {len(named) - 1} more)" if len(named) > 1 else ""
            reasons[name] = f"{about(named[0])}: {named[0]['message']}{more}"
        elif name == row["status"] and not kind:
            reasons[name] = "nothing is declared for it"
        elif name in TYPES and row["status"] == UNAUDITED:
            reasons[name] = f"not known, {error_text(row)}"
        elif name in TYPES and (reason := unjudged(row, name)):
            reasons[name] = reason
    return reasons


def failed_hosts(rows: t.Iterable[Row], fail_on: t.Sequence[str]) -> dict[str, str]:
    """Return the hosts that `fail_on` refuses, each with its own reasons; zones of several accounts may have one name.

    Without the ids of zones in addresses, which the task that failed has shown, ansible-core prints equal reasons of several hosts once.
    """
    texts: dict[str, list[str]] = {}
    for row in rows:
        for name, text in refused(row, fail_on).items():
            texts.setdefault(row["zone"], []).append(text if name == UNAUDITED else f"fail_on {name}: {text}")
    return {zone: line(without_ids("; ".join(reasons)), _MAX_REASON) for zone, reasons in texts.items()}


def summary(rows: t.Sequence[Row], fail_on: t.Sequence[str]) -> str:
    """Return what `fail_on` refuses, with the hosts of each name."""
    refusals = [(row["zone"], refused(row, fail_on)) for row in rows]
    named = {name: [zone for zone, reasons in refusals if name in reasons] for name in fail_on}
    return "; ".join(f"{name} in {_named(zones)}" for name, zones in named.items() if zones)


def _named(zones: t.Sequence[str]) -> str:
    more = f" and {len(zones) - _MAX_NAMED} more" if len(zones) > _MAX_NAMED else ""
    return ", ".join(line(zone, 100) for zone in zones[:_MAX_NAMED]) + more


def unjudged(row: Row, name: str) -> str:
    """Return why items of a type could not be judged in a zone that was read; "" if they could."""
    for item in counting(row["items"]):
        # Whether the monitor is on is read of every zone of a survey, the scripts only where they are asked for.
        is_asked = item["resource"] != "script_monitor" or "scripts" in row["resources"]
        # A note about the items of one type, such as a budget, says nothing of the others.
        is_of = item["member"] not in TYPES or item["member"] in (item["type"], name)
        if (item["resource"], item["type"]) in STAND_INS.get(name, ()) and is_asked and is_of:
            return f"not known, {about(item)}: {item['is']}"
        if item["kind"] != DIFFERENCE and item["type"] not in TYPES:
            return f"not known, {about(item)}: this version does not know the type {item['type']}"
    part = GAPS_OF_TYPES.get(name)
    gap = next((gap for gap in row["not_audited"] or () if gap["asked"] and gap["part"] == part), None)
    return f"not known, {gap['part']}: {gap['reason']}" if gap else ""
