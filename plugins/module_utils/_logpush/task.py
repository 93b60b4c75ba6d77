# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._address import ACCOUNT_ID, ALL_ADDRESSES
from .._api.client import Client
from .._core import CONFLICT, Conclusion, Plan, moved, within
from .._engine.steps import Composition, Outcome, Step, conclusions_of
from .._engine.task import InfoTask, Params, Spec, StateTask
from .._text import list_of
from .costs import RATES_OPTION, Rates, desire_rates
from .facts import SENDING
from .job import JobState
from .jobs import ABSENT, IGNORE, REPORT, UNLISTED, DesiredJobs, JobListing, desire_jobs, match, secrets_of_jobs
from .options import FORMS, IDENTITY, OPTIONS, DesiredJob, desire, successor
from .plan import plan, plan_deletion, secrets
from .read import read, read_all, read_boundary, read_cost, validate, verify
from .result import conclude


class LogpushJob(StateTask[DesiredJob, JobState]):
    """One Logpush job of a zone or an account."""

    name = "logpush_job"
    spec = Spec(options=dict(OPTIONS), required_one_of=[IDENTITY], mutually_exclusive=FORMS)
    addresses = ALL_ADDRESSES

    desire = staticmethod(desire)
    read = staticmethod(read)
    plan = staticmethod(plan)
    conclude = staticmethod(conclude)
    secrets = staticmethod(secrets)
    successor = staticmethod(successor)

    def validate(self, client: Client, steps: t.Sequence[Step]) -> None:
        validate(client, [(step.place, step.desired, step.state, step.plan) for step in steps])

    def verify(self, client: Client, outcomes: t.Sequence[Outcome]) -> None:
        created = [outcome for outcome in outcomes if outcome.created]
        verify(client, [(outcome.step.desired, outcome.step.state, outcome.conclusion.result["job"]) for outcome in created])


JOB_TASK = LogpushJob()

# An item that omits this option gets it from the option of the same name for all jobs.
ITEM_OPTIONS = {**OPTIONS, "send_destination": {"type": "str", "choices": list(SENDING)}}


# Plans are applied in this order, by the operations of their requests.
_ORDER = (("delete",), ("delete", "create"), ("update",), ("create",))
_UNKNOWN_UNLISTED = "unlisted_jobs: the service cannot list jobs, so it is not known which of them are unlisted."


def plan_jobs(desired: DesiredJobs, listing: JobListing) -> Composition:
    """Plan each item as `logpush_job` would, and the deletion of the jobs that no item names."""
    matches, others = match(desired, listing)
    items = []
    for item, state in matches:
        with within(item.place):
            items.append(Step(JOB_TASK.name, item.place, state.label, item.desired, state, plan(item.desired, state)))
    # A job that no item names has no options, so that nothing is desired.
    strays = [
        Step(JOB_TASK.name, "unlisted", label, None, JobState(job), plan_deletion(job, label))
        for label, job in (others if desired.unlisted == ABSENT else ())
    ]
    in_order = sorted((step for step in items if step.plan.requests), key=_rank) + strays
    unlisted = [
        {"id": job.id, "name": job.name, "dataset": job.dataset, "enabled": job.values["enabled"]}
        for _label, job in (others if desired.unlisted != IGNORE else ())
    ]
    unknown = listing.refusal is not None and desired.unlisted == REPORT
    everything = [*items, *strays]

    def conclude(done: t.Sequence[Outcome]) -> Conclusion:
        ends = conclusions_of(items, done)
        warnings = [moved(step.place, text) for step, end in zip(items, ends, strict=True) for text in end.warnings]
        result = {"jobs": [end.result["job"] for end in ends], "unlisted_jobs": None if unknown else unlisted}
        return Conclusion(result, _once(warnings))

    refusals = [refusal for step in items for refusal in list_of(step.plan.result.get("refusals"))]
    whole = Plan(
        before={step.label: step.plan.before for step in everything},
        after={step.label: step.plan.after for step in everything},
        result={**conclude(()).result, **({"refusals": refusals} if refusals else {})},
        requests=tuple(request for step in in_order for request in step.plan.requests),
        basis=[step.plan.basis for step in everything],
        warnings=(
            *_once(moved(step.place, text) for step in items for text in step.plan.warnings),
            *([_UNKNOWN_UNLISTED] if unknown else []),
        ),
        effects=tuple(effect for step in everything for effect in step.plan.effects),
        refused=" ".join(moved(step.place, step.plan.refused) for step in items if step.plan.refused),
        refused_as=CONFLICT,
    )
    return Composition(whole, tuple(in_order), conclude)


def _rank(step: Step) -> int:
    return _ORDER.index(tuple(request.operation.partition(".")[2] for request in step.plan.requests))


def _once(warnings: t.Iterable[str]) -> tuple[str, ...]:
    """Return each warning once, with all the jobs or options that it is about at its beginning."""
    places: dict[str, list[str]] = {}
    for text in warnings:
        place, _colon, rest = text.partition(": ")
        places.setdefault(rest, []).append(place)
    return tuple(": ".join(filter(None, (", ".join(dict.fromkeys(of)), rest))) for rest, of in places.items())


class LogpushJobs(StateTask[DesiredJobs, JobListing]):
    """Several Logpush jobs of a zone or an account, with one listing."""

    name = "logpush_jobs"
    spec = Spec(
        options={
            "jobs": {"type": "list", "elements": "dict", "required": True, "options": ITEM_OPTIONS},
            "send_destination": OPTIONS["send_destination"],
            "unlisted_jobs": {"type": "str", "choices": list(UNLISTED), "default": IGNORE},
        },
    )
    addresses = ALL_ADDRESSES

    @property
    def parts(self) -> t.Mapping[str, StateTask[t.Any, t.Any]]:
        return {JOB_TASK.name: JOB_TASK}

    desire = staticmethod(desire_jobs)
    read = staticmethod(read_all)
    compose = staticmethod(plan_jobs)
    secrets = staticmethod(secrets_of_jobs)


JOBS_TASK = LogpushJobs()


class AccountBoundary(InfoTask[None]):
    """The Customer Metadata Boundary of an account, for audits; no module has it alone."""

    name = "boundary"
    addresses = (ACCOUNT_ID,)

    def desire(self, params: Params) -> None:
        return None

    def report(self, client: Client, desired: None) -> Conclusion:
        return Conclusion(read_boundary(client))


class AccountCost(InfoTask[Rates]):
    """What an account costs in the month so far, for audits; fails without figures."""

    name = "cost"
    spec = Spec(options={"rates": RATES_OPTION})
    addresses = (ACCOUNT_ID,)

    def desire(self, params: Params) -> Rates:
        return desire_rates(params["rates"])

    def report(self, client: Client, desired: Rates) -> Conclusion:
        return Conclusion(read_cost(client, desired))


BOUNDARY_TASK, COST_TASK = AccountBoundary(), AccountCost()
