# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import operator as op
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._filter.number import exact
from ansible_collections.edgeops.observability.plugins.module_utils._filter.operators import AND, NEGATION
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Condition, Tree

Record = t.Mapping[str, t.Any]
Test = t.Callable[[Record], bool]
ValueTest = t.Callable[[t.Any], bool]

_MEMO = "test"

_ORDER: dict[str, t.Callable[[t.Any, t.Any], bool]] = {"lt": op.lt, "leq": op.le, "gt": op.gt, "geq": op.ge}


def passes(tree: Tree, record: Record) -> bool:
    """Whether a log record would be delivered by a job with this filter."""
    return compile_filter(tree)(record)


def compile_filter(tree: Tree) -> Test:
    """The expression as a function of a record; made once for a tree."""
    test: Test | None = tree.memo.get(_MEMO)
    if test is None:
        test = tree.memo[_MEMO] = _compile(tree)
    return test


def holds(condition: Condition, value: object) -> bool:
    """Whether a field with this value meets the condition."""
    return compile_filter(condition)({condition.key: value})


def identity(value: object) -> t.Hashable:
    """What `eq` and `in` compare: type and value, with all spellings of a number as one; None for what equals nothing."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return (bool, value)
    return exact(value)


def _compile(tree: Tree) -> Test:
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


def _value_test(operator: str, operand: t.Any) -> ValueTest:
    if operator == "eq":
        return _one_of((operand,))
    if operator == "in":
        return _one_of(operand)
    if operator == "contains":
        return _contains(operand)
    if operator == "startsWith":
        return lambda value: isinstance(value, str) and value.startswith(operand)
    if operator == "endsWith":
        return lambda value: isinstance(value, str) and value.endswith(operand)
    return _ordered(_ORDER[operator], operand)


def _one_of(values: t.Iterable[object]) -> ValueTest:
    operand = frozenset(map(identity, values))
    return lambda value: identity(value) in operand


def _contains(operand: str) -> ValueTest:
    def test(value: object) -> bool:
        if isinstance(value, str):
            return operand in value
        return isinstance(value, (list, tuple)) and any(isinstance(item, str) and item == operand for item in value)

    return test


def _ordered(compare: t.Callable[[t.Any, t.Any], bool], operand: object) -> ValueTest:
    limit = exact(operand)

    def test(value: object) -> bool:
        # Most numbers of a log record are plain integers; the short way counts over millions of records.
        number = value if value.__class__ is int else exact(value)
        return number is not None and compare(number, limit)

    return test
