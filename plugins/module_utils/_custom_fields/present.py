# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import (
    FIELD_KINDS,
    PRESERVE_DUPLICATES,
    RESPONSE_KINDS,
)
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.merge import main_rule, merged
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import Rule, Ruleset
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json


def names_of(rules: t.Sequence[Rule]) -> dict[str, list[str]]:
    """The custom fields of some rules, as a user reads them: sorted names, and those of which every value is kept."""
    fields = merged(rules)
    names = {kind: sorted(item["name"] for item in fields[kind].values()) for kind in FIELD_KINDS}
    flagged = {item["name"] for kind in RESPONSE_KINDS for item in fields[kind].values() if item.get(PRESERVE_DUPLICATES)}
    return {**names, PRESERVE_DUPLICATES: sorted(flagged)}


def view(rules: t.Sequence[Rule], in_detail: bool) -> dict[str, Json]:
    """What the module manages; in detail where the fields of one rule are not simply all fields."""
    return {"custom_fields": names_of(rules), "rules": [_rule_view(rule, in_detail) for rule in rules]}


def _rule_view(rule: Rule, in_detail: bool) -> dict[str, Json]:
    parts = {"id": rule.id, "description": rule.description, "enabled": rule.enabled, "expression": rule.expression}
    return {**parts, "custom_fields": names_of([rule])} if in_detail else parts


def result_of(ruleset: Ruleset | None, rules: t.Sequence[Rule], made: bool) -> dict[str, Json]:
    """The documented result; `made`: whether a missing ruleset would be created."""
    return {"custom_fields": names_of(rules), "ruleset": _ruleset(ruleset, rules) if ruleset or made else None}


def _ruleset(ruleset: Ruleset | None, rules: t.Sequence[Rule]) -> dict[str, Json]:
    main = main_rule(rules)
    return {
        "id": ruleset.id if ruleset else None,
        "version": ruleset.version if ruleset else None,
        "rule_id": main.id if main else None,
        "ref": main.document.get("ref") if main else None,
        "last_updated": ruleset.last_updated if ruleset else None,
    }


def report(ruleset: Ruleset | None) -> dict[str, Json]:
    """The result for what the service has."""
    return result_of(ruleset, ruleset.own_rules if ruleset else (), made=False)
