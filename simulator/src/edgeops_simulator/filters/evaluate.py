# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from edgeops_simulator.filters.syntax import Node, group_of

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
Record = t.Mapping[str, t.Any]


def passes(record: Record, node: Node) -> bool:
    """Return whether a record passes the filter, which is whether the expression is true."""
    group = group_of(node)
    if group == "and":
        return all(passes(record, child) for child in node["and"])
    if group == "or":
        return any(passes(record, child) for child in node["or"])
    operator: str = node["operator"]
    if operator.startswith("!"):
        return not _holds(operator[1:], record.get(node["key"]), node["value"])
    return _holds(operator, record.get(node["key"]), node["value"])


def _holds(operator: str, actual: t.Any, value: t.Any) -> bool:
    if actual is None:
        return False
    if operator == "in":
        return any(_same(actual, item) for item in value)
    if operator in _ORDER:
        left, right = _number(actual), _number(value)
        return left is not None and right is not None and _ORDER[operator](left, right)
    return _PLAIN[operator](actual, value)


def _kind(value: t.Any) -> str:
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, (int, float)) else type(value).__name__


def _same(left: t.Any, right: t.Any) -> bool:
    """Return whether type and value are equal; integers and floats are one type."""
    return _kind(left) == _kind(right) and bool(left == right)


def _number(value: t.Any) -> float | int | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value) if value.lstrip("-").isdigit() else float(value)
    return None


def _contains(actual: t.Any, value: t.Any) -> bool:
    if isinstance(actual, list):
        return any(_same(item, value) for item in actual)
    return isinstance(actual, str) and value in actual


_ORDER: t.Mapping[str, t.Callable[[t.Any, t.Any], bool]] = {
    "lt": lambda left, right: left < right,
    "leq": lambda left, right: left <= right,
    "gt": lambda left, right: left > right,
    "geq": lambda left, right: left >= right,
}
_PLAIN: t.Mapping[str, t.Callable[[t.Any, t.Any], bool]] = {
    "eq": _same,
    "startsWith": lambda actual, value: isinstance(actual, str) and actual.startswith(value),
    "endsWith": lambda actual, value: isinstance(actual, str) and actual.endswith(value),
    "contains": _contains,
}
