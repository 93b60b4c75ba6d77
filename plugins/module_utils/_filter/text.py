# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

from ansible_collections.edgeops.observability.plugins.module_utils._filter.number import Written
from ansible_collections.edgeops.observability.plugins.module_utils._filter.operators import AND
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Condition, Group, Scalar, Tree


def to_text(tree: Tree) -> str:
    """The JSON text that is sent: no blanks, fixed order of members, escapes only where JSON demands them."""
    # A bare condition is documented by only one of the two descriptions of the service, `and` of one by both.
    outer = Group(AND, (tree,)) if isinstance(tree, Condition) else tree
    return f'{{"where":{_node(outer)}}}'


def scalar_text(value: Scalar) -> str:
    """A value as JSON; a number that was read from text is written as it was there."""
    return value.text if isinstance(value, Written) else json.dumps(value, ensure_ascii=False, allow_nan=False)


def _node(tree: Tree) -> str:
    if isinstance(tree, Group):
        return f'{{"{tree.op}":[{",".join(map(_node, tree.children))}]}}'
    value = f"[{','.join(map(scalar_text, tree.value))}]" if isinstance(tree.value, tuple) else scalar_text(tree.value)
    return f'{{"key":{scalar_text(tree.key)},"operator":"{tree.operator}","value":{value}}}'
