# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._composition import Composition, Outcome, Step
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import plan as single
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.items import ABSENT, IGNORE, Desired
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.match import (
    Listing,
    Match,
    Matches,
    concerned,
    match,
)
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import Desired as DesiredJob
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.present import Job
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.select import State, dataset_of
from ansible_collections.edgeops.observability.plugins.module_utils._places import moved, within
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Conclusion, Json, Plan

PART = "job"
# In this order plans are applied, by the requests that they send; plans without requests have no place in it.
_ORDER = (("delete",), ("delete", "create"), ("update",), ("create",))


def plan(desired: Desired, listing: Listing) -> Composition:
    """Plan each item as a task of its own would, and the deletion of the jobs that no item names."""
    matches = match(desired, listing)
    items = [_step(found) for found in matches.items]
    strays = _deletions(desired, matches, listing) if desired.unlisted == ABSENT else []
    in_order = sorted((step for step in items if step.plan.requests), key=_rank) + strays
    unlisted = [] if desired.unlisted == IGNORE else [_brief(job) for _label, job in matches.unlisted]
    everything = [*items, *strays]

    def conclude(done: t.Sequence[Outcome]) -> Conclusion:
        found = {id(outcome.step): outcome.conclusion for outcome in done}
        ends = [found.get(id(step)) or Conclusion(step.plan.result) for step in items]
        warnings = [moved(step.place, text) for step, end in zip(items, ends, strict=True) for text in end.warnings]
        return Conclusion({"jobs": [end.result["job"] for end in ends], "unlisted_jobs": unlisted}, tuple(warnings))

    whole = Plan(
        before={step.label: step.plan.before for step in everything},
        after={step.label: step.plan.after for step in everything},
        result=conclude(()).result,
        requests=tuple(request for step in in_order for request in step.plan.requests),
        basis=[step.plan.basis for step in everything],
        warnings=tuple(moved(step.place, text) for step in items for text in step.plan.warnings),
    )
    return Composition(whole, tuple(in_order), conclude)


def secrets(desired: Desired, listing: Listing | None) -> frozenset[str]:
    """Return what no output may hold: the secrets of all items and of the jobs that they are about."""
    requested = [single.secrets(item.desired, None) for item in desired.items]
    found = [] if listing is None else [single.secrets(_any(desired), State(job)) for job in concerned(desired, listing)]
    return frozenset().union(*requested, *found)


def _step(found: Match) -> Step:
    with within(found.item.place):
        made = single.plan(found.item.desired, found.state)
    return Step(PART, found.item.place, found.label, found.item.desired, found.state, made)


def _rank(step: Step) -> int:
    return _ORDER.index(tuple(request.operation.partition(".")[2] for request in step.plan.requests))


def _deletions(desired: Desired, matches: Matches, listing: Listing) -> list[Step]:
    found = []
    for label, job in matches.unlisted:
        gone = _any(desired)._replace(present=False, job_id=job["id"], name=None)
        state = State(job, now=listing.now)
        found.append(Step(PART, "unlisted", label, gone, state, single.plan(gone, state)))
    return found


def _any(desired: Desired) -> DesiredJob:
    return desired.items[0].desired


def _brief(job: Job) -> dict[str, Json]:
    return {"id": job["id"], "name": job.get("name"), "dataset": dataset_of(job), "enabled": bool(job.get("enabled"))}
