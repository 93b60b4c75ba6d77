# SPDX-License-Identifier: GPL-3.0-or-later
"""Content security rules (policies, in the API of Page Shield), and the violations that browsers reported."""

from __future__ import annotations

import copy
import typing as t

from edgeops_simulator import clock
from edgeops_simulator.state.part import BadSeed, Document, JobIds, Table
from edgeops_simulator.state.rulesets import new_id

PHASE = "http_response_page_shield"
_USUAL: Document = {"action": "log", "description": "", "enabled": True, "expression": "true", "value": "script-src 'self'"}
_REPORT: Document = {
    **dict.fromkeys(("policy_id", "url", "url_host", "host", "page_url"), ""),
    "action": "log",
    "directive": "script-src",
    "resource_type": "script",
    "count": 1,
    "sample_interval": 1,
}


class Policies(Table):
    """The content security rules of a zone, by id."""

    members: t.ClassVar[t.Mapping[str, type]] = {"id": str}

    def add(self, ids: JobIds, item: Document, index: int) -> None:
        made = {"id": new_id(), **_USUAL, **copy.deepcopy(item)}
        # Recorded answers may contain it as text.
        self[made["id"]] = {**made, "enabled": made["enabled"] in (True, "true")}


class Violations(Table):
    """Groups of reports by browsers about resources that a rule blocks, or would block."""

    in_log = False
    members: t.ClassVar[t.Mapping[str, type]] = {"datetime": str, **{name: type(value) for name, value in _REPORT.items()}}

    def add(self, ids: JobIds, item: Document, index: int) -> None:
        try:
            moment = clock.read(item["datetime"]) if item.get("datetime") else clock.stamp_seconds()
        except ValueError as problem:
            raise BadSeed(f"datetime of a violation: {problem}") from None
        self[len(self)] = {**_REPORT, **item, "datetime": moment}


def entry_point(policies: Policies, zone_id: str) -> Document:
    """Return the ruleset of the phase of these rules."""
    rules = [
        {"id": rule["id"], "version": "1", "ref": rule["id"], "last_updated": clock.stamp(), "action_parameters": {}}
        | {name: rule[name] for name in ("action", "description", "enabled", "expression")}
        for rule in policies.values()
    ]
    named = {"id": f"{zone_id[:31]:0<31}c", "name": "default", "description": "", "kind": "zone", "phase": PHASE}
    return {**named, "version": "1", "last_updated": clock.stamp(), "rules": rules}
