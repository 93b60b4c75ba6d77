# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator.refusal import Refusal
from edgeops_simulator.settings import Settings

ACTION = "log_custom_field"
KINDS = ("request_fields", "transformed_request_fields", "response_fields", "raw_response_fields", "cookie_fields")
WITH_DUPLICATES = ("response_fields", "raw_response_fields")
_EITHER_OR = (("request_fields", "transformed_request_fields"), ("response_fields", "raw_response_fields"))
_CODE = 20120


def _refuse(message: str) -> t.NoReturn:
    raise Refusal(400, _CODE, message)


def check_rule(rule: t.Mapping[str, t.Any], place: str) -> None:
    """Check the fields of a rule with the action `log_custom_field` that matches its schema."""
    names = {kind: [item["name"] for item in items] for kind, items in rule["action_parameters"].items()}
    for kind, fields in names.items():
        if len(set(fields)) != len(fields):
            _refuse(f"{place}action_parameters.{kind} names a field twice")
    for one, other in _EITHER_OR:
        both = {*names.get(one, ())} & {*names.get(other, ())}
        if both:
            _refuse(f"{place}action_parameters: {one} and {other} both name {', '.join(sorted(both))}")


def check_limit(rules: t.Iterable[t.Mapping[str, t.Any]], settings: Settings) -> None:
    """Check the maximum number of fields of a zone over all rules and kinds, and of each kind if the settings limit it."""
    per_kind = dict.fromkeys(KINDS, 0)
    for rule in rules:
        parameters = rule.get("action_parameters") or {}  # only a seed can contain a rule without parameters
        for kind in KINDS:
            per_kind[kind] += len(parameters.get(kind) or ())
    total = sum(per_kind.values())
    if settings.field_limit and total > settings.field_limit:
        _refuse(f"exceeded maximum number of custom fields: {total} of {settings.field_limit}")
    for kind, count in per_kind.items():
        if settings.field_limit_per_kind and count > settings.field_limit_per_kind:
            _refuse(f"exceeded maximum number of {kind}: {count} of {settings.field_limit_per_kind}")
