# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import decimal
import operator as op
import typing as t

from .._core import Json
from .._text import canonical
from .tree import AND, NEGATION, NUMBERS, Condition, Group, Tree, exact, identity

LogRecord = t.Mapping[str, t.Any]
Test = t.Callable[[LogRecord], bool]

_ORDER: dict[str, t.Callable[[t.Any, t.Any], bool]] = {"lt": op.lt, "leq": op.le, "gt": op.gt, "geq": op.ge}


def same_filter(one: Tree, other: Tree) -> bool:
    """Return whether two expressions are equal, so that no change is needed."""
    return one.form == other.form


def arranged(tree: Tree, like: Tree) -> Tree:
    """Return an expression of the same meaning in the shape and order of another one, so that people see only what differs."""
    if isinstance(like, Condition):
        return tree
    if isinstance(tree, Condition) or tree.op != like.op:
        if len(like.children) == 1:
            return Group(like.op, (arranged(tree, like.children[0]),))
        is_alone = isinstance(tree, Group) and len(tree.children) == 1
        return arranged(tree.children[0], like) if is_alone and isinstance(tree, Group) else tree
    own = {child.form: child for child in tree.children}
    forms = {child.form for child in like.children}
    others = [child for form, child in own.items() if form not in forms]
    children = []
    for child in like.children:
        if child.form in own:
            children.append(own[child.form])
        elif others:
            children.append(arranged(others.pop(0), child))
    return Group(tree.op, (*children, *others))


def meaning(tree: Tree) -> Json:
    """Return an expression as data that is equal for all expressions that mean the same."""
    return _plain(tree.form)


def _plain(form: object) -> Json:
    if isinstance(form, frozenset):
        return sorted(map(_plain, form), key=canonical)
    if isinstance(form, tuple):
        return [_plain(part) for part in form]
    if isinstance(form, (int, decimal.Decimal)) and not isinstance(form, bool):
        # Texts and numbers differ, and 30 and 30.0 do not.
        return {"number": str(NUMBERS.normalize(decimal.Decimal(form))) if form else "0"}
    return form if isinstance(form, (str, bool)) or form is None else str(form)


def compile_filter(tree: Tree) -> Test:
    """Return the expression as a function that returns whether a job with this filter delivers a record."""
    if isinstance(tree, Condition):
        key, negated = tree.key, tree.operator.startswith(NEGATION)
        test = value_test(tree.operator.removeprefix(NEGATION), tree.value)
        return lambda record: negated if record.get(key) is None else test(record[key]) is not negated
    tests = [compile_filter(child) for child in tree.children]
    if tree.op == AND:
        return lambda record: all(test(record) for test in tests)
    return lambda record: any(test(record) for test in tests)


def value_test(operator: str, operand: t.Any) -> t.Callable[[t.Any], bool]:
    """Return an operator without its `!` as a function of the value of a field."""
    if operator == "startsWith":
        return lambda value: isinstance(value, str) and value.startswith(operand)
    if operator == "endsWith":
        return lambda value: isinstance(value, str) and value.endswith(operand)
    if operator == "contains":
        # A part of a text, or a member of a list.
        return lambda value: isinstance(value, (str, list, tuple)) and operand in value
    if operator in _ORDER:
        compare, limit = _ORDER[operator], exact(operand)
        return lambda value: (number := exact(value)) is not None and compare(number, limit)
    equal = frozenset(map(identity, operand if operator == "in" else (operand,)))
    return lambda value: identity(value) in equal
