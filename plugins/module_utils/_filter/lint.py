# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .tree import AND, Condition, Tree, identity

_NEVER = (
    "no record can meet all of this; a filter names the records that are delivered, not those that are left out;"
    " to deliver what meets any one of several conditions use 'or', or 'in' with a list of values"
)


def findings(tree: Tree, path: str = "filter.where") -> t.Iterator[str]:
    """Yield warnings about contradictions and repetitions that are certain at first sight; nothing else is judged."""
    if isinstance(tree, Condition):
        return
    first: dict[t.Hashable, str] = {}
    # The values that all conditions of one `and` leave for a key.
    possible: dict[str, frozenset[t.Hashable]] = {}
    for index, child in enumerate(tree.children):
        place = f"{path}.{tree.op}[{index}]"
        repeated = first.setdefault(child.form, place)
        if repeated != place:
            yield f"{place}: repeats {repeated}; remove one of them"
        elif tree.op == AND and isinstance(child, Condition) and child.operator in ("eq", "in"):
            values = frozenset(map(identity, child.value if isinstance(child.value, tuple) else (child.value,)))
            left = possible.get(child.key, values)
            possible[child.key] = left & values
            if left and not left & values:
                yield f"{place}: {child.key} cannot have this value beside the conditions before it: {_NEVER}"
        yield from findings(child, place)
