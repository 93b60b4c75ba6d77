# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import dataclasses
import itertools
import re
import time
import typing as t

from .._address import ACCOUNT, Address, account_of
from .._api.client import Client
from .._api.response import is_missing, lacks_route
from .._api.rivals import Created, Listed, Words, look_again
from .._core import AUTHENTICATION, BAD_RESPONSE, NOT_FOUND, PERMISSION, Conclusion, Failure, Json, Plan, invalid_option
from .._filter.compare import same_filter
from .._filter.parse import read_echo
from .._filter.tree import conditions
from .._observed import Known, Observed, unknown
from .._text import dict_of, did_you_mean, is_integer, json_type, nearest, quoted
from . import delivery
from .changes import fixed_changes
from .costs import NOT_BY_SIZE, Excluded, Rates
from .coverage import selected_fields
from .facts import DATASET
from .health import with_health
from .job import (
    NOT_LISTED,
    Identity,
    Job,
    JobState,
    find_by_id,
    find_by_name,
    identity_after,
    job_warnings,
    labels,
    read_job,
    require_known,
)
from .jobs import ABSENT, DesiredJobs, JobListing
from .options import DesiredJob, JobQuery, unknown_dataset
from .regions import parse_boundary

_PLAIN_NAME = re.compile(r"\w[\w.:-]{0,99}")
_MAX_CANDIDATES = 2000
_MAX_NAMED = 10


def read(client: Client, desired: DesiredJob) -> JobState:
    """Read the job that a task is about, and the clock, which plans must not read."""
    now = time.time()
    listing: Observed[list[Job]] = NOT_LISTED
    unlisted: Failure | None = None
    if desired.job_id is None:
        listing, unlisted = _list_if_possible(client)
        job = find_by_name(listing.value, desired.name, desired.dataset) if isinstance(listing, Known) else None
    else:
        job = _known_by_id(client, desired.job_id)
        # The name of a re-created job may be taken.
        if job and desired.present and desired.recreate and fixed_changes(desired, job):
            listing, _failure = _list_if_possible(client)
    everyone: Observed[t.Sequence[Identity]]
    known: Observed[frozenset[int]]
    if isinstance(listing, Known):
        everyone = Known([Identity(listed.name, listed.dataset, listed.id) for listed in listing.value])
        known = Known(frozenset(listed.id for listed in listing.value))
    else:
        everyone = known = listing
    own = identity_after(desired, job)
    others = (
        [identity for identity in everyone.value if identity.id != own.id]
        if isinstance(everyone, Known) and desired.job_id is None
        else []
    )
    return JobState(
        job,
        unlisted=unlisted,
        now=now,
        known=known,
        staying=everyone,
        address=client.address,
        label=labels([own, *others])[0],
        transformers=transformers(owner(client)) if desired.needs_transformers else None,
    )


def read_all(client: Client, desired: DesiredJobs) -> JobListing:
    """Read all jobs of the zone with one request; if the service lists none, read those that items name by id."""
    now = time.time()
    listing, refusal = _list_if_possible(client)
    if isinstance(listing, Known):
        jobs = listing.value
    else:
        ids = [item.desired.job_id for item in desired.items if item.desired.job_id is not None]
        named_jobs = [_known_by_id(client, job_id) for job_id in ids] if desired.unlisted != ABSENT else []
        jobs = [job for job in named_jobs if job is not None]
    account = owner(client) if any(item.desired.needs_transformers for item in desired.items) else None
    names = transformers(account) if account else None
    named = account.address.id if account else client.address.account
    return JobListing(tuple(jobs), refusal=refusal, now=now, address=client.address, transformers=names, account=named)


def owner(client: Client) -> Client:
    """Return a client for the account of the task, or for the account that its zone belongs to, which takes a request."""
    if client.address.scope == ACCOUNT:
        return client
    account = account_of(client.call("zones.get").result)
    if not account:
        message = "transformer: the service does not show which account the zone belongs to; set transformer_id instead."
        raise Failure(BAD_RESPONSE, message)
    return client.at(Address(ACCOUNT, account))


def transformers(client: Client) -> dict[str, list[int]]:
    """Return the ids of the transformers of an account by their names."""
    ids: dict[str, list[int]] = {}
    for item in map(dict_of, client.items("transformers.list", keys=("id",))):
        number, name = item.get("id"), item.get("name")
        if not is_integer(number) or number < 1 or not isinstance(name, str):
            raise Failure(BAD_RESPONSE, "The service lists a transformer without a valid id and name.")
        ids.setdefault(name, []).append(number)
    return ids


def _list_if_possible(client: Client) -> tuple[Observed[list[Job]], Failure | None]:
    """Return all jobs of the zone, which may be written; if the service has no such route, why not, and its failure."""
    try:
        return Known(_listed_to_write(client)), None
    except Failure as failure:
        if is_missing(failure):
            return unknown(failure), failure
        raise


def report(client: Client, query: JobQuery) -> Conclusion:
    """Return the jobs that match a query, sorted by id, with their health; one that does not exist is an empty list."""
    jobs = listed(client) if query.job_id is None else filter(None, [by_id(client, query.job_id)])
    # A job whose name or dataset is not known may be one of them.
    matches = [
        job
        for job in jobs
        if (query.name in (None, job.name) or "name" in job.unreadable)
        and (query.dataset in (None, job.dataset) or not job.dataset)
    ]
    matches.sort(key=lambda job: job.id)
    return Conclusion({"jobs": with_health(matches, query.stale_after, time.time())}, job_warnings(matches))


def listed(client: Client) -> list[Job]:
    """Return all jobs of the zone; the route has no pages. Raise `bad_response` if two jobs have one id."""
    jobs = list(map(read_job, client.items("logpush_jobs.list", keys=())))
    (twice, count), *_others = collections.Counter(job.id for job in jobs).most_common(1) or [(0, 1)]
    if count > 1:
        raise Failure(BAD_RESPONSE, f"The service's answer cannot be used: it lists two different jobs with the id {twice}.")
    return jobs


def _listed_to_write(client: Client) -> list[Job]:
    return [require_known(job, f"jobs[{index}]") for index, job in enumerate(listed(client))]


def _known_by_id(client: Client, job_id: int) -> Job | None:
    """Return the job with an id, which may be written."""
    job = by_id(client, job_id)
    return None if job is None else require_known(job, "job")


def by_id(client: Client, job_id: int) -> Job | None:
    """Return the job with an id; if the service has no route for one job, list all jobs."""
    try:
        result = client.call("logpush_jobs.get", ids={"job_id": job_id}).result
    except Failure as failure:
        if not is_missing(failure):
            raise
        return _in_list(client, job_id, failure)
    # An official example shows one job as a list of one.
    return read_job(result[0] if isinstance(result, list) and len(result) == 1 else result, job_id)


def _in_list(client: Client, job_id: int, missing: Failure) -> Job | None:
    """Find a job whose own route answered `missing`; if no route shows jobs, it is not known that the job does not exist."""
    try:
        return find_by_id(listed(client), job_id)
    except Failure as failure:
        if not is_missing(failure):
            raise
        # A 404 without a code is about the job and not about its route if listing is not allowed: the route exists.
        is_bare = missing.status == 404 and not any(error["code"] for error in missing.errors)
        if not lacks_route(missing) or (is_bare and failure.status == 405):
            return None
        message = f"The service has no route that shows job {job_id}, so it is not known whether it exists; check {client.address.scope}_id. ({failure})"
        raise dataclasses.replace(failure, kind=NOT_FOUND, message=message) from None


class Selection(t.NamedTuple):
    """Names of fields that would be written, with their option paths: of a list of fields, and of conditions of a filter."""

    dataset: str
    fields: t.Mapping[str, str]
    keys: t.Mapping[str, str]


def selection(place: str, desired: DesiredJob, state: JobState, plan: Plan) -> Selection | None:
    """Return the field names that a plan for one job would write; None if they stay the same or must not be checked.

    `place` is the path of the job's options, empty for the only job of a task.
    """
    body = plan.requests[-1].body if plan.requests else None
    if not body or not desired.validate_fields:
        return None
    present = state.job
    own_dataset = present.dataset if present else DATASET
    dataset = str(body.get("dataset") or own_dataset)
    path = f"{place}." if place else ""
    fields = {name.strip(): path + desired.places.get(name.strip(), "fields") for name in selected_fields(body)}
    fields.pop("", None)
    # A job that is re-created takes over the filter of the old one.
    tree = desired.filter or read_echo(str(body["filter"])) if body.get("filter") else None
    written = list(conditions(tree)) if tree else []
    keys = {condition.key: f"{path}{where}.key" for where, condition in reversed(written)}
    if present and dataset == own_dataset:
        kept = set(map(str.strip, selected_fields(present.members)))
        # Names that the job has and the task does not list are not the task's to correct.
        is_same = fields.keys() == kept - {""}
        fields = {} if is_same else {name: where for name, where in fields.items() if name in desired.places or name not in kept}
        keys = {} if tree and present.filter and same_filter(tree, present.filter) else keys
    return Selection(dataset, fields, keys) if fields or keys else None


def check_fields(chosen: Selection, known: t.Collection[str]) -> None:
    """Refuse names that the dataset does not have; if none are known, refuse nothing."""
    losses = ("records would be delivered without it", "no record would meet the condition")
    for places, loss in zip((chosen.fields, chosen.keys), losses, strict=True):
        wrong = [name for name in places if known and name not in known]
        if wrong:
            candidates = list(itertools.islice(filter(_PLAIN_NAME.fullmatch, known), _MAX_CANDIDATES))
            meant = {name: did_you_mean(nearest(name, candidates)) for name in wrong[:_MAX_NAMED]}
            first, *others = meant
            more = "".join(f"; nor is {quoted(name)}{meant[name]}" for name in others)
            message = f"{quoted(first)} is not a field of the dataset {chosen.dataset}{meant[first]}{more}; {loss}"
            raise invalid_option(places[first], message)


def validate(client: Client, jobs: t.Iterable[tuple[str, DesiredJob, JobState, Plan]]) -> None:
    """Refuse names of fields that their dataset does not have, with one request for each dataset.

    Of each job: the path of its options, and its desired state, current state and plan.

    If the service lacks the route or refuses it, or shows no field, nothing is refused, which is a warning; without the route or the right, no
    further request is sent.
    """
    known: dict[str, t.Mapping[str, str | None]] = {}
    for chosen in filter(None, itertools.starmap(selection, jobs)):
        if chosen.dataset not in known:
            try:
                fields = dataset_fields(client, chosen.dataset)
            except Failure as failure:
                if lacks_route(failure) or failure.kind == PERMISSION:
                    client.warnings.append(_NOT_COMPARED.format("the fields of datasets"))
                    return
                if not is_missing(failure):
                    raise
                fields = {}
            if not fields:
                client.warnings.append(_NOT_COMPARED.format(f"any field of the dataset {chosen.dataset}"))
            known[chosen.dataset] = fields
        check_fields(chosen, known[chosen.dataset])


_NOT_COMPARED = "validate_fields: the service does not show {}, so that names were not compared with them; a misspelt name loses data silently."


def dataset_fields(client: Client, dataset: str) -> dict[str, str | None]:
    """Return the fields of a dataset by name with their descriptions."""
    fields: dict[str, str | None] = {}
    for name, text in dict_of(client.call("logpush_datasets.fields", ids={"dataset": dataset}).result).items():
        if not isinstance(text, (str, type(None))):
            raise Failure(BAD_RESPONSE, f"The description of the field {name[:100]!r} must be a string, not {json_type(text)}.")
        fields[name] = text
    return fields


def report_fields(client: Client, dataset: str) -> Conclusion:
    """Return the fields of a dataset as a result, sorted by name."""
    fields = dataset_fields(client, dataset)
    return Conclusion({"fields": {name: fields[name] or "" for name in sorted(fields)}}, tuple(unknown_dataset(dataset)))


_WORDS = Words("job", "jobs", "job_id", "logpush_job_info", ", so that logs are delivered twice")

# Of each job that this run created: its desired state, the state that was read before, and its result.
Creation = tuple[DesiredJob, JobState, Json]


def verify(client: Client, created: t.Iterable[Creation]) -> None:
    """List the jobs again after a creation: refuse what another run created meanwhile, and warn of a new job that is not listed yet."""
    made = [_created(desired, state, dict_of(result)) for desired, state, result in created if state.unlisted is None]
    look_again(
        client, _WORDS, lambda: [Listed(job.id, _key(job.name, job.dataset), job.id) for job in _listed_to_write(client)], made
    )


def _key(name: Json, dataset: Json) -> Json:
    return [name, dataset] if name else None


def _created(desired: DesiredJob, state: JobState, made: t.Mapping[str, Json]) -> Created:
    name, dataset = made["name"], made["dataset"]
    is_listed = isinstance(state.known, Known)
    known = state.known.value if isinstance(state.known, Known) else frozenset()
    # If only one job was read before, by its id, an older job than that one cannot be new.
    lowest = desired.job_id or 0

    def is_new(number: int | str) -> bool:
        return number not in known and int(number) >= lowest

    named = f"name {name!r} and dataset {dataset}"
    number = t.cast("int", made["id"])
    replaced = state.job.id if state.job else None
    return Created(number, _key(name, dataset), str(name), named, is_new, number, is_listed, replaced)


def read_boundary(client: Client) -> dict[str, Json]:
    """Return the Customer Metadata Boundary of the account."""
    return parse_boundary(client.call("boundary.get").result)


def read_cost(client: Client, rates: Rates) -> dict[str, Json]:
    """Return what the account costs in the month so far; fail if the plan shows no figures."""
    result = report_delivery(client, delivery.DesiredFacts((), delivery.DEFAULT_HOURS, rates)).result
    cost = dict_of(result.get("cost"))
    if not cost:
        reason = str(result.get("reason") or "the plan shows no bytes").rstrip(".")
        raise Failure(PERMISSION, f"There are no figures of the cost: {reason}.")
    return cost


def report_delivery(client: Client, desired: delivery.DesiredFacts) -> Conclusion:
    """Return the measured deliveries of the zones or the account of the task."""
    excluded = None if desired.rates is None else _not_paid_by_size(client)
    address = None if desired.zone_ids else client.address
    return client.at_service_time(lambda now: delivery.report(client.query, desired, address, now, excluded))


def _not_paid_by_size(client: Client) -> Excluded:
    """Return the jobs of each dataset that is not paid by the gigabyte; None if the token cannot list jobs."""
    try:
        jobs = listed(client)
    except Failure as failure:
        if failure.kind in (PERMISSION, AUTHENTICATION) or is_missing(failure):
            return None
        raise
    excluded = {dataset: [job.id for job in jobs if job.dataset == dataset] for dataset in NOT_BY_SIZE}
    return {dataset: ids for dataset, ids in excluded.items() if ids}
