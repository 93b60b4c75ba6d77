# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from .._core import Failure, Json, Request, conflict, invalid_option
from .._zones import Address
from .facts import MEMBERS
from .health import DEFAULT_STALE_AFTER
from .job import Identity, Job, checked, labels
from .options import Desired

Names: t.TypeAlias = "t.Mapping[tuple[str | None, str], frozenset[int]]"


class State(t.NamedTuple):
    """What was read: the job, or that there is none. `unlisted` is the refusal of a service that lists no jobs.

    `known` holds the ids of all jobs of the zone where they were listed, otherwise None.
    `taken` holds the ids of those that keep or get a name, by name and dataset, as far as they were listed. `label` is what the
    job is called among them.
    """

    job: Job | None
    unlisted: Failure | None = None
    now: float = 0.0
    known: frozenset[int] | None = None
    taken: Names = types.MappingProxyType({})
    address: Address | None = None
    label: str = ""


class JobQuery(t.NamedTuple):
    """Which jobs to report, None for no condition; and after how many seconds without a delivery one is stale."""

    name: str | None
    dataset: str | None
    job_id: int | None
    stale_after: int = DEFAULT_STALE_AFTER


def desire(params: t.Mapping[str, t.Any]) -> JobQuery:
    """Return the conditions in validated options."""
    if params["stale_after"] < 1:
        raise invalid_option("stale_after", f"{params['stale_after']} is not above 0")
    if params["job_id"] is not None and params["job_id"] < 1:
        raise invalid_option("job_id", f"{params['job_id']} is not above 0")
    return JobQuery(params["name"], params["dataset"], params["job_id"], params["stale_after"])


def dataset_of(job: t.Mapping[str, Json]) -> str:
    """The dataset of a job; where the service leaves it out, it is the default."""
    return str(MEMBERS["dataset"].normal(job.get("dataset")))


def label_among(desired: Desired, job: Job | None, others: t.Iterable[Job]) -> str:
    """Return what the job of a task is called once it is applied, among the other jobs of the zone."""
    found = job or {}
    dataset = str(desired.plain.get("dataset") or (dataset_of(found) if found else desired.dataset))
    own = Identity(desired.name or found.get("name"), dataset, found.get("id"))
    rest = [Identity(each.get("name"), dataset_of(each), each["id"]) for each in others if each["id"] != own.id]
    return labels([own, *rest])[0]


def names_of(jobs: t.Iterable[tuple[str | None, str, int | None]]) -> Names:
    """The ids of jobs, given as name, dataset and id, by name and dataset; a job without an id does not exist yet."""
    found: dict[tuple[str | None, str], frozenset[int]] = {}
    for name, dataset, job_id in jobs:
        if job_id is not None:
            found[name, dataset] = found.get((name, dataset), frozenset()) | {job_id}
    return found


def named(jobs: t.Iterable[Json], name: str | None, dataset: str) -> Job | None:
    """The one job of that name and dataset; two are a conflict, because the service does not keep names unique."""
    found = [job for job in map(checked, jobs) if name and job.get("name") == name and dataset_of(job) == dataset]
    if len(found) > 1:
        ids = ", ".join(str(job["id"]) for job in sorted(found, key=lambda job: job["id"]))
        raise conflict(f"name: the jobs {ids} are all named {name!r} and deliver {dataset}; set job_id to select one.")
    return found[0] if found else None


def numbered(jobs: t.Iterable[Json], job_id: int) -> Job | None:
    """The job of that id."""
    return next((job for job in map(checked, jobs) if job["id"] == job_id), None)


def selected(jobs: t.Iterable[Json], query: JobQuery) -> list[Job]:
    """All jobs that meet every condition, sorted by id."""
    found = [
        job
        for job in map(checked, jobs)
        if (query.name is None or job.get("name") == query.name)
        and (query.dataset is None or dataset_of(job) == query.dataset)
        and (query.job_id is None or job["id"] == query.job_id)
    ]
    return sorted(found, key=lambda job: job["id"])


def successor(desired: Desired, request: Request) -> Desired:
    """How to look for the job that a creation may have made: by name and dataset, because its id is not known."""
    body = request.body
    return desired._replace(job_id=None, name=body.get("name"), dataset=body["dataset"])
