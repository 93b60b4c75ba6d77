# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

from .._core import NOT_FOUND, Composition, Conclusion, Failure, Json, Outcome, Plan, Step, invalid_option, moved, within
from .._destination import secret_parts
from .._zones import Address, scope_of
from .facts import DATASET
from .job import Identity, Job, JobState, find_by_id, find_by_name, identity_after, labels
from .options import FORMS, DesiredJob, desire
from .plan import plan, plan_deletion, secrets

Params = t.Mapping[str, t.Any]
IGNORE, REPORT, ABSENT = UNLISTED = ("ignore", "report", "absent")


class Item(t.NamedTuple):
    """One job of a task that manages several, and its place in the options.

    `bare` is the same without the fields that carry custom log fields, in case the job has another dataset.
    """

    place: str
    desired: DesiredJob
    bare: DesiredJob | None = None


class DesiredJobs(t.NamedTuple):
    """The jobs that a task manages, and what happens to all others."""

    items: tuple[Item, ...]
    unlisted: str


def desire_jobs(params: Params) -> DesiredJobs:
    """Return the desired jobs of validated options; refuse invalid and duplicate items."""
    places = [f"jobs[{index}]" for index, _options in enumerate(params["jobs"])]
    sending = params["send_destination"]
    jobs = [{**each, "send_destination": each["send_destination"] or sending} for each in params["jobs"]]
    found = [Item(place, desire_item(place, each, scope_of(params))) for place, each in zip(places, jobs, strict=True)]
    return check_items(DesiredJobs(tuple(found), params["unlisted_jobs"]))


def desire_item(place: str, given: t.Mapping[str, Json], scope: str | None = None) -> DesiredJob:
    """Return the desired state of one job of a zone or an account; `place` is the path of its options."""
    for first, second in FORMS:
        if given[first] is not None and given[second] is not None:
            raise invalid_option(f"{place}.{first}", f"cannot be used together with {second}, which is another form of the same")
    with within(place):
        return desire(given, scope)


def check_items(desired: DesiredJobs) -> DesiredJobs:
    """Return the desired jobs; refuse a list that is invalid whatever jobs the zone has."""
    if desired.unlisted == ABSENT and not desired.items:
        raise invalid_option("jobs", "is empty; with unlisted_jobs 'absent', that would delete every job of the zone")
    seen: dict[Json, str] = {}
    for item in desired.items:
        key = (item.desired.name, item.desired.dataset) if item.desired.job_id is None else item.desired.job_id
        require_other(item.place, seen.setdefault(key, item.place))
    return desired


def require_other(place: str, first: str) -> None:
    """Refuse an item that selects the job of an earlier one."""
    if place != first:
        raise invalid_option(place, f"means the same job as {first}")


class JobListing(t.NamedTuple):
    """Current state for several items: all jobs of the zone.

    If the service lists no jobs, `refusal` is its failure, and `jobs` are those that items name by id.
    """

    jobs: tuple[Job, ...]
    refusal: Failure | None = None
    now: float = 0.0
    address: Address | None = None

    @property
    def known(self) -> frozenset[int] | None:
        """Return the ids of all jobs of the zone; None if they were not listed."""
        return None if self.refusal is not None else frozenset(job.id for job in self.jobs)


def match(desired: DesiredJobs, listing: JobListing) -> tuple[list[tuple[Item, JobState]], list[tuple[str, Job]]]:
    """Return each item with the state of its job, and the jobs that no item names with their labels; refuse two items for one job."""
    if listing.refusal is not None and desired.unlisted == ABSENT:
        message = f"The service cannot list jobs, so it is not known which of them are unlisted. ({listing.refusal})"
        raise dataclasses.replace(listing.refusal, kind=NOT_FOUND, message=message)
    items = [_without_carriers(item, listing) for item in desired.items]
    jobs = [_find(item, listing) for item in items]
    identities = [identity_after(item.desired, job) for item, job in zip(items, jobs, strict=True)]
    _refuse_duplicates(items, jobs, identities)
    known = {job.id for job in jobs if job is not None}
    others = sorted((job for job in listing.jobs if job.id not in known), key=lambda job: job.id)
    unlisted = [Identity(job.name, job.dataset, job.id) for job in others]
    names = labels([*identities, *unlisted])
    staying = [identity for item, identity in zip(items, identities, strict=True) if item.desired.present]
    staying += () if desired.unlisted == ABSENT else unlisted
    states = [
        JobState(
            job,
            # A job that is looked for by its id needs no list.
            unlisted=listing.refusal if item.desired.job_id is None else None,
            now=listing.now,
            known=listing.known,
            staying=staying,
            address=listing.address,
            label=label,
        )
        for item, job, label in zip(items, jobs, names[: len(items)], strict=True)
    ]
    return list(zip(items, states, strict=True)), list(zip(names[len(items) :], others, strict=True))


def concerned(desired: DesiredJobs, listing: JobListing) -> list[Job]:
    """Return the jobs that the task is about, without refusing anything."""
    if desired.unlisted == ABSENT:
        return list(listing.jobs)
    keys: set[Json] = {item.desired.job_id for item in desired.items}
    keys |= {(item.desired.name, item.desired.dataset) for item in desired.items if item.desired.job_id is None}
    return [job for job in listing.jobs if job.id in keys or (job.name, job.dataset) in keys]


def _without_carriers(item: Item, listing: JobListing) -> Item:
    """Remove the fields that carry custom log fields from an item whose job has a dataset without them."""
    if item.bare is None or item.desired.job_id is None:
        return item
    job = find_by_id(listing.jobs, item.desired.job_id)
    return item._replace(desired=item.bare) if job is not None and job.dataset != DATASET else item


def _find(item: Item, listing: JobListing) -> Job | None:
    if item.desired.job_id is not None:
        return find_by_id(listing.jobs, item.desired.job_id)
    with within(item.place):
        return find_by_name(listing.jobs, item.desired.name, item.desired.dataset)


def _refuse_duplicates(items: t.Sequence[Item], jobs: t.Sequence[Job | None], identities: t.Sequence[Identity]) -> None:
    """Refuse two items for one job, and a name that one item looks for while another item changes it."""
    seen: dict[int, str] = {}
    by_name = {
        (item.desired.name, item.desired.dataset): item.place
        for item in items
        if item.desired.present and item.desired.job_id is None
    }
    for item, job, identity in zip(items, jobs, identities, strict=True):
        if job is not None:
            require_other(item.place, seen.setdefault(job.id, item.place))
        if item.desired.present and item.desired.job_id is not None:
            require_other(item.place, by_name.get((identity.name, identity.dataset), item.place))


PART = "job"
# Plans are applied in this order, by the operations of their requests.
_ORDER = (("delete",), ("delete", "create"), ("update",), ("create",))


_UNKNOWN_UNLISTED = "unlisted_jobs: the service cannot list jobs, so it is not known which of them are unlisted."


def plan_jobs(desired: DesiredJobs, listing: JobListing) -> Composition:
    """Plan each item as `logpush_job` would, and the deletion of the jobs that no item names."""
    matches, others = match(desired, listing)
    items = []
    for item, state in matches:
        with within(item.place):
            items.append(Step(PART, item.place, state.label, item.desired, state, plan(item.desired, state)))
    # A job that no item names has no options, so that nothing is desired.
    strays = [
        Step(PART, "unlisted", label, None, JobState(job, now=listing.now, label=label), plan_deletion(job, label))
        for label, job in (others if desired.unlisted == ABSENT else ())
    ]
    in_order = sorted((step for step in items if step.plan.requests), key=_rank) + strays
    unlisted = [
        {"id": job.id, "name": job.name, "dataset": job.dataset, "enabled": job.values["enabled"]}
        for _label, job in (others if desired.unlisted != IGNORE else ())
    ]
    unknown = listing.refusal is not None and desired.unlisted == REPORT
    everything = [*items, *strays]

    def conclude(done: t.Sequence[Outcome]) -> Conclusion:
        found = {id(outcome.step): outcome.conclusion for outcome in done}
        ends = [found.get(id(step)) or Conclusion(step.plan.result) for step in items]
        warnings = [moved(step.place, text) for step, end in zip(items, ends, strict=True) for text in end.warnings]
        result = {"jobs": [end.result["job"] for end in ends], "unlisted_jobs": None if unknown else unlisted}
        return Conclusion(result, _once(warnings))

    whole = Plan(
        before={step.label: step.plan.before for step in everything},
        after={step.label: step.plan.after for step in everything},
        result=conclude(()).result,
        requests=tuple(request for step in in_order for request in step.plan.requests),
        basis=[step.plan.basis for step in everything],
        warnings=(
            *_once(moved(step.place, text) for step in items for text in step.plan.warnings),
            *([_UNKNOWN_UNLISTED] if unknown else []),
        ),
        effects=tuple(effect for step in everything for effect in step.plan.effects),
    )
    return Composition(whole, tuple(in_order), conclude)


def _rank(step: Step) -> int:
    return _ORDER.index(tuple(request.operation.partition(".")[2] for request in step.plan.requests))


def _once(warnings: t.Iterable[str]) -> tuple[str, ...]:
    """Return each warning once, with all the jobs or options that it is about at its beginning."""
    places: dict[str, list[str]] = {}
    for text in warnings:
        place, _colon, rest = text.partition(": ")
        places.setdefault(rest, []).append(place)
    return tuple(": ".join(filter(None, (", ".join(dict.fromkeys(of)), rest))) for rest, of in places.items())


def secrets_of_jobs(desired: DesiredJobs, listing: JobListing | None) -> frozenset[str]:
    """Return what no output may contain: the secrets of all items and of the jobs that they are about."""
    requested = [secrets(item.desired, None) for item in desired.items]
    found = [] if listing is None else [secret_parts(job.destination) for job in concerned(desired, listing)]
    return frozenset().union(*requested, *found)
