# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .compare import value_test
from .tree import AND, NEGATION, TEXT, Condition, Exact, Group, Tree, Value, conditions, exact

# An operator without `!`, its value, and whether a record must have a field that meets it, or must have none.
Literal = tuple[str, Value, bool]

_OVERLAP: dict[str, t.Callable[[str, str], bool]] = {"startsWith": str.startswith, "endsWith": str.endswith}


def contradict(literals: t.Sequence[Literal]) -> bool:
    """Return whether certainly neither a value of the field nor its absence satisfies all of these."""
    needed = [(base, value) for base, value, is_needed in literals if is_needed]
    forbidden = [(base, value) for base, value, is_needed in literals if not is_needed]
    finite = next((value for base, value in needed if base in ("eq", "in")), None)
    if finite is not None:
        tests = [(value_test(base, value), is_needed) for base, value, is_needed in literals]
        values = finite if isinstance(finite, tuple) else (finite,)
        return not any(all(test(value) is is_needed for test, is_needed in tests) for value in values)
    return _is_empty(needed) or _texts_exclude(needed, forbidden)


def _is_empty(needed: t.Sequence[tuple[str, Value]]) -> bool:
    """Return whether no number is within all bounds."""
    lower = [(t.cast(Exact, exact(value)), base == "gt") for base, value in needed if base in ("gt", "geq")]
    upper = [(t.cast(Exact, exact(value)), base == "lt") for base, value in needed if base in ("lt", "leq")]
    return any(low > high or (low == high and (above or below)) for low, above in lower for high, below in upper)


def _texts_exclude(needed: t.Sequence[tuple[str, Value]], forbidden: t.Sequence[tuple[str, Value]]) -> bool:
    """Return whether two required beginnings or ends exclude each other, or a required text has what is forbidden."""
    texts = [(base, str(value)) for base, value in needed if base in TEXT]
    excluded = [(base, str(value)) for base, value in forbidden if base in TEXT]
    if not set(texts).isdisjoint(excluded):
        return True
    for base, overlaps in _OVERLAP.items():
        required = [text for operator, text in texts if operator == base]
        if any(overlaps(text, part) for text in required for operator, part in excluded if operator == base):
            return True
        if any(not overlaps(one, other) and not overlaps(other, one) for one in required for other in required):
            return True
    return False


# Limits for a proof. The service accepts 30 conditions, which rarely need more than hundreds of steps.
MAX_STEPS = 5_000
MAX_CONDITIONS = 100


def impossible(
    *goals: tuple[Tree, bool], steps: t.Iterator[int], literals: t.Mapping[str, tuple[Literal, ...]] | None = None
) -> bool:
    """Return whether certainly no record makes each expression as true or false as its goal says.

    Every way to do so then ends in a contradiction about one field. False means "not proved", also when the steps are used
    up. `literals` are the conditions that must hold besides, by their fields.
    """
    left, known = list(goals), dict(literals or {})
    # Goals with alternatives, one of which must be met.
    choices: list[tuple[Group, bool]] = []
    while left:
        if next(steps, None) is None:
            return False
        tree, truth = left.pop()
        if isinstance(tree, Condition):
            base = tree.operator.removeprefix(NEGATION)
            known[tree.key] = (*known.get(tree.key, ()), (base, tree.value, (tree.operator == base) is truth))
            if contradict(known[tree.key]):
                return True
        elif (tree.op == AND) is truth or len(tree.children) == 1:
            left.extend((child, truth) for child in tree.children)
        else:
            choices.append((tree, truth))
    if not choices:
        return False
    (group, truth), *rest = choices
    return all(impossible(*rest, (part, truth), steps=steps, literals=known) for part in group.children)


_DELIVERS = "a filter names the records that are delivered, not those that are left out"
_NEVER = (
    f"never true: no record can meet all of this; {_DELIVERS};"
    " to deliver what meets any one of several conditions use 'or', or 'in' with a list of values"
)
_ALWAYS = (
    f"always true: every record meets this; {_DELIVERS};"
    " to leave out several values join their negations with 'and', or list the values with '!in'"
)


def findings(tree: Tree, path: str = "filter.where") -> t.Iterator[str]:
    """Yield a warning if a filter is proved to match no record or every record, otherwise one for each such part of it."""
    if isinstance(tree, Condition) or len(list(conditions(tree))) > MAX_CONDITIONS:
        return
    if impossible((tree, True), steps=iter(range(MAX_STEPS))):
        yield f"{path}: {_NEVER}"
    elif impossible((tree, False), steps=iter(range(MAX_STEPS))):
        yield f"{path}: {_ALWAYS}"
    else:
        for index, child in enumerate(tree.children):
            yield from findings(child, f"{path}.{tree.op}[{index}]")
