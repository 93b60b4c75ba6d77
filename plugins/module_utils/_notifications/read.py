# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import datetime
import typing as t

from .._api.client import Client
from .._api.response import lacks_route
from .._api.rivals import Created, Listed, Words, look_again
from .._core import BAD_RESPONSE, PERMISSION, Answer, Conclusion, Failure, Json, Plan
from .._observed import Cause, Known, Observed, Unknown, unknown
from .._selection import select
from .._text import dict_of, format_time, is_same_id, json_type, parse_time
from .alerts import Alerts, parse_alerts
from .facts import WEBHOOKS
from .options import DesiredPolicy, PolicyQuery
from .plan import PolicyState, is_id
from .policy import NOUNS, Policy, parse_policy, view
from .webhook import NOUNS as WEBHOOK_NOUNS
from .webhook import Webhook, parse_webhook, view_webhook
from .webhook_options import DesiredWebhook
from .webhook_plan import WebhookState, needs_policies

_T = t.TypeVar("_T")
_NOT_NEEDED = Unknown(Cause.NOT_ASKED, "was not asked for")
_PER_PAGE = 100


def _observed(read: t.Callable[[], _T]) -> Observed[_T]:
    """Return what a read returns, or why it is not known because the service does not have it or the token no right to it."""
    try:
        return Known(read())
    except Failure as failure:
        if failure.kind != PERMISSION and not lacks_route(failure):
            raise
        return unknown(failure)


def _told(read: t.Callable[[], _T]) -> Observed[_T]:
    """Return what a read that decides nothing returns; also not known if an item of the answer cannot be told (the answer itself can)."""
    try:
        return _observed(read)
    except Failure as failure:
        if failure.kind != BAD_RESPONSE or failure.path is not None:
            raise
        return unknown(failure)


def read(client: Client, desired: DesiredPolicy) -> PolicyState:
    """Return the policy; webhooks if one is given by its name; the alerts of the account if its type or its filters are compared."""
    everyone = policies(client)
    policy, known = select(everyone, NOUNS, desired.name, desired.policy_id), frozenset(policy.id for policy in everyone)
    if not desired.present:
        return PolicyState(policy)
    references = desired.mechanisms.get(WEBHOOKS, ())
    hooks = () if all(map(is_id, references)) else tuple(webhooks(client))
    creates = policy is None and desired.alert_type is not None and desired.policy_id is None
    differs = policy is not None and desired.filters is not None and desired.filters != policy.filters
    offered: Observed[Alerts] = _observed(lambda: alerts(client)) if creates or differs else _NOT_NEEDED
    return PolicyState(policy, offered, hooks, known)


def policies(client: Client) -> list[Policy]:
    """Return all notification policies of the account."""
    return [parse_policy(item) for item in client.items("notifications.list", keys=("id",))]


def webhooks(client: Client) -> list[Webhook]:
    """Return all webhooks of the account."""
    return [parse_webhook(item) for item in _identified(client, "webhook", "notifications.webhooks")]


def _identified(client: Client, noun: str, operation: str) -> list[dict[str, Json]]:
    """Return the items of a listing; one without an id makes the whole listing unusable, for tasks that only read, too."""
    items = [dict_of(item) for item in client.items(operation, keys=("id",))]
    if not all(isinstance(item.get("id"), str) and item["id"] for item in items):
        raise client.locate(Failure(BAD_RESPONSE, f"The service's answer cannot be used: a {noun} has no id."))
    return items


def alerts(client: Client) -> Alerts:
    """Return the alerts that the account may use."""
    return parse_alerts(client.call("notifications.alerts").result)


def silences(client: Client) -> list[dict[str, Json]]:
    """Return when policies are silenced, sorted."""
    silences = [_silence(item) for item in _identified(client, "silence", "notifications.silences")]
    return sorted(silences, key=lambda silence: tuple(map(str, silence.values())))


def _silence(sent: t.Mapping[str, Json]) -> dict[str, Json]:
    silence = {member: sent.get(member) for member in ("policy_id", "start_time", "end_time")}
    for member, value in silence.items():
        if not isinstance(value, str) or not value:
            raise Failure(BAD_RESPONSE, f"The service's answer cannot be used: a silence has {json_type(value)} as its {member}.")
    return silence


def history(client: Client, days: int) -> dict[str, Json]:
    """Return how often each alert was sent in so many days, and when last."""
    now = datetime.datetime.now(datetime.timezone.utc)
    window = {"since": format_time(now - datetime.timedelta(days=days)), "before": format_time(now)}
    times: dict[str, list[str]] = collections.defaultdict(list)
    for item in client.items("notifications.history", query=window, per_page=_PER_PAGE, keys=("id",)):
        alert, sent = dict_of(item).get("alert_type"), parse_time(dict_of(item).get("sent"))
        if not isinstance(alert, str) or not alert or sent is None:
            raise Failure(
                BAD_RESPONSE, "The service's answer cannot be used: a notification of the history has no alert_type or time."
            )
        times[alert].append(format_time(sent))
    return {alert: {"count": len(times[alert]), "last_sent": max(times[alert])} for alert in sorted(times)}


def reread(client: Client, plan: Plan, answers: t.Sequence[Answer]) -> t.Sequence[Answer]:
    """Return the answer to a write, which is an id only, and the policy that was written."""
    return _reread(client, plan, answers, "notifications.get", NOUNS.option)


def reread_webhook(client: Client, plan: Plan, answers: t.Sequence[Answer]) -> t.Sequence[Answer]:
    """Return the answer to a write, which is an id only, and the webhook that was written."""
    return _reread(client, plan, answers, "notifications.get_webhook", WEBHOOK_NOUNS.option)


def _reread(client: Client, plan: Plan, answers: t.Sequence[Answer], operation: str, option: str) -> t.Sequence[Answer]:
    request = plan.requests[0]
    if request.body is None:
        return answers
    number = request.ids.get(option) or str(dict_of(answers[0].result)["id"])
    return (*answers, client.call(operation, ids={option: number}))


_WORDS = Words(*NOUNS, "notification_policy_info", ", so that everyone is told twice")
_WEBHOOK_WORDS = Words(*WEBHOOK_NOUNS, "notification_policy_info")


def verify(client: Client, created: t.Iterable[tuple[PolicyState, Json]]) -> None:
    """List the policies again after a creation, which another run may have made at the same time."""
    made = [_created(state.known, dict_of(result)) for state, result in created]
    look_again(
        client,
        _WORDS,
        lambda: [Listed(policy.id, policy.name, policy.text("created") or None) for policy in policies(client)],
        made,
    )


def verify_webhook(client: Client, created: t.Iterable[tuple[WebhookState, Json]]) -> None:
    """List the webhooks again after a creation, which another run may have made at the same time."""
    made = [_created(state.known, dict_of(result)) for state, result in created]
    look_again(client, _WEBHOOK_WORDS, lambda: [Listed(webhook.id, webhook.name) for webhook in webhooks(client)], made)


def _created(known: frozenset[str], made: t.Mapping[str, Json]) -> Created:
    name = str(made["name"])
    return Created(str(made["id"]), name, name, f"name {name!r}", lambda other: other not in known)


def read_webhook(client: Client, desired: DesiredWebhook) -> WebhookState:
    """Return the webhook, and the policies if one of them may lose it or what it is sent."""
    everyone = webhooks(client)
    webhook = select(everyone, WEBHOOK_NOUNS, desired.name, desired.webhook_id)
    naming = tuple(policies(client)) if needs_policies(desired, webhook) else None
    return WebhookState(webhook, naming, frozenset(webhook.id for webhook in everyone))


def report(client: Client, query: PolicyQuery) -> Conclusion:
    """Return the policies that match a query, and whom and of what the account can tell; None for what is not known, with a warning."""
    matches = [
        policy
        for policy in policies(client)
        if query.name in (None, policy.name) and (query.policy_id is None or is_same_id(query.policy_id, policy.id))
    ]
    result: dict[str, Json] = {
        "notification_policies": [view(policy) for policy in sorted(matches, key=lambda policy: policy.id)]
    }
    warnings: list[str] = []
    listings: dict[str, t.Callable[[], Json]] = {
        "webhooks": lambda: [view_webhook(webhook) for webhook in sorted(webhooks(client), key=lambda webhook: webhook.id)],
        "available_alerts": lambda: {name: alert.description for name, alert in alerts(client).items()},
        "silences": lambda: silences(client),
        "history": lambda: history(client, query.history_days),
    }
    if not query.history_days:
        result["history"] = None
        del listings["history"]
    for name, ask in listings.items():
        observed = _told(ask)
        result[name] = None if isinstance(observed, Unknown) else observed.value
        if isinstance(observed, Unknown):
            warnings.append(
                f"{name} is null, because it cannot be read with these credentials or for this account: {observed.message}"
            )
    return Conclusion(result, tuple(warnings))
