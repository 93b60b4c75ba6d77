# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import operator as op
import typing as t

from .tree import AND, NEGATION, ORDER, Condition, Exact, Tree, canonical_number, exact

_FORM_MEMO = "canonical"


class _Form(t.NamedTuple):
    """A condition (`op` and members empty) or a group of at least two different members."""

    op: str
    text: str
    members: dict[str, _Form]


def canonical(tree: Tree) -> str:
    """Return one text for all equal expressions; it is cached in the tree."""
    text: str | None = tree.memo.get(_FORM_MEMO)
    if text is None:
        text = tree.memo[_FORM_MEMO] = _form(tree).text
    return text


def same_filter(one: Tree, other: Tree) -> bool:
    """Return whether two expressions are equal, so that no change is needed."""
    return canonical(one) == canonical(other)


def _form(tree: Tree) -> _Form:
    if isinstance(tree, Condition):
        return _Form("", _condition_form(tree), {})
    members: dict[str, _Form] = {}
    for child in map(_form, tree.children):
        members.update(child.members if child.op == tree.op else {child.text: child})
    if len(members) == 1:
        return next(iter(members.values()))
    return _Form(tree.op, f"{tree.op}({','.join(sorted(members))})", members)


def _condition_form(condition: Condition) -> str:
    if condition.operator in ORDER:
        value: object = _value_form(condition.value)
    elif isinstance(condition.value, tuple):
        value = sorted(set(map(_scalar, condition.value)))
    else:
        value = _scalar(condition.value)
    return json.dumps([condition.key, condition.operator, value], separators=(",", ":"))


def _value_form(value: object) -> str:
    """Return one text for a number and its text, which are equal for the ordering operators."""
    # The parser accepts only numbers for these operators.
    return canonical_number(t.cast(Exact, exact(value)))


def _scalar(value: object) -> str:
    """Return one text for equal values, and different texts for values of different types."""
    number = None if isinstance(value, str) else exact(value)
    return canonical_number(number) if number is not None else json.dumps(value)


Record = t.Mapping[str, t.Any]
Test = t.Callable[[Record], bool]
ValueTest = t.Callable[[t.Any], bool]

_TEST_MEMO = "test"

_ORDER: dict[str, t.Callable[[t.Any, t.Any], bool]] = {"lt": op.lt, "leq": op.le, "gt": op.gt, "geq": op.ge}


def passes(tree: Tree, record: Record) -> bool:
    """Return whether a log record would be delivered by a job with this filter."""
    return compile_filter(tree)(record)


def compile_filter(tree: Tree) -> Test:
    """Return the expression as a function of a record; it is cached in the tree."""
    test: Test | None = tree.memo.get(_TEST_MEMO)
    if test is None:
        test = tree.memo[_TEST_MEMO] = _compile(tree)
    return test


def holds(condition: Condition, value: object) -> bool:
    """Return whether a field with this value meets the condition."""
    return compile_filter(condition)({condition.key: value})


def identity(value: object) -> t.Hashable:
    """Return what `eq` and `in` compare: type and value, with one form for a number; None for what equals nothing."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return (bool, value)
    return exact(value)


def _compile(tree: Tree) -> Test:
    if isinstance(tree, Condition):
        return _condition_test(tree)
    tests = tuple(map(compile_filter, tree.children))
    # `and` ends with the first false, `or` with the first true; a loop is faster than all() and any() of a generator.
    last = tree.op != AND

    def group(record: Record) -> bool:
        for test in tests:
            if test(record) is last:
                return last
        return not last

    return group


def _condition_test(condition: Condition) -> Test:
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
    return _order_test(_ORDER[operator], operand)


def _one_of(values: t.Iterable[object]) -> ValueTest:
    operand = frozenset(map(identity, values))
    return lambda value: identity(value) in operand


def _contains(operand: str) -> ValueTest:
    def test(value: object) -> bool:
        if isinstance(value, str):
            return operand in value
        return isinstance(value, (list, tuple)) and any(isinstance(item, str) and item == operand for item in value)

    return test


def _order_test(compare: t.Callable[[t.Any, t.Any], bool], operand: object) -> ValueTest:
    limit = exact(operand)

    def test(value: object) -> bool:
        # Most numbers of a log record are plain integers; skipping the conversion matters for millions of records.
        number = value if value.__class__ is int else exact(value)
        return number is not None and compare(number, limit)

    return test
