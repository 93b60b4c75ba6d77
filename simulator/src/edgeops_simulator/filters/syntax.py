# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator import jsontext

MAX_OPERATORS = 30
MAX_BYTES = 1000
SCALAR = ("eq", "!eq")
ORDER = ("lt", "leq", "gt", "geq")
TEXT = ("startsWith", "endsWith", "!startsWith", "!endsWith", "contains", "!contains")
SETS = ("in", "!in")
OPERATORS = (*SCALAR, *ORDER, *TEXT, *SETS)

Node = t.Mapping[str, t.Any]


class BadFilter(ValueError):
    """The API refuses the filter."""


def parse(text: str) -> Node:
    """Parse a filter; return the value of `where`: a condition, or an object with one member `and` or `or`."""
    try:
        document = jsontext.parse(text)
    except ValueError as problem:
        raise BadFilter(f"not JSON: {problem}") from None
    if not isinstance(document, dict) or list(document) != ["where"]:
        raise BadFilter("expected an object with the single member 'where'")
    where: Node = document["where"]
    _check(where, "where")
    return where


def _check(node: t.Any, place: str) -> None:
    if not isinstance(node, dict):
        raise BadFilter(f"{place}: expected an object")
    group = group_of(node)
    if group is None:
        _check_condition(node, place)
        return
    if len(node) != 1:
        raise BadFilter(f"{place}: '{group}' stands alone in its object")
    if not isinstance(node[group], list) or not node[group]:
        raise BadFilter(f"{place}.{group}: expected an array with at least one item")
    for index, child in enumerate(node[group]):
        _check(child, f"{place}.{group}[{index}]")


def group_of(node: Node) -> str | None:
    return next((name for name in ("and", "or") if name in node), None)


def _check_condition(node: Node, place: str) -> None:
    if set(node) != {"key", "operator", "value"}:
        raise BadFilter(f"{place}: expected the members key, operator and value")
    if not isinstance(node["key"], str) or not node["key"]:
        raise BadFilter(f"{place}.key: expected the name of a field")
    if node["operator"] not in OPERATORS:
        raise BadFilter(f"{place}.operator: {node['operator']!r} is not an operator")
    if not _fits(node["operator"], node["value"]):
        raise BadFilter(f"{place}: failed to decode value for the operator {node['operator']}")


def _is_number(value: t.Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _fits(operator: str, value: t.Any) -> bool:
    if operator in SCALAR:
        return isinstance(value, (str, bool)) or _is_number(value)
    if operator in ORDER:
        return isinstance(value, str) or _is_number(value)
    if operator in SETS:
        return isinstance(value, list) and bool(value) and all(isinstance(item, str) or _is_number(item) for item in value)
    return isinstance(value, str)


def conditions(node: Node) -> t.Iterator[Node]:
    group = group_of(node)
    if group is None:
        yield node
        return
    for child in node[group]:
        yield from conditions(child)


def check_limits(text: str, tree: Node) -> None:
    """Raise if a filter has more than 30 operators, with each comparison counted, or more than 1000 bytes of text."""
    count = sum(1 for _unused in conditions(tree))
    size = len(text.encode("utf-8", "surrogatepass"))
    if count > MAX_OPERATORS:
        raise BadFilter(f"{count} operators exceed the limit of {MAX_OPERATORS}")
    if size > MAX_BYTES:
        raise BadFilter(f"{size} bytes exceed the limit of {MAX_BYTES}")


def check_keys(tree: Node, fields: t.Collection[str]) -> None:
    for condition in conditions(tree):
        if condition["key"] not in fields:
            raise BadFilter(f"unknown field {condition['key']!r}")
