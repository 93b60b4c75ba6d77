# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import re
import typing as t

from .._address import ACCOUNT, scope_of
from .._content_rules import options as rules
from .._content_rules.rules import DesiredRules, desire_rules
from .._core import (
    CONTENT_SECURITY_RULES,
    CUSTOM_FIELDS,
    HOLDS_DATA,
    KEEPS_NULLS,
    PARTS,
    STATE_OPTION,
    Failure,
    Json,
    Plan,
    invalid_option,
    moved,
    within,
)
from .._custom_fields.facts import COOKIE_FIELDS, FIELD_KINDS, PRESERVE_DUPLICATES, REQUEST_FIELDS, RESPONSE_FIELDS
from .._custom_fields.options import DesiredCustomFields
from .._custom_fields.result import names_of
from .._custom_fields.state import Ruleset
from .._custom_fields.task import TASK
from .._engine.task import Params
from .._logpush.coverage import carriers_of
from .._logpush.jobs import ABSENT, IGNORE, UNLISTED, DesiredJobs, JobItem, check_items, desire_item
from .._logpush.options import IDENTITY, OPTIONS, TRANSFORMER
from .._scripts.monitor import DesiredMonitor
from .._scripts.task import TASK as MONITOR
from .._text import did_you_mean, nearest

# If these lists are set and all lists are empty, `state: absent` removes every custom field.
_EVERY_TYPE = (REQUEST_FIELDS, RESPONSE_FIELDS, COOKIE_FIELDS)
# The options of a job without defaults, so that an omitted option is None and `job_defaults` apply.
_ITEM = {name: {key: value for key, value in option.items() if key != "default"} for name, option in OPTIONS.items()}
_JOB = {name: option for name, option in _ITEM.items() if name != "state"}

# The options of a zone, as an argument spec of AnsibleModule.
ZONE_SPEC: dict[str, dict[str, Json]] = {
    **STATE_OPTION,
    CUSTOM_FIELDS: {
        "type": "dict",
        "options": {name: {"type": "list", "elements": "str", HOLDS_DATA: True} for name in (*FIELD_KINDS, PRESERVE_DUPLICATES)},
    },
    "job": {"type": "dict", "options": _JOB},
    "jobs": {"type": "list", "elements": "dict", "options": _ITEM},
    "job_defaults": {"type": "dict", "options": _JOB},
    "unlisted_jobs": {"type": "str", "choices": list(UNLISTED), "default": IGNORE},
    "script_monitor_enabled": {"type": "bool"},
    "route": MONITOR.spec.options["route"],
    CONTENT_SECURITY_RULES: {"type": "list", "elements": "dict", "options": rules.OPTIONS},
    # No suboptions, because AnsibleModule would set an omitted member (not compared) to null (approves that there is no plan).
    "expected_plan_ids": {"type": "dict", KEEPS_NULLS: True},
}


class DesiredFields(t.NamedTuple):
    """The desired custom fields; `removal` replaces them if the zone would have none left."""

    desired: DesiredCustomFields
    removal: DesiredCustomFields | None


def desire_fields(fields: t.Mapping[str, list[str]], present: bool, base_url: str) -> DesiredFields | None:
    """Return the desired custom fields; None if no list is set."""

    def desire_as_module(lists: t.Mapping[str, list[str]], state: str) -> DesiredCustomFields:
        defaults = {name: option.get("default") for name, option in TASK.spec.options.items()}
        with within(CUSTOM_FIELDS):
            return TASK.desire({**defaults, **lists, "base_url": base_url, "state": state})

    if not fields:
        return None
    lists = {name: names for name, names in fields.items() if name in FIELD_KINDS}
    named = any(lists.values())
    if not present:
        everything = not named and all(name in lists for name in _EVERY_TYPE)
        return DesiredFields(desire_as_module({} if everything else lists, "absent"), None)
    removal = None if named or fields.get(PRESERVE_DUPLICATES) else desire_as_module({}, "absent")
    if removal is not None and len(lists) == len(FIELD_KINDS):
        return DesiredFields(removal, None)
    return DesiredFields(desire_as_module(fields, "present"), removal)


def plan_fields(desired: DesiredFields, ruleset: Ruleset | None) -> tuple[DesiredCustomFields, Plan]:
    """Return the planned desired state and its plan, as the module for custom fields would make it."""
    chosen = desired.desired
    if desired.removal is not None:
        names = names_of(ruleset.own_rules if ruleset else ())
        if not any(names[kind] for kind in FIELD_KINDS if kind not in chosen.names):
            chosen = desired.removal
    with within(CUSTOM_FIELDS):
        plan = TASK.plan(chosen, ruleset)
    return chosen, plan._replace(warnings=tuple(moved(CUSTOM_FIELDS, text) for text in plan.warnings))


Options = t.Mapping[str, Json]
# The options that identify a job; the others do not matter if the job is removed.
_IDENTIFYING = (*IDENTITY, "dataset")


def desire_zone_jobs(params: Params, lists: t.Mapping[str, list[str]]) -> DesiredJobs | None:
    """Return the desired jobs, which select the fields for the custom field lists; None if jobs are not managed.

    An empty list declares that there is no job.
    """
    job = params["job"]
    jobs = [(f"jobs[{index}]", options) for index, options in enumerate(params["jobs"] or ())]
    if job is not None and jobs:
        raise invalid_option("job", "excludes jobs; write it as an item of the list")
    if job is not None:
        jobs = [("job", job)]
    if not jobs and params["jobs"] is None and params["unlisted_jobs"] != ABSENT:
        return None
    items = [_item(place, options, params, lists) for place, options in jobs]
    return check_items(DesiredJobs(tuple(items), params["unlisted_jobs"]))


def _item(place: str, job: Options, params: Params, lists: t.Mapping[str, list[str]]) -> JobItem:
    """Return a job with defaults, and with the log fields for custom fields."""
    present = params["state"] == "present" and (job.get("state") or "present") == "present"
    defaults = params["job_defaults"] or {}
    options = _merged(job, defaults, present)
    try:
        desired = desire_item(place, options, scope_of(params))
    except Failure as failure:
        option = re.match(r"\.(\w+)", failure.message.removeprefix(place))
        if option is None or job.get(option[1]) is not None or defaults.get(option[1]) is None:
            raise
        # The user wrote it there.
        raise dataclasses.replace(failure, message=f"job_defaults{failure.message.removeprefix(place)}") from None
    return JobItem(place, desired._replace(carriers=tuple(carriers_of(lists)) if present else ()))


def forms_of(name: str) -> tuple[str, ...]:
    """Return the options of a job that say the same as this one, itself included: one of a job replaces each of its defaults."""
    return TRANSFORMER if name in TRANSFORMER else (name,)


def _own(job: Options, defaults: Options, name: str) -> Json:
    is_replaced = any(job.get(form) is not None for form in forms_of(name))
    return job.get(name) if is_replaced else defaults.get(name)


def _merged(job: Options, defaults: Options, present: bool) -> dict[str, Json]:
    """Return a job with `job_defaults`, and the module's defaults below them; a job to remove has only what identifies it."""
    last = {name: option.get("default") for name, option in OPTIONS.items()}
    if present:
        last["enabled"] = True
    own = {name: _own(job, defaults, name) for name in (OPTIONS if present else _IDENTIFYING)}
    state = "present" if present else "absent"
    return {**last, **{name: value for name, value in own.items() if value is not None}, "state": state}


class DesiredZone(t.NamedTuple):
    """The desired state of a zone; None for parts that are not managed."""

    present: bool
    fields: DesiredFields | None
    jobs: DesiredJobs | None
    monitor: DesiredMonitor | None
    rules: DesiredRules | None
    expected: t.Mapping[str, str | None]


def _expected_plans(expected: t.Mapping[str, t.Any] | None) -> dict[str, str | None]:
    """Return the approved plan of each part; None approves that there is no plan, omitted parts are not compared."""
    for name, plan in (expected or {}).items():
        if name not in PARTS:
            raise invalid_option(f"expected_plan_ids.{name}", f"not a part of a zone{did_you_mean(nearest(name, PARTS))}")
        if plan is not None and not isinstance(plan, str):
            raise invalid_option(f"expected_plan_ids.{name}", "must be a plan id, or null for a part without a plan")
    return dict(expected or {})


def _desire_rules(items: t.Sequence[Options] | None, present: bool) -> DesiredRules | None:
    """Return the desired content security rules, which `state: absent` removes; None if they are not managed."""
    if items is None:
        return None
    return desire_rules(CONTENT_SECURITY_RULES, items if present else [{**rule, "state": "absent"} for rule in items])


def desire(params: t.Mapping[str, t.Any]) -> DesiredZone:
    """Return the desired state of validated options; refuse options that are invalid whatever the current state is."""
    present = params["state"] == "present"
    for name in (CUSTOM_FIELDS, "script_monitor_enabled", CONTENT_SECURITY_RULES):
        if params[name] is not None and scope_of(params) == ACCOUNT:
            what_to_do = "declare it in group_vars/zones, or as null in group_vars/accounts"
            raise invalid_option(name, f"only zones have this, and account_id names an account; {what_to_do}")
    lists = {name: names for name, names in (params[CUSTOM_FIELDS] or {}).items() if names is not None}
    enabled = params["script_monitor_enabled"]
    return DesiredZone(
        present=present,
        fields=desire_fields(lists, present, params["base_url"]),
        jobs=desire_zone_jobs(params, lists),
        monitor=None if enabled is None else MONITOR.desire({"enabled": enabled, "route": params["route"]}),
        rules=_desire_rules(params[CONTENT_SECURITY_RULES], present),
        expected=_expected_plans(params["expected_plan_ids"]),
    )
