# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from .._address import ACCOUNT_ID, ALL_ADDRESSES
from .._api.client import Client, side_by_side
from .._content_rules import read as content_rules
from .._content_rules import task as content_security_rule
from .._content_rules.rules import RuleListing
from .._core import (
    CONFLICT,
    CONTENT_SECURITY_RULES,
    CUSTOM_FIELDS,
    GATE,
    JOBS,
    PARTS,
    SCRIPT_MONITOR,
    Conclusion,
    Failure,
    Json,
    Plan,
    plan_id,
    report_effects,
)
from .._custom_fields import task as log_custom_fields
from .._custom_fields.state import Ruleset
from .._difference import differing
from .._engine.steps import Approval, Composition, Outcome, Step
from .._engine.task import Spec, StateTask
from .._logpush import jobs as several_jobs
from .._logpush import task as logpush_job
from .._logpush.coverage import log_field_coverage
from .._logpush.facts import DEFAULT_STALE_AFTER
from .._logpush.health import with_health
from .._logpush.job import Report
from .._logpush.plan import transformer_name
from .._logpush.read import read_all
from .._scripts import task as script_monitor
from .._scripts.monitor import MonitorState
from .._text import list_of
from .options import ZONE_SPEC, DesiredZone, desire, plan_fields

# Jobs select custom fields, so fields are created before jobs, and jobs are removed before fields.
_ORDER = {
    True: (CUSTOM_FIELDS, JOBS, SCRIPT_MONITOR, CONTENT_SECURITY_RULES),
    False: (CONTENT_SECURITY_RULES, JOBS, CUSTOM_FIELDS, SCRIPT_MONITOR),
}


class ZoneState(t.NamedTuple):
    """Current state of a zone; None for parts that are not managed. `account` is that of a zone, if an answer named it."""

    fields: Ruleset | None = None
    jobs: several_jobs.JobListing | None = None
    monitor: MonitorState | None = None
    address: t.Mapping[str, str] = types.MappingProxyType({})
    rules: RuleListing | None = None
    account: str = ""


def read(client: Client, desired: DesiredZone) -> ZoneState:
    """Read the managed parts of a zone in parallel."""
    reads: dict[str, t.Callable[[], t.Any]] = {}
    if (fields := desired.fields) is not None:
        reads["fields"] = lambda: log_custom_fields.TASK.read(client, fields.desired)
    if (jobs := desired.jobs) is not None:
        reads["jobs"] = lambda: read_all(client, jobs)
    if (monitor := desired.monitor) is not None:
        reads["monitor"] = lambda: script_monitor.TASK.read(client, monitor)
    if (rules := desired.rules) is not None:
        reads["rules"] = lambda: content_rules.read_all(client, rules)

    def read_part(name: str) -> t.Any:
        try:
            return reads[name]()
        except Failure as failure:
            # Add the request at once, while it is the latest of this thread.
            raise client.locate(failure) from failure

    parts = side_by_side(read_part, list(reads), len(reads))
    read_parts = dict(zip(reads, parts, strict=True))
    account = read_parts["jobs"].account if "jobs" in read_parts else client.address.account
    return ZoneState(address=client.address.named, account=account, **read_parts)


def compose(desired: DesiredZone, state: ZoneState) -> Composition:
    """Make the plan of each part, as its own module would, and combine them."""
    parts = _parts(desired, state)
    ids: dict[str, str | None] = {name: plan_id(state.address, parts[name].whole) if name in parts else None for name in PARTS}
    sequence = [parts[name] for name in _ORDER[desired.present] if name in parts]

    def conclude(done: t.Sequence[Outcome]) -> Conclusion:
        ends = {name: _end(part, done) for name, part in parts.items()}
        results: dict[str, dict[str, Json]] = {
            name: {"plan_id": ids[name], **ends[name].result} if name in ends else {} for name in PARTS
        }
        # If the task manages both, compare the custom fields with the fields that the jobs select; removed jobs are None.
        managed = [job for job in list_of(results[JOBS].get("jobs")) if job is not None]
        coverage = log_field_coverage(results[CUSTOM_FIELDS], managed) if managed and results[CUSTOM_FIELDS] else None
        warnings = tuple(text for end in ends.values() for text in end.warnings)
        owner: dict[str, Json] = {ACCOUNT_ID: state.account} if state.account else {}
        return Conclusion(
            {**owner, **results, "listed_jobs": _listed(state), "coverage": coverage or {}, "plan_ids": ids}, warnings
        )

    diffs = {name: _differing(name, part.whole) for name, part in parts.items() if part.whole.before != part.whole.after}
    refused = [part.whole for part in sequence if part.whole.refused]
    refusals = [refusal for part in sequence for refusal in list_of(part.whole.result.get("refusals"))]
    whole = Plan(
        before={name: before for name, (before, _after) in diffs.items()},
        after={name: after for name, (_before, after) in diffs.items()},
        result={**conclude(()).result, **({"refusals": refusals} if refusals else {})},
        requests=tuple(request for part in sequence for request in part.whole.requests),
        basis={name: part.whole.basis for name, part in parts.items()},
        warnings=tuple(text for part in sequence for text in part.whole.warnings),
        effects=tuple(effect for part in sequence for effect in part.whole.effects),
        refused=" ".join(whole.refused for whole in refused),
        refused_as=CONFLICT if any(whole.refused_as == CONFLICT for whole in refused) else GATE,
    )
    approvals: dict[str, Approval] = {
        name: Approval(f"expected_plan_ids.{name}", desired.expected.get(name), ids[name], name in desired.expected)
        for name in PARTS
    }
    return Composition(whole, tuple(step for part in sequence for step in part.steps), conclude, approvals)


def _parts(desired: DesiredZone, state: ZoneState) -> dict[str, Composition]:
    """Return the plans of the managed parts."""
    parts: dict[str, Composition] = {}
    if desired.fields is not None:
        chosen, made = plan_fields(desired.fields, state.fields)
        parts[CUSTOM_FIELDS] = Composition.of(Step(CUSTOM_FIELDS, CUSTOM_FIELDS, CUSTOM_FIELDS, chosen, state.fields, made))
    if desired.jobs is not None and state.jobs is not None:
        parts[JOBS] = logpush_job.plan_jobs(desired.jobs, state.jobs)
    if desired.monitor is not None and state.monitor is not None:
        made = script_monitor.TASK.plan(desired.monitor, state.monitor)
        parts[SCRIPT_MONITOR] = Composition.of(
            Step(SCRIPT_MONITOR, "script_monitor_enabled", SCRIPT_MONITOR, desired.monitor, state.monitor, made)
        )
    if desired.rules is not None and state.rules is not None:
        parts[CONTENT_SECURITY_RULES] = content_security_rule.plan_rules(desired.rules, state.rules)
    return parts


def _end(part: Composition, done: t.Sequence[Outcome]) -> Conclusion:
    """Return the result of a part as its own module returns it; the prediction if nothing was sent."""
    mine = [outcome for outcome in done if any(outcome.step is step for step in part.steps)]
    conclusion = part.conclude(mine)
    changed = any(outcome.written for outcome in mine) if done else part.whole.changed
    diff = {"before": part.whole.before, "after": part.whole.after}
    effects = report_effects(part.whole.effects)
    return conclusion._replace(result={"changed": changed, "diff": diff, "effects": effects, **conclusion.result})


def _listed(state: ZoneState) -> list[Report] | None:
    """Return the jobs of the zone as they were read, with their health; None if they were not listed."""
    if state.jobs is None or state.jobs.refusal is not None:
        return None
    in_order = sorted(state.jobs.jobs, key=lambda job: job.id)
    listed = with_health(in_order, DEFAULT_STALE_AFTER, state.jobs.now)
    return [{**job, "transformer": transformer_name(job["transformer_id"], state.jobs.transformers)} for job in listed]


def _differing(name: str, whole: Plan) -> tuple[Json, Json]:
    """Return both sides of a diff, only with the jobs and rules that differ."""
    if name not in (JOBS, CONTENT_SECURITY_RULES):
        return whole.before, whole.after
    return differing(whole.before, whole.after)


class ZoneObservability(StateTask[DesiredZone, ZoneState]):
    """The settings of a zone or an account in one task: the plans of the single modules, composed."""

    name = "zone_observability"
    spec = Spec(options=ZONE_SPEC)
    addresses = ALL_ADDRESSES
    approvable = False

    @property
    def parts(self) -> t.Mapping[str, StateTask[t.Any, t.Any]]:
        return {
            CUSTOM_FIELDS: log_custom_fields.TASK,
            logpush_job.JOB_TASK.name: logpush_job.JOB_TASK,
            SCRIPT_MONITOR: script_monitor.TASK,
            content_security_rule.TASK.name: content_security_rule.TASK,
        }

    desire = staticmethod(desire)
    read = staticmethod(read)
    compose = staticmethod(compose)

    def secrets(self, desired: DesiredZone, state: ZoneState | None) -> t.Iterable[str]:
        """Return the secrets of the jobs; the other parts have none."""
        return several_jobs.secrets_of_jobs(desired.jobs, state.jobs if state else None) if desired.jobs else ()


TASK = ZoneObservability()
