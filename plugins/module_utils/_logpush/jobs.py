# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

from .._address import Address, scope_of
from .._core import NOT_FOUND, Failure, Json, invalid_option, within
from .._destination_secrets import secret_parts
from .._observed import Known, Observed, unknown
from .job import Identity, Job, JobState, find_by_id, find_by_name, identity_after, labels
from .options import FORMS, DesiredJob, desire
from .plan import secrets

Params = t.Mapping[str, t.Any]
IGNORE, REPORT, ABSENT = UNLISTED = ("ignore", "report", "absent")


class JobItem(t.NamedTuple):
    """One job of a task that manages several, and its place in the options."""

    place: str
    desired: DesiredJob

    @property
    def key(self) -> Json:
        """Return what identifies the job: its id, or its name and dataset."""
        return (self.desired.name, self.desired.dataset) if self.desired.job_id is None else self.desired.job_id


class DesiredJobs(t.NamedTuple):
    """The jobs that a task manages, and what happens to all others."""

    items: tuple[JobItem, ...]
    unlisted: str


def desire_jobs(params: Params) -> DesiredJobs:
    """Return the desired jobs of validated options; refuse invalid and duplicate items."""
    items = []
    for index, options in enumerate(params["jobs"]):
        place = f"jobs[{index}]"
        completed = {**options, "send_destination": options["send_destination"] or params["send_destination"]}
        items.append(JobItem(place, desire_item(place, completed, scope_of(params))))
    return check_items(DesiredJobs(tuple(items), params["unlisted_jobs"]))


def desire_item(place: str, options: t.Mapping[str, Json], scope: str | None = None) -> DesiredJob:
    """Return the desired state of one job of a zone or an account; `place` is the path of its options."""
    for first, second in FORMS:
        if options[first] is not None and options[second] is not None:
            raise invalid_option(f"{place}.{first}", f"cannot be used together with {second}, which is another form of the same")
    with within(place):
        return desire(options, scope)


def check_items(desired: DesiredJobs) -> DesiredJobs:
    """Return the desired jobs; refuse a list that is invalid whatever jobs the zone has."""
    if desired.unlisted == ABSENT and not desired.items:
        raise invalid_option(
            "unlisted_jobs", "'absent' with an empty or omitted list of jobs would delete every job; declare those that stay"
        )
    seen: dict[Json, str] = {}
    for item in desired.items:
        require_other(item.place, seen.setdefault(item.key, item.place))
    return desired


def require_other(place: str, first: str) -> None:
    """Refuse an item that selects the job of an earlier one."""
    if place != first:
        raise invalid_option(place, f"means the same job as {first}")


class JobListing(t.NamedTuple):
    """Current state for several items: all jobs of the zone.

    If the service lists no jobs, `refusal` is its failure, and `jobs` are those that items name by id.
    `transformers` are as in `JobState`. `account` is that of the zone, if an answer named it.
    """

    jobs: tuple[Job, ...]
    refusal: Failure | None = None
    now: float = 0.0
    address: Address | None = None
    transformers: t.Mapping[str, t.Sequence[int]] | None = None
    account: str = ""


def match(desired: DesiredJobs, listing: JobListing) -> tuple[list[tuple[JobItem, JobState]], list[tuple[str, Job]]]:
    """Return each item with the state of its job, and the jobs that no item names with their labels; refuse two items for one job."""
    if listing.refusal is not None and desired.unlisted == ABSENT:
        message = f"The service cannot list jobs, so it is not known which of them are unlisted. ({listing.refusal})"
        raise dataclasses.replace(listing.refusal, kind=NOT_FOUND, message=message)
    pairs = [_find(item, listing) for item in desired.items]
    identities = [identity_after(item.desired, job) for item, job in pairs]
    _refuse_duplicates(pairs, identities)
    matched_ids = {job.id for _item, job in pairs if job is not None}
    others = sorted((job for job in listing.jobs if job.id not in matched_ids), key=lambda job: job.id)
    unlisted = [Identity(job.name, job.dataset, job.id) for job in others]
    names = labels([*identities, *unlisted])
    staying = [identity for (item, _job), identity in zip(pairs, identities, strict=True) if item.desired.present]
    staying += () if desired.unlisted == ABSENT else unlisted
    known: Observed[frozenset[int]] = Known(frozenset(job.id for job in listing.jobs))
    staying_jobs: Observed[t.Sequence[Identity]] = Known(staying)
    if listing.refusal is not None:
        known = staying_jobs = unknown(listing.refusal)
    common = JobState(
        None, now=listing.now, known=known, staying=staying_jobs, address=listing.address, transformers=listing.transformers
    )
    matches = [
        # A job that is looked for by its id needs no list.
        (item, common._replace(job=job, label=label, unlisted=listing.refusal if item.desired.job_id is None else None))
        for (item, job), label in zip(pairs, names[: len(pairs)], strict=True)
    ]
    return matches, list(zip(names[len(pairs) :], others, strict=True))


def _find(item: JobItem, listing: JobListing) -> tuple[JobItem, Job | None]:
    """Return an item with its job."""
    if item.desired.job_id is not None:
        return item, find_by_id(listing.jobs, item.desired.job_id)
    with within(item.place):
        return item, find_by_name(listing.jobs, item.desired.name, item.desired.dataset)


def _refuse_duplicates(pairs: t.Sequence[tuple[JobItem, Job | None]], identities: t.Sequence[Identity]) -> None:
    """Refuse two items for one job, and a name that one item looks for while another item changes it."""
    seen: dict[int, str] = {}
    present = [item for item, _job in pairs if item.desired.present]
    by_name = {item.key: item.place for item in present if item.desired.job_id is None}
    for (item, job), identity in zip(pairs, identities, strict=True):
        if job is not None:
            require_other(item.place, seen.setdefault(job.id, item.place))
        if item.desired.present and item.desired.job_id is not None:
            for dataset in (identity.dataset, ""):
                require_other(item.place, by_name.get((identity.name, dataset), item.place))


def secrets_of_jobs(desired: DesiredJobs, listing: JobListing | None) -> frozenset[str]:
    """Return what no output may contain: the secrets of all items and of the jobs that they are about."""
    keys = {item.key for item in desired.items}
    concerned = [
        job
        for job in (listing.jobs if listing else ())
        if desired.unlisted == ABSENT or not keys.isdisjoint((job.id, (job.name, job.dataset), (job.name, "")))
    ]
    requested = [secrets(item.desired, None) for item in desired.items]
    return frozenset().union(*requested, *(secret_parts(job.destination) for job in concerned))
