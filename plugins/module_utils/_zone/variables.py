# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import types
import typing as t

from .._address import ACCOUNT
from .._api.client import Client
from .._api.permissions import is_unentitled
from .._api.response import is_missing
from .._content_rules import read as content_rules
from .._content_rules.facts import ACTIONS
from .._content_rules.options import OPTIONS as RULE_OPTIONS
from .._content_rules.plan import plan as plan_rule
from .._content_rules.rule import Rule, RuleState
from .._content_rules.rules import desire_rules
from .._core import PERMISSION, Conclusion, Failure, Json
from .._custom_fields import read as custom_fields
from .._custom_fields.facts import EXPRESSION, PRESERVE_DUPLICATES
from .._custom_fields.result import names_of
from .._custom_fields.state import Ruleset
from .._engine.task import Params
from .._logpush import read as logpush
from .._logpush.coverage import CARRIERS, selected_fields
from .._logpush.facts import DATASET
from .._logpush.job import Job, job_warnings
from .._scripts import read as scripts
from .._text import list_of, need_folder_name
from . import options as fields
from .job_variables import JobVariables, express_jobs, variable_key

# Custom log fields by the names of their lists.
Lists = dict[str, list[str]]
# Each with a part of a zone (`what`) and the reason (`why`): declaring it would change the service, or reveal a secret.
LeftOut = list[dict[str, str]]


def express_custom_fields(ruleset: Ruleset | None, items: t.Sequence[JobVariables], base_url: str) -> tuple[Lists, LeftOut]:
    """Return the custom log fields as `log_delivery_custom_fields`, and what is left out, such as lists that the jobs do not select.

    `items` are the declared jobs, to which the role adds the dataset fields that contain the declared lists.
    """
    rules = ruleset.own_rules if ruleset else ()
    if not rules:
        return {}, []
    if reason := _unmanageable(rules):
        return {}, [{"what": "custom fields", "why": reason}]
    names = names_of(rules)
    carrying = [item for item in items if (item.get("dataset") or DATASET) == DATASET]
    kept: Lists = {}
    left_out: LeftOut = []
    for carrier, kinds in CARRIERS.items():
        lists = {kind: names[kind] for kind in kinds if names[kind] and kind != PRESERVE_DUPLICATES}
        if lists and any(carrier not in _selected(item) for item in carrying):
            why = f"a job of {DATASET} does not select {carrier}, so that declaring them would change it"
            left_out += [{"what": f"custom fields: {name}", "why": why} for name in lists]
        else:
            kept.update(lists)
    kept, refused = _without_change(kept, ruleset, base_url)
    left_out += refused
    responses = {*kept.get("response_fields", ()), *kept.get("raw_response_fields", ())}
    carried = all(_EVERY_VALUE in _selected(item) for item in carrying)
    flagged = [name for name in names[PRESERVE_DUPLICATES] if name in responses and carried]
    if flagged and not _trouble({**kept, PRESERVE_DUPLICATES: flagged}, ruleset, base_url):
        kept[PRESERVE_DUPLICATES] = flagged
    if lost := [name for name in names[PRESERVE_DUPLICATES] if name not in kept.get(PRESERVE_DUPLICATES, ())]:
        why = f"a job of {DATASET} does not select {_EVERY_VALUE}, so that declaring them would change it"
        why = f"{', '.join(lost)}: {'the response fields themselves are left out' if carried else why}"
        left_out.append({"what": f"custom fields: {PRESERVE_DUPLICATES}", "why": why})
    return kept, left_out


def _without_change(lists: Lists, ruleset: Ruleset | None, base_url: str) -> tuple[Lists, LeftOut]:
    """Return the lists that the role accepts without a change, and why the others are left out."""
    troubles = {name: _trouble({name: names}, ruleset, base_url) for name, names in lists.items()}
    kept = {name: names for name, names in lists.items() if not troubles[name]}
    together = _trouble(kept, ruleset, base_url)
    if together:
        troubles, kept = {name: troubles[name] or together for name in lists}, {}
    return kept, [{"what": f"custom fields: {name}", "why": why} for name, why in troubles.items() if why]


def _trouble(lists: Lists, ruleset: Ruleset | None, base_url: str) -> str:
    """Return why lists cannot be declared: the plan of the role would change or refuse them; "" if they can."""
    try:
        desired = fields.desire_fields(lists, True, base_url)
        return "declaring them would change their rule" if desired and fields.plan_fields(desired, ruleset)[1].requests else ""
    except Failure as failure:
        return f"the role refuses them: {failure}"


def _selected(item: JobVariables) -> t.Sequence[Json]:
    return list_of(item["fields"]) if "fields" in item else selected_fields(item)


def _unmanageable(rules: t.Sequence[t.Any]) -> str:
    """Return why a run of the role would change these rules; "" if it would not."""
    if len(rules) > 1:
        return f"{len(rules)} rules configure them, which a run would merge into one"
    if not rules[0].enabled:
        return "their rule is disabled, and a run would enable it"
    if rules[0].expression != EXPRESSION:
        return f"their rule has an expression other than {EXPRESSION!r}, which a run would replace"
    return ""


# The dataset field that contains the values of `preserve_duplicates`.
_EVERY_VALUE = next(carrier for carrier, kinds in CARRIERS.items() if PRESERVE_DUPLICATES in kinds)


def express_rules(rules: t.Sequence[Rule]) -> tuple[list[dict[str, Json]], LeftOut]:
    """Return content security rules as items of `log_delivery_content_security_rules`, and those that cannot be declared without a change."""
    items: list[dict[str, Json]] = []
    left_out: LeftOut = []
    named = collections.Counter(rule.description for rule in rules)
    for rule in sorted(rules, key=lambda rule: (rule.description, str(rule.id))):
        known: dict[str, Json] = {"description": rule.description} if rule.description.strip() else {}
        if named[rule.description] > 1 or not known:
            known["rule_id"] = rule.id
        # `enabled` is always written, because a rule that a user switches off must be a difference.
        members = {"action": rule.action, "expression": rule.expression, "directives": rule.directives, "enabled": rule.enabled}
        item = {**known, **members}
        label = f"content security rule {rule.description or rule.id}"
        if reason := _rule_trouble(rule, item):
            left_out.append({"what": label, "why": reason})
            continue
        items.append(item)
        for name in rule.policy.unknown if rule.policy else ():
            left_out.append(
                {"what": f"directive {name} of {label}", "why": "it is not known; it is kept, and a change of it is not seen"}
            )
    return items, left_out


def _rule_trouble(rule: Rule, item: t.Mapping[str, Json]) -> str:
    """Return why a rule cannot be declared: the role would change or refuse it; "" if it can."""
    if rule.policy is None:
        return "its policy cannot be parsed"
    if rule.action not in ACTIONS:
        return f"its action is {rule.action!r}"
    defaults = {name: option.get("default") for name, option in RULE_OPTIONS.items()}
    try:
        desired = desire_rules("rules", [{**defaults, **item}]).items[0].desired
        return "declaring it would change it" if plan_rule(desired, RuleState(rule)).requests else ""
    except Failure as failure:
        return f"the role refuses it: {failure}"


def express_zone(
    label: str,
    ruleset: Ruleset | None,
    jobs: t.Sequence[Job] | None,
    monitor: t.Mapping[str, Json] | None,
    base_url: str = "",
    transformers: t.Mapping[int, str] = types.MappingProxyType({}),
    rules: t.Sequence[Rule] = (),
) -> dict[str, t.Any]:
    """Return a zone as the result of `zone_variables_info`; the variables are in the order for the file.

    `jobs` are None if they could not be listed: only an empty list declares that there is none.
    """
    declared = express_jobs(jobs or (), variable_key(label), transformers)
    fields, left_out = express_custom_fields(ruleset, declared.items, base_url)
    policies, others = express_rules(rules)
    variables = {
        "log_delivery_custom_fields": fields,
        # An empty list would deny jobs that are left out.
        "log_delivery_jobs": None if jobs is None or (jobs and not declared.items) else declared.items,
        "log_delivery_script_monitor_enabled": None if monitor is None else monitor["enabled"],
        "log_delivery_content_security_rules": policies,
    }
    empty: dict[str, Json] = {"log_delivery_custom_fields": {}, "log_delivery_content_security_rules": []}
    managed = {name: value for name, value in variables.items() if value is not None and value != empty.get(name)}
    return {
        "zone": label,
        "variables": managed,
        "vault": declared.vault,
        "vault_destinations": declared.destinations,
        "left_out": [*left_out, *declared.left_out, *others],
        "notes": [] if managed else ["No setting of this zone is managed: the role does not change it."],
    }


def desire(params: Params) -> Params:
    """Return the validated options; refuse a label that is no name for files."""
    if params["label"]:
        need_folder_name("label", params["label"])
    return params


def report(client: Client, params: Params) -> Conclusion:
    """Read a zone or an account and express it in variables of the role."""
    label = params["label"] or client.address.id
    if client.address.scope == ACCOUNT:
        # The role manages only the jobs of an account.
        own = logpush.listed(client)
        variables = express_zone(label, None, own, None, transformers=_transformers(client, own))
        return Conclusion({**variables, "notes": []}, job_warnings(own))
    # Every service has rulesets. If their route is missing, the zone does not exist, and must not be adopted as an empty one.
    ruleset = custom_fields.entry_point(client, confirm=False)
    missing: LeftOut = []
    jobs = _offered("jobs", lambda: logpush.listed(client), missing)
    monitor = _offered("script monitor", lambda: scripts.monitor(client, params["route"]), missing)
    rules = _offered("content security rules", lambda: content_rules.listed(client), missing, content_rules.is_not_offered)
    names = _transformers(client, jobs or [])
    status = monitor.status if monitor else None
    variables = express_zone(label, ruleset, jobs, status, params["base_url"], names, rules or ())
    return Conclusion({**variables, "left_out": [*missing, *variables["left_out"]]}, job_warnings(jobs or ()))


def _transformers(client: Client, jobs: t.Sequence[Job]) -> dict[int, str]:
    """Return the names of transformers by their ids, if a job has one and they can be read; of several with one name, none."""
    if not any(job.values["transformer_id"] for job in jobs):
        return {}
    try:
        names = logpush.transformers(logpush.owner(client))
    except Failure as failure:
        if not (is_missing(failure) or failure.kind == PERMISSION):
            raise
        return {}
    return {ids[0]: name for name, ids in names.items() if name and len(ids) == 1}


Part = t.TypeVar("Part")


def _is_not_offered(failure: Failure) -> bool:
    return is_missing(failure) or is_unentitled(failure.message)


def _offered(
    what: str, read: t.Callable[[], Part], missing: LeftOut, is_not_offered: t.Callable[[Failure], bool] = _is_not_offered
) -> Part | None:
    """Return the result of a read; None if the service does not offer it, which is noted in `missing`; raise any other failure."""
    try:
        return read()
    except Failure as failure:
        if not is_not_offered(failure):
            raise
        missing.append({"what": what, "why": f"the service does not offer it ({failure})"})
        return None
