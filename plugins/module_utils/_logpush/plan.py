# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._destination.mask import secret_parts
from ansible_collections.edgeops.observability.plugins.module_utils._destination.parse import is_assumed_same, takes_token
from ansible_collections.edgeops.observability.plugins.module_utils._errors import NOT_FOUND, Failure, conflict, invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._filter.limits import budget
from ansible_collections.edgeops.observability.plugins.module_utils._filter.lint.findings import lint
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import read_echo
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.changes import Change, carried, changes, predicted
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import EDGE_DATASET, MEMBERS, kind_fits
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import NO_FILTER, Desired
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.ownership_token import fault
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.present import Job, health, view
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.select import State, dataset_of
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json, Plan, Request

_SERVER_MADE: Job = dict.fromkeys(("id", *(name for name, member in MEMBERS.items() if member.volatile)))
ASSUMED = (
    "Job {id}: the service masks secret parts of the destination, so that they are assumed to be equal."
    " To send a changed secret, set send_destination to 'always' once."
)
_PERHAPS_GONE = (
    "Should job {id} be gone all the same, nothing is delivered, and the next run by name creates it with the options that it is given;"
    " none carries over from a job that is gone."
)
_GONE = (
    "Job {id} had already been deleted to make place for this one: it is gone, and nothing is delivered until it is created"
    " again, which a run with name and without job_id does."
)


def plan(desired: Desired, state: State) -> Plan:
    """The one decision: delete, create, replace, change or leave alone."""
    if state.unlisted is not None and state.job is None and desired.job_id is None:
        _insist_on_listing(desired, state.unlisted)
    if not desired.present:
        return _delete(state.job)
    if state.job is None:
        return _create(desired, state)
    fixed = [
        change for change in changes(desired, state.job) if change.name in MEMBERS and MEMBERS[change.name].fixed and change.sends
    ]
    return _replace(desired, state, state.job, fixed) if fixed else _update(desired, state, state.job)


def secrets(desired: Desired, state: State | None) -> frozenset[str]:
    """What no output may hold: the challenge, and the secret parts of the wanted and of the present destination."""
    present = state.job.get("destination_conf") if state is not None and state.job else None
    challenge = {desired.challenge} if desired.challenge else set()
    return secret_parts(desired.destination) | secret_parts(present) | challenge


def _insist_on_listing(desired: Desired, refusal: Failure) -> None:
    if desired.present and desired.create_unlisted:
        return
    advice = (
        "Give create_unlisted to create the job without looking; each further run would create another one."
        if desired.present
        else "Give job_id to say which job is to be deleted."
    )
    message = f"The service offers no list of jobs, so that it cannot be known whether there is one named {desired.name!r}. {advice} ({refusal})"
    raise dataclasses.replace(refusal, kind=NOT_FOUND, message=message)


def _delete(job: Job | None) -> Plan:
    result = {"job": None, "filter_budget": None}
    if job is None:
        return Plan(before={}, after={}, result=result, basis={"job": None})
    shown = view(job)
    kept = {name: shown[name] for name, member in MEMBERS.items() if not member.volatile}
    return Plan(
        before={**kept, "destination": shown["destination"]},
        after={},
        result=result,
        requests=(Request("logpush_jobs.delete", ids={"job_id": job["id"]}),),
        basis={**kept, "destination_conf": job.get("destination_conf")},
    )


def _create(desired: Desired, state: State) -> Plan:
    if desired.job_id is not None:
        raise Failure(NOT_FOUND, f"job_id: there is no job {desired.job_id} in this zone; without job_id, name creates one.")
    _need_destination(desired, f"is required to create the job {desired.name!r}, which does not exist yet")
    made = changes(desired._replace(plain={**desired.plain, "dataset": desired.dataset}), {})
    body = _body(made)
    unlisted = "The service lists no jobs: one is created without looking whether it exists already."
    return Plan(
        before={},
        after={change.name: change.after for change in made},
        result=_result({**predicted(view({}), made), **_SERVER_MADE}),
        requests=(Request("logpush_jobs.create", body=body, creates=True),),
        basis={"job": None},
        warnings=(*([unlisted] if state.unlisted else []), *_warnings(desired, state, body)),
    )


def _update(desired: Desired, state: State, job: Job) -> Plan:
    made, shown = changes(desired, job), view(job)
    body = _body(made)
    request = Request("logpush_jobs.update", ids={"job_id": job["id"]}, body=body)
    return Plan(
        before={change.name: change.before for change in made},
        after={change.name: change.after for change in made},
        result=_result(predicted(shown, made)),
        requests=(request,) if body else (),
        basis=_basis(job, made),
        warnings=(*health(shown, desired.plain.get("enabled")), *_assumed(desired, job, body), *_warnings(desired, state, body)),
    )


def _replace(desired: Desired, state: State, job: Job, fixed: t.Sequence[Change]) -> Plan:
    if not desired.recreate:
        what = " and ".join(f"{change.name} {change.before!r} cannot become {change.after!r}" for change in fixed)
        raise conflict(f"Job {job['id']} exists, and its {what}. With recreate it is deleted and created anew.")
    _need_destination(desired, "must be given to recreate a job, because the service may not show all of it")
    made, shown = changes(desired, job), view(job)
    proof = {"ownership_challenge": desired.challenge} if desired.challenge else {}
    body = {"dataset": dataset_of(job), **carried(job), **_body(made), "destination_conf": desired.destination, **proof}
    _insist_on_dataset(job, body)
    delete = Request("logpush_jobs.delete", ids={"job_id": job["id"]}, if_it_fails=_PERHAPS_GONE.format(id=job["id"]))
    create = Request("logpush_jobs.create", body=body, creates=True, if_it_fails=_GONE.format(id=job["id"]))
    return Plan(
        before={"id": job["id"], **{change.name: change.before for change in made}},
        after={"id": None, **{change.name: change.after for change in made}},
        result=_result({**predicted(shown, made), **_SERVER_MADE}),
        requests=(delete, create),
        basis=_basis(job, made),
        warnings=(*health(shown, desired.plain.get("enabled")), *_warnings(desired, state, body)),
    )


def _need_destination(desired: Desired, why: str) -> None:
    if desired.destination is None:
        raise invalid_option("destination_conf", why)


def _insist_on_dataset(job: Job, body: Job) -> None:
    """Refuses a successor that the service would refuse after the deletion: of kind and dataset, one may carry over."""
    if not kind_fits(body.get("kind"), body["dataset"]):
        raise conflict(
            f"Job {job['id']} would be created anew as kind 'edge' of the dataset {body['dataset']!r}, but 'edge' exists for"
            f" {EDGE_DATASET!r} only. What is not given carries over: give both kind and dataset."
        )


def _body(made: t.Iterable[Change]) -> Job:
    return {name: value for change in made for name, value in change.sends.items()}


def _basis(job: Job, made: t.Iterable[Change]) -> Json:
    names = {"destination": "destination_conf"}
    basis = {name: job.get(name) for name in (names.get(change.name, change.name) for change in made)}
    return {"id": job["id"], **{name: MEMBERS[name].normal(value) if name in MEMBERS else value for name, value in basis.items()}}


def _result(job: Job) -> dict[str, Json]:
    tree = read_echo(job["filter"])
    return {"job": job, "filter_budget": budget(tree) if tree is not None else None}


def _assumed(desired: Desired, job: Job, body: t.Mapping[str, Json]) -> list[str]:
    """Return a warning if the destination counts as equal although the service does not show all of it."""
    present = job.get("destination_conf")
    if (
        desired.destination is None
        or "destination_conf" in body
        or not present
        or not is_assumed_same(desired.destination, present)
    ):
        return []
    return [ASSUMED.format(id=job["id"])]


def _warnings(desired: Desired, state: State, body: t.Mapping[str, Json]) -> list[str]:
    """The lint of the filter; and of a challenge that would be sent, whether it can be good and is needed."""
    found = list(lint(desired.filter)) if desired.filter is not None and desired.filter != NO_FILTER else []
    if "ownership_challenge" in body:
        wrong = fault(body["ownership_challenge"], desired.zone_id, body["destination_conf"], state.now)
        if wrong:
            raise invalid_option("ownership_challenge", wrong)
        if takes_token(body["destination_conf"]) is False:
            found.append("ownership_challenge: the service asks for no proof of ownership of this kind of destination.")
    return found
