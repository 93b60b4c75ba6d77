# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._filter.equality import same
from ansible_collections.edgeops.observability.plugins.module_utils._filter.evaluate import identity
from ansible_collections.edgeops.observability.plugins.module_utils._filter.lint.prover import Prover
from ansible_collections.edgeops.observability.plugins.module_utils._filter.operators import AND, NEGATION, OR
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import (
    Condition,
    Group,
    Tree,
    conditions,
)

ALWAYS = "always true"
NEVER = "never true"
DUPLICATE = "duplicate"
SHADOWED = "shadowed"
EXCLUSION = "exclusion"

# Every sibling is compared with every other: far above the service's limit that would take long and help nobody.
MAX_CONDITIONS = 100

_DELIVERS = "a filter names the records that are delivered, not those that are left out"


class Finding(t.NamedTuple):
    """Something that hardly anybody writes on purpose: what, where, in which node, and what to do about it."""

    kind: str
    path: str
    node: Tree
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def lint(tree: Tree, place: str = "filter") -> list[str]:
    """Warnings about an expression that is well formed and yet hardly does what its author wants."""
    return [str(finding) for finding in findings(tree, place)]


def findings(tree: Tree, place: str = "filter") -> list[Finding]:
    """The same with their parts. What is said about truth is proved; where a proof is too long nothing is said."""
    if sum(1 for _condition in conditions(tree)) > MAX_CONDITIONS:
        return []
    return _Linter().whole(tree, f"{place}.where")


class _Linter:
    def __init__(self) -> None:
        self._prover = Prover()

    def whole(self, tree: Tree, path: str) -> list[Finding]:
        """What is wrong inside, and first of all if the expression as a whole decides nothing."""
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
            # Otherwise the cause has been named already.
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
            twin = next((where for other, where in kept if same(child, other)), None)
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
        """The sibling that makes `child` superfluous; of two that make each other so, `strictly` keeps the first."""
        for other, where in others:
            narrow, wide = (other, child) if op == AND else (child, other)
            if self._prover.implies(narrow, wide) and not (strictly and self._prover.implies(wide, narrow)):
                return where
        return None


def _children(group: Group, path: str) -> list[tuple[Tree, str]]:
    return [(child, f"{path}.{group.op}[{index}]") for index, child in enumerate(group.children)]


def _exclusion(group: Group, path: str) -> t.Iterator[Finding]:
    """Negations of one field under `or`: read as a list of exclusions, they exclude next to nothing."""
    negations = [child for child in group.children if isinstance(child, Condition) and child.operator[0] == NEGATION]
    if group.op != OR or len(negations) < max(2, len(group.children)):
        return
    if len({child.key for child in negations}) > 1 or all(same(child, negations[0]) for child in negations):
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
