# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy

from edgeops_simulator import clock
from edgeops_simulator.front.call import Answer, Call
from edgeops_simulator.front.routing import ACCOUNT, Routes
from edgeops_simulator.refusal import Refusal
from edgeops_simulator.schemas import bodies
from edgeops_simulator.schemas.answers import TEXT, array, nullable, record, ref
from edgeops_simulator.state import notifications as state
from edgeops_simulator.state.part import Document

_CODE = 17102
routes = Routes(f"{ACCOUNT}/alerting/v3", codes=(_CODE, _CODE))
_POLICY, _WEBHOOK = "/policies/{policy_id}", "/destinations/webhooks/{webhook_id}"
_ID = record({"id": TEXT})
_NOTHING = nullable({"type": "object"})


def _policy(call: Call) -> Document:
    found: Document | None = call.account.notification_policies.get(call.ids["policy_id"])
    if found is None:
        raise Refusal(404, _CODE, f"policy {call.ids['policy_id']!r} not found")
    return found


def _check(call: Call, policy: Document) -> None:
    """Check the members of a policy together, and that the alert and the webhooks in it exist."""
    known = {alert["type"] for alerts in call.account.available_alerts.values() for alert in alerts}
    if policy["alert_type"] not in known:
        raise Refusal(400, _CODE, f"unknown alert_type: {policy['alert_type']}")
    mechanisms = policy.get("mechanisms") or {}
    if policy["enabled"] and not any(mechanisms.values()):
        raise Refusal(400, _CODE, "an enabled policy needs at least one mechanism")
    for item in mechanisms.get("webhooks") or ():
        if item["id"] not in call.account.webhooks:
            raise Refusal(400, _CODE, f"unknown webhook: {item['id']}")


@routes("GET", "/policies", "listNotificationPolicies", result=array(ref("NotificationPolicy")))
def list_policies(call: Call) -> Answer:
    return Answer(list(call.account.notification_policies.values()))


@routes("POST", "/policies", "createNotificationPolicy", body=bodies.NEW_NOTIFICATION_POLICY, result=_ID)
def create_policy(call: Call) -> Answer:
    _check(call, call.body)
    return Answer({"id": state.create(call.account.notification_policies, _settable(call.body))["id"]})


def _settable(body: Document) -> Document:
    return {name: value for name, value in body.items() if name not in ("id", "created", "modified")}


@routes("GET", _POLICY, "getNotificationPolicy", result=ref("NotificationPolicy"))
def get_policy(call: Call) -> Answer:
    return Answer(_policy(call))


@routes("PUT", _POLICY, "updateNotificationPolicy", body=bodies.NOTIFICATION_POLICY, result=_ID)
def put_policy(call: Call) -> Answer:
    policy = _policy(call)
    changed = state.update(copy.deepcopy(policy), call.body)
    _check(call, changed)
    call.account.notification_policies[policy["id"]] = changed
    return Answer({"id": policy["id"]})


@routes("DELETE", _POLICY, "deleteNotificationPolicy", result=_NOTHING)
def delete_policy(call: Call) -> Answer:
    del call.account.notification_policies[_policy(call)["id"]]
    return Answer(None)


@routes("GET", "/available_alerts", "listAvailableAlerts", result={"type": "object", "additionalProperties": array(ref("Alert"))})
def list_available_alerts(call: Call) -> Answer:
    return Answer(dict(call.account.available_alerts))


def _webhook(call: Call) -> Document:
    found: Document | None = call.account.webhooks.get(call.ids["webhook_id"])
    if found is None:
        raise Refusal(404, _CODE, f"webhook {call.ids['webhook_id']!r} not found")
    return found


def _shown(webhook: Document) -> Document:
    return {name: value for name, value in webhook.items() if name != "secret"}


@routes("GET", "/destinations/webhooks", "listWebhooks", result=array(ref("Webhook")))
def list_webhooks(call: Call) -> Answer:
    return Answer([_shown(webhook) for webhook in call.account.webhooks.values()])


@routes("POST", "/destinations/webhooks", "createWebhook", body=bodies.NEW_WEBHOOK, result=_ID)
def create_webhook(call: Call) -> Answer:
    """Create a webhook. The API sends a test message to it, which always succeeds here."""
    given = {name: call.body[name] for name in ("name", "url", "secret") if call.body.get(name)}
    made = state.create_webhook(call.account.webhooks, {**given, "last_success": clock.stamp_seconds()})
    return Answer({"id": made["id"]})


@routes("GET", _WEBHOOK, "getWebhook", result=ref("Webhook"))
def get_webhook(call: Call) -> Answer:
    return Answer(_shown(_webhook(call)))


@routes("PUT", _WEBHOOK, "updateWebhook", body=bodies.NEW_WEBHOOK, result=_ID)
def put_webhook(call: Call) -> Answer:
    webhook = _webhook(call)
    webhook.update({name: call.body[name] for name in ("name", "url", "secret") if call.body.get(name)})
    return Answer({"id": webhook["id"]})


@routes("DELETE", _WEBHOOK, "deleteWebhook", result=_NOTHING)
def delete_webhook(call: Call) -> Answer:
    del call.account.webhooks[_webhook(call)["id"]]
    return Answer(None)
