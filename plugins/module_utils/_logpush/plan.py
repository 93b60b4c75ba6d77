# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._destination.mask import secret_parts
from ansible_collections.edgeops.observability.plugins.module_utils._errors import NOT_FOUND, Failure, conflict
from ansible_collections.edgeops.observability.plugins.module_utils._filter.limits import budget
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import read_echo
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.changes import (
    Change,
    carried,
    changes,
    fixed_changes,
    of_successor,
    predicted,
)
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.checks import (
    assumed_same,
    insist_on_dataset,
    insist_on_listing,
    insist_on_name,
    need_destination,
    warnings_of,
)
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import MEMBERS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import Desired
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.present import Job, health, view
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.select import State, dataset_of
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json, Plan, Request

_SERVER_MADE: Job = dict.fromkeys(("id", *(name for name, member in MEMBERS.items() if member.volatile)))
_PERHAPS_GONE = "If job {id} was deleted after all, nothing is delivered, and the next run by name creates it with the options of the task only."
_GONE = (
    "Job {id} was already deleted to re-create it: it is gone, and nothing is delivered until it is created again,"
    " which a run with name and without job_id does."
)


def plan(desired: Desired, state: State) -> Plan:
    """The one decision: delete, create, replace, change or leave alone."""
    if state.unlisted is not None and state.job is None and desired.job_id is None:
        insist_on_listing(desired, state.unlisted)
    if not desired.present:
        return _delete(state.job)
    if state.job is None:
        return _create(desired, state)
    fixed = fixed_changes(desired, state.job)
    return _replace(desired, state, state.job, fixed) if fixed else _update(desired, state, state.job)


def secrets(desired: Desired, state: State | None) -> frozenset[str]:
    """What no output may hold: the challenge, and the secret parts of the desired and of the present destination."""
    present = state.job.get("destination_conf") if state is not None and state.job else None
    challenge = {desired.challenge} if desired.challenge else set()
    return secret_parts(desired.destination) | secret_parts(present) | challenge


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
    need_destination(desired, f"is required to create the job {desired.name!r}, which does not exist yet")
    made = changes(desired._replace(plain={**desired.plain, "dataset": desired.dataset}), {})
    body = _body(made)
    unlisted = "create_unlisted: the service cannot list jobs, so the job is created without checking whether it exists."
    return Plan(
        before={},
        after={change.name: change.after for change in made},
        result=_result({**predicted(view({}), made), **_SERVER_MADE}),
        requests=(Request("logpush_jobs.create", body=body, creates=True),),
        basis={"job": None},
        warnings=(*([unlisted] if state.unlisted else []), *warnings_of(desired, state, body)),
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
        warnings=(
            *health(shown, desired.plain.get("enabled")),
            *assumed_same(desired, job, body),
            *warnings_of(desired, state, body),
        ),
    )


def _replace(desired: Desired, state: State, job: Job, fixed: t.Sequence[Change]) -> Plan:
    if not desired.recreate:
        what = " and ".join(f"{change.name} {change.before!r} cannot become {change.after!r}" for change in fixed)
        raise conflict(f"Job {job['id']} exists, and its {what}. Set recreate to delete and re-create it.")
    need_destination(desired, "must be given to recreate a job, because the service may not show all of it")
    made, shown = of_successor(changes(desired, job)), view(job)
    proof = {"ownership_challenge": desired.challenge} if desired.challenge else {}
    body = {"dataset": dataset_of(job), **carried(job), **_body(made), "destination_conf": desired.destination, **proof}
    if "output_options" in body:
        body.pop("logpull_options", None)
    insist_on_dataset(job, body)
    insist_on_name(job, body, state)
    delete = Request("logpush_jobs.delete", ids={"job_id": job["id"]}, if_it_fails=_PERHAPS_GONE.format(id=job["id"]))
    create = Request("logpush_jobs.create", body=body, creates=True, if_it_fails=_GONE.format(id=job["id"]))
    return Plan(
        before={"id": job["id"], **{change.name: change.before for change in made}},
        after={"id": None, **{change.name: change.after for change in made}},
        result=_result({**predicted(shown, made), **_SERVER_MADE}),
        requests=(delete, create),
        basis=_basis(job, made),
        warnings=(*health(shown, desired.plain.get("enabled")), *warnings_of(desired, state, body)),
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
