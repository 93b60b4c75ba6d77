# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import functools
import typing as t

from edgeops_simulator.front.call import Answer, Call
from edgeops_simulator.front.routing import ZONE, Handler, Routes
from edgeops_simulator.refusal import Refusal
from edgeops_simulator.rules import custom_fields
from edgeops_simulator.rules import rulesets as rules
from edgeops_simulator.schemas import bodies
from edgeops_simulator.schemas.answers import array, nullable, ref
from edgeops_simulator.schemas.queries import DRY_RUN
from edgeops_simulator.state import policies
from edgeops_simulator.state import rulesets as state

routes = Routes(f"{ZONE}/rulesets", codes=(rules.BAD_BODY, rules.BAD_RULE))

Document = dict[str, t.Any]
_WRITTEN: Document = {"result": nullable(ref("Ruleset")), "query": DRY_RUN}
_ENTRY_POINT, _ONE, _RULE = "/phases/{phase}/entrypoint", "/{ruleset_id}", "/{ruleset_id}/rules/{rule_id}"


def _write(handler: Handler) -> Handler:
    """With `?dry_run=true`, only validate a write: the errors are the same, but nothing is stored and there is no result."""

    @functools.wraps(handler)
    def tried(call: Call) -> Answer:
        dry_run = call.query.get("dry_run", "false")
        if dry_run not in ("true", "false"):
            raise Refusal(400, rules.BAD_BODY, "dry_run must be true or false")
        if dry_run == "false":
            return handler(call)
        kept = copy.deepcopy(call.zone.rulesets)
        try:
            return Answer(None, handler(call).status)
        finally:
            call.zone.rulesets = kept

    return tried


def shown(call: Call, ruleset: Document, *, with_rules: bool = True) -> Document:
    """Return a ruleset as answers show it."""
    if not with_rules:
        return state.without_rules(ruleset)
    if not call.settings.echo_preserve_duplicates:
        return ruleset
    filled = copy.deepcopy(ruleset)
    for rule in filled["rules"]:
        parameters = (rule.get("action_parameters") or {}) if rule.get("action") == custom_fields.ACTION else {}
        for kind in custom_fields.WITH_DUPLICATES:
            for item in parameters.get(kind, ()):
                item.setdefault("preserve_duplicates", False)
    return filled


def _ruleset(call: Call) -> Document:
    ruleset: Document | None = call.zone.rulesets.get(call.ids["ruleset_id"])
    if ruleset is None:
        raise Refusal(404, rules.NOT_FOUND, f"could not find ruleset {call.ids['ruleset_id']!r}")
    return ruleset


def _own(call: Call) -> Document:
    """Return a ruleset of this zone; those of the account and managed ones are read-only."""
    ruleset = _ruleset(call)
    if ruleset.get("kind") != "zone":
        raise Refusal(403, rules.BAD_RULE, f"a ruleset of kind {ruleset.get('kind')!r} cannot be changed through a zone")
    return ruleset


@routes("GET", "", "listRulesets", result=array(ref("Ruleset")))
def list_rulesets(call: Call) -> Answer:
    rulesets = list(call.zone.rulesets.values())
    return Answer([shown(call, ruleset, with_rules=call.settings.rules_in_list) for ruleset in rulesets])


@routes("GET", _ONE, "getRuleset", result=ref("Ruleset"), switch="get_ruleset_route")
def get_ruleset(call: Call) -> Answer:
    return Answer(shown(call, _ruleset(call)))


@routes("POST", "", "createRuleset", body=bodies.NEW_RULESET, **_WRITTEN)
@_write
def create_ruleset(call: Call) -> Answer:
    phase = call.body["phase"]
    rules.check_rules(call.body.get("rules", []), phase, call.settings)
    if state.entry_point(call.zone.rulesets, phase):
        message = "exceeded maximum number of zone rulesets for phase"
        raise Refusal(400, rules.SECOND_OF_PHASE, f"{message} {phase}", source={"pointer": "/kind"})
    return Answer(shown(call, state.create(call.zone.rulesets, call.body)))


@routes("PUT", _ONE, "updateRuleset", body=bodies.RULESET, **_WRITTEN)
@_write
def put_ruleset(call: Call) -> Answer:
    ruleset = _own(call)
    rules.check_update(call.body, ruleset)
    rules.check_rules(call.body.get("rules", []), ruleset["phase"], call.settings)
    return Answer(shown(call, state.update(ruleset, call.body)))


@routes("DELETE", _ONE, "deleteRuleset", query=DRY_RUN, status=204)
@_write
def delete_ruleset(call: Call) -> Answer:
    del call.zone.rulesets[_own(call)["id"]]
    return Answer(status=204)


def _entry_point(call: Call) -> Document | None:
    return state.entry_point(call.zone.rulesets, call.ids["phase"])


@routes("GET", _ENTRY_POINT, "getEntryPoint", result=ref("Ruleset"), switch="entrypoint_route")
def get_entry_point(call: Call) -> Answer:
    if call.ids["phase"] == policies.PHASE and call.settings.policy_entry_point:
        return Answer(policies.entry_point(call.zone.policies, call.zone.id))
    ruleset = _entry_point(call)
    if ruleset is None:
        phase = call.ids["phase"]
        raise Refusal(404, rules.NO_ENTRY_POINT, f"could not find entrypoint ruleset in the {phase} phase")
    return Answer(shown(call, ruleset))


@routes("PUT", _ENTRY_POINT, "updateEntryPoint", body=bodies.ENTRY_POINT, switch="entrypoint_route", **_WRITTEN)
@_write
def put_entry_point(call: Call) -> Answer:
    ruleset, phase = _entry_point(call), call.ids["phase"]
    if phase not in rules.PHASES:
        raise Refusal(404, rules.NO_ENTRY_POINT, f"unknown phase {phase!r}")
    rules.check_rules(call.body.get("rules", []), phase, call.settings)
    if ruleset is None:
        named = {"name": "default", **call.body, "kind": "zone", "phase": phase}
        return Answer(shown(call, state.create(call.zone.rulesets, named)))
    return Answer(shown(call, state.update(ruleset, call.body)))


def _checked_rule(call: Call, ruleset: Document, replaced: str | None) -> Document:
    """Return a valid rule without its position; check both alone and with the rules that remain."""
    body = dict(call.body)
    if "position" in body:
        rules.check_position(body["position"], ruleset["rules"])
    rule = {name: value for name, value in body.items() if name != "position"}
    stay = [present for present in ruleset["rules"] if present["id"] != replaced]
    if rule or replaced is None:
        rules.check_rule(rule, ruleset["phase"], call.settings)
        same_ref = [present["id"] for present in stay if rule.get("ref") and present["ref"] == rule["ref"]]
        if same_ref:
            raise Refusal(400, rules.BAD_RULE, f"the rule {same_ref[0]} has the ref {rule['ref']!r}")
        custom = [one for one in [*stay, rule] if one["action"] == custom_fields.ACTION]
        custom_fields.check_limit(custom, call.settings)
    return body


@routes("POST", f"{_ONE}/rules", "addRule", body=bodies.NEW_RULE, **_WRITTEN)
@_write
def post_rule(call: Call) -> Answer:
    ruleset = _own(call)
    return Answer(shown(call, state.add_rule(ruleset, _checked_rule(call, ruleset, None))))


def _rule_id(call: Call, ruleset: Document) -> str:
    if not any(rule["id"] == call.ids["rule_id"] for rule in ruleset["rules"]):
        raise Refusal(404, rules.NOT_FOUND, f"could not find rule {call.ids['rule_id']!r}")
    return call.ids["rule_id"]


@routes("PATCH", _RULE, "updateRule", body=bodies.RULE, **_WRITTEN)
@_write
def patch_rule(call: Call) -> Answer:
    ruleset = _own(call)
    rule_id = _rule_id(call, ruleset)
    return Answer(shown(call, state.change_rule(ruleset, rule_id, _checked_rule(call, ruleset, rule_id))))


@routes("DELETE", _RULE, "deleteRule", **_WRITTEN)
@_write
def delete_rule(call: Call) -> Answer:
    ruleset = _own(call)
    return Answer(shown(call, state.remove_rule(ruleset, _rule_id(call, ruleset))))
