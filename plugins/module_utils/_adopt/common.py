# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

JOBS = "log_delivery_jobs"
DEFAULTS = "log_delivery_job_defaults"
# What distinguishes a job from others is its own, and the forms of the options exclude each other.
_OWN = ("name", "job_id")
_ABSENT = object()


def common_variables(items: Json) -> dict[str, Json]:
    """What the jobs of all zones have in common: `{common, zones: {zone: variables}}`, made of `{zone, variables}` each.

    Only members of jobs are common, because a variable of a group must not manage a zone that was not adopted.
    """
    zones = {_name(item): _variables(item) for item in _items(items)}
    jobs = [job for variables in zones.values() for job in variables.get(JOBS, ())]
    shared = {name: value for name, value in (jobs[0] if len(jobs) > 1 else {}).items() if name not in _OWN}
    shared = {name: value for name, value in shared.items() if all(_equal(job.get(name, _ABSENT), value) for job in jobs)}
    return {
        "common": {DEFAULTS: shared} if shared else {},
        "zones": {zone: _without(variables, shared) for zone, variables in zones.items()},
    }


def _without(variables: t.Mapping[str, Json], shared: t.Mapping[str, Json]) -> dict[str, Json]:
    if JOBS not in variables:
        return dict(variables)
    jobs = [{name: value for name, value in job.items() if name not in shared} for job in variables[JOBS]]
    return {**variables, JOBS: jobs}


def _equal(one: Json, other: Json) -> bool:
    """Equality in which true is not 1, however deep in a filter."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(value, other[name]) for name, value in one.items())
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)


def _items(items: Json) -> list[Json]:
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, dict) for item in items):
        raise ValueError("a list of {zone, variables} is needed, such as results of zone_variables_info")
    return list(items)


def _name(item: t.Mapping[str, Json]) -> str:
    if not isinstance(item.get("zone"), str) or not item["zone"]:
        raise ValueError("each item needs the name of its zone in 'zone'")
    return str(item["zone"])


def _variables(item: t.Mapping[str, Json]) -> dict[str, Json]:
    variables = item.get("variables")
    if not isinstance(variables, dict):
        raise ValueError(f"zone {item['zone']}: 'variables' is no mapping")
    jobs = variables.get(JOBS, [])
    if not isinstance(jobs, (list, tuple)) or not all(isinstance(job, dict) for job in jobs):
        raise ValueError(f"zone {item['zone']}: {JOBS} is no list of mappings")
    return {**variables, JOBS: list(jobs)} if JOBS in variables else dict(variables)
