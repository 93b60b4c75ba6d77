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
    bad_answer,
    conflict,
    invalid_option,
    written_otherwise,
)
from .._text import plain_id
from .policy import Policy
from .webhook import NAME, NOUNS, Webhook, compare_url, is_whole, origin, parse_webhook, split, view_webhook
from .webhook_options import DesiredWebhook

_PERHAPS_GONE = (
    "secret: is omitted, and an update replaces the whole webhook: a secret that was set is gone unless the service keeps it."
    " Set it to be sure."
)


class WebhookState(t.NamedTuple):
    """The webhook, or None; the policies of the account, None if no decision needs them; and the ids of all webhooks that were listed."""

    webhook: Webhook | None
    policies: tuple[Policy, ...] | None = None
    known: frozenset[str] = frozenset()


def moves(desired: DesiredWebhook, webhook: Webhook) -> bool:
    """Return whether another host would get what policies send to a webhook; also if the service does not show its address."""
    return desired.url is not None and origin(desired.url) != origin(webhook.url)


def needs_policies(desired: DesiredWebhook, webhook: Webhook | None) -> bool:
    return webhook is not None and (not desired.present or moves(desired, webhook))


def plan_webhook(desired: DesiredWebhook, state: WebhookState) -> Plan:
    """Return the plan that deletes, creates or updates the webhook, or leaves it unchanged."""
    webhook = state.webhook
    if not desired.present:
        return _deletion(webhook, _naming(webhook, state.policies))
    return _creation(desired) if webhook is None else _update(desired, webhook, _naming(webhook, state.policies))


def _naming(webhook: Webhook | None, policies: t.Sequence[Policy] | None) -> list[Policy]:
    """Return the policies that name a webhook."""
    return [
        policy for policy in policies or () if webhook and plain_id(webhook.id) in map(plain_id, policy.mechanisms["webhooks"])
    ]


def _result(webhook: t.Mapping[str, Json] | None, compared: t.Sequence[str] | None = ()) -> dict[str, Json]:
    return {"notification_webhook": webhook, "compared": None if compared is None else list(compared)}


def _deletion(webhook: Webhook | None, naming: t.Sequence[Policy]) -> Plan:
    if webhook is None:
        return Plan(before={}, after={}, result=_result(None), basis={"webhook": None})
    if naming:
        names = ", ".join(repr(policy.name) for policy in naming)
        raise conflict(
            f"state: the webhook {webhook.name!r} (id {webhook.id}) is a recipient of the notification policies {names}, which would tell"
            " nobody there any more. Remove it from these policies first."
        )
    return Plan(
        before={"name": webhook.name, "host": webhook.host},
        after={},
        result=_result(None),
        requests=(Request("notifications.delete_webhook", ids={NOUNS.option: webhook.id}),),
        basis=_basis(webhook),
    )


def _basis(webhook: Webhook) -> dict[str, Json]:
    return {"id": webhook.id, "name": webhook.name, "url": webhook.url}


def _body(name: str, desired: DesiredWebhook) -> dict[str, Json]:
    return {"name": name, "url": desired.url, **({"secret": desired.secret} if desired.secret else {})}


def _update(desired: DesiredWebhook, webhook: Webhook, naming: t.Sequence[Policy]) -> Plan:
    name = desired.name or webhook.name
    parts, differs = compare_url(webhook, desired.url) if desired.url else ((), False)
    if desired.url is not None and not parts and not desired.sends:
        raise bad_answer(
            f"the webhook {webhook.name!r} (id {webhook.id}) has no address in it, so that it is not known whether another one has to be sent;"
            " send_url 'always' sends it"
        )
    sends = differs or desired.sends
    changed = sends or name != webhook.name
    if changed and desired.url is None:
        raise invalid_option("url", f"is required to change the webhook {webhook.name!r}, because an update replaces all of it")
    requested = split(desired.url)
    after: dict[str, Json] = {"name": name}
    before: dict[str, Json] = {"name": webhook.name}
    if desired.url is not None:
        # The address is a secret, so that only whether it differs can be shown.
        equal = "as requested" if is_whole(parts, desired.url) else "as requested, as far as it is shown"
        address = equal if not sends else "another" if differs else "not compared in full"
        before |= {"host": webhook.host, "address": address}
        after |= {"host": requested.hostname if requested else None, "address": "as requested" if changed else address}
    muted = [policy for policy in naming if policy.enabled] if moves(desired, webhook) else []
    return Plan(
        before=before,
        after=after,
        result=_result(
            {**view_webhook(webhook), "name": name, "host": requested.hostname if requested else webhook.host}, (NAME, *parts)
        ),
        requests=(Request("notifications.update_webhook", ids={NOUNS.option: webhook.id}, body=_body(name, desired)),)
        if changed
        else (),
        basis={**_basis(webhook), "policies": sorted(policy.id for policy in muted)},
        warnings=(_PERHAPS_GONE,) if changed and desired.secret is None else (),
        effects=(Effect(MUTE_ALERT, webhook.name, ("url",)),) if muted else (),
    )


def _creation(desired: DesiredWebhook) -> Plan:
    if desired.webhook_id is not None:
        raise Failure(
            NOT_FOUND,
            f"webhook_id: there is no webhook {desired.webhook_id} in this account; without webhook_id, name creates one.",
        )
    if desired.url is None:
        raise invalid_option("url", f"is required to create the webhook {desired.name!r}, which does not exist yet")
    name, requested = desired.name or "", split(desired.url)
    host = requested.hostname if requested else None
    made: dict[str, Json] = {"id": None, "name": name, "type": None, "host": host, "last_success": None, "last_failure": None}
    return Plan(
        before={},
        after={"name": name, "host": host, "address": "as requested"},
        result=_result(made, None),
        requests=(Request("notifications.create_webhook", body=_body(name, desired), creates=True),),
        basis={"webhook": None},
    )


def conclude_webhook(plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
    """Return the webhook as it was read again after the write; raise `bad_response` if it differs from the request."""
    request = plan.requests[0]
    if request.body is None:
        return Conclusion(plan.result)
    webhook = parse_webhook(answers[-1].result)
    parts, differs = compare_url(webhook, str(request.body["url"]))
    wrong = [name for name, is_wrong in ((NAME, webhook.name != request.body["name"]), ("url", differs)) if is_wrong]
    if wrong:
        raise written_otherwise(f"webhook {webhook.id}", wrong)
    return Conclusion(_result(view_webhook(webhook), (NAME, *parts)))
