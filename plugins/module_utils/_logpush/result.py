# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .. import _destination as destination
from .._core import BAD_RESPONSE, Answer, Conclusion, Failure, Json, Outcome, Plan
from .._filter.compare import same as same_filter
from .._filter.parse import read_echo
from .._filter.text import explain_echo
from . import logpull_options, output_options
from .facts import MEMBERS
from .job import Job, checked, health, view
from .options import Desired
from .select import State, dataset_of

NOT_LOOKED = (
    "The job was created, but whether another run created one of the same name at the same time is not known."
    " A further run reports two jobs of one name as a conflict."
)


def describe_rival(outcome: Outcome, jobs: t.Sequence[Job]) -> str:
    """Return a sentence about the oldest job with the name and dataset of the one that was created, if it appeared meanwhile."""
    step, job = outcome.step, outcome.conclusion.result["job"]
    # Where only one job was read by its id before, an older job than that one cannot have appeared meanwhile.
    lowest = 0 if step.desired.job_id is None else step.desired.job_id
    older = [
        each["id"]
        for each in jobs
        if job["name"]
        and each.get("name") == job["name"]
        and dataset_of(each) == job["dataset"]
        and lowest <= each["id"] < job["id"]
        and each["id"] not in (step.state.known or ())
    ]
    if not older:
        return ""
    return (
        f"Another run created job {min(older)} of the same name {job['name']!r} and dataset {job['dataset']} before this run created"
        f" job {job['id']}, so that logs are delivered twice. Nothing was deleted: delete job {job['id']}"
        f" (state: absent with job_id: {job['id']}), and run the task again, which then updates job {min(older)}."
    )


_NEVER_ANSWERED = ("ownership_challenge",)


def conclude(desired: Desired, state: State, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
    """Verify the answer to the last write: the prediction with what the service added; raise `bad_response` where it contradicts."""
    request = plan.requests[-1]
    if request.operation == "logpush_jobs.delete":
        return Conclusion(plan.result)
    answered = checked(answers[-1].result, plan.result["job"]["id"])
    sent = {name: value for name, value in request.body.items() if name not in _NEVER_ANSWERED}
    lacking = [name for name in sent if _lacks(name, sent[name], answered)]
    wrong = [name for name in sent if name not in lacking and not _agrees(name, sent[name], answered.get(name))]
    if wrong:
        raise Failure(
            BAD_RESPONSE,
            f"The service accepted the write to job {answered['id']}, but its answer shows other values than were sent for"
            f" {', '.join(wrong)}. The next run compares again.",
        )
    shown = view(answered)
    # A new job is enabled or not as the service decides, where the task does not say.
    known = {*sent, *plan.after} - ({"enabled"} - sent.keys())
    job = _reported(plan.result["job"], answered, shown, known)
    warnings = [_lacking(name, job["id"]) for name in lacking]
    return Conclusion({**plan.result, "job": job}, (*warnings, *health(shown, desired.plain.get("enabled"))))


def _reported(expected: Job, answered: Job, shown: Job, known: t.AbstractSet[str]) -> Job:
    """What the task manages is reported as predicted; the rest is reported as the service answers it."""
    said = {"destination" if name == "destination_conf" else name for name, value in answered.items() if value is not None}
    fresh = {"other", *(name for name, member in MEMBERS.items() if not member.sent)}
    job = {**expected, **{name: shown[name] for name in shown if name in fresh or name in said - known}}
    return {**job, "filter_explained": explain_echo(job["filter"])}


def _lacks(name: str, sent: Json, answered: t.Mapping[str, Json]) -> bool:
    """Whether the answer lacks a member that was set."""
    value = answered.get(name)
    nothing = value is None or (name in ("filter", "logpull_options", "output_options") and not value)
    return nothing and not _agrees(name, sent, None)


def _agrees(name: str, sent: Json, answered: Json) -> bool:
    if name == "filter":
        return _same_filter(sent, answered)
    if name == "logpull_options":
        ours, theirs = (logpull_options.canonical(logpull_options.parse(text)) for text in (sent, answered))
        return ours == theirs
    if name == "output_options":
        return not output_options.differing(sent or {}, answered or {})
    if name == "destination_conf":
        return answered is not None and destination.same(sent, answered)
    if name not in MEMBERS:
        return answered is None or bool(sent == answered)
    return bool(MEMBERS[name].normal(sent) == MEMBERS[name].normal(answered))


def _same_filter(sent: Json, answered: Json) -> bool:
    if not sent and not answered:
        return True
    ours, theirs = read_echo(sent), read_echo(answered)
    if ours is None or theirs is None:
        # A filter that a successor takes over may be one that this code cannot read.
        return bool(sent == MEMBERS["filter"].normal(answered))
    return same_filter(ours, theirs)


def _lacking(name: str, job_id: Json) -> str:
    if name == "filter":
        return (
            f"Job {job_id}: the answer of the service lacks the filter that was sent. Either it does not show filters, in which case"
            " every run sends this one again, or it has not taken it over; look at what is delivered."
        )
    return f"Job {job_id}: the answer of the service lacks {name}, which was sent, so that it is not certain that it holds."
