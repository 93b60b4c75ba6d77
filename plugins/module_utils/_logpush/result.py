# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Answer, Conclusion, Json, Plan, written_otherwise
from .._destination import same_destination
from .._destination_address import leads_to
from .._filter.compare import same_filter
from .._filter.tree import Tree
from .._text import dict_of
from . import logpull_options, output_options
from .changes import WIRE, with_carriers
from .facts import MEMBERS, MERGE_SUBREQUESTS, OLDER_FORM, SERVER_MADE
from .health import delivery_warnings
from .job import Job, JobState, parse_job, view
from .options import NO_FILTER, DesiredJob


def conclude(desired: DesiredJob, state: JobState, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
    """Return the prediction with what the service added; raise `bad_response` if the answer to the last write contradicts it."""
    request = plan.requests[-1]
    if request.body is None:
        return Conclusion(plan.result)  # deleted
    # A re-created job has the filter of the old one, which may be one that cannot be parsed.
    tree = state.job.filter if desired.filter is None and state.job else desired.filter or None
    answered = parse_job(answers[-1].result, request.ids.get("job_id"), tree)
    # No answer contains a challenge.
    sent = {name: value for name, value in request.body.items() if name != "ownership_challenge"}
    differing = [name for name, value in sent.items() if not _agrees(name, value, desired, tree, answered)]
    lacking = [name for name in differing if not _shows(name, answered)]
    # What the job already had was not sent; another one may have changed it meanwhile.
    declared = [name for name in _differing(with_carriers(desired, state.job), answered) if name not in sent]
    kept = [name for name in declared if _shows(name, answered)]
    if wrong := [*(name for name in differing if name not in lacking), *kept]:
        raise written_otherwise(f"job {answered.id}", wrong)
    # What the task manages is reported as predicted, everything else as answered. If the task omits `enabled`, the service
    # decides about it in a new job.
    managed = {*sent, *(WIRE.get(name, name) for name in dict_of(plan.after))} - ({"enabled"} - sent.keys())
    fresh = {name for name in MEMBERS if name not in managed and answered.members.get(name) is not None}
    fresh |= {"other", *SERVER_MADE, *(["filter_explained", "filter_budget"] if "filter" in fresh else [])}
    fresh |= {"destination"} if answered.destination and "destination_conf" not in managed else set()
    fresh |= set(OLDER_FORM) if managed.isdisjoint(("logpull_options", "output_options")) else set()
    members = view(answered)
    job = {**dict_of(plan.result["job"]), **{name: members[name] for name in fresh}}
    warnings = [_warn_of_lacking(name, answered.id) for name in lacking]
    if declared:
        warnings.append(
            f"Job {answered.id}: the answer of the service lacks {', '.join(dict.fromkeys(declared))}, which the job had when it was read, so"
            " that it was not sent. Another client may have removed it meanwhile: run the task again."
        )
    return Conclusion({**plan.result, "job": job}, (*warnings, *delivery_warnings(answered, desired.plain.get("enabled"))))


def _differing(desired: DesiredJob, answered: Job) -> t.Iterator[str]:
    """Yield the members, as the service calls them, of which the answer shows another value than the task declares."""
    yield from (name for name, value in desired.plain.items() if MEMBERS[name].normal(value) != answered.values[name])
    place = answered.destination
    if place and desired.destination and not same_destination(desired.destination, place):
        yield "destination_conf"
    if place and desired.address and not leads_to(desired.address, place):
        yield "destination_conf"
    if desired.logpull is not None:
        if answered.output:
            yield "output_options"  # beside which the service ignores the others
        elif logpull_options.merged(desired.logpull, answered.logpull)[1]:
            yield "logpull_options"
    # The service may have this one beside them.
    beside = {MERGE_SUBREQUESTS: answered.members.get(MERGE_SUBREQUESTS)}
    if desired.output is not None and output_options.merged(desired.output, {**beside, **answered.output})[1]:
        yield "output_options"
    if desired.filter == NO_FILTER:
        is_same = not answered.values["filter"]
    else:
        is_same = desired.filter is None or bool(answered.filter and same_filter(desired.filter, answered.filter))
    if not is_same:
        yield "filter"


def _shows(name: str, answered: Job) -> bool:
    """Return whether the answer has a value of a member."""
    value = answered.members.get(name)
    return bool(value) if name in ("filter", "logpull_options", "output_options") else value is not None


def _agrees(name: str, sent: Json, desired: DesiredJob, tree: Tree | None, answered: Job) -> bool:
    """Return whether the answer shows what was sent; `tree` is the filter."""
    if name == "filter" and tree and answered.filter:
        return same_filter(tree, answered.filter)
    if name == "logpull_options":
        return logpull_options.canonical(logpull_options.parse(str(sent))) == logpull_options.canonical(answered.logpull)
    if name == "output_options":
        options = dict_of(sent)
        return all(output_options.same_suboption(suboption, options, answered.output) for suboption in options)
    if name == "destination_conf":
        requested, present = desired.destination, answered.destination
        return bool(requested and present and same_destination(requested, present))
    if name in MEMBERS:
        return MEMBERS[name].normal(sent) == answered.values[name]
    value = answered.members.get(name)
    return value == sent or (value is None and not sent)


def _warn_of_lacking(name: str, job_id: int) -> str:
    if name == "filter":
        return (
            f"Job {job_id}: the answer of the service lacks the filter that was sent. If the service does not show filters,"
            " every run sends this one again; otherwise it ignored the filter. Check which records are delivered."
        )
    return f"Job {job_id}: the answer of the service lacks {name}, which was sent, so that it may not be in effect."
