# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import read_echo
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import scalar_text
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Condition, Tree

PHRASES = {
    "eq": "is",
    "!eq": "is not",
    "lt": "is less than",
    "leq": "is at most",
    "gt": "is greater than",
    "geq": "is at least",
    "startsWith": "starts with",
    "!startsWith": "does not start with",
    "endsWith": "ends with",
    "!endsWith": "does not end with",
    "contains": "contains",
    "!contains": "does not contain",
    "in": "is one of",
    "!in": "is none of",
}

EVERYTHING = "Every record is delivered: there is no filter."
UNREADABLE = "The filter could not be understood, so it is not known which records are delivered."


def explain(tree: Tree | None) -> str:
    """A sentence about what the filter does; without a filter, about what that means."""
    if tree is None:
        return EVERYTHING
    return f"A record is delivered only if {_clause(tree)}; all other records are left out."


def explain_echo(text: object) -> str:
    """The same for the filter of a job, as the service reports it."""
    tree = read_echo(text)
    return UNREADABLE if tree is None and text not in (None, "") else explain(tree)


def _clause(tree: Tree, nested: bool = False) -> str:
    if isinstance(tree, Condition):
        return f"{tree.key} {PHRASES[tree.operator]} {_value(tree)}"
    if len(tree.children) == 1:
        return _clause(tree.children[0], nested)
    clause = f" {tree.op} ".join(_clause(child, nested=True) for child in tree.children)
    return f"({clause})" if nested else clause


def _value(condition: Condition) -> str:
    values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    return ", ".join(map(scalar_text, values))
