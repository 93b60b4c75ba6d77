# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._composition import Outcome, Rival
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.present import Job
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.select import State, dataset_of
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Request

NOT_LOOKED = (
    "The job was created, but whether another run created one of the same name at the same time is not known."
    " A further run reports two jobs of one name as a conflict."
)
_MET = "Job {older} of the same name {name!r} and dataset was created by another run before job {created}, which this run created"
_GIVEN_WAY = "job {created} is deleted, and job {older} is updated to the desired state."
_LEFT = "look which of the two are left, and delete one of them if both are."


def rival(outcome: Outcome, jobs: t.Sequence[Job]) -> Rival | None:
    """Return the oldest job with the name and dataset of the one that was created, if it is older and appeared meanwhile."""
    step, job = outcome.step, outcome.conclusion.result["job"]
    found = [
        each
        for each in jobs
        if job["name"]
        and each.get("name") == job["name"]
        and dataset_of(each) == job["dataset"]
        and _oldest_possible(step.desired.job_id) <= each["id"] < job["id"]
        and each["id"] not in (step.state.known or ())
    ]
    if not found:
        return None
    older = min(found, key=lambda each: t.cast(int, each["id"]))
    warning, note = (
        f"{_MET}{end}".format(older=older["id"], created=job["id"], name=job["name"]) for end in (f": {_GIVEN_WAY}", f"; {_LEFT}")
    )
    return Rival(
        outcome,
        Request("logpush_jobs.delete", ids={"job_id": job["id"]}),
        step.desired._replace(job_id=older["id"]),
        State(older, now=step.state.now),
        warning,
        note,
    )


def _oldest_possible(replaced: int | None) -> int:
    """Return the lowest id of a job that can have appeared meanwhile, where only one job was read by its id before."""
    return 0 if replaced is None else replaced
