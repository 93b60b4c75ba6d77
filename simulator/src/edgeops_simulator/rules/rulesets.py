# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator.refusal import Refusal
from edgeops_simulator.rules import custom_fields
from edgeops_simulator.settings import Settings

BAD_BODY, BAD_RULE, NO_ENTRY_POINT, NOT_FOUND, SECOND_OF_PHASE = 10014, 20120, 10003, 10005, 20217
CUSTOM_FIELDS_PHASE = "http_log_custom_fields"
PHASES = (
    "ddos_l7",
    "http_config_settings",
    "http_custom_errors",
    "http_log_custom_fields",
    "http_ratelimit",
    "http_request_cache_settings",
    "http_request_dynamic_redirect",
    "http_request_firewall_custom",
    "http_request_firewall_managed",
    "http_request_late_transform",
    "http_request_origin",
    "http_request_redirect",
    "http_request_sanitize",
    "http_request_sbfm",
    "http_request_transform",
    "http_response_compression",
    "http_response_firewall_managed",
    "http_response_headers_transform",
)


def check_update(body: t.Mapping[str, t.Any], ruleset: t.Mapping[str, t.Any]) -> None:
    """Refuse a PUT that changes kind or phase; both may be omitted."""
    for name in ("kind", "phase"):
        if name in body and body[name] != ruleset[name]:
            raise Refusal(400, BAD_RULE, f"{name} cannot change", source={"pointer": f"/{name}"})


def check_rules(rules: t.Sequence[t.Mapping[str, t.Any]], phase: str, settings: Settings) -> None:
    """Check the rules of a ruleset, each alone and then together."""
    for index, rule in enumerate(rules):
        check_rule(rule, phase, settings, f"rules[{index}].")
    for name in ("id", "ref"):
        values = [rule[name] for rule in rules if rule.get(name)]
        if len(values) != len(set(values)):
            raise Refusal(400, BAD_RULE, f"two rules have the same {name}")
    custom_fields.check_limit([rule for rule in rules if rule["action"] == custom_fields.ACTION], settings)


def check_rule(rule: t.Mapping[str, t.Any], phase: str, settings: Settings, place: str = "") -> None:
    if rule["action"] in settings.refuse_foreign_actions:
        raise Refusal(400, BAD_RULE, f"{place}action {rule['action']!r} is not allowed in phase {phase}")
    if rule["action"] == custom_fields.ACTION:
        if phase != CUSTOM_FIELDS_PHASE:
            raise Refusal(403, BAD_RULE, f"{place}action log_custom_field is not allowed in phase {phase}")
        custom_fields.check_rule(rule, place)


def check_position(position: t.Mapping[str, t.Any], rules: t.Sequence[t.Mapping[str, t.Any]]) -> None:
    """Check a position: `before` or `after` a rule of this ruleset, or an `index` counted from 1."""
    ids = {rule["id"] for rule in rules} | {""}
    if position.get("before", "") not in ids or position.get("after", "") not in ids:
        raise Refusal(400, BAD_RULE, "position names a rule that is not in this ruleset")
    if position.get("index", 1) > len(rules) + 1:
        raise Refusal(400, BAD_RULE, "position.index is outside the ruleset")
