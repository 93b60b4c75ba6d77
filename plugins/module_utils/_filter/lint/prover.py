# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.observability.plugins.module_utils._filter.lint.contradiction import Literal, contradict
from ansible_collections.edgeops.observability.plugins.module_utils._filter.operators import AND
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Condition, Group, Tree

# A goal: an expression is to be met (True) or not (False).
Goal = tuple[Tree, bool]
# The same where there are several ways to reach it.
_Choice = tuple[Group, bool]
_Literals = dict[str, tuple[Literal, ...]]

# Steps that one prover may take in all; an expression within the service's limits rarely needs more than hundreds.
MAX_STEPS = 20_000
# Alternatives within alternatives.
MAX_DEPTH = 60


class _GivenUp(Exception):
    """The question is too large to be answered."""


class Prover:
    """Proves what holds for all records; False means "not proved", which is the answer once its steps are used up."""

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self._steps = steps

    def never(self, tree: Tree) -> bool:
        """Certainly no record passes."""
        return self.impossible((tree, True))

    def always(self, tree: Tree) -> bool:
        """Certainly every record passes."""
        return self.impossible((tree, False))

    def implies(self, one: Tree, other: Tree) -> bool:
        """Certainly every record that passes `one` passes `other`."""
        return self.impossible((one, True), (other, False))

    def impossible(self, *goals: Goal) -> bool:
        """Certainly no record satisfies all goals."""
        try:
            return self._closed(list(goals), {}, 0)
        except _GivenUp:
            return False

    def _closed(self, goals: list[Goal], literals: _Literals, depth: int) -> bool:
        """Whether every way to satisfy the goals ends in a contradiction about one field."""
        choices: list[_Choice] = []
        while goals:
            self._step(depth)
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
        return bool(choices) and self._choices_closed(choices, literals, depth)

    def _choices_closed(self, choices: list[_Choice], literals: _Literals, depth: int) -> bool:
        (tree, truth), *rest = choices
        return all(self._closed([*rest, (part, truth)], literals, depth + 1) for part in tree.children)

    def _step(self, depth: int) -> None:
        self._steps -= 1
        if self._steps < 0 or depth > MAX_DEPTH:
            raise _GivenUp
