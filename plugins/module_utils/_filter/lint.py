# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .compare import value_test
from .tree import AND, NEGATION, ORDER, TEXT, Condition, Exact, Group, Tree, Value, conditions, exact, identity

# An operator without `!`, its value, and whether a record must have a field that meets it, or must have none.
Literal = tuple[str, Value, bool]

_INVERSE = {"lt": "geq", "leq": "gt", "gt": "leq", "geq": "lt"}
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
    bounds = [(base, value) for base, value in needed if base in ORDER]
    if bounds:
        # The field is a number then, so that a bound that it must not meet counts as its inverse.
        bounds += [(_INVERSE[base], value) for base, value in forbidden if base in ORDER]
    return _is_empty(bounds) or _texts_exclude(needed, forbidden)


def _is_empty(bounds: t.Sequence[tuple[str, Value]]) -> bool:
    """Return whether no number is within all bounds."""
    lower = [(t.cast(Exact, exact(value)), base == "gt") for base, value in bounds if base in ("gt", "geq")]
    upper = [(t.cast(Exact, exact(value)), base == "lt") for base, value in bounds if base in ("lt", "leq")]
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


# Limits for all proofs about one filter. The service accepts 30 conditions, which rarely need more than hundreds of steps.
MAX_STEPS = 20_000
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


def findings(tree: Tree) -> t.Iterator[str]:
    """Yield warnings about the parts of a filter that probably do not do what its author intends.

    Such a part is proved to match no record or every record, repeats a sibling, or has no effect beside it.
    """
    if len(list(conditions(tree))) <= MAX_CONDITIONS:
        yield from _look(tree, "filter.where", iter(range(MAX_STEPS)))


def _look(tree: Tree, path: str, steps: t.Iterator[int]) -> t.Iterator[str]:
    if isinstance(tree, Condition):
        values = list(map(identity, tree.value)) if isinstance(tree.value, tuple) else []
        for index, value in enumerate(values):
            if (first := values.index(value)) < index:
                yield f"{path}.value[{index}]: repeats {path}.value[{first}]; remove one of them"
    elif constant := _constant(tree, steps):
        yield f"{path}: {constant}"
    else:
        children = [(child, f"{path}.{tree.op}[{index}]") for index, child in enumerate(tree.children)]
        for child, place in children:
            yield from _look(child, place, steps)
        yield from _needless(tree.op, [each for each in children if not _constant(each[0], steps)], steps)


def _constant(tree: Tree, steps: t.Iterator[int]) -> str:
    """Return the warning that a part matches no record or every record; "" if that is not proved."""
    if impossible((tree, True), steps=steps):
        return _NEVER
    return _ALWAYS if impossible((tree, False), steps=steps) else ""


def _needless(op: str, children: t.Sequence[tuple[Tree, str]], steps: t.Iterator[int]) -> t.Iterator[str]:
    """Warn of each child that changes nothing beside a sibling; of two that are equivalent, the first is kept."""

    def is_needless(one: Tree, beside: Tree) -> bool:
        narrow, wide = (beside, one) if op == AND else (one, beside)
        return impossible((narrow, True), (wide, False), steps=steps)

    kept: list[tuple[Tree, str]] = []
    for index, (child, place) in enumerate(children):
        rivals = [where for other, where in kept if is_needless(child, other)]
        rivals += [where for other, where in children[index + 1 :] if is_needless(child, other) and not is_needless(other, child)]
        if rivals:
            yield f"{place}: has no effect beside {rivals[0]}; remove one of them"
        else:
            kept.append((child, place))
