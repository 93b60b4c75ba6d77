# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from edgeops_simulator.jsontext import is_a
from edgeops_simulator.refusal import Refusal
from edgeops_simulator.settings import Settings

ACTION = "log_custom_field"
KINDS = ("request_fields", "transformed_request_fields", "response_fields", "raw_response_fields", "cookie_fields")
WITH_DUPLICATES = ("response_fields", "raw_response_fields")
_EITHER_OR = (("request_fields", "transformed_request_fields"), ("response_fields", "raw_response_fields"))
_CODE = 20120
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
COOKIE_NAME = re.compile(r"[^\s=;,]+")


def _refuse(message: str) -> t.NoReturn:
    raise Refusal(400, _CODE, message)


def check_rule(rule: t.Mapping[str, t.Any], place: str) -> None:
    """A rule with the action `log_custom_field`."""
    if rule["expression"] != "true":
        _refuse(f"{place}expression must be 'true' for the action {ACTION}")
    parameters = rule.get("action_parameters")
    if not isinstance(parameters, dict):
        _refuse(f"{place}action_parameters is required for the action {ACTION}")
    place += "action_parameters."
    for kind, items in parameters.items():
        if kind not in KINDS:
            raise Refusal(400, 10014, f'invalid JSON: unknown field "{kind}"')
        _check_list(kind, items, place)
    if not parameters:
        _refuse(f"{place} needs at least one of {', '.join(KINDS)}")
    for one, other in _EITHER_OR:
        both = {item["name"] for item in parameters.get(one, ())} & {item["name"] for item in parameters.get(other, ())}
        if both:
            _refuse(f"{place}{one} and {place}{other} both name {', '.join(sorted(both))}")


def _check_list(kind: str, items: t.Any, place: str) -> None:
    if not isinstance(items, list):
        raise Refusal(400, 10014, f"{place}{kind} must be an array")
    if not items:
        _refuse(f"{place}{kind} must have at least one item")
    for index, item in enumerate(items):
        _check_item(kind, item, f"{place}{kind}[{index}]")
    if len({item["name"] for item in items}) != len(items):
        _refuse(f"{place}{kind} names a field twice")


def _check_item(kind: str, item: t.Any, place: str) -> None:
    known = ("name", "preserve_duplicates") if kind in WITH_DUPLICATES else ("name",)
    if not isinstance(item, dict):
        raise Refusal(400, 10014, f"{place} must be an object")
    for name in item:
        if name not in known:
            raise Refusal(400, 10014, f'invalid JSON: unknown field "{name}"')
    if not isinstance(item.get("name"), str):
        _refuse(f"{place}.name is required and must be a string")
    if not is_a(item.get("preserve_duplicates", False), bool):
        raise Refusal(400, 10014, f"{place}.preserve_duplicates must be a boolean")
    pattern = COOKIE_NAME if kind == "cookie_fields" else HEADER_NAME
    if not pattern.fullmatch(item["name"]):
        what = "a cookie name" if kind == "cookie_fields" else "a lower-case header name"
        _refuse(f"{place}.name is not {what}: {item['name']!r}")


def check_limit(rules: t.Iterable[t.Mapping[str, t.Any]], settings: Settings) -> None:
    """The most fields of a zone, over all rules and kinds; and of each kind where that is set."""
    total = 0
    per_kind = dict.fromkeys(KINDS, 0)
    for rule in rules:
        for kind, items in rule["action_parameters"].items():
            total += len(items)
            per_kind[kind] += len(items)
    if settings.field_limit and total > settings.field_limit:
        _refuse(f"exceeded maximum number of custom fields: {total} of {settings.field_limit}")
    for kind, count in per_kind.items():
        if settings.field_limit_per_kind and count > settings.field_limit_per_kind:
            _refuse(f"exceeded maximum number of {kind}: {count} of {settings.field_limit_per_kind}")
