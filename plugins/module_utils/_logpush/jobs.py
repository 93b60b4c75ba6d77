# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

from .._core import NOT_FOUND, Composition, Conclusion, Failure, Json, Outcome, Plan, Step, invalid_option, moved, within
from .._zones import Address, scope_of
from . import options
from . import plan as single
from .facts import DATASET
from .job import Identity, Job, labels
from .options import FORMS
from .options import Desired as DesiredJob
from .select import State, dataset_of, named, names_of, numbered

Params = t.Mapping[str, t.Any]
IGNORE, REPORT, ABSENT = UNLISTED = ("ignore", "report", "absent")


class Item(t.NamedTuple):
    """One job of a task that manages several, and its place in the options.

    `bare` is the same without the fields that carry custom log fields, for a job that turns out to be of another dataset.
    """

    place: str
    desired: options.Desired
    bare: options.Desired | None = None


class DesiredJobs(t.NamedTuple):
    """The jobs that a task manages, and what becomes of all others."""

    items: tuple[Item, ...]
    unlisted: str


def desire_jobs(params: Params) -> DesiredJobs:
    """Return the desired jobs of validated options; refuse each item that could never be applied, and repeated ones."""
    places = [f"jobs[{index}]" for index, _options in enumerate(params["jobs"])]
    sending = params["send_destination"]
    jobs = [{**each, "send_destination": each["send_destination"] or sending} for each in params["jobs"]]
    found = [Item(place, desire_item(place, each, scope_of(params))) for place, each in zip(places, jobs, strict=True)]
    return checked(DesiredJobs(tuple(found), params["unlisted_jobs"]))


def desire_item(place: str, given: t.Mapping[str, Json], scope: str | None = None) -> options.Desired:
    """Return the desired state of one job of a zone or an account; `place` is where its options are."""
    for first, second in FORMS:
        if given[first] is not None and given[second] is not None:
            raise invalid_option(f"{place}.{first}", f"cannot be used together with {second}, which is another form of the same")
    with within(place):
        return options.desire(given, scope)


def checked(desired: DesiredJobs) -> DesiredJobs:
    """Refuse what is wrong with a list of jobs whatever the zone has."""
    if desired.unlisted == ABSENT and not desired.items:
        raise invalid_option("jobs", "is empty; with unlisted_jobs 'absent', that would delete every job of the zone")
    seen: dict[Json, str] = {}
    for item in desired.items:
        key = (item.desired.name, item.desired.dataset) if item.desired.job_id is None else item.desired.job_id
        require_other(item.place, seen.setdefault(key, item.place))
    return desired


def require_other(place: str, first: str) -> None:
    """Raise `Failure` for an item that selects the job of an earlier one."""
    if place != first:
        raise invalid_option(place, f"means the same job as {first}")


class Listing(t.NamedTuple):
    """What was read for several items: the jobs of the zone, checked.

    Where a service lists no jobs, `refusal` is its failure, and `jobs` holds those that items name by id.
    """

    jobs: tuple[Job, ...]
    refusal: Failure | None = None
    now: float = 0.0
    address: Address | None = None

    @property
    def known(self) -> frozenset[int] | None:
        """Return the ids of all jobs of the zone, where they were listed."""
        return None if self.refusal is not None else frozenset(job["id"] for job in self.jobs)


class Match(t.NamedTuple):
    """An item with what the zone has for it, and how it is called."""

    item: Item
    state: State
    label: str


class Matches(t.NamedTuple):
    """All items of a task, and the jobs that none of them means, with their labels."""

    items: tuple[Match, ...]
    unlisted: tuple[tuple[str, Job], ...]


def match(desired: DesiredJobs, listing: Listing) -> Matches:
    """Find the job of each item; two items for one job are refused."""
    if listing.refusal is not None and desired.unlisted == ABSENT:
        message = f"The service cannot list jobs, so it is not known which of them are unlisted. ({listing.refusal})"
        raise dataclasses.replace(listing.refusal, kind=NOT_FOUND, message=message)
    items = [_settled(item, listing) for item in desired.items]
    states = [_find(item, listing) for item in items]
    _refuse_repeated(items, states)
    known = {state.job["id"] for state in states if state.job is not None}
    others = sorted((job for job in listing.jobs if job["id"] not in known), key=lambda job: t.cast(int, job["id"]))
    identities = [_identity(item, state) for item, state in zip(items, states, strict=True)]
    unlisted = [Identity(job.get("name"), dataset_of(job), job["id"]) for job in others]
    names = labels([*identities, *unlisted])
    staying = [identity for item, identity in zip(items, identities, strict=True) if item.desired.present]
    taken = names_of([*staying, *(() if desired.unlisted == ABSENT else unlisted)])
    states = [state._replace(taken=taken, label=label) for state, label in zip(states, names, strict=False)]
    return Matches(
        tuple(Match(item, state, label) for item, state, label in zip(items, states, names[: len(items)], strict=True)),
        tuple(zip(names[len(items) :], others, strict=True)),
    )


def concerned(desired: DesiredJobs, listing: Listing) -> list[Job]:
    """Return the jobs that the task is about, without refusing anything."""
    if desired.unlisted == ABSENT:
        return list(listing.jobs)
    keys: set[Json] = {item.desired.job_id for item in desired.items}
    keys |= {(item.desired.name, item.desired.dataset) for item in desired.items if item.desired.job_id is None}
    return [job for job in listing.jobs if job["id"] in keys or (job.get("name"), dataset_of(job)) in keys]


def _settled(item: Item, listing: Listing) -> Item:
    """Take the fields that carry custom log fields out of an item whose job is of a dataset without them."""
    if item.bare is None or item.desired.job_id is None:
        return item
    job = numbered(listing.jobs, item.desired.job_id)
    return item._replace(desired=item.bare) if job is not None and dataset_of(job) != DATASET else item


def _find(item: Item, listing: Listing) -> State:
    if item.desired.job_id is not None:
        return State(numbered(listing.jobs, item.desired.job_id), now=listing.now, known=listing.known, address=listing.address)
    with within(item.place):
        job = named(listing.jobs, item.desired.name, item.desired.dataset)
        return State(job, unlisted=listing.refusal, now=listing.now, known=listing.known, address=listing.address)


def _identity(item: Item, state: State) -> Identity:
    """How an item's job is distinguished from others, once the item is applied."""
    job = state.job or {}
    dataset = str(item.desired.plain.get("dataset") or (dataset_of(job) if job else item.desired.dataset))
    return Identity(item.desired.name or job.get("name"), dataset, job.get("id"))


def _refuse_repeated(items: t.Sequence[Item], states: t.Sequence[State]) -> None:
    """Refuse items with one job, and a name for which one item looks while another one gives it away."""
    seen: dict[Json, str] = {}
    by_name = {
        (item.desired.name, item.desired.dataset): item.place
        for item in items
        if item.desired.present and item.desired.job_id is None
    }
    for item, state in zip(items, states, strict=True):
        if state.job is not None:
            require_other(item.place, seen.setdefault(state.job["id"], item.place))
        identity = _identity(item, state)
        if item.desired.present and item.desired.job_id is not None:
            require_other(item.place, by_name.get((identity.name, identity.dataset), item.place))


PART = "job"
# In this order plans are applied, by the requests that they send; plans without requests have no place in it.
_ORDER = (("delete",), ("delete", "create"), ("update",), ("create",))


_UNKNOWN_UNLISTED = "unlisted_jobs: the service cannot list jobs, so it is not known which of them are unlisted."


def plan_jobs(desired: DesiredJobs, listing: Listing) -> Composition:
    """Plan each item as a task of its own would, and the deletion of the jobs that no item names."""
    matches = match(desired, listing)
    items = [_step(found) for found in matches.items]
    strays = _deletions(desired, matches, listing) if desired.unlisted == ABSENT else []
    in_order = sorted((step for step in items if step.plan.requests), key=_rank) + strays
    unlisted: list[Json] | None = [] if desired.unlisted == IGNORE else [_brief(job) for _label, job in matches.unlisted]
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


def _once(warnings: t.Iterable[str]) -> tuple[str, ...]:
    """Return each warning once, with all the jobs or options that it is about at its beginning."""
    places: dict[str, list[str]] = {}
    for text in warnings:
        place, _colon, rest = text.partition(": ")
        places.setdefault(rest, []).append(place)
    return tuple(": ".join(filter(None, (", ".join(dict.fromkeys(of)), rest))) for rest, of in places.items())


def secrets_of_jobs(desired: DesiredJobs, listing: Listing | None) -> frozenset[str]:
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


def _deletions(desired: DesiredJobs, matches: Matches, listing: Listing) -> list[Step]:
    found = []
    for label, job in matches.unlisted:
        gone = _any(desired)._replace(present=False, job_id=job["id"], name=None)
        state = State(job, now=listing.now, label=label)
        found.append(Step(PART, "unlisted", label, gone, state, single.plan(gone, state)))
    return found


def _any(desired: DesiredJobs) -> DesiredJob:
    return desired.items[0].desired


def _brief(job: Job) -> dict[str, Json]:
    return {"id": job["id"], "name": job.get("name"), "dataset": dataset_of(job), "enabled": bool(job.get("enabled"))}
