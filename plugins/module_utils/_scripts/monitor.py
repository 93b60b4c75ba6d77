# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from .._core import BAD_RESPONSE, DISABLE_MONITOR, Answer, Conclusion, Effect, Failure, Json, Plan, Request
from .._text import dict_of


class Status(t.TypedDict):
    """The status of a script monitor in results; the service may omit the time."""

    enabled: bool
    updated_at: Json


class DesiredMonitor(t.NamedTuple):
    """Whether monitoring has to be on, and the option `route`."""

    enabled: bool
    route: str


class MonitorState(t.NamedTuple):
    """The route that answered, the status in its answer, and the other settings, which a PUT of the status leaves as they are."""

    route: str
    status: Status
    other: t.Mapping[str, Json] = types.MappingProxyType({})

    def shown(self) -> dict[str, Json]:
        """Return the settings as results show them."""
        return {**self.status, "other": dict(self.other)}


def desire(params: t.Mapping[str, t.Any]) -> DesiredMonitor:
    return DesiredMonitor(params["enabled"], params["route"])


def read_status(status: t.Mapping[str, Json]) -> Status:
    """Return the members of a status that results contain; refuse one without `enabled`."""
    enabled = status.get("enabled")
    if not isinstance(enabled, bool):
        raise Failure(BAD_RESPONSE, f"The status of the script monitor has {enabled!r} in 'enabled' instead of true or false.")
    return {"enabled": enabled, "updated_at": status.get("updated_at")}


def read_monitor(route: str, settings: t.Mapping[str, Json]) -> MonitorState:
    """Return the settings in the answer of a route."""
    status = read_status(settings)
    return MonitorState(route, status, {name: value for name, value in settings.items() if name not in status})


def plan(desired: DesiredMonitor, state: MonitorState) -> Plan:
    """Plan one PUT if the state differs; `updated_at` keeps its current value because only the service can change it."""
    before = {"enabled": state.status["enabled"]}
    after = {"enabled": desired.enabled}
    return Plan(
        before=before,
        after=after,
        result={"script_monitor": {**state.shown(), **after}},
        requests=() if before == after else (Request(f"{state.route}.update", body=after),),
        basis={"route": state.route, **before},
        effects=(Effect(DISABLE_MONITOR),) if before["enabled"] and not after["enabled"] else (),
    )


def conclude(desired: DesiredMonitor, state: MonitorState, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
    """Verify the status in the answer to the write against the desired state."""
    answered = read_monitor(state.route, dict_of(answers[-1].result))
    if answered.status["enabled"] is not desired.enabled:
        raise Failure(
            BAD_RESPONSE,
            f"The service accepted enabled={desired.enabled}, but its response has enabled={answered.status['enabled']}.",
        )
    # The documented answer to a PUT has the status only.
    return Conclusion({"script_monitor": {**answered.shown(), "other": {**state.other, **answered.other}}})
