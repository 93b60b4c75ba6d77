# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._facts.operators import AND
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Condition, Group, Tree


def to_text(tree: Tree) -> str:
    """The JSON text that is sent: no blanks, fixed order of members, escapes only where JSON demands them."""
    # A bare condition is documented by only one of the two descriptions of the service, `and` of one by both.
    outer = Group(AND, (tree,)) if isinstance(tree, Condition) else tree
    return json.dumps({"where": to_data(outer)}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def to_data(tree: Tree) -> dict[str, t.Any]:
    """The tree as plain dicts and lists, without the outer `where`."""
    if isinstance(tree, Group):
        return {tree.op: list(map(to_data, tree.children))}
    value = list(tree.value) if isinstance(tree.value, tuple) else tree.value
    return {"key": tree.key, "operator": tree.operator, "value": value}
