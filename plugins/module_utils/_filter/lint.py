# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
import types
import typing as t

from .compare import compile_filter
from .tree import AND, NEGATION, OR, TEXT, Condition, Exact, Group, Tree, conditions, exact, identity

_FINITE = ("eq", "in")
_INVERSE = {"lt": "geq", "leq": "gt", "gt": "leq", "geq": "lt"}
_OVERLAP: dict[str, t.Callable[[str, str], bool]] = {"startsWith": str.startswith, "endsWith": str.endswith}


class Literal(t.NamedTuple):
    """A condition and whether it must hold.

    `base` is its operator without `!`; `needed`: whether the field must be present and meet it.
    """

    condition: Condition
    truth: bool
    base: str
    needed: bool


def contradict(literals: t.Sequence[Literal]) -> bool:
    """Return whether certainly neither a value of the field nor its absence satisfies all of these."""
    needed = [literal for literal in literals if literal.needed]
    finite = next((literal.condition for literal in needed if literal.base in _FINITE), None)
    if finite is not None:
        tests = [(compile_filter(condition), truth) for condition, truth, _base, _needed in literals]
        values = finite.value if isinstance(finite.value, tuple) else (finite.value,)
        return not any(all(test({finite.key: value}) is truth for test, truth in tests) for value in values)
    forbidden = [literal for literal in literals if not literal.needed]
    return _empty_range(needed, forbidden) or _texts_exclude(needed, forbidden)


def _empty_range(needed: t.Sequence[Literal], forbidden: t.Sequence[Literal]) -> bool:
    """Return whether no number is within all bounds; if one bound requires a number, a forbidden bound counts inverted."""
    bounds = [(each.base, exact(each.condition.value)) for each in needed if each.base in _INVERSE]
    if not bounds:
        return False
    bounds += [(_INVERSE[each.base], exact(each.condition.value)) for each in forbidden if each.base in _INVERSE]
    lower = [(t.cast(Exact, number), base == "gt") for base, number in bounds if base in ("gt", "geq")]
    upper = [(t.cast(Exact, number), base == "lt") for base, number in bounds if base in ("lt", "leq")]
    return any(low > high or (low == high and (above or below)) for low, above in lower for high, below in upper)


def _texts_exclude(needed: t.Sequence[Literal], forbidden: t.Sequence[Literal]) -> bool:
    """Return whether two required prefixes or suffixes exclude each other, or a required text includes a forbidden one."""
    required = [(each.base, str(each.condition.value)) for each in needed if each.base in TEXT]
    for (base, one), (other_base, other) in itertools.combinations(required, 2):
        overlaps = _OVERLAP.get(base)
        if base == other_base and overlaps and not overlaps(one, other) and not overlaps(other, one):
            return True
    is_text = any(base in _OVERLAP for base, _text in required)
    return any(
        _includes(base, text, each.base, str(each.condition.value), is_text)
        for base, text in required
        for each in forbidden
        if each.base in TEXT
    )


def _includes(has: str, text: str, base: str, part: str, is_text: bool) -> bool:
    if is_text and not part:
        return True
    if has == base and has in _OVERLAP:
        return _OVERLAP[has](text, part)
    # On a list, `contains` looks for an equal member; only on text does a part of the operand count.
    return base == "contains" and (part in text if is_text else part == text)


# An expression, and whether a record must pass it.
Goal = tuple[Tree, bool]
_Literals = t.Mapping[str, tuple[Literal, ...]]
_NO_LITERALS: _Literals = types.MappingProxyType({})

# Limit for all proofs about one expression; an expression within the service's limits rarely needs more than hundreds.
MAX_STEPS = 20_000
# Limit for nested alternatives.
MAX_DEPTH = 60


def impossible(*goals: Goal, steps: t.Iterator[int], literals: _Literals = _NO_LITERALS, depth: int = 0) -> bool:
    """Return whether certainly no record satisfies all goals: every way to do so ends in a contradiction about one field.

    False means "not proved", also when the steps are used up. `literals` are the conditions that must hold besides, by their
    fields; `depth` counts nested alternatives.
    """
    left = list(goals)
    # Goals with alternatives, one of which must be met.
    choices: list[tuple[Group, bool]] = []
    while left:
        if next(steps, None) is None or depth > MAX_DEPTH:
            return False
        tree, truth = left.pop()
        if isinstance(tree, Condition):
            base = tree.operator.removeprefix(NEGATION)
            others = literals.get(tree.key, ())
            known = (*others, Literal(tree, truth, base, needed=(tree.operator == base) is truth))
            # A condition alone can hold, and can be false.
            if others and contradict(known):
                return True
            literals = {**literals, tree.key: known}
        elif (tree.op == AND) is truth:
            left.extend((child, truth) for child in tree.children)
        else:
            choices.append((tree, truth))
    if not choices:
        return False
    (group, truth), *rest = choices
    return all(impossible(*rest, (part, truth), steps=steps, literals=literals, depth=depth + 1) for part in group.children)


ALWAYS = "always true"
NEVER = "never true"
DUPLICATE = "duplicate"
SHADOWED = "shadowed"
EXCLUSION = "exclusion"

# Each sibling is compared with each other, which takes quadratic time; the service accepts far fewer conditions.
MAX_CONDITIONS = 100

_DELIVERS = "a filter names the records that are delivered, not those that are left out"
_BECAUSE = {AND: "already implies it", OR: "already lets through all that it does"}


class Finding(t.NamedTuple):
    """A probable mistake: its type, its place, its node, and a message that says what to do."""

    kind: str
    path: str
    node: Tree
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def findings(tree: Tree, place: str = "filter") -> list[Finding]:
    """Return findings about a valid expression that probably does not do what its author intends.

    "Always true" and "never true" are reported only if proved within the limits. One about the whole expression comes first.
    """
    if len(list(conditions(tree))) > MAX_CONDITIONS:
        return []
    found, constant = _look(tree, f"{place}.where", iter(range(MAX_STEPS)))
    return found if constant is None or constant in found else [constant, *found]


def _look(tree: Tree, path: str, steps: t.Iterator[int]) -> tuple[list[Finding], Finding | None]:
    """Return the findings about an expression and its parts, and the one that it is always or never true."""
    if isinstance(tree, Condition):
        return _repeated_values(tree, path), None
    constant: Finding | None = None
    if impossible((tree, True), steps=steps):
        advice = "to deliver what meets any one of several conditions use 'or', or 'in' with a list of values"
        constant = Finding(NEVER, path, tree, f"never true: no record can meet all of this; {_DELIVERS}; {advice}")
    elif impossible((tree, False), steps=steps):
        advice = "to leave out several values join their negations with 'and', or list the values with '!in'"
        constant = Finding(ALWAYS, path, tree, f"always true: every record meets this; {_DELIVERS}; {advice}")
    found: list[Finding] = []
    varying: list[tuple[Tree, str]] = []
    for index, child in enumerate(tree.children):
        place = f"{path}.{tree.op}[{index}]"
        below, constant_child = _look(child, place, steps)
        found += below
        if constant_child is None:
            varying.append((child, place))
    if constant is None:
        found += [*_exclusion(tree, path), *_redundant(tree.op, varying, steps)]
    elif all(finding.kind != constant.kind for finding in found):
        # If a child has the same finding, the cause is already reported there.
        found.append(constant)
    return found, constant


def _redundant(op: str, children: t.Sequence[tuple[Tree, str]], steps: t.Iterator[int]) -> t.Iterator[Finding]:
    """Report each child that repeats a sibling, or has no effect beside it; of two equivalent siblings, the first is kept."""

    kept: list[tuple[Tree, str]] = []
    for index, (child, place) in enumerate(children):
        twin = next((where for other, where in kept if other.form == child.form), None)
        if twin is not None:
            yield Finding(DUPLICATE, place, child, f"repeats {twin}; remove one of them")
            continue
        later = children[index + 1 :]
        for other, where in (*kept, *later):
            narrow, wide = (other, child) if op == AND else (child, other)
            if not impossible((narrow, True), (wide, False), steps=steps):
                continue
            if (other, where) not in later or not impossible((wide, True), (narrow, False), steps=steps):
                yield Finding(SHADOWED, place, child, f"has no effect: {where} {_BECAUSE[op]}; remove one of them")
                break
        else:
            kept.append((child, place))


def _exclusion(group: Group, path: str) -> t.Iterator[Finding]:
    """Report negations of one field under `or`: they look like a list of exclusions, but exclude almost nothing."""
    negations = [child for child in group.children if isinstance(child, Condition) and child.operator[0] == NEGATION]
    if group.op != OR or len(negations) < max(2, len(group.children)):
        return
    if len({child.key for child in negations}) > 1 or len({child.form for child in negations}) == 1:
        return
    text = "'or' of negations leaves out a record only if it fails all of them; to leave out each of these use 'and'"
    yield Finding(EXCLUSION, path, group, f"{text}; {_DELIVERS}")


def _repeated_values(condition: Condition, path: str) -> list[Finding]:
    found: list[Finding] = []
    seen: dict[t.Hashable, int] = {}
    for index, value in enumerate(condition.value if isinstance(condition.value, tuple) else ()):
        first = seen.setdefault(identity(value), index)
        if first != index:
            message = f"repeats {path}.value[{first}]; remove one of them"
            found.append(Finding(DUPLICATE, f"{path}.value[{index}]", condition, message))
    return found
