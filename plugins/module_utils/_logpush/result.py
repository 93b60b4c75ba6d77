# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import BAD_RESPONSE, Answer, Conclusion, Failure, Outcome, Plan
from .._destination import same_destination
from .._filter.compare import same_filter
from .._text import dict_of, is_integer
from . import logpull_options, output_options
from .facts import MEMBERS
from .health import delivery_warnings
from .job import Job, JobState, Report, parse_job, view
from .options import DesiredJob

NOT_LOOKED = (
    "The job was created, but whether another run created one of the same name at the same time is not known."
    " A further run reports two jobs of one name as a conflict."
)


def describe_rival(outcome: Outcome, jobs: t.Sequence[Job]) -> str:
    """Return a sentence about the oldest job with the name and dataset of the created one, if it appeared during the run."""
    step, created = outcome.step, dict_of(outcome.conclusion.result["job"])
    number = created["id"]
    # If only one job was read before, by its id, an older job than that one cannot be new.
    lowest = 0 if step.desired.job_id is None else step.desired.job_id
    older = [
        job.id
        for job in jobs
        if created["name"]
        and (job.name, job.dataset) == (created["name"], created["dataset"])
        and is_integer(number)
        and lowest <= job.id < number
        and job.id not in (step.state.known or ())
    ]
    if not older:
        return ""
    return (
        f"Another run created job {min(older)} of the same name {created['name']!r} and dataset {created['dataset']} before this run"
        f" created job {number}, so that logs are delivered twice. Nothing was deleted: delete job {number}"
        f" (state: absent with job_id: {number}), and run the task again, which then updates job {min(older)}."
    )


# Members of a request that no answer contains.
_NEVER_ANSWERED = ("ownership_challenge",)


def conclude(desired: DesiredJob, state: JobState, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
    """Return the prediction with what the service added; raise `bad_response` if the answer to the last write contradicts it."""
    request = plan.requests[-1]
    if request.body is None:
        return Conclusion(plan.result)  # deleted
    answered = parse_job(answers[-1].result, request.ids.get("job_id"), desired.filter or None)
    body = {name: value for name, value in request.body.items() if name not in _NEVER_ANSWERED}
    sent = parse_job({**body, "id": answered.id}, known=desired.filter or None)
    differing = [name for name in body if not _agrees(name, sent, answered)]
    lacking = [name for name in differing if _lacks(name, answered)]
    wrong = [name for name in differing if name not in lacking]
    if wrong:
        raise Failure(
            BAD_RESPONSE,
            f"The service accepted the write to job {answered.id}, but its answer shows other values than were sent for"
            f" {', '.join(wrong)}. The next run compares again.",
        )
    # If the task omits `enabled`, the service decides about it in a new job.
    managed = {*body, *dict_of(plan.after)} - ({"enabled"} - body.keys())
    job = _reported(dict_of(plan.result["job"]), answered, managed)
    warnings = [_warn_of_lacking(name, answered.id) for name in lacking]
    return Conclusion({**plan.result, "job": job}, (*warnings, *delivery_warnings(answered, desired.plain.get("enabled"))))


def _reported(predicted: Report, answered: Job, managed: t.AbstractSet[str]) -> Report:
    """Report what the task manages as predicted, and everything else as answered."""
    shown = view(answered)
    told = {
        "destination" if name == "destination_conf" else name for name, value in answered.members.items() if value is not None
    }
    fresh = (told - managed) | {"other", *(name for name, member in MEMBERS.items() if not member.sent)}
    fresh |= {"filter_explained"} if "filter" in fresh else set()
    return {**predicted, **{name: shown[name] for name in shown if name in fresh}}


def _lacks(name: str, answered: Job) -> bool:
    """Return whether the answer omits a member."""
    value = answered.members.get(name)
    return value is None or (name in ("filter", "logpull_options", "output_options") and not value)


def _agrees(name: str, sent: Job, answered: Job) -> bool:
    # A filter that is copied from the old job may be one that cannot be parsed.
    if name == "filter" and sent.filter and answered.filter:
        return same_filter(sent.filter, answered.filter)
    if name == "logpull_options":
        return logpull_options.canonical(sent.logpull) == logpull_options.canonical(answered.logpull)
    if name == "output_options":
        return all(output_options.same_suboption(each, sent.output, answered.output) for each in sent.output)
    if name == "destination_conf":
        return bool(sent.destination and answered.destination and same_destination(sent.destination, answered.destination))
    if name in MEMBERS:
        return sent.values[name] == answered.values[name]
    return answered.members.get(name) in (None, sent.members.get(name))


def _warn_of_lacking(name: str, job_id: int) -> str:
    if name == "filter":
        return (
            f"Job {job_id}: the answer of the service lacks the filter that was sent. If the service does not show filters,"
            " every run sends this one again; otherwise it ignored the filter. Check which records are delivered."
        )
    return f"Job {job_id}: the answer of the service lacks {name}, which was sent, so that it may not be in effect."
