# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import to_text
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Tree, conditions

# Documented by the service.
MAX_FILTER_OPERATORS = 30
MAX_FILTER_BYTES = 1000


def budget(tree: Tree) -> dict[str, int]:
    """What the expression uses of what the service accepts."""
    return {
        "operators": sum(1 for _condition in conditions(tree)),
        "operators_limit": MAX_FILTER_OPERATORS,
        "bytes": len(to_text(tree).encode("utf-8")),
        "bytes_limit": MAX_FILTER_BYTES,
    }


def check(tree: Tree, place: str = "filter") -> None:
    """Refuse an expression that the service would refuse for its size, naming every limit that it exceeds."""
    used = budget(tree)
    exceeded = [
        f"{used[unit]} {unit} are {used[unit] - limit} more than the limit of {limit}"
        for unit, limit in (("operators", MAX_FILTER_OPERATORS), ("bytes", MAX_FILTER_BYTES))
        if used[unit] > limit
    ]
    if exceeded:
        raise invalid_option(place, "; ".join(exceeded))
