# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Differences of a zone: what the results of the state modules would change, one observation for each member.
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._diff_lines import diff_lines
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import DIFFERENCE, MANAGED
from ansible_collections.edgeops.observability.plugins.module_utils._report.items import Observation

Result = t.Mapping[str, Json]

_WHOLE = ("custom_fields", "rules")


def differences(result: Result) -> t.Iterator[Observation]:
    """Each member in which the managed resources of a zone differ from their desired state."""
    for resource in MANAGED:
        outcome = result.get(resource) or {}
        found = list(_of_resource(resource, outcome.get("diff") or {}))
        if not found and outcome.get("changed"):
            found = [_difference(resource, None, None, "differs; the result has no diff that shows where", None, None)]
        yield from found


def _of_resource(resource: str, diff: Result) -> t.Iterator[Observation]:
    before, after = diff.get("before") or {}, diff.get("after") or {}
    if resource == "jobs":
        for label in sorted({**before, **after}):
            yield from _of_job(label, before.get(label), after.get(label))
    elif resource == "custom_fields":
        yield from _of_custom_fields(before, after)
    else:
        yield from _members(resource, None, "", before, after)


def _of_custom_fields(before: Result, after: Result) -> t.Iterator[Observation]:
    """The lists by their names. The rules hold the same names again, and are shown only where they alone differ."""
    one, other = ({**side, **(side.get("custom_fields") or {})} for side in (before, after))
    found = list(_members("custom_fields", None, "", _without(one, _WHOLE), _without(other, _WHOLE)))
    yield from found or _members(
        "custom_fields", None, "", _without(one, ("custom_fields",)), _without(other, ("custom_fields",))
    )


def _without(side: Result, names: t.Collection[str]) -> dict[str, Json]:
    return {name: value for name, value in side.items() if name not in names}


def _of_job(label: str, before: Json, after: Json) -> t.Iterator[Observation]:
    if isinstance(before, dict) and isinstance(after, dict) and before and after:
        yield from _members("jobs", label, "", before, after)
    elif before or after:
        message = "the job would be deleted" if before else "the job is missing and would be created"
        yield _difference("jobs", label, None, message, before or None, after or None)


def _members(resource: str, subject: str | None, place: str, before: Result, after: Result) -> t.Iterator[Observation]:
    for name in sorted({**before, **after}):
        one, other, path = before.get(name), after.get(name), f"{place}{name}"
        if one == other:
            continue
        if isinstance(one, dict) and isinstance(other, dict) and one and other:
            yield from _members(resource, subject, f"{path}.", one, other)
        else:
            [message] = diff_lines({"before": {path: one}, "after": {path: other}})
            yield _difference(resource, subject, path, message, one, other)


def _difference(resource: str, subject: str | None, member: str | None, message: str, before: Json, after: Json) -> Observation:
    return Observation(DIFFERENCE, resource, subject, member, "medium", message, before, after)
