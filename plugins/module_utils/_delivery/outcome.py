# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What became of each zone of a delivery.
import typing as t

from .._core import Json
from .._report.lines import difference_lines
from .._text import line
from .facts import APPLIED, CANARY, MANAGED, PREDICTION
from .rails import Zone, counted
from .records import Variables, done, error_of

CHANGED, UNCHANGED, FAILED, NOT_REACHED = STATES = ("changed", "unchanged", "failed", "not reached")
_MAX_LINE = 2000


class End(t.NamedTuple):
    """What became of a zone: a state, the reason of a failure, and the result that shows its changes."""

    state: str
    reason: str
    result: t.Mapping[str, Json]


def end_of(host: str, variables: Variables, is_written: bool, stopped: str) -> End:
    """Return what became of a zone; `is_written` is whether the delivery was to write to it."""
    error = error_of(variables, (APPLIED,) if is_written else (PREDICTION,))
    unhealthy = (variables.get(CANARY) or {}).get("unhealthy", {}).get(host)
    result = done(variables.get(APPLIED if is_written else PREDICTION))
    if unhealthy:
        return End(FAILED, f"gate: {unhealthy}", result or {})
    if error and error["kind"] == "unavailable" and "could not be reached" in error["message"]:
        return End(NOT_REACHED, "the zone could not be reached", {})
    if error:
        return End(FAILED, f"{error['kind']}: {error['message']}", {})
    if result is None:
        return End(NOT_REACHED, f"the zone was not reached{': ' if stopped else ''}{stopped}", {})
    changed = any((result.get(name) or {}).get("changed") for name in MANAGED)
    return End(CHANGED if changed else UNCHANGED, "", result)


def outcome(ends: t.Mapping[str, End], stopped: str, check_mode: bool) -> dict[str, Json]:
    """Return the lines for the end of a delivery, and the reason for each zone that failed or was not reached."""
    states = [end.state for end in ends.values()]
    counts = ", ".join(
        f"{states.count(state)} {'would be changed' if state == CHANGED and check_mode else state}" for state in STATES
    )
    lines = [text for host, end in ends.items() for text in _lines(host, end, applied=not check_mode)]
    return {
        "lines": [f"{counted(len(ends), 'zone')}: {counts}", *lines, *([stopped] if stopped else [])],
        "failing": {host: line(end.reason, _MAX_LINE) for host, end in ends.items() if end.state in (FAILED, NOT_REACHED)},
    }


def _lines(host: str, end: End, *, applied: bool) -> list[str]:
    if end.state == CHANGED:
        verb = "changed" if applied else "would be changed"
        texts = difference_lines(end.result, applied=applied) or ["its secrets"]
        return [line(f"{host} {verb}: {text}", _MAX_LINE) for text in texts]
    if end.state == FAILED:
        return [line(f"{host} failed: {end.reason}", _MAX_LINE)]
    return [line(f"{host} was not reached", _MAX_LINE)] if end.state == NOT_REACHED else []


def plan_summary(zones: t.Sequence[Zone]) -> str:
    """Return what a delivery would do to all zones in a line."""
    changed = [zone for zone in zones if zone.changed]
    kinds = [kind for zone in changed for kind in _kinds(zone.result)]
    failed = sum(bool(zone.error) for zone in zones)
    numbers = ", ".join(counted(kinds.count(kind), kind) for kind in ("addition", "change", "deletion"))
    return (
        f"{counted(len(zones), 'zone')}: {len(changed)} would change ({numbers}),"
        f" {len(zones) - len(changed) - failed} unchanged, {failed} failed"
    )


def _kinds(result: t.Mapping[str, Json]) -> t.Iterator[str]:
    for name in MANAGED:
        part = result.get(name) or {}
        diff = part.get("diff") or {}
        before, after = diff.get("before") or {}, diff.get("after") or {}
        if not part.get("changed"):
            continue
        if name == "jobs":
            labels = {**before, **after}
            yield from (_kind(before.get(label), after.get(label)) for label in labels if before.get(label) != after.get(label))
        else:
            yield _kind(*(side.get("custom_fields", side) for side in (before, after)))


def _kind(before: Json, after: Json) -> str:
    if not before:
        return "addition"
    return "change" if after else "deletion"
