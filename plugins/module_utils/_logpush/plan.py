# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

from .. import _destination as destination
from .._core import NOT_FOUND, Effect, Failure, Json, Plan, Request, conflict, invalid_option
from .._destination import (
    closest_scheme,
    is_assumed_same,
    public_change,
    public_destination,
    public_resend,
    secret_parts,
    takes_token,
    upload_limits,
)
from .._filter.compare import same as same_filter
from .._filter.lint import lint
from .._filter.parse import read_echo
from .._filter.text import budget, explain_echo, to_text
from . import logpull_options, output_options
from .effects import effects_of_change, effects_of_deletion, effects_of_recreation
from .facts import ALWAYS, EDGE_DATASET, IF_MASKED, MEMBERS, MERGE_SUBREQUESTS, NDJSON, NOT_CARRIED, kind_fits
from .job import Job, health, view, words_for
from .options import NO_FILTER, Desired, refuse_mask, unknown_dataset
from .ownership import fault
from .select import State, dataset_of


class Change(t.NamedTuple):
    """One managed member: how the diff shows it, how the result does, and what to send (nothing where it does not differ).

    Where nothing differs, the result is what the service reports; what is written is reported as the task spells it, so that
    check mode can predict it, however the service returns it afterwards.
    """

    name: str
    before: Json
    after: Json
    result: Json
    sends: t.Mapping[str, Json]


def changes(desired: Desired, present: t.Mapping[str, Json]) -> list[Change]:
    """What the task manages, compared with a job; an empty `present` stands for a job to be created."""
    found = [_plain(name, value, present) for name, value in desired.plain.items()]
    if desired.destination is not None:
        found.append(_destination(desired, desired.destination, present))
    if desired.logpull is not None:
        found.append(_logpull(desired.logpull, present))
    if desired.output is not None:
        found += _outputs(desired.output, present)
    if desired.filter is not None:
        found.append(_filter(desired, MEMBERS["filter"].normal(present.get("filter"))))
    return found


def fixed_changes(desired: Desired, present: t.Mapping[str, Json]) -> list[Change]:
    """The changes of a job that only another job can have."""
    found = [_plain(name, value, present) for name, value in desired.plain.items() if MEMBERS[name].fixed]
    return [change for change in found if change.sends]


def predicted(shown: Job, made: t.Iterable[Change]) -> Job:
    """The job, reported as `shown` now, as it will be reported once the changes are made."""
    results = {change.name: change.result for change in made}
    beside = {name: results.pop(name) for name in list(results) if name not in shown}
    job = {**shown, **results, "other": {**shown["other"], **beside}}
    return {**job, "filter_explained": explain_echo(job["filter"])}


def of_successor(made: t.Sequence[Change]) -> list[Change]:
    """The changes of a job that is re-created, which gets one form of its options only."""
    newer = any("output_options" in change.sends for change in made)
    return [change._replace(after=None, result=None) if newer and change.name == "logpull_options" else change for change in made]


def carried(job: t.Mapping[str, Json]) -> Job:
    """Return what the successor of a job takes over: all that may be sent and is set, unknown members included, but the destination."""
    taken = {name: value for name, value in job.items() if name not in MEMBERS and name not in NOT_CARRIED and value is not None}
    for name, member in MEMBERS.items():
        value = member.normal(job.get(name))
        if member.sent and value != member.default:
            taken[name] = value
    if job.get("output_options"):
        # The service ignores the older form beside the newer one, but may still show it.
        taken.pop("logpull_options", None)
    return taken


def _plain(name: str, value: Json, present: t.Mapping[str, Json]) -> Change:
    member = MEMBERS[name]
    before, after = member.normal(present.get(name)), member.normal(value)
    return Change(name, before, after, after, {name: value} if before != after or not present else {})


def _destination(desired: Desired, requested: str, present: t.Mapping[str, Json]) -> Change:
    there = present.get("destination_conf")
    before, after = public_change(there, requested)
    if there is not None and destination.same(requested, there):
        masked = desired.sending == IF_MASKED and is_assumed_same(requested, there)
        if not (desired.sending == ALWAYS or masked):
            return Change("destination", before, before, public_destination(there), {})
        before, after = public_resend(there)
    proof = {"ownership_challenge": desired.challenge} if desired.challenge else {}
    return Change("destination", before, after, public_destination(requested), {"destination_conf": requested, **proof})


def _logpull(requested: logpull_options.Requested, present: t.Mapping[str, Json]) -> Change:
    if present.get("output_options"):
        raise conflict(
            f"logpull_options: job {present['id']} already uses output_options, beside which the service ignores"
            " logpull_options. Give output_options instead of fields, timestamp_format, option_flags and logpull_options."
        )
    text, differs = logpull_options.merged(requested, present.get("logpull_options"))
    return _whole("logpull_options", present, text, text or None, differs or bool(text and not present))


def _outputs(requested: t.Mapping[str, Json], present: t.Mapping[str, Json]) -> list[Change]:
    """Return the changes of `output_options`, with what the service has beside them where it had it."""
    beside = present.get(MERGE_SUBREQUESTS)
    if MERGE_SUBREQUESTS not in requested or beside is None or MERGE_SUBREQUESTS in (present.get("output_options") or {}):
        return _output(requested, present)
    value = requested[MERGE_SUBREQUESTS]
    found = Change(MERGE_SUBREQUESTS, beside, value, value, {MERGE_SUBREQUESTS: value} if bool(beside) != value else {})
    rest = {name: each for name, each in requested.items() if name != MERGE_SUBREQUESTS}
    return [*(_output(rest, present) if rest else ()), found]


def _output(requested: t.Mapping[str, Json], present: t.Mapping[str, Json]) -> list[Change]:
    """The newer form of the options; a job that has the older one only takes over what that says, and the diff shows both."""
    there, older = present.get("output_options"), present.get("logpull_options")
    whole, differs = output_options.merged(requested, there)
    if there or not older:
        return [_output_change(requested, present, whole, differs or bool(requested and not present))]
    whole, differs_from_older = output_options.merged(requested, output_options.from_logpull(older))
    if not any(whole.values()):
        # A service that leaves out what is empty or false would show none at all, and the older form would seem to count.
        whole = {"output_type": NDJSON, **whole}
    change = _output_change(requested, present, whole, differs or differs_from_older)
    return [Change("logpull_options", older, older, older, {}), change] if change.sends else [change]


def _output_change(requested: t.Mapping[str, Json], present: t.Mapping[str, Json], whole: Json, differs: bool) -> Change:
    return _whole("output_options", present, whole, output_options.shown(whole, requested), differs)


def _filter(desired: Desired, there: str | None) -> Change:
    if desired.filter is None or desired.filter == NO_FILTER:
        return Change("filter", there, None, None, {"filter": NO_FILTER} if there else {})
    present = read_echo(there)
    text = to_text(desired.filter)
    if present is not None and same_filter(desired.filter, present):
        return Change("filter", there, there, there, {})
    return Change("filter", there, text, text, {"filter": text})


def _whole(name: str, present: t.Mapping[str, Json], new: Json, result: Json, differs: bool) -> Change:
    """A member that is sent as a whole or not at all."""
    before = MEMBERS[name].normal(present.get(name))
    if not differs:
        return Change(name, before, before, before, {})
    return Change(name, before, result, result, {name: new})


# What a plan refuses, and what it warns of.


_ASSUMED = (
    "{job}: the service masks secret parts of the destination, so that they are assumed to be equal."
    " To send a changed secret, set send_destination to 'if_masked' once."
)
_DISABLED = "enabled: is omitted, and the service creates jobs disabled, so that the job delivers nothing; set enabled to true."


def insist_on_listing(desired: Desired, refusal: Failure) -> None:
    """Refuse a job by name where the service lists none, unless it is created without looking."""
    if desired.present and desired.create_without_listing:
        return
    advice = (
        "Set create_without_listing to create the job without checking; each further run would create another one."
        if desired.present
        else "Set job_id to select the job to delete."
    )
    message = (
        f"The service cannot list jobs, so it is not known whether there is one named {desired.name!r}. {advice} ({refusal})"
    )
    raise dataclasses.replace(refusal, kind=NOT_FOUND, message=message)


def need_destination(desired: Desired, why: str) -> None:
    """Refuse a creation without a destination."""
    if desired.destination is None:
        raise invalid_option("destination_conf", why)


def insist_on_dataset(job: Job, body: Job) -> None:
    """Refuse a successor that the service would refuse after the deletion: of kind and dataset, one may carry over."""
    if not kind_fits(body.get("kind"), body["dataset"]):
        raise conflict(
            f"Job {job['id']} would be re-created as kind 'edge' of the dataset {body['dataset']!r}, but 'edge' exists for"
            f" {EDGE_DATASET!r} only. Omitted options are copied from the old job: set both kind and dataset."
        )


def insist_on_name(job: Job, body: Job, state: State) -> None:
    """Refuse a successor that would be one of two jobs of a name, which no later run could tell apart."""
    name, dataset = body.get("name"), body["dataset"]
    others = state.taken.get((name, dataset), frozenset()) - {job["id"]} if name else ()
    if others:
        raise conflict(
            f"Job {job['id']} would be re-created under the name {name!r}, which job {min(others)} of the dataset {dataset!r} has."
            " Set name to another one, or delete that job."
        )


def assumed_same(desired: Desired, job: Job, body: t.Mapping[str, Json]) -> list[str]:
    """Return a warning if the destination counts as equal although the service does not show all of it."""
    present = job.get("destination_conf")
    if (
        desired.destination is None
        or "destination_conf" in body
        or not present
        or not is_assumed_same(desired.destination, present)
    ):
        return []
    return [_ASSUMED.format(job=words_for(job))]


def warnings_of(desired: Desired, state: State, body: t.Mapping[str, Json]) -> list[str]:
    """The lint of the filter; and of what would be sent of a destination, whether it can be good and is needed."""
    if "destination_conf" in body:
        refuse_mask(body["destination_conf"])
    found = unknown_dataset(body["dataset"]) if "dataset" in body else []
    found += _upload_warnings(desired, state.job or {}) + _scheme_warnings(body)
    found += list(lint(desired.filter)) if desired.filter is not None and desired.filter != NO_FILTER else []
    if "ownership_challenge" in body:
        wrong = fault(body["ownership_challenge"], state.address, body["destination_conf"], state.now)
        if wrong:
            raise invalid_option("ownership_challenge", wrong)
        if takes_token(body["destination_conf"]) is False:
            found.append("ownership_challenge: the service requires no proof of ownership for this type of destination.")
    return found


def _scheme_warnings(body: t.Mapping[str, Json]) -> list[str]:
    conf = body.get("destination_conf")
    if conf is None or closest_scheme(conf) is None:
        return []
    scheme = public_destination(conf)["scheme"]
    return [
        f"destination_conf: {scheme!r} is not a known type of destination; the service may refuse it, and outputs mask its options."
    ]


def _upload_warnings(desired: Desired, present: t.Mapping[str, Json]) -> list[str]:
    """Warn where an upload may be larger than the destination takes, from the limits that Cloudflare documents."""
    conf = desired.destination or present.get("destination_conf") or ""
    limits = upload_limits(conf)
    found = []
    for name, most in (("max_upload_bytes", limits.max_bytes), ("max_upload_records", limits.max_records)):
        value = desired.plain.get(name)
        if value and limits.fixed:
            found.append(f"{name}: uploads to this destination have a fixed size, so that the service ignores it.")
        elif value and 0 < most < value:
            found.append(f"{name}: {value} is more than this destination takes in one upload ({most}); larger uploads fail.")
    return found


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
        return _delete(state.job, state.label)
    if state.job is None:
        return _create(desired, state)
    fixed = fixed_changes(desired, state.job)
    return _replace(desired, state, state.job, fixed) if fixed else _update(desired, state, state.job)


def secrets(desired: Desired, state: State | None) -> frozenset[str]:
    """What no output may hold: the challenge, and the secret parts of the desired and of the present destination."""
    present = state.job.get("destination_conf") if state is not None and state.job else None
    challenge = {desired.challenge} if desired.challenge else set()
    return secret_parts(desired.destination) | secret_parts(present) | challenge


def _delete(job: Job | None, label: str) -> Plan:
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
        effects=effects_of_deletion(label),
        basis={**kept, "destination_conf": job.get("destination_conf")},
    )


def _create(desired: Desired, state: State) -> Plan:
    if desired.job_id is not None:
        raise Failure(NOT_FOUND, f"job_id: there is no job {desired.job_id} in this zone; without job_id, name creates one.")
    need_destination(desired, f"is required to create the job {desired.name!r}, which does not exist yet")
    made = changes(desired._replace(plain={**desired.plain, "dataset": desired.dataset}), {})
    body = _body(made)
    disabled = "enabled" not in desired.plain
    unlisted = "create_without_listing: the service cannot list jobs, so the job is created without checking whether it exists."
    return Plan(
        before={},
        after={**{change.name: change.after for change in made}, **({"enabled": False} if disabled else {})},
        result=_result({**predicted(view({}), made), **_SERVER_MADE}),
        requests=(Request("logpush_jobs.create", body=body, creates=True),),
        basis={"job": None},
        warnings=(
            *([unlisted] if state.unlisted else []),
            *([_DISABLED] if disabled else []),
            *warnings_of(desired, state, body),
        ),
    )


def _update(desired: Desired, state: State, job: Job) -> Plan:
    made, shown = changes(desired, job), view(job)
    body = _body(made)
    if body and job.get("transformer_id"):
        # No source says whether an update without a transformer detaches it, which could deliver what it removes.
        body = {"transformer_id": job["transformer_id"], **body}
    request = Request("logpush_jobs.update", ids={"job_id": job["id"]}, body=body)
    return Plan(
        before={change.name: change.before for change in made},
        after={change.name: change.after for change in made},
        result=_result(predicted(shown, made)),
        requests=(request,) if body else (),
        effects=_effects(state.label, job, made, body),
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
        raise conflict(f"{words_for(job)} exists, and its {what}. Set recreate to delete and re-create it.")
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
        effects=effects_of_recreation(state.label, _effects(state.label, job, made, body)),
        basis=_basis(job, made),
        warnings=(*health(shown, desired.plain.get("enabled")), *warnings_of(desired, state, body)),
    )


def _effects(label: str, job: Job, made: t.Iterable[Change], body: t.Mapping[str, Json]) -> tuple[Effect, ...]:
    return effects_of_change(label, job, body, {change.name for change in made if change.sends})


def _body(made: t.Iterable[Change]) -> Job:
    return {name: value for change in made for name, value in change.sends.items()}


def _basis(job: Job, made: t.Iterable[Change]) -> Json:
    names = {"destination": "destination_conf"}
    basis = {name: job.get(name) for name in (names.get(change.name, change.name) for change in made)}
    return {"id": job["id"], **{name: MEMBERS[name].normal(value) if name in MEMBERS else value for name, value in basis.items()}}


def _result(job: Job) -> dict[str, Json]:
    tree = read_echo(job["filter"])
    return {"job": job, "filter_budget": budget(tree) if tree is not None else None}
