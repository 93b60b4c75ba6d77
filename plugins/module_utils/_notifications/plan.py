# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import (
    MUTE_ALERT,
    NOT_FOUND,
    Answer,
    Conclusion,
    Effect,
    Failure,
    Json,
    Plan,
    Request,
    conflict,
    invalid_option,
    written_otherwise,
)
from .._observed import Cause, Observed, Unknown
from .._redact import require_unmasked
from .._text import dict_of, did_you_mean, list_of, nearest, plain_id
from .alerts import Alerts, check_alert_type, filter_warnings
from .facts import MECHANISMS, OF_WEBHOOK, WEBHOOKS
from .options import DesiredPolicy
from .policy import SERVER_MADE, Policy, parse_policy, require_known, view
from .webhook import Webhook

_UNMASK = (
    "give it in the task; what no option sets can be changed at the service only, or is dropped with the policy, if it is deleted"
    " (state: absent) and then created"
)
_DEFAULTS: t.Mapping[str, Json] = {"description": "", "enabled": True, "alert_interval": ""}


class PolicyState(t.NamedTuple):
    """The policy, or None, and what had to be read for the options; `known` are the ids of all policies that were listed."""

    policy: Policy | None
    alerts: Observed[Alerts] = Unknown(Cause.NOT_ASKED, "was not asked for")
    webhooks: tuple[Webhook, ...] = ()
    known: frozenset[str] = frozenset()


def is_id(webhook: str) -> bool:
    """Return whether a text has the form of an id of the service: 32 hexadecimal digits, perhaps with hyphens."""
    digits = webhook.replace("-", "")
    return len(digits) == 32 and all(digit in "0123456789abcdefABCDEF" for digit in digits)


def plan(desired: DesiredPolicy, state: PolicyState) -> Plan:
    """Return the plan that deletes, creates or updates the policy, or leaves it unchanged."""
    if not desired.present:
        return _deletion(state.policy)
    mechanisms = dict(desired.mechanisms)
    if WEBHOOKS in mechanisms:
        present = state.policy.mechanisms[WEBHOOKS] if state.policy else ()
        spelled = {plain_id(number): number for number in present}
        ids = [_webhook_id(webhook, state.webhooks) for webhook in mechanisms[WEBHOOKS]]
        mechanisms[WEBHOOKS] = tuple(sorted({spelled.get(plain_id(number), number) for number in ids}))
    if state.policy is None:
        return _creation(desired, state, mechanisms)
    made = _update(desired, require_known(state.policy), mechanisms)
    return made._replace(warnings=_filter_warnings(state.policy.alert_type, desired.filters or {}, state.alerts))


def _webhook_id(reference: str, webhooks: t.Sequence[Webhook]) -> str:
    """Return the id of a webhook that is given by its id or its name."""
    if is_id(reference):
        return reference
    ids = sorted(webhook.id for webhook in webhooks if reference in (webhook.name, webhook.id))
    if not ids:
        likely = nearest(reference, sorted(webhook.name for webhook in webhooks))
        raise invalid_option(
            "mechanisms.webhooks", f"there is no webhook named {reference!r} in the account{did_you_mean(likely)}"
        )
    if len(ids) > 1:
        raise conflict(f"mechanisms.webhooks: the webhooks {', '.join(ids)} are all named {reference!r}; give the id of one.")
    return ids[0]


def _deletion(policy: Policy | None) -> Plan:
    result: dict[str, Json] = {"notification_policy": None}
    if policy is None:
        return Plan(before={}, after={}, result=result, basis={"policy": None})
    before = _managed(policy)
    return Plan(
        before=before,
        after={},
        result=result,
        requests=(Request("notifications.delete", ids={"policy_id": policy.id}),),
        basis={"id": policy.id, **before},
        effects=(Effect(MUTE_ALERT, policy.name),) if policy.enabled else (),
    )


def _managed(policy: Policy) -> dict[str, Json]:
    """Return all members that options can set, as results and diffs show them."""
    return {name: value for name, value in view(policy).items() if name not in SERVER_MADE}


def _requested(desired: DesiredPolicy, mechanisms: t.Mapping[str, tuple[str, ...]]) -> dict[str, Json]:
    """Return the members whose options are not omitted, in the form of results; of mechanisms, the types that are given."""
    texts = {"name": desired.name, "alert_type": desired.alert_type}
    return {
        **{name: value for name, value in texts.items() if value is not None},
        **desired.plain,
        **({} if desired.filters is None else {"filters": _lists(desired.filters)}),
        **({"mechanisms": _lists(mechanisms)} if mechanisms else {}),
    }


def _lists(values: t.Mapping[str, t.Iterable[str]]) -> dict[str, Json]:
    return {name: list(ids) for name, ids in values.items()}


def _update(desired: DesiredPolicy, policy: Policy, mechanisms: t.Mapping[str, tuple[str, ...]]) -> Plan:
    if desired.alert_type not in (None, policy.alert_type):
        raise conflict(
            f"alert_type: the notification policy {policy.name!r} (id {policy.id}) is about {policy.alert_type!r}, which cannot change."
            " Delete it first, or give another name."
        )
    present = _managed(policy)
    after = {"name": policy.name, **_requested(desired, mechanisms)}
    before = {name: present[name] for name in after}
    if mechanisms:
        before["mechanisms"] = {name: dict_of(present["mechanisms"])[name] for name in mechanisms}
    changed = {name: value for name, value in after.items() if value != before[name]}
    body = {name: value for name, value in policy.members.items() if name not in SERVER_MADE}
    body.update({name: value for name, value in changed.items() if name != "mechanisms"})
    body["mechanisms"] = _merged(policy, mechanisms if "mechanisms" in changed else {})
    if changed:
        kept = {name: value for name, value in body.items() if name not in after or name == "mechanisms"}
        require_unmasked(kept, f"The notification policy {policy.name!r} (id {policy.id})", _UNMASK)
    _need_mechanism(dict_of(body.get("mechanisms")), bool(body["enabled"]))
    whole = {**present, **after, "mechanisms": {**dict_of(present["mechanisms"]), **_lists(mechanisms)}}
    return Plan(
        before=before,
        after=after,
        result={"notification_policy": {**view(policy), **whole}},
        requests=(Request("notifications.update", ids={"policy_id": policy.id}, body=body),) if changed else (),
        basis={"id": policy.id, **before},
        effects=_effects(policy, whole) if changed else (),
    )


def _merged(policy: Policy, mechanisms: t.Mapping[str, tuple[str, ...]]) -> dict[str, Json]:
    """Return the mechanisms with the given types replaced; an item that stays keeps members that are unknown to us.

    A policy names a webhook by its id; what the service shows of the webhook beside that is not the policy's.
    """
    present = dict(dict_of(policy.members.get("mechanisms")))
    if items := list_of(present.get(WEBHOOKS)):
        present[WEBHOOKS] = [{name: value for name, value in dict_of(item).items() if name not in OF_WEBHOOK} for item in items]
    merged = dict(present)
    for name, ids in mechanisms.items():
        known = {dict_of(item).get("id"): item for item in list_of(present.get(name))}
        merged[name] = [known.get(number, {"id": number}) for number in ids]
    return merged


def _need_mechanism(mechanisms: t.Mapping[str, Json], is_enabled: bool) -> None:
    if is_enabled and not any(map(list_of, mechanisms.values())):
        raise invalid_option(
            "mechanisms", f"an enabled policy needs at least one of {', '.join(MECHANISMS)}; otherwise set enabled to false"
        )


def _effects(policy: Policy, after: t.Mapping[str, Json]) -> tuple[Effect, ...]:
    """Return what an enabled policy does not tell any more, or not to everyone."""
    if not policy.enabled:
        return ()
    if not after["enabled"]:
        return (Effect(MUTE_ALERT, policy.name),)
    kept = {name: list_of(values) for name, values in dict_of(after["mechanisms"]).items()}
    gone = [f"{name}: {number}" for name, ids in policy.mechanisms.items() for number in ids if number not in kept[name]]
    filters = {name: list_of(values) for name, values in dict_of(after["filters"]).items()}
    # A filter that was not there let everything pass; one that loses a value lets less pass.
    gone += [f"filters.{name}" for name in filters if name not in policy.filters]
    gone += [
        f"filters.{name}: {value}"
        for name, values in policy.filters.items()
        for value in values
        if name in filters and value not in filters[name]
    ]
    return (Effect(MUTE_ALERT, policy.name, tuple(sorted(gone))),) if gone else ()


def _filter_warnings(alert_type: str, filters: t.Mapping[str, tuple[str, ...]], alerts: Observed[Alerts]) -> tuple[str, ...]:
    if not isinstance(alerts, Unknown):
        return tuple(filter_warnings(alert_type, filters, alerts.value))
    return (
        () if alerts.cause is Cause.NOT_ASKED else (f"filters: were not compared with what the service offers: {alerts.message}",)
    )


def _creation(desired: DesiredPolicy, state: PolicyState, mechanisms: t.Mapping[str, tuple[str, ...]]) -> Plan:
    if desired.policy_id is not None:
        raise Failure(
            NOT_FOUND,
            f"policy_id: there is no notification policy {desired.policy_id} in this account; without policy_id, name creates one.",
        )
    if desired.alert_type is None:
        raise invalid_option(
            "alert_type", f"is required to create the notification policy {desired.name!r}, which does not exist yet"
        )
    warnings = _filter_warnings(desired.alert_type, desired.filters or {}, state.alerts)
    if isinstance(state.alerts, Unknown):
        unknown = f"alert_type: whether the account may use {desired.alert_type!r} is not known: {state.alerts.message}"
        warnings = (unknown, *(warnings if desired.filters else ()))
    else:
        check_alert_type(desired.alert_type, state.alerts.value)
    members = _requested(desired, mechanisms)
    items: dict[str, Json] = {name: [{"id": number} for number in ids] for name, ids in mechanisms.items()}
    sent: dict[str, Json] = {"enabled": True, **members, "mechanisms": items}
    _need_mechanism(items, bool(sent["enabled"]))
    after = {"enabled": True, **members}
    whole = {"filters": {}, **_DEFAULTS, **after, "mechanisms": {**{name: [] for name in MECHANISMS}, **_lists(mechanisms)}}
    return Plan(
        before={},
        after=after,
        result={"notification_policy": {"id": None, **whole, "created": None, "modified": None}},
        requests=(Request("notifications.create", body=sent, creates=True),),
        basis={"policy": None},
        warnings=warnings,
    )


def conclude(desired: DesiredPolicy, state: PolicyState, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
    """Return the policy as it was read again after the write; raise `bad_response` if it differs from the plan."""
    if plan.requests[0].body is None:
        return Conclusion(plan.result)
    policy = parse_policy(answers[-1].result)
    managed, expected = _managed(policy), dict_of(plan.after)
    managed["mechanisms"] = {name: dict_of(managed["mechanisms"])[name] for name in dict_of(expected.get("mechanisms"))}
    if wrong := [name for name in expected if expected[name] != managed[name]]:
        raise written_otherwise(f"the notification policy {policy.id}", wrong)
    return Conclusion({"notification_policy": view(policy)})
