# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Json
from .._destination import CHANGED
from .._logpush.coverage import selected_fields

# Which changes of a zone take something away: each has a name, which the user may allow.


DISABLE_MONITOR = "disable_monitor"
EMPTY_FIELDS = "empty_fields"
DROP_JOB_FIELDS = "drop_job_fields"
DELETE_JOB = "delete_job"
DISABLE_JOB = "disable_job"
RECREATE_JOB = "recreate_job"
CLEAR_FILTER = "clear_filter"
CHANGE_DESTINATION = "change_destination"
DESTRUCTIVE = (
    DISABLE_MONITOR,
    EMPTY_FIELDS,
    DROP_JOB_FIELDS,
    DELETE_JOB,
    DISABLE_JOB,
    RECREATE_JOB,
    CLEAR_FILTER,
    CHANGE_DESTINATION,
)

Members = t.Mapping[str, Json]
_SECRET_CHANGED = CHANGED.rpartition(" ")[2]


def destructive_changes(result: Members) -> tuple[str, ...]:
    """The names of the destructive changes in a predicted result of `zone_observability` in diff mode."""
    found = {*_monitor(*_sides(result, "script_monitor")), *_fields(*_sides(result, "custom_fields"))}
    before, after = _sides(result, "jobs")
    for label in {**before, **after}:
        found |= set(_job(_mapping(before.get(label)), _mapping(after.get(label))))
    return tuple(name for name in DESTRUCTIVE if name in found)


def _sides(result: Members, resource: str) -> tuple[Members, Members]:
    diff = _mapping(_mapping(result.get(resource)).get("diff"))
    return _mapping(diff.get("before")), _mapping(diff.get("after"))


def _mapping(value: Json) -> Members:
    return value if isinstance(value, dict) else {}


def _monitor(before: Members, after: Members) -> t.Iterator[str]:
    if before.get("enabled") is True and after.get("enabled") is False:
        yield DISABLE_MONITOR


def _fields(before: Members, after: Members) -> t.Iterator[str]:
    had, has = (any(_mapping(side.get("custom_fields")).values()) for side in (before, after))
    if had and not has:
        yield EMPTY_FIELDS


def _job(before: Members, after: Members) -> t.Iterator[str]:
    """The changes of one job; nothing before is a job that is created."""
    if not before:
        return
    if not after:
        yield DELETE_JOB
        return
    if "id" in before and after.get("id") is None:
        yield RECREATE_JOB
    if before.get("enabled") is True and after.get("enabled") is False:
        yield DISABLE_JOB
    if before.get("filter") and "filter" in after and not after["filter"]:
        yield CLEAR_FILTER
    if set(selected_fields(before)) - set(selected_fields(after)):
        yield DROP_JOB_FIELDS
    if before.get("destination") is not None and _shown(before["destination"]) != _shown(after.get("destination")):
        yield CHANGE_DESTINATION


def _shown(destination: Json) -> Json:
    """A masked destination as it is shown, without the mark that a secret behind a mask changed."""
    if isinstance(destination, dict):
        return {name: _shown(value) for name, value in destination.items()}
    return destination.removesuffix(f" {_SECRET_CHANGED}") if isinstance(destination, str) else destination
