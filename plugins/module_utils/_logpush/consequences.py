# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

from .._address import ZONE
from .._core import (
    CHANGE_DESTINATION,
    CHANGE_FILTER,
    CHANGE_TRANSFORMER,
    DISABLE_JOB,
    DROP_JOB_FIELDS,
    NOT_FOUND,
    REDUCE_SAMPLE_RATE,
    Effect,
    Failure,
    conflict,
    invalid_option,
)
from .._destination import Destination, is_assumed_same, leads_elsewhere, takes_token
from .._destination_address import has_hidden_account, is_seen, leads_to
from .._filter.lint import findings
from .._observed import Cause, Known, Unknown
from . import logpull_options
from .changes import Body, Change
from .coverage import lost_fields, selected_fields
from .facts import DATASET, EDGE
from .health import delivery_warnings
from .job import Job, JobState, job_warnings, words_for
from .options import ADDRESS, DesiredJob, refuse_mask, unknown_dataset
from .ownership import why_refused
from .together import Whole, problems

# What a plan of a job refuses, what it warns of, and what it destroys.


def require_listing(desired: DesiredJob, refusal: Failure) -> None:
    """Refuse a job by name if the service lists no jobs, unless it may be created without looking for it."""
    advice = "Set job_id to select the job to delete."
    if desired.present:
        if desired.create_without_listing:
            return
        advice = "Set create_without_listing to create the job without checking; each further run would create another one."
    unknown = f"The service cannot list jobs, so it is not known whether there is one named {desired.name!r}."
    raise dataclasses.replace(refusal, kind=NOT_FOUND, message=f"{unknown} {advice} ({refusal})")


def _namesakes(planned: Job, state: JobState, job: Job) -> list[int]:
    """Return the other jobs that have the name and the dataset of a job after the task, as far as jobs were listed."""
    staying = state.staying.value if isinstance(state.staying, Known) else ()
    alike = (other.id for other in staying if planned.name and (other.name, other.dataset) == (planned.name, planned.dataset))
    return sorted(number for number in alike if number and number != job.id)


def check_recreated(job: Job, planned: Job, state: JobState) -> None:
    """Refuse a re-created job of a kind that its dataset lacks, or under the name of another job."""
    name, dataset = planned.name, planned.dataset
    # The service would refuse it after the deletion; kind or dataset may be copied from the old job.
    if planned.values["kind"] == EDGE and dataset != DATASET:
        raise conflict(
            f"Job {job.id} would be re-created as kind 'edge' of the dataset {dataset!r}, but 'edge' exists for"
            f" {DATASET!r} only. Omitted options are copied from the old job: set both kind and dataset."
        )
    # Later runs could not distinguish two jobs of one name.
    if others := _namesakes(planned, state, job):
        raise conflict(
            f"Job {job.id} would be re-created under the name {name!r}, which job {others[0]} of the dataset {dataset!r} has."
            " Set name to another one, or delete that job."
        )


def warnings_of(desired: DesiredJob, state: JobState, body: Body, planned: Job) -> t.Iterator[str]:
    """Yield warnings about the job after the plan, and about what `body` sends; refuse what cannot be correct."""
    job, requested = state.job, desired.destination
    present = job.destination if job else None
    if job:
        yield from delivery_warnings(job, desired.plain.get("enabled"))
        yield from job_warnings([job])
    elif state.unlisted:
        yield "create_without_listing: the service cannot list jobs, so the job is created without checking whether it exists."
    if not job and "enabled" not in body:
        yield "enabled: is omitted, and the service creates jobs disabled, so that the job delivers nothing; set enabled to true."
    if "dataset" in body:
        yield from unknown_dataset(str(body["dataset"]))
    if job and "name" in body:
        if others := _namesakes(planned, state, job):
            yield f"name: job {others[0]} has the same name and dataset, so that later tasks have to select both by job_id."
        if isinstance(state.staying, Unknown) and state.staying.cause is not Cause.NOT_ASKED:
            yield "name: the service cannot list jobs, so that it is not known whether another job has the same name and dataset."
    if "destination_conf" in body and requested:
        yield from _ownership_warnings(requested, desired.challenge, state)
    elif job and present:
        yield from _unseen(words_for(job), desired, present)
    scope = state.address.scope if state.address else ZONE
    yield from problems(Whole(planned, requested or present, _managed(desired), body.keys(), scope))
    yield from findings(desired.filter) if desired.filter else ()


def _unseen(words: str, desired: DesiredJob, present: Destination) -> t.Iterator[str]:
    """Yield a warning where the destination of a job counts as equal and that cannot be seen."""
    account = f" Whose account of {present.scheme} receives the records is in such a part." if has_hidden_account(present) else ""
    if desired.destination and is_assumed_same(desired.destination, present):
        yield (
            f"{words}: the service masks secret parts of the destination, so that they are assumed to be equal.{account}"
            " To send a changed secret, set send_destination to 'if_masked' once."
        )
    elif desired.address and leads_to(desired.address, present) and not is_seen(desired.address, present):
        yield (
            f"{words}: {ADDRESS} does not show secret parts of the destination, so that they are assumed to be equal.{account}"
            " To compare them, declare destination_conf."
        )


def _managed(desired: DesiredJob) -> set[str]:
    """Return the members that a task manages, as the service calls them."""
    others = {
        "destination_conf": desired.destination,
        "logpull_options": desired.logpull,
        "output_options": desired.output,
        "filter": desired.filter,
        "transformer": desired.transformer,
    }
    return {*desired.plain, *(name for name, value in others.items() if value is not None)}


def _ownership_warnings(requested: Destination, token: str | None, state: JobState) -> t.Iterator[str]:
    refuse_mask(requested)
    wrong = why_refused(token, state.address, requested, state.now) if token else None
    if wrong:
        raise invalid_option("ownership_challenge", wrong)
    if token and takes_token(requested) is False:
        yield "ownership_challenge: the service requires no proof of ownership for this type of destination."
    if not token and takes_token(requested):
        yield (
            "ownership_challenge: is omitted, but the service requires a proof of ownership of this destination, and refuses it without"
            " one. Request a challenge with the module logpush_ownership."
        )


def effects_of(label: str, job: Job, planned: Job, made: t.Sequence[Change]) -> tuple[Effect, ...]:
    """Return what a write destroys that makes an existing job the one after it."""
    written = {name for change in made for name in change.sends}
    gone: list[str] = []
    is_sampled, leaves_default = False, False
    if written & {"logpull_options", "output_options"}:
        gone = lost_fields(job.members, planned.members)
        # Of a job that lists no field the service decides which it delivers: those of its default that are not listed go.
        leaves_default = not selected_fields(job.members) and bool(selected_fields(planned.members))
        is_sampled = _sample_rate(planned) < _sample_rate(job)
    # A destination that the service does not show may be any.
    was, will = job.destination, planned.destination
    destroyed = {
        DISABLE_JOB: "enabled" in written and not planned.values["enabled"],
        DROP_JOB_FIELDS: gone or leaves_default,
        REDUCE_SAMPLE_RATE: is_sampled,
        CHANGE_FILTER: written & {"filter", "filter_attack_traffic"},
        CHANGE_TRANSFORMER: "transformer_id" in written and job.values["transformer_id"],
        CHANGE_DESTINATION: "destination_conf" in written and (was is None or (will and leads_elsewhere(was, will))),
    }
    detail = {DROP_JOB_FIELDS: tuple(gone) or None}
    return tuple(Effect(name, label, detail.get(name)) for name in destroyed if destroyed[name])


def _sample_rate(job: Job) -> float:
    """Return the fraction of records that a job delivers; 1 if it cannot be parsed."""
    older = {} if job.output else logpull_options.canonical(job.logpull)
    rate = job.output.get("sample_rate", older.get(logpull_options.SAMPLE))
    return rate if logpull_options.is_rate(rate) else 1
