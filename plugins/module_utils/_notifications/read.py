# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._api.client import Client
from .._api.response import lacks_route
from .._api.rivals import Created, Listed, Words, look_again
from .._core import PERMISSION, Answer, Conclusion, Failure, Json, Plan
from .._selection import select
from .._text import dict_of
from .options import WEBHOOKS, Desired, PolicyQuery
from .plan import PolicyState, is_id
from .policy import NOUNS, Policy, Webhook, parse_alerts, parse_policy, parse_webhook, view, view_webhook


def _is_not_offered(failure: Failure) -> bool:
    """Return whether a read failed because the service or the token does not have the route."""
    return failure.kind == PERMISSION or lacks_route(failure)


def read(client: Client, desired: Desired) -> PolicyState:
    """Return the policy; the alerts that the account may use if one is to be created; webhooks if one is given by its name."""
    everyone = policies(client)
    policy, known = select(everyone, NOUNS, desired.name, desired.policy_id), frozenset(each.id for each in everyone)
    if not desired.present:
        return PolicyState(policy)
    references = desired.mechanisms.get(WEBHOOKS, ())
    hooks = () if all(map(is_id, references)) else tuple(webhooks(client))
    if policy is not None or desired.alert_type is None or desired.policy_id is not None:
        return PolicyState(policy, webhooks=hooks, known=known)
    try:
        return PolicyState(None, alerts(client), hooks, known=known)
    except Failure as failure:
        if not _is_not_offered(failure):
            raise
        return PolicyState(None, None, hooks, str(failure), known)


def policies(client: Client) -> list[Policy]:
    """Return all notification policies of the account."""
    return [parse_policy(item) for item in client.items("notifications.list", keys=("id",))]


def webhooks(client: Client) -> list[Webhook]:
    """Return all webhooks of the account."""
    return [parse_webhook(item) for item in client.items("notifications.webhooks", keys=("id",))]


def alerts(client: Client) -> dict[str, str]:
    """Return the alerts that the account may use."""
    return parse_alerts(client.call("notifications.alerts").result)


def reread(client: Client, plan: Plan, answers: t.Sequence[Answer]) -> t.Sequence[Answer]:
    """Return the answer to a write, which is an id only, and the policy that was written."""
    request = plan.requests[0]
    if request.body is None:
        return answers
    policy_id = request.ids.get("policy_id") or str(dict_of(answers[0].result)["id"])
    return (*answers, client.call("notifications.get", ids={"policy_id": policy_id}))


_WORDS = Words(*NOUNS, "notification_policy_info", ", so that everyone is told twice")


def verify(client: Client, created: t.Iterable[tuple[PolicyState, Json]]) -> None:
    """List the policies again after a creation, which another run may have made at the same time."""
    made = [_created(state, dict_of(result)) for state, result in created]
    look_again(
        client, _WORDS, lambda: [Listed(each.id, each.name, each.text("created") or None) for each in policies(client)], made
    )


def _created(state: PolicyState, made: t.Mapping[str, Json]) -> Created:
    name = str(made["name"])
    return Created(str(made["id"]), name, name, f"name {name!r}", lambda other: other not in state.known)


def report(client: Client, query: PolicyQuery) -> Conclusion:
    """Return the policies that match a query, and whom and of what the account can tell; None for what the service does not show."""
    matches = [each for each in policies(client) if query.name in (None, each.name) and query.policy_id in (None, each.id)]
    result: dict[str, Json] = {"notification_policies": [view(each) for each in sorted(matches, key=lambda each: each.id)]}
    warnings: list[str] = []
    listings: dict[str, t.Callable[[], Json]] = {
        "webhooks": lambda: [view_webhook(each) for each in sorted(webhooks(client), key=lambda each: each.id)],
        "available_alerts": lambda: t.cast(Json, alerts(client)),
    }
    for name, ask in listings.items():
        try:
            result[name] = ask()
        except Failure as failure:
            if not _is_not_offered(failure):
                raise
            result[name] = None
            warnings.append(
                f"{name} is null, because the service does not list them for this account or these credentials: {failure}"
            )
    return Conclusion(result, tuple(warnings))
