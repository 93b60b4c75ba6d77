# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The operators of a filter expression by the shape of the value they compare with.
EQUALITY = ("eq", "!eq")
ORDER = ("lt", "leq", "gt", "geq")
TEXT = ("startsWith", "endsWith", "contains", "!startsWith", "!endsWith", "!contains")
MEMBERSHIP = ("in", "!in")

OPERATORS = EQUALITY + ORDER + TEXT + MEMBERSHIP
NEGATION = "!"

# What joins conditions; neither counts against the limit of operators.
AND = "and"
OR = "or"
JOINS = (AND, OR)

# Names from other languages whose nearest spelling here would be a different operator.
MEANT = {
    "lte": "leq",
    "le": "leq",
    "<=": "leq",
    "gte": "geq",
    "ge": "geq",
    ">=": "geq",
    "<": "lt",
    ">": "gt",
    "ne": "!eq",
    "neq": "!eq",
    "!=": "!eq",
    "<>": "!eq",
    "=": "eq",
    "==": "eq",
}
