# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .compare import holds, identity, same_filter
from .tree import AND, NEGATION, OR, Condition, Exact, Group, Tree, conditions, exact

_FINITE = ("eq", "in")
_INVERSE = {"lt": "geq", "leq": "gt", "gt": "leq", "geq": "lt"}
_OVERLAP: dict[str, t.Callable[[str, str], bool]] = {"startsWith": str.startswith, "endsWith": str.endswith}


class Literal(t.NamedTuple):
    """A condition and whether it must hold."""

    condition: Condition
    truth: bool

    @property
    def needed(self) -> bool:
        """Return whether the field must be present and meet the operator without its `!`."""
        return self.condition.operator.startswith(NEGATION) is not self.truth

    @property
    def base(self) -> str:
        return self.condition.operator.lstrip(NEGATION)

    def holds(self, value: object) -> bool:
        return holds(self.condition, value) is self.truth


def contradict(literals: t.Sequence[Literal]) -> bool:
    """Return whether certainly neither a value of the field nor its absence satisfies all of these."""
    needed = [literal for literal in literals if literal.needed]
    if not needed:
        return False
    for literal in needed:
        if literal.base in _FINITE:
            return not any(all(each.holds(value) for each in literals) for value in _values(literal))
    forbidden = [literal for literal in literals if not literal.needed]
    return _empty_range(needed, forbidden) or _texts_exclude(needed) or _text_forbidden(needed, forbidden)


def _values(literal: Literal) -> tuple[object, ...]:
    value = literal.condition.value
    return value if isinstance(value, tuple) else (value,)


def _empty_range(needed: t.Sequence[Literal], forbidden: t.Sequence[Literal]) -> bool:
    """Return whether no number is within all bounds; if one bound requires a number, a forbidden bound counts inverted."""
    bounds = [(each.base, exact(each.condition.value)) for each in needed if each.base in _INVERSE]
    if not bounds:
        return False
    bounds += [(_INVERSE[each.base], exact(each.condition.value)) for each in forbidden if each.base in _INVERSE]
    lower = [(t.cast(Exact, number), base == "gt") for base, number in bounds if base in ("gt", "geq")]
    upper = [(t.cast(Exact, number), base == "lt") for base, number in bounds if base in ("lt", "leq")]
    return any(low > high or (low == high and (above or below)) for low, above in lower for high, below in upper)


def _texts_exclude(needed: t.Sequence[Literal]) -> bool:
    """Return whether two required prefixes, or two required suffixes, exclude each other."""
    for base, overlaps in _OVERLAP.items():
        texts = [str(each.condition.value) for each in needed if each.base == base]
        if any(not overlaps(one, other) and not overlaps(other, one) for one in texts for other in texts):
            return True
    return False


def _text_forbidden(needed: t.Sequence[Literal], forbidden: t.Sequence[Literal]) -> bool:
    """Return whether a required text includes a forbidden one."""
    is_text = any(each.base in _OVERLAP for each in needed)
    return any(
        _includes(has.base, str(has.condition.value), no.base, str(no.condition.value), is_text)
        for has in needed
        for no in forbidden
        if has.base not in _INVERSE and no.base not in _INVERSE and no.base not in _FINITE
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
# A goal that one of several alternatives satisfies.
_Choice = tuple[Group, bool]
_Literals = dict[str, tuple[Literal, ...]]

# Limit for all proofs of one prover; an expression within the service's limits rarely needs more than hundreds.
MAX_STEPS = 20_000
# Limit for nested alternatives.
MAX_DEPTH = 60


class _GivenUp(Exception):
    """Raised when a proof exceeds `MAX_STEPS` or `MAX_DEPTH`."""


class Prover:
    """Prove statements about all records; False means "not proved", also when the steps are used up."""

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self._steps = steps

    def never(self, tree: Tree) -> bool:
        """Return whether certainly no record passes."""
        return self.impossible((tree, True))

    def always(self, tree: Tree) -> bool:
        """Return whether certainly every record passes."""
        return self.impossible((tree, False))

    def implies(self, one: Tree, other: Tree) -> bool:
        """Return whether certainly every record that passes `one` passes `other`."""
        return self.impossible((one, True), (other, False))

    def impossible(self, *goals: Goal) -> bool:
        """Return whether certainly no record satisfies all goals."""
        try:
            return self._closed(list(goals), {}, 0)
        except _GivenUp:
            return False

    def _closed(self, goals: list[Goal], literals: _Literals, depth: int) -> bool:
        """Return whether every way to satisfy the goals ends in a contradiction about one field."""
        choices: list[_Choice] = []
        while goals:
            self._steps -= 1
            if self._steps < 0 or depth > MAX_DEPTH:
                raise _GivenUp
            tree, truth = goals.pop()
            if isinstance(tree, Condition):
                known = (*literals.get(tree.key, ()), Literal(tree, truth))
                if contradict(known):
                    return True
                literals = {**literals, tree.key: known}
            elif (tree.op == AND) is truth:
                goals.extend((child, truth) for child in tree.children)
            else:
                choices.append((tree, truth))
        if not choices:
            return False
        (group, truth), *rest = choices
        return all(self._closed([*rest, (part, truth)], literals, depth + 1) for part in group.children)


ALWAYS = "always true"
NEVER = "never true"
DUPLICATE = "duplicate"
SHADOWED = "shadowed"
EXCLUSION = "exclusion"

# Each sibling is compared with each other, which takes quadratic time; the service accepts far fewer conditions.
MAX_CONDITIONS = 100

_DELIVERS = "a filter names the records that are delivered, not those that are left out"


class Finding(t.NamedTuple):
    """A probable mistake: its type, its place, its node, and a message that says what to do."""

    kind: str
    path: str
    node: Tree
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def lint(tree: Tree, place: str = "filter") -> list[str]:
    """Return warnings about a valid expression that probably does not do what its author intends."""
    return [str(finding) for finding in findings(tree, place)]


def findings(tree: Tree, place: str = "filter") -> list[Finding]:
    """Return the findings; "always true" and "never true" are reported only if proved within the limits."""
    if sum(1 for _condition in conditions(tree)) > MAX_CONDITIONS:
        return []
    return _Linter().whole(tree, f"{place}.where")


class _Linter:
    def __init__(self) -> None:
        self._prover = Prover()

    def whole(self, tree: Tree, path: str) -> list[Finding]:
        """Return the findings; one about the whole expression comes first."""
        found = list(self._look(tree, path))
        constant = self._constant(tree, path)
        if constant is not None and constant not in found:
            found.insert(0, constant)
        return found

    def _look(self, tree: Tree, path: str) -> t.Iterator[Finding]:
        if isinstance(tree, Condition):
            yield from _repeated_values(tree, path)
            return
        below = [finding for child, place in _children(tree, path) for finding in self._look(child, place)]
        yield from below
        constant = self._constant(tree, path)
        if constant is None:
            yield from _exclusion(tree, path)
            yield from self._siblings(tree, path)
        elif all(finding.kind != constant.kind for finding in below):
            # If a child has the same finding, the cause is already reported there.
            yield constant

    def _constant(self, tree: Tree, path: str) -> Finding | None:
        if self._prover.never(tree):
            advice = "to deliver what meets any one of several conditions use 'or', or 'in' with a list of values"
            return Finding(NEVER, path, tree, f"never true: no record can meet all of this; {_DELIVERS}; {advice}")
        if self._prover.always(tree):
            advice = "to leave out several values join their negations with 'and', or list the values with '!in'"
            return Finding(ALWAYS, path, tree, f"always true: every record meets this; {_DELIVERS}; {advice}")
        return None

    def _siblings(self, group: Group, path: str) -> t.Iterator[Finding]:
        kept: list[tuple[Tree, str]] = []
        children = [(child, place) for child, place in _children(group, path) if self._constant(child, place) is None]
        for index, (child, place) in enumerate(children):
            twin = next((where for other, where in kept if same_filter(child, other)), None)
            if twin is not None:
                yield Finding(DUPLICATE, place, child, f"repeats {twin}; remove one of them")
                continue
            cause = self._cause(group.op, child, kept)
            cause = cause or self._cause(group.op, child, children[index + 1 :], strictly=True)
            if cause is None:
                kept.append((child, place))
            else:
                yield Finding(SHADOWED, place, child, f"has no effect: {_because(group.op, cause)}; remove one of them")

    def _cause(self, op: str, child: Tree, others: list[tuple[Tree, str]], strictly: bool = False) -> str | None:
        """Return the sibling that makes `child` redundant; with `strictly`, the first of two equivalent siblings is kept."""
        for other, where in others:
            narrow, wide = (other, child) if op == AND else (child, other)
            if self._prover.implies(narrow, wide) and not (strictly and self._prover.implies(wide, narrow)):
                return where
        return None


def _children(group: Group, path: str) -> list[tuple[Tree, str]]:
    return [(child, f"{path}.{group.op}[{index}]") for index, child in enumerate(group.children)]


def _exclusion(group: Group, path: str) -> t.Iterator[Finding]:
    """Report negations of one field under `or`: they look like a list of exclusions, but exclude almost nothing."""
    negations = [child for child in group.children if isinstance(child, Condition) and child.operator[0] == NEGATION]
    if group.op != OR or len(negations) < max(2, len(group.children)):
        return
    if len({child.key for child in negations}) > 1 or all(same_filter(child, negations[0]) for child in negations):
        return
    text = "'or' of negations leaves out a record only if it fails all of them; to leave out each of these use 'and'"
    yield Finding(EXCLUSION, path, group, f"{text}; {_DELIVERS}")


def _because(op: str, where: str) -> str:
    return f"{where} already implies it" if op == AND else f"{where} already lets through all that it does"


def _repeated_values(condition: Condition, path: str) -> t.Iterator[Finding]:
    if not isinstance(condition.value, tuple):
        return
    seen: dict[t.Hashable, int] = {}
    for index, value in enumerate(condition.value):
        first = seen.setdefault(identity(value), index)
        if first != index:
            message = f"repeats {path}.value[{first}]; remove one of them"
            yield Finding(DUPLICATE, f"{path}.value[{index}]", condition, message)
