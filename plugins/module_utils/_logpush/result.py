# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import BAD_RESPONSE, Answer, Conclusion, Failure, Json, Outcome, Plan
from .._destination import parse as parse_destination
from .._destination import same_destination
from .._filter.compare import same_filter
from .._filter.parse import read_echo
from .._filter.tree import Tree
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
    step, created = outcome.step, outcome.conclusion.result["job"]
    # If only one job was read before, by its id, an older job than that one cannot be new.
    lowest = 0 if step.desired.job_id is None else step.desired.job_id
    older = [
        job.id
        for job in jobs
        if created["name"]
        and (job.name, job.dataset) == (created["name"], created["dataset"])
        and lowest <= job.id < created["id"]
        and job.id not in (step.state.known or ())
    ]
    if not older:
        return ""
    return (
        f"Another run created job {min(older)} of the same name {created['name']!r} and dataset {created['dataset']} before this run"
        f" created job {created['id']}, so that logs are delivered twice. Nothing was deleted: delete job {created['id']}"
        f" (state: absent with job_id: {created['id']}), and run the task again, which then updates job {min(older)}."
    )


# Members of a request that no answer contains.
_NEVER_ANSWERED = ("ownership_challenge",)


def conclude(desired: DesiredJob, state: JobState, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
    """Return the prediction with what the service added; raise `bad_response` if the answer to the last write contradicts it."""
    request = plan.requests[-1]
    if request.operation == "logpush_jobs.delete":
        return Conclusion(plan.result)
    # The answer repeats a filter that is parsed already, if the service does not reformat it.
    known: dict[str, Tree | None] = {state.job.value("filter"): state.job.filter} if state.job else {}
    if desired.filter and request.body.get("filter"):
        known[request.body["filter"]] = desired.filter
    answered = parse_job(answers[-1].result, plan.result["job"]["id"], known)
    sent = {name: value for name, value in request.body.items() if name not in _NEVER_ANSWERED}
    differing = [name for name in sent if not _agrees(name, sent[name], answered, known)]
    lacking = [name for name in differing if _lacks(name, answered)]
    wrong = [name for name in differing if name not in lacking]
    if wrong:
        raise Failure(
            BAD_RESPONSE,
            f"The service accepted the write to job {answered.id}, but its answer shows other values than were sent for"
            f" {', '.join(wrong)}. The next run compares again.",
        )
    # If the task omits `enabled`, the service decides about it in a new job.
    managed = {*sent, *plan.after} - ({"enabled"} - sent.keys())
    job = _reported(plan.result["job"], answered, managed)
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


def _agrees(name: str, sent: Json, answered: Job, known: t.Mapping[str, Tree | None]) -> bool:
    value = answered.members.get(name)
    if name == "filter":
        ours = known[sent] if sent in known else read_echo(sent)
        if ours is not None and answered.filter is not None:
            return same_filter(ours, answered.filter)
        # No filter; or one that is copied from the old job and cannot be parsed.
        return bool((sent or None) == answered.value("filter"))
    if name == "logpull_options":
        return logpull_options.canonical(logpull_options.parse(sent)) == logpull_options.canonical(answered.logpull)
    if name == "output_options":
        return all(output_options.same_suboption(each, sent, answered.output) for each in sent or ())
    if name == "destination_conf":
        return answered.destination is not None and same_destination(parse_destination(sent), answered.destination)
    known_member = MEMBERS.get(name)
    return bool(known_member.normal(sent) == known_member.normal(value)) if known_member else value is None or bool(sent == value)


def _warn_of_lacking(name: str, job_id: int) -> str:
    if name == "filter":
        return (
            f"Job {job_id}: the answer of the service lacks the filter that was sent. If the service does not show filters,"
            " every run sends this one again; otherwise it ignored the filter. Check which records are delivered."
        )
    return f"Job {job_id}: the answer of the service lacks {name}, which was sent, so that it may not be in effect."
