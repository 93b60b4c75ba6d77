# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.front.call import Answer, Call
from edgeops_simulator.front.routing import ZONE, Routes
from edgeops_simulator.refusal import Refusal
from edgeops_simulator.schemas import bodies
from edgeops_simulator.schemas.answers import array, ref
from edgeops_simulator.state import policies as state
from edgeops_simulator.state.part import Document
from edgeops_simulator.state.rulesets import new_id

_CODE, _NOT_FOUND = 1001, 10007
routes = Routes(f"{ZONE}/page_shield/policies")
_ONE = "/{policy_id}"


def _shown(call: Call, policy: Document) -> Document:
    if not call.settings.policy_enabled_as_text:
        return policy
    return {**policy, "enabled": "true" if policy["enabled"] else "false"}


def _policy(call: Call) -> Document:
    policy: Document | None = call.zone.policies.get(call.ids["policy_id"])
    if policy is None:
        raise Refusal(404, _NOT_FOUND, "policy not found")
    return policy


@routes("GET", "", "listPolicies", result=array(ref("Policy")), switch="page_shield_routes")
def list_policies(call: Call) -> Answer:
    return Answer([_shown(call, policy) for policy in call.zone.policies.values()])


@routes("POST", "", "createPolicy", body=bodies.NEW_POLICY, result=ref("Policy"), switch="page_shield_routes")
def create_policy(call: Call) -> Answer:
    count, most = len(call.zone.policies) + 1, call.settings.max_policies
    if count > most:
        message = f"exceeded the maximum number of rules in the phase {state.PHASE}: {count} out of {most}"
        raise Refusal(400, _CODE, message)
    made = {"id": new_id(), **call.body}
    call.zone.policies[made["id"]] = made
    return Answer(_shown(call, made))


@routes("GET", _ONE, "getPolicy", result=ref("Policy"), switch="page_shield_routes")
def get_policy(call: Call) -> Answer:
    return Answer(_shown(call, _policy(call)))


@routes("PUT", _ONE, "updatePolicy", body=bodies.POLICY, result=ref("Policy"), switch="page_shield_routes")
def put_policy(call: Call) -> Answer:
    policy = _policy(call)
    policy.update(call.body)
    return Answer(_shown(call, policy))


@routes("DELETE", _ONE, "deletePolicy", status=204, switch="page_shield_routes")
def delete_policy(call: Call) -> Answer:
    """Delete a content security rule; the answer is the same if it does not exist."""
    call.zone.policies.pop(call.ids["policy_id"], None)
    return Answer(status=204)
