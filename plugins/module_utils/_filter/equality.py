# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._filter.number import Exact, canonical_number, exact
from ansible_collections.edgeops.observability.plugins.module_utils._filter.operators import ORDER
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Condition, Tree

_MEMO = "canonical"


class _Form(t.NamedTuple):
    """A condition (`op` and members empty) or a group of at least two different members."""

    op: str
    text: str
    members: dict[str, _Form]


def canonical(tree: Tree) -> str:
    """One text for all expressions that count as the same; made once for a tree."""
    text: str | None = tree.memo.get(_MEMO)
    if text is None:
        text = tree.memo[_MEMO] = _form(tree).text
    return text


def same(one: Tree, other: Tree) -> bool:
    """Whether two expressions differ only in ways that never make a change."""
    return canonical(one) == canonical(other)


def _form(tree: Tree) -> _Form:
    if isinstance(tree, Condition):
        return _Form("", _condition(tree), {})
    members: dict[str, _Form] = {}
    for child in map(_form, tree.children):
        members.update(child.members if child.op == tree.op else {child.text: child})
    if len(members) == 1:
        return next(iter(members.values()))
    return _Form(tree.op, f"{tree.op}({','.join(sorted(members))})", members)


def _condition(condition: Condition) -> str:
    if condition.operator in ORDER:
        value: object = _ordered(condition.value)
    elif isinstance(condition.value, tuple):
        value = sorted(set(map(_scalar, condition.value)))
    else:
        value = _scalar(condition.value)
    return json.dumps([condition.key, condition.operator, value], separators=(",", ":"))


def _ordered(value: object) -> str:
    """Number and number text are one for the operators that order."""
    # The parser lets nothing but numbers pass for these operators.
    return canonical_number(t.cast(Exact, exact(value)))


def _scalar(value: object) -> str:
    """A text that tells apart values of different type, and equal ones not."""
    number = None if isinstance(value, str) else exact(value)
    return canonical_number(number) if number is not None else json.dumps(value)
