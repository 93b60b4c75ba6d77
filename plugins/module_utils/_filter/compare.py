# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import operator as op
import typing as t

from .tree import AND, NEGATION, ORDER, Condition, Exact, Tree, exact, identity

Record = t.Mapping[str, t.Any]
Test = t.Callable[[Record], bool]

_ORDER: dict[str, t.Callable[[t.Any, t.Any], bool]] = {"lt": op.lt, "leq": op.le, "gt": op.gt, "geq": op.ge}


def same_filter(one: Tree, other: Tree) -> bool:
    """Return whether two expressions are equal, so that no change is needed."""
    return one.form == other.form


def compile_filter(tree: Tree) -> Test:
    """Return the expression as a function that returns whether a job with this filter delivers a record."""
    if isinstance(tree, Condition):
        return _condition(tree)
    tests = tuple(map(compile_filter, tree.children))
    # `and` ends with the first false, `or` with the first true; a loop is faster than all() and any() of a generator.
    last = tree.op != AND

    def group(record: Record) -> bool:
        for test in tests:
            if test(record) is last:
                return last
        return not last

    return group


def _condition(condition: Condition) -> Test:
    key = condition.key
    negated = condition.operator.startswith(NEGATION)
    test = _value_test(condition.operator.lstrip(NEGATION), condition.value)

    def field(record: Record) -> bool:
        value = record.get(key)
        return negated if value is None else test(value) is not negated

    return field


def _value_test(operator: str, operand: t.Any) -> t.Callable[[t.Any], bool]:
    """Return an operator without its `!` as a function of the value of a field."""
    if operator == "startsWith":
        return lambda value: isinstance(value, str) and value.startswith(operand)
    if operator == "endsWith":
        return lambda value: isinstance(value, str) and value.endswith(operand)
    if operator == "contains":
        # A part of a text, or a member of a list.
        return lambda value: isinstance(value, (str, list, tuple)) and operand in value
    if operator in ORDER:
        return _order_test(_ORDER[operator], exact(operand))
    equal = frozenset(map(identity, operand if operator == "in" else (operand,)))
    return lambda value: identity(value) in equal


def _order_test(compare: t.Callable[[t.Any, t.Any], bool], limit: Exact | None) -> t.Callable[[t.Any], bool]:
    def test(value: object) -> bool:
        # Most numbers of a log record are plain integers; skipping the conversion matters for millions of records.
        number = value if value.__class__ is int else exact(value)
        return number is not None and compare(number, limit)

    return test
