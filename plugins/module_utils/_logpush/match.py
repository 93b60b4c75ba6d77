# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import NOT_FOUND, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import DATASET
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.items import (
    ABSENT,
    IGNORE,
    Desired,
    Item,
    require_other,
)
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.label import Identity, labels
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.present import Job
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.select import (
    State,
    dataset_of,
    named,
    names_of,
    numbered,
)
from ansible_collections.edgeops.observability.plugins.module_utils._places import within
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json


class Listing(t.NamedTuple):
    """What was read for several items: the jobs of the zone, checked.

    Where a service lists no jobs, `refusal` is its failure, and `jobs` holds those that items name by id.
    """

    jobs: tuple[Job, ...]
    refusal: Failure | None = None
    now: float = 0.0

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


def match(desired: Desired, listing: Listing) -> Matches:
    """Find the job of each item; two items for one job are refused."""
    if listing.refusal is not None and desired.unlisted != IGNORE:
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
    states = [state._replace(taken=taken) for state in states]
    return Matches(
        tuple(Match(item, state, label) for item, state, label in zip(items, states, names[: len(items)], strict=True)),
        tuple(zip(names[len(items) :], others, strict=True)),
    )


def concerned(desired: Desired, listing: Listing) -> list[Job]:
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
        return State(numbered(listing.jobs, item.desired.job_id), now=listing.now, known=listing.known)
    with within(item.place):
        job = named(listing.jobs, item.desired.name, item.desired.dataset)
        return State(job, unlisted=listing.refusal, now=listing.now, known=listing.known)


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
