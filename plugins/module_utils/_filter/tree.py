# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._filter.number import Written

# A union with `|` of classes of ours is more than the oldest pylint in use understands.
Scalar = t.Union[str, int, float, bool, Written]  # noqa: UP007  # see the line above
Value: t.TypeAlias = "Scalar | tuple[Scalar, ...]"


# No dataclasses: their methods are generated at every import, which takes longer than the rest of the file.
class Condition:
    """One comparison. `value` is a tuple for `in` and `!in`, a scalar otherwise, always of plain types or a
    number as it was `Written`.

    `memo` keeps what other files of this package derive from the node, so that it is derived once.
    Whether two expressions mean the same is `equality.same`: nodes have no `==` of their own, which would take 1 for true.
    """

    __slots__ = ("key", "memo", "operator", "value")

    def __init__(self, key: str, operator: str, value: Value) -> None:
        self.key = key
        self.operator = operator
        self.value = value
        self.memo: dict[str, t.Any] = {}

    def __repr__(self) -> str:
        return f"Condition({self.key!r}, {self.operator!r}, {self.value!r})"


class Group:
    """`and` or `or` of at least one condition or group; `memo` as in a condition."""

    __slots__ = ("children", "memo", "op")

    def __init__(self, op: str, children: tuple[Tree, ...]) -> None:
        self.op = op
        self.children = children
        self.memo: dict[str, t.Any] = {}

    def __repr__(self) -> str:
        return f"Group({self.op!r}, {self.children!r})"


# What stands under `where`, whether or not `where` was written.
Tree: t.TypeAlias = "Condition | Group"


def conditions(tree: Tree) -> t.Iterator[Condition]:
    """Every comparison of the expression, in the order in which it was written."""
    if isinstance(tree, Condition):
        yield tree
        return
    for child in tree.children:
        yield from conditions(child)
