# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Json
from .._text import line

CHANGED, UNCHANGED, FAILED, NOT_REACHED = "changed", "unchanged", "failed", "not reached"
# The variables of a host that the playbook registers or sets.
RESULT, DELIVERED, ERROR = "log_delivery_result", "edgeops_delivered", "edgeops_check_error"
_MAX_LINE = 2000


def delivery_outcome(
    hosts: t.Iterable[str], hostvars: t.Mapping[str, t.Mapping[str, Json]], to_deliver: t.Collection[str], stopped: str = ""
) -> dict[str, Json]:
    """What became of each zone: `lines` for the end of a delivery, and `failed`, the reason by zone.

    `to_deliver` are the zones that were to be written, `stopped` is the reason why the run ended before the last batch.
    """
    names = [str(host) for host in hosts]
    states = {name: _state(hostvars[name], name in to_deliver) for name in names}
    failed = {name: _reason(hostvars[name], states[name], stopped) for name in names if states[name] in (FAILED, NOT_REACHED)}
    counts = ", ".join(f"{list(states.values()).count(state)} {state}" for state in (CHANGED, UNCHANGED, FAILED, NOT_REACHED))
    return {
        "lines": [
            f"{len(names)} zone{'' if len(names) == 1 else 's'}: {counts}",
            *_lines(states, failed),
            *([stopped] if stopped else []),
        ],
        "failed": failed,
    }


def _state(variables: t.Mapping[str, Json], written: bool) -> str:
    if variables.get(ERROR):
        return FAILED
    if written:
        return variables.get(DELIVERED) or NOT_REACHED
    predicted = variables.get(RESULT)
    if not isinstance(predicted, dict) or predicted.get("skipped") or predicted.get("unreachable") or predicted.get("failed"):
        return NOT_REACHED
    return CHANGED if predicted.get("changed") else UNCHANGED


def _reason(variables: t.Mapping[str, Json], state: str, stopped: str) -> str:
    if state == NOT_REACHED:
        return f"the zone was not reached{': ' if stopped else ''}{stopped}"
    error = variables[ERROR]
    return line(f"{error.get('kind')}: {error.get('message')}", _MAX_LINE)


def _lines(states: t.Mapping[str, str], failed: t.Mapping[str, str]) -> t.Iterator[str]:
    yield from (line(f"{name} changed", _MAX_LINE) for name, state in states.items() if state == CHANGED)
    yield from (line(f"{name} failed: {failed[name]}", _MAX_LINE) for name, state in states.items() if state == FAILED)
    yield from (line(f"{name} was not reached", _MAX_LINE) for name, state in states.items() if state == NOT_REACHED)
