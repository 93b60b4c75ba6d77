# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t
from urllib.parse import unquote

from .._address import ACCOUNT, ZONE
from .._core import (
    BAD_RESPONSE,
    CONFLICT,
    DELETE_JOB,
    NOT_FOUND,
    RECREATE_JOB,
    Effect,
    Failure,
    Json,
    Plan,
    Request,
    conflict,
    invalid_option,
)
from .._destination import public_destination
from .._destination_address import address_text, leads_to
from .._destination_secrets import secret_parts
from .._filter.text import to_data
from .._redact import require_unmasked
from .._selection import ambiguous
from .._text import dict_of, did_you_mean, list_of, nearest, quoted
from . import logpull_options
from .changes import WIRE, Body, Change, changes, fixed_changes, meaning, with_carriers
from .consequences import check_recreated, effects_of, require_listing, warnings_of
from .facts import DATASETS, MEMBERS, NOT_CARRIED, OLDER_FORM, SERVER_MADE, VOLATILE
from .job import Job, JobState, identity_after, parse_job, parts_of, view, words_for, words_of
from .options import ADDRESS, DesiredJob

# The plan of a job: a deletion, a creation, a re-creation, an update, or nothing.

_UNMASK = (
    "give it in the task, a parameter of logpull_options in option_flags; what no option sets can be changed at the service only, or is dropped"
    " with the job, if it is deleted (state: absent) and then created"
)
_PERHAPS_GONE = "If job {id} was deleted after all, nothing is delivered, and the next run by name creates it with the options of the task only."
_GONE = (
    "Job {id} was already deleted to re-create it: it is gone, and nothing is delivered until it is created again,"
    " which a run with name and without job_id does."
)


def plan(desired: DesiredJob, state: JobState) -> Plan:
    """Return the plan that deletes, creates, re-creates or updates the job, or leaves it unchanged."""
    if state.unlisted is not None and state.job is None and desired.job_id is None:
        require_listing(desired, state.unlisted)
    if not desired.present:
        return plan_deletion(state.job, state.label)
    names = state.transformers
    if desired.transformer is not None and names is not None:
        desired = desired._replace(plain={**desired.plain, "transformer_id": _transformer_id(desired.transformer, names)})
    desired = with_carriers(desired, state.job)
    if state.job is None:
        made = _create(desired, state)
    else:
        fixed = fixed_changes(desired, state.job)
        made = _recreate(desired, state, state.job, fixed) if fixed else _update(desired, state, state.job)
    job = dict_of(made.result["job"])
    if not job:
        return made
    transformer = transformer_name(job["transformer_id"], names)
    undeclared = desired.undeclared(str(job["dataset"]))
    return made._replace(
        before=_with_name(dict_of(made.before), names),
        after=_with_name(dict_of(made.after), names),
        result={**made.result, "job": {**job, "transformer": transformer, "undeclared": undeclared}},
    )


def _with_name(side: dict[str, Json], names: t.Mapping[str, t.Sequence[int]] | None) -> dict[str, Json]:
    """Return a side of the diff with the name of the transformer, where the names were read."""
    if names is None or "transformer_id" not in side:
        return side
    return {**side, "transformer": transformer_name(side["transformer_id"], names)}


def transformer_name(number: Json, names: t.Mapping[str, t.Sequence[int]] | None) -> str | None:
    """Return the name of a transformer of the account; None where there is none, or the names were not read."""
    return next((name for name, ids in (names or {}).items() if number in ids), None)


def _transformer_id(name: str, names: t.Mapping[str, t.Sequence[int]]) -> int:
    """Return the id of a transformer of the account."""
    matches = sorted(names.get(name, ()))
    if not matches:
        message = f"{name!r} is not a transformer of the account{did_you_mean(nearest(name, sorted(names)))}"
        raise invalid_option("transformer", message)
    if len(matches) > 1:
        raise ambiguous("transformer", "transformers", matches, f"{name!r}", "transformer_id")
    return matches[0]


def secrets(desired: DesiredJob, state: JobState | None) -> frozenset[str]:
    """Return what no output may contain: the challenge, and the secrets of the desired and the current destination."""
    present = state.job.destination if state is not None and state.job else None
    challenge = {desired.challenge} if desired.challenge else set()
    return secret_parts(desired.destination) | secret_parts(present) | challenge


def plan_deletion(job: Job | None, label: str) -> Plan:
    result = {"job": None}
    if job is None:
        return Plan(before={}, after={}, result=result, basis={"job": None})
    kept = {name: job.values[name] for name in MEMBERS if name not in VOLATILE}
    before = {**kept, "filter": to_data(str(kept["filter"])) if kept["filter"] else None}
    del before["logpull_options"]
    before |= {} if job.output else parts_of(job)
    return Plan(
        before={**before, "destination": public_destination(job.destination)},
        after={},
        result=result,
        requests=(Request("logpush_jobs.delete", ids={"job_id": job.id}),),
        effects=(Effect(DELETE_JOB, label),),
        basis=_digested({**kept, "destination_conf": job.members.get("destination_conf")}),
    )


def _create(desired: DesiredJob, state: JobState) -> Plan:
    if desired.address is not None:
        return _create_elsewhere(desired, state)
    if desired.job_id is not None:
        scope = state.address.scope if state.address else ZONE
        raise Failure(NOT_FOUND, f"job_id: there is no job {desired.job_id} in this {scope}; without job_id, name creates one.")
    if not desired.dataset:
        known = ", ".join(sorted(DATASETS[ACCOUNT]))
        raise invalid_option(
            "dataset",
            f"is required to create the job {desired.name!r} of an account, where it does not exist yet; one of {known}",
        )
    if desired.destination is None:
        raise invalid_option("destination_conf", f"is required to create the job {desired.name!r}, which does not exist yet")
    made, body = changes(desired._replace(plain={**desired.plain, "dataset": desired.dataset}), None)
    disabled = {} if "enabled" in body else {"enabled": False}
    # It has no id yet; the prediction shows none.
    planned = parse_job({"id": 1, "enabled": False, **body}, known=desired.filter or None)
    return Plan(
        before={},
        after={**{change.name: change.after for change in made}, **disabled},
        result=_predict(planned, made, SERVER_MADE),
        requests=(Request("logpush_jobs.create", body=body, creates=True, digested=_digested(body)),),
        basis={"job": None},
        warnings=tuple(warnings_of(desired, state, body, planned)),
    )


class Refusal(t.NamedTuple):
    """Why a job must not be written: a message ("" if it may be), and what the result says of it."""

    message: str = ""
    result: t.Mapping[str, Json] = types.MappingProxyType({})


def _refusal(desired: DesiredJob, state: JobState) -> Refusal:
    """Return the refusal of a job that delivers to another place than it must, or that is gone."""
    address, job = desired.address, state.job
    if address is None or (job and job.destination and leads_to(address, job.destination)):
        return Refusal()
    should_be = address_text(address)
    what = f"{words_for(job)} delivers to another place" if job else f"{words_of(identity_after(desired, None))} does not exist"
    present = address_text(job.destination) if job and job.destination else None
    where = f"to {present} and not to {should_be}" if present else f"so that nothing is delivered to {should_be}"
    message = (
        f"{ADDRESS}: {what}, {where}. Nothing was written: give destination_conf to deliver there again, or correct {ADDRESS}."
    )
    refusal: Json = {"job": state.label, "member": ADDRESS, "is": present, "should_be": should_be}
    return Refusal(message, {"refusals": [refusal]})


def _create_elsewhere(desired: DesiredJob, state: JobState) -> Plan:
    """Return the refused plan for a job that is gone, of which only the address of the destination is declared."""
    made, _body = changes(desired, None)
    refused = _refusal(desired, state)
    return Plan(
        before={},
        after={change.name: change.after for change in made},
        result={"job": None, **refused.result},
        basis={"job": None},
        refused=refused.message,
        refused_as=CONFLICT,
    )


def _update(desired: DesiredJob, state: JobState, job: Job) -> Plan:
    made, body = changes(desired, job)
    if body and job.values["transformer_id"]:
        # It is not documented whether an update without a transformer detaches it, which could deliver what it removes.
        body = {"transformer_id": job.values["transformer_id"], **body}
    require_unmasked(_kept(desired, body, body), words_for(job), _UNMASK)
    planned = parse_job({**job.members, **body}, known=desired.filter or None) if body else job
    refused = _refusal(desired, state)
    return Plan(
        before={change.name: change.before for change in made},
        after={change.name: change.after for change in made},
        result={**_predict(planned, made), **refused.result},
        requests=(Request("logpush_jobs.update", ids={"job_id": job.id}, body=body, digested=_digested(body)),) if body else (),
        effects=effects_of(state.label, job, planned, made),
        basis=_basis(desired, job, made),
        warnings=tuple(warnings_of(desired, state, body, planned)),
        refused=refused.message,
        refused_as=CONFLICT,
    )


def _recreate(desired: DesiredJob, state: JobState, job: Job, fixed: t.Sequence[str]) -> Plan:
    if not desired.recreate:
        raise conflict(f"{words_for(job)} exists, and its {' and '.join(fixed)}. Set recreate to delete and re-create it.")
    if desired.destination is None:
        raise invalid_option("destination_conf", "must be given to recreate a job, because the service may not show all of it")
    made, sends = changes(desired, job)
    if "output_options" in sends:
        # The new job gets one form of the options only.
        made = [change._replace(after=None) if change.name in OLDER_FORM else change for change in made]
    proof = {"ownership_challenge": desired.challenge} if desired.challenge else {}
    body: Body = {"dataset": job.dataset, **carried(job), **sends, "destination_conf": desired.destination.text, **proof}
    if "output_options" in body:
        body.pop("logpull_options", None)
    _check_carried(job, {name: value for name, value in body.items() if name not in sends})
    require_unmasked(_kept(desired, body, sends), words_for(job), _UNMASK)
    planned = parse_job({"id": job.id, "enabled": False, **body}, known=desired.filter or None)
    check_recreated(job, planned, state)
    delete = Request("logpush_jobs.delete", ids={"job_id": job.id}, if_it_fails=_PERHAPS_GONE.format(id=job.id))
    gone = _GONE.format(id=job.id)
    create = Request("logpush_jobs.create", body=body, creates=True, if_it_fails=gone, digested=_digested(body))
    return Plan(
        before={"id": job.id, **{change.name: change.before for change in made}},
        after={"id": None, **{change.name: change.after for change in made}},
        result=_predict(planned, made, SERVER_MADE),
        requests=(delete, create),
        effects=(Effect(RECREATE_JOB, state.label), *effects_of(state.label, job, planned, made)),
        basis=_basis(desired, job, made),
        warnings=tuple(warnings_of(desired, state, body, planned)),
    )


def _check_carried(job: Job, taken: t.Mapping[str, t.Any]) -> None:
    """Refuse a word that no new job can have before the old job is deleted."""
    for name, value in taken.items():
        option = MEMBERS[name].option if name in MEMBERS else None
        choices = list_of((option or {}).get("choices"))
        if choices and value not in choices:
            raise Failure(
                BAD_RESPONSE,
                f"{words_for(job)} has {name} {quoted(value)}, which is none of {', '.join(map(quoted, choices))}, so that the service"
                f" may refuse a new job. Nothing was deleted; set {name} in the task.",
            )


def _kept(desired: DesiredJob, body: Body, sends: Body) -> Body:
    """Return what a body has from the service, by path; texts of expressions contain whatever they compare with."""
    ours = {*sends, "logpull_options", "output_options", "filter", "destination_conf", "ownership_challenge"}
    kept = {name: value for name, value in body.items() if name not in ours}
    text = body.get("logpull_options")
    for name, value in logpull_options.parse(text if isinstance(text, str) else None).items():
        if name not in (logpull_options.FIELDS, *(desired.logpull.others if desired.logpull else ())):
            kept[f"logpull_options.{name}"] = list(value.values) if isinstance(value, logpull_options.Repeated) else value
    output = dict_of(body.get("output_options"))
    return kept | {f"output_options.{name}": value for name, value in output.items() if name not in (desired.output or ())}


def carried(job: Job) -> Body:
    """Return what a re-created job takes over: all that may be sent and is set, unknown members included, but no destination."""
    members = job.members.items()
    taken = {name: value for name, value in members if name not in MEMBERS and name not in NOT_CARRIED and value is not None}
    for name, member in MEMBERS.items():
        if name not in SERVER_MADE and job.values[name] not in (None, member.default):
            taken[name] = job.values[name]
    if job.output:
        # The service ignores the older form beside the newer one, but may still show it.
        taken.pop("logpull_options", None)
    return taken


def _basis(desired: DesiredJob, job: Job, made: t.Iterable[Change]) -> Json:
    """Return what was read of the managed members; spelling does not matter."""
    names = [WIRE.get(change.name, change.name) for change in made]
    basis = {name: job.values[name] if name in MEMBERS else job.members.get(name) for name in names}
    if desired.address is not None and job.destination is not None:
        basis["destination_conf"] = unquote(address_text(job.destination))
    return {"id": job.id, **_digested(basis)}


def _digested(members: t.Mapping[str, Json]) -> Body:
    return {name: meaning(name, value) for name, value in members.items()}


def _predict(planned: Job, made: t.Iterable[Change], unknown: t.Iterable[str] = ()) -> dict[str, Json]:
    """Return the predicted result: the job as it is reported once the changes are made; `unknown` is made by the service."""
    members = view(planned)
    # The diff shows of these what the task sets and what differs from a default.
    options = {change.name: change.after for change in made if change.name == "output_options"}
    return {"job": {**members, **options, **dict.fromkeys(unknown)}}
