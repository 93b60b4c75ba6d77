# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import math
import re
import typing as t
from types import MappingProxyType

from .._address import Address
from .._core import Failure, Json, bad_answer
from .._destination import Destination, lacks_question_mark, public_destination
from .._destination import parse as parse_destination
from .._destination_secrets import secret_parts, without_secrets
from .._filter.parse import read_echo
from .._filter.text import UNREADABLE, budget, explain, to_text
from .._filter.tree import Tree
from .._observed import Cause, Observed, Unknown
from .._redact import MASK, scrub
from .._selection import ambiguous
from .._text import is_integer, json_type
from . import logpull_options, output_options
from .coverage import CONTENT
from .facts import MEMBERS, MERGE_SUBREQUESTS, NEVER_ABSENT, NOT_CARRIED, SUBOPTIONS, TYPES, VOLATILE
from .options import DesiredJob

Members = t.Mapping[str, Json]
Report = dict[str, Json]

_SECRET_NAME = re.compile("secret|token|password|credential|challenge|key$|auth", re.IGNORECASE)


class Job(t.NamedTuple):
    """A job of the service, parsed once. `members` are as the service sent them, those without an option included.

    `values` are the reported members, with defaults for those that the service omitted. `dataset` is empty, and `enabled` there is None,
    if the service does not show them; `require_known` refuses such a job.
    `filter` is None without a filter, and also if the filter cannot be parsed; then `values["filter"]` is its text.
    `unreadable` are the members of another type than documented, with that type; a job that may be written has none.
    """

    id: int
    name: str | None
    dataset: str
    members: Members
    values: Members
    filter: Tree | None
    logpull: logpull_options.Parameters
    output: Members
    destination: Destination | None
    unreadable: t.Mapping[str, str] = MappingProxyType({})


# The types that the service documents of the members that are read. What it shows of deliveries is told as `unknown` if it has another.
_TYPES = {
    **{name: member.types for name, member in MEMBERS.items() if name not in VOLATILE},
    "destination_conf": (str,),
    MERGE_SUBREQUESTS: (bool,),
}


def parse_job(sent: Json, job_id: str | int | None = None, known: Tree | None = None) -> Job:
    """Parse a job of the service; raise `bad_response` if a member has an undocumented type or the id differs from `job_id`.

    `known` is a tree that the job is expected to have; its text is not parsed again.
    """
    return _readable(read_job(sent, job_id, known))


def read_job(sent: Json, job_id: str | int | None = None, known: Tree | None = None) -> Job:
    """Read a job for a task that only reads: a member of an undocumented type is not known, and `unreadable` names it."""
    if not isinstance(sent, dict):
        raise bad_answer(f"a job is {json_type(sent)}, not an object")
    sent_id = sent.get("id")
    if not is_integer(sent_id) or sent_id < 1:
        raise bad_answer(f"a job has {sent_id!r} as its id, not a number above 0" if "id" in sent else "a job has no id")
    if job_id is not None and sent_id != job_id:
        raise bad_answer(f"job {job_id} was requested, but the answer contains job {sent_id}")
    unreadable = _unreadable(sent)
    members: dict[str, t.Any] = _without(sent, unreadable) if unreadable else sent
    output: Members = members.get("output_options") or {}
    values = {name: member.normal(members.get(name)) for name, member in MEMBERS.items()}
    values.update(dict.fromkeys(MEMBERS.keys() & unreadable.keys() - {"filter"}))
    values.update(dataset=members.get("dataset") or None, enabled=members.get("enabled"))
    text, conf = values["filter"], members.get("destination_conf")
    tree: Tree | None = None
    if isinstance(text, str):
        tree = known if known is not None and text == to_text(known) else read_echo(text)
    return Job(
        id=sent_id,
        name=members.get("name"),
        dataset=str(values["dataset"] or ""),
        members=members,
        values=values,
        filter=tree,
        logpull=logpull_options.parse(members.get("logpull_options")),
        output=output,
        destination=parse_destination(conf) if conf else None,
        unreadable=unreadable,
    )


def _unreadable(sent: Members) -> dict[str, str]:
    """Return the members that have another type than documented, with the type that they have."""
    wrong = {name: json_type(sent[name]) for name, types in _TYPES.items() if not _fits(sent.get(name), types)}
    output = sent.get("output_options")
    if isinstance(output, dict):
        places = {sub.wire: sub for sub in SUBOPTIONS.values() if not _fits(output.get(sub.wire), TYPES[sub.type])}
        wrong |= {f"output_options.{name}": json_type(output[name]) for name in places}
    return wrong


def _without(sent: Members, unreadable: t.Mapping[str, str]) -> dict[str, Json]:
    """Return the members without those that cannot be read; a filter stays as text that is no expression: the job is not without one."""
    members = {name: None if name in unreadable else value for name, value in sent.items()}
    if "filter" in unreadable:
        members["filter"] = json.dumps(sent["filter"])
    if any(name.partition(".")[0] in CONTENT for name in unreadable):
        members |= dict.fromkeys(CONTENT)
    return members


def _readable(job: Job) -> Job:
    """Return a job of which every member can be read; raise `bad_response` for another."""
    if job.unreadable:
        raise bad_answer(f"job {job.id} has members of another type than documented: {', '.join(job.unreadable)}")
    return job


def _fits(value: Json, types: tuple[type, ...]) -> bool:
    """Return whether a value has one of these types, or is null; true and false are not numbers, and lists contain names."""
    if isinstance(value, list):
        return list in types and all(isinstance(item, str) and item for item in value)
    return value is None or (isinstance(value, types) and (bool in types or not isinstance(value, bool)))


def require_known(job: Job, place: str) -> Job:
    """Return a job that a task may write; raise `bad_response` if a member cannot be read, or one that is never absent is."""
    for name in NEVER_ABSENT:
        value = _readable(job).members.get(name)
        if value is None or value == "":
            raise bad_answer(
                f"{place}.{name} (job {job.id}) is {'empty' if value == '' else 'null' if name in job.members else 'missing'}"
            )
    return job


def view(job: Job) -> Report:
    """Return all reported members without secrets, with defaults for those that the service omitted."""
    sent = job.members
    secrets = secret_parts(job.destination)
    other = without_option(job)
    return {
        **job.values,
        **parts_of(job),
        "transformer": None,
        "other": scrub(_masked(other), secrets) if other else {},
        "last_complete": readable(sent.get("last_complete"), secrets),
        "last_error": readable(sent.get("last_error"), secrets),
        "error_message": readable(sent.get("error_message"), secrets),
        "destination": public_destination(job.destination),
        "filter_explained": UNREADABLE if job.filter is None and job.values["filter"] else explain(job.filter),
        "filter_budget": budget(job.filter) if job.filter else None,
    }


def parts_of(job: Job) -> Report:
    """Return fields, timestamp format and flags of a job, whose older options the service ignores beside the newer ones."""
    return output_options.to_parts(job.output) if job.output else logpull_options.to_parts(job.logpull)


def without_option(job: Job) -> Report:
    """Return the members that no option sets and that updates keep, as the service sent them."""
    return {name: value for name, value in job.members.items() if value and name not in MEMBERS and name not in NOT_CARRIED}


def readable(text: Json, secrets: t.Collection[str]) -> str | None:
    """Return a text of the service without secrets; None for an empty one."""
    return without_secrets(scrub(str(text), secrets)) if text not in (None, "") else None


def _masked(value: Json) -> Json:
    """Return a value with members masked whose names sound like secrets, and with the secrets of addresses masked."""
    if isinstance(value, dict):
        return {name: MASK if _SECRET_NAME.search(str(name)) else _masked(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_masked(item) for item in value]
    return without_secrets(value) if isinstance(value, str) else value


def job_warnings(jobs: t.Iterable[Job]) -> tuple[str, ...]:
    """Return a warning for each job whose destination holds options that outputs cannot tell from its path, or that cannot be read whole."""
    warnings = []
    for job in jobs:
        if job.destination is not None and lacks_question_mark(job.destination):
            warnings.append(
                f"{words_for(job)}: the options of its destination lack their question mark, so that what follows is masked, and the"
                " service may not use it. Give destination_conf to correct it."
            )
        if job.unreadable:
            wrong = ", ".join(f"{name} is {kind}" for name, kind in job.unreadable.items())
            warnings.append(
                f"{words_for(job)}: the service shows members of another type than documented, so that they are not known: {wrong}."
            )
        if names := [] if job.output else logpull_options.repeated(job.logpull):
            warnings.append(
                f"{words_for(job)}: its logpull_options have several values of {', '.join(map(repr, names))}, and servers differ in which one"
                " counts, so that it is not known what the job delivers. Give the options to correct it."
            )
    return tuple(warnings)


class Identity(t.NamedTuple):
    """What distinguishes a job from others; `id` is None for a job that does not exist and is not declared by its id."""

    name: str | None
    dataset: str
    id: int | None


def identity_after(desired: DesiredJob, job: Job | None) -> Identity:
    """Return the identity of a desired job once it is applied; `job` is the current one."""
    if job is None:
        return Identity(desired.name, desired.dataset, desired.job_id)
    return Identity(desired.name or job.name, str(desired.plain.get("dataset") or job.dataset), job.id)


def labels(jobs: t.Sequence[Identity]) -> list[str]:
    """Return a label for each of all jobs of a zone: its name; `name/dataset/id` if that is empty or an older job has it."""
    full = [f"{job.name or ''}/{job.dataset}/{'new' if job.id is None else job.id}" for job in jobs]
    oldest: dict[str | None, int] = {}
    for index, job in sorted(enumerate(jobs), key=lambda pair: math.inf if pair[1].id is None else pair[1].id):
        oldest.setdefault(job.name, index)
    taken = {None, "", *full}
    return [
        str(job.name) if oldest[job.name] == index and job.name not in taken else full[index] for index, job in enumerate(jobs)
    ]


def words_for(job: Job) -> str:
    return words_of(Identity(job.name, job.dataset, job.id))


def words_of(job: Identity) -> str:
    """Return how messages call a job."""
    if job.id is None:
        return f"the job {job.name!r}"
    return f"Job {job.name!r} (id {job.id})" if job.name else f"Job {job.id} ({job.dataset or 'unknown dataset'})"


NOT_LISTED = Unknown(Cause.NOT_ASKED, "the task needs no list of the jobs")


class JobState(t.NamedTuple):
    """Current state for one desired job: the job, or None. `unlisted` is the failure of a service that lists no jobs.

    `known` are the ids of all jobs of the zone.
    `staying` are the jobs that exist after the task.
    `label` is the job's label among all jobs.
    `transformers` are the ids of the account's transformers by their names; None if no option needs them.
    """

    job: Job | None
    unlisted: Failure | None = None
    now: float = 0.0
    known: Observed[frozenset[int]] = NOT_LISTED
    staying: Observed[t.Sequence[Identity]] = NOT_LISTED
    address: Address | None = None
    label: str = ""
    transformers: t.Mapping[str, t.Sequence[int]] | None = None


def find_by_name(jobs: t.Iterable[Job], name: str | None, dataset: str) -> Job | None:
    """Return the job with a name and dataset (empty for any); two are a conflict, because the service does not keep names unique."""
    matches = [job for job in jobs if name and job.name == name and dataset in ("", job.dataset)]
    if len(matches) > 1:
        called, selects = (f"{name!r} and deliver {dataset}", "job_id") if dataset else (f"{name!r}", "dataset or job_id")
        raise ambiguous("name", "jobs", (job.id for job in matches), called, selects)
    return matches[0] if matches else None


def find_by_id(jobs: t.Iterable[Job], job_id: int) -> Job | None:
    return next((job for job in jobs if job.id == job_id), None)
