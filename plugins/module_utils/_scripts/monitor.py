# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import BAD_RESPONSE, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Answer, Conclusion, Json, Plan, Request

Status = dict[str, Json]


class Desired(t.NamedTuple):
    """Whether monitoring is to be on, and over which route."""

    enabled: bool
    route: str


def desire(params: t.Mapping[str, t.Any]) -> Desired:
    """The wanted state in validated options."""
    return Desired(params["enabled"], params["route"])


def present(status: t.Mapping[str, Json]) -> Status:
    """The two members of a status that are reported; `enabled` must be there, or nothing could be decided."""
    enabled = status.get("enabled")
    if not isinstance(enabled, bool):
        raise Failure(BAD_RESPONSE, f"The status of the script monitor has no true or false in 'enabled', but {enabled!r}.")
    return {"enabled": enabled, "updated_at": status.get("updated_at")}


def plan(desired: Desired, state: Status) -> Plan:
    """One PUT when the state differs, nothing otherwise; `updated_at` keeps its present value because only the service can move it."""
    before = {"enabled": state["enabled"]}
    after = {"enabled": desired.enabled}
    return Plan(
        before=before,
        after=after,
        result={"script_monitor": {**state, **after}},
        requests=() if before == after else (Request(f"{desired.route}.update", body=after),),
        basis={"route": desired.route, **before},
    )


def conclude(desired: Desired, state: Status, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
    """Verify the status in the answer to the write against the desired state."""
    answered = present(answers[-1].result)
    if answered["enabled"] is not desired.enabled:
        raise Failure(
            BAD_RESPONSE,
            f"The service was asked for enabled={desired.enabled} and answered with success, but says enabled={answered['enabled']}.",
        )
    return Conclusion({"script_monitor": answered})
