# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
import typing as t

from .._core import Json, conflict
from .._destination import (
    Destination,
    is_assumed_same,
    public_change,
    public_destination,
    public_resend,
    same_destination,
)
from .._destination import meaning as destination_meaning
from .._destination import parse as parse_destination
from .._destination_address import leads_to, public_address
from .._filter.compare import arranged, same_filter
from .._filter.compare import meaning as filter_meaning
from .._filter.parse import read_echo
from .._filter.text import to_data, to_text
from .._filter.tree import Tree
from .._templates import new_template
from . import logpull_options, output_options
from .coverage import names_in, selected_fields
from .facts import ALWAYS, DATASET, FIXED, IF_MASKED, MEMBERS, MERGE_SUBREQUESTS, NDJSON, OLDER_FORM
from .job import Job
from .options import NO_FILTER, DesiredJob

# In which members a job differs from the desired state, and what to send for each.

Body = dict[str, Json]
# The names of members in the diff that the service calls otherwise.
WIRE: t.Mapping[str, str] = {"destination": "destination_conf", **dict.fromkeys(OLDER_FORM, "logpull_options")}


def meaning(name: str, value: Json) -> Json:
    """Return a member, as the service calls it, in a form in which its spelling does not matter."""
    if name == "logpull_options" and (value is None or isinstance(value, str)):
        return logpull_options.canonical(logpull_options.parse(value))
    if name == "output_options" and isinstance(value, dict):
        return output_options.canonical(value)
    if name == "destination_conf" and isinstance(value, str):
        return destination_meaning(parse_destination(value))
    tree = read_echo(value) if name == "filter" and isinstance(value, str) else None
    return value if tree is None else filter_meaning(tree)


def with_carriers(desired: DesiredJob, job: Job | None) -> DesiredJob:
    """Return a desired job that lists its carriers, in the form of its options or else of the job.

    They are added to the fields that the task lists; if it lists none, to those of the job.
    """
    dataset = desired.plain.get("dataset") or (job.dataset if job else desired.dataset)
    if not desired.carriers or dataset != DATASET:
        return desired
    output, logpull = desired.output, desired.logpull
    listed = output.get("field_names") if output else logpull.fields if logpull else None
    own = selected_fields(job.members) if listed is None and job else names_in(listed)
    fields = tuple(dict.fromkeys((*own, *desired.carriers)))
    if output is not None or (logpull is None and job and job.output):
        return desired._replace(output={**(output or {}), "field_names": list(fields)})
    return desired._replace(logpull=(logpull or logpull_options.Requested((), {}, "fields"))._replace(fields=fields))


class Change(t.NamedTuple):
    """One managed member: both sides as the diff shows them, which is as data, and what to send if it differs.

    An unchanged member is shown as the service reports it, and a written one as the task spells it, so that check mode can
    predict it, whatever spelling the service returns later.
    """

    name: str
    before: Json
    after: Json
    sends: t.Mapping[str, Json]


def changes(desired: DesiredJob, job: Job | None) -> tuple[list[Change], Body]:
    """Compare what the task manages with a job, or with None if it is to be created; return also what to send."""
    all_changes: list[Change] = []
    for name, value in desired.plain.items():
        after = MEMBERS[name].normal(value)
        # A new job has none of what is declared to be none.
        all_changes.append(_whole(name, job, value, after, after is not None if job is None else job.values[name] != after))
    if desired.destination is not None:
        all_changes.append(_destination(desired, desired.destination, job.destination if job else None))
    if desired.address is not None:
        all_changes.append(_address(desired.address, job.destination if job else None))
    if desired.logpull is not None:
        if job and job.output:
            option = desired.logpull.option
            raise conflict(
                f"{option}: job {job.id} already uses output_options, beside which the service ignores {option}. Give output_options instead."
            )
        all_changes += _logpull(desired.logpull, job)
    if desired.output is not None:
        all_changes += _outputs(desired.output, job)
    if desired.filter is not None:
        all_changes.append(_filter(desired.filter, job))
    return all_changes, {name: value for change in all_changes for name, value in change.sends.items()}


def fixed_changes(desired: DesiredJob, job: Job) -> list[str]:
    """Return what the job must be re-created for, in words."""
    fixed = {name: desired.plain[name] for name in FIXED if name in desired.plain}
    reasons = [
        f"{name} {job.values[name]!r} cannot become {value!r}" for name, value in fixed.items() if _differs(name, value, job)
    ]
    requested, present = desired.destination, job.destination
    if requested and present and requested.facts.fixed_type and requested.scheme != present.scheme:
        reasons.append(f"destination of the type {present.scheme!r} cannot become one of the type {requested.scheme!r}")
    return reasons


def _differs(name: str, value: Json, job: Job) -> bool:
    return MEMBERS[name].normal(value) != job.values[name]


def _destination(desired: DesiredJob, requested: Destination, present: Destination | None) -> Change:
    if present is not None and same_destination(requested, present):
        if desired.sending != ALWAYS and not (desired.sending == IF_MASKED and is_assumed_same(requested, present)):
            public = public_destination(present)
            return Change("destination", public, public, {})
        before, after = public_resend(present)
    else:
        before, after = public_change(present, requested)
        # The diff does not show its secrets.
        was = {} if present is None else {"destination_conf": present.text}
        if left := new_template(was, {"destination_conf": requested.text}):
            raise left
    proof = {"ownership_challenge": desired.challenge} if desired.challenge else {}
    return Change("destination", before, after, {"destination_conf": requested.text, **proof})


def _address(address: Destination, present: Destination | None) -> Change:
    """Return where the job delivers and where it must, which no request can change."""
    before = public_destination(present)
    is_same = present is not None and leads_to(address, present)
    return Change("destination", before, before if is_same else public_address(address, present), {})


def _outputs(requested: t.Mapping[str, Json], job: Job | None) -> list[Change]:
    """Return the changes of `output_options`, and of the member that the service may have beside them."""
    beside = job.members.get(MERGE_SUBREQUESTS) if job and MERGE_SUBREQUESTS not in job.output else None
    if MERGE_SUBREQUESTS not in requested or beside is None:
        return _output(requested, job)
    value = requested[MERGE_SUBREQUESTS]
    change = Change(MERGE_SUBREQUESTS, beside, value, {MERGE_SUBREQUESTS: value} if bool(beside) != value else {})
    rest = {name: value for name, value in requested.items() if name != MERGE_SUBREQUESTS}
    return [*(_output(rest, job) if rest else ()), change]


def _output(requested: t.Mapping[str, Json], job: Job | None) -> list[Change]:
    """Return the change of the newer form; a job with the older form keeps what that says, and the diff shows the parts of both."""
    whole, differs = output_options.merged(requested, job.output if job else {})
    older = job.members.get("logpull_options") if job and not job.output else None
    if job is None or not older:
        differs = differs or bool(requested and job is None)
        change = _whole("output_options", job, whole, output_options.reported(whole, requested), differs)
        # A default that the service spells out differs from none.
        reported = output_options.reported(job.output, requested) if job and change.sends else change.before
        return [change._replace(before=reported)]
    whole, differs_from_older = output_options.merged(requested, output_options.from_logpull(job.logpull))
    if not any(whole.values()):
        # A service that omits empty and false members would show no options, so that the older form would seem to count.
        whole = {"output_type": NDJSON, **whole}
    after = output_options.reported(whole, requested)
    change = _whole("output_options", job, whole, after, differs or differs_from_older)
    if not change.sends:
        return [change]
    was, will = logpull_options.to_parts(job.logpull), output_options.to_parts(whole)
    return [*(Change(name, value, will[name], {}) for name, value in was.items() if value), change]


def _logpull(requested: logpull_options.Requested, job: Job | None) -> list[Change]:
    """Return the change of each part of the older form that the task sets; they are sent as one text."""
    text, differs = logpull_options.merged(requested, job.logpull if job else {})
    was = logpull_options.to_parts(job.logpull if job else {})
    will = logpull_options.to_parts(logpull_options.parse(text))
    if was["fields"] and set(was["fields"]) == set(will["fields"] or ()):
        will["fields"] = was["fields"]
    managed = (
        requested.fields is not None,
        logpull_options.TIMESTAMPS in requested.others,
        not requested.others.keys() <= {logpull_options.TIMESTAMPS},
    )
    sends = {"logpull_options": text} if differs or (text and job is None) else {}
    if sends:
        logpull_options.check_written(requested, job.logpull if job else {})
    names = list(itertools.compress(OLDER_FORM, managed))
    if differs and all(was[name] == will[name] for name in names):
        # Python takes some values for equal that are not, such as 1 and true.
        return [Change("logpull_options", job.values["logpull_options"] if job else None, text, sends)]
    parts = [Change(name, was[name], will[name] if sends else was[name], {}) for name in names]
    changed = next((index for index, change in enumerate(parts) if change.before != change.after), 0)
    return [change._replace(sends=sends) if index == changed else change for index, change in enumerate(parts)]


def _filter(requested: Tree | t.Literal[""], job: Job | None) -> Change:
    """Return the change of the filter, with both sides as data unless they would look equal.

    The present one has the form of the requested one, so that the diff shows the conditions that differ, and no other spelling.
    """
    before = job.values["filter"] if job else None
    after = None if requested == NO_FILTER else to_text(requested)
    is_same = after is None and not before
    if job and job.filter and requested is not None and not isinstance(requested, str):
        is_same = same_filter(requested, job.filter)
        before = before if is_same else to_text(arranged(job.filter, requested))
    was, will = (None if text is None else to_data(str(text)) for text in (before, after))
    if is_same:
        return Change("filter", was, was, {})
    return Change("filter", *((before, after) if was == will else (was, will)), {"filter": after or NO_FILTER})


def _whole(name: str, job: Job | None, new: Json, after: Json, differs: bool) -> Change:
    """Return the change of a member that is sent as a whole or not at all."""
    before = job.values[name] if job else MEMBERS[name].default
    return Change(name, before, after, {name: new}) if differs else Change(name, before, before, {})
