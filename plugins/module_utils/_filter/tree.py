# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import decimal
import math
import re
import typing as t

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

# Python's integers and decimals compare with each other exactly; floats are turned into decimals first.
Exact: t.TypeAlias = "int | decimal.Decimal"

_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# Longer text does not count as a number: four times what a whole filter may have.
MAX_NUMBER_TEXT = 4096
# Far beyond any log field: larger numbers are all equal, and so are smaller fractions.
MAX_EXPONENT = 100_000_000
NUMBERS = decimal.Context(prec=MAX_NUMBER_TEXT, Emax=MAX_EXPONENT, Emin=-MAX_EXPONENT, traps=[])


# No dataclass: its methods are generated at every import, which takes longer than the rest of the file.
class WrittenNumber:
    """A number of a JSON text with a fraction or an exponent, as it was written, because that is what is sent."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def exact(value: object) -> Exact | None:
    """Return the exact value of a number or number text; None for anything else, such as booleans, NaN and the infinities.

    A float means the shortest decimal that is written for it, so that 0.1 and "0.1" are one number.
    """
    if isinstance(value, float):
        return decimal.Decimal(float.__repr__(value)) if math.isfinite(value) else None
    if isinstance(value, int):
        return None if isinstance(value, bool) else value
    text = value.text if isinstance(value, WrittenNumber) else value
    if isinstance(text, str) and len(text) <= MAX_NUMBER_TEXT and _JSON_NUMBER.fullmatch(text):
        return NUMBERS.create_decimal(text)
    return None


def identity(value: object) -> t.Hashable:
    """Return what `eq` and `in` compare: type and value, with one form for a number; None for what equals nothing."""
    if isinstance(value, str):
        return value
    return (bool, value) if isinstance(value, bool) else exact(value)


# A union with `|` of classes of ours is more than the oldest pylint in use understands.
Scalar = t.Union[str, int, float, bool, WrittenNumber]  # noqa: UP007  # see the line above
Value: t.TypeAlias = "Scalar | tuple[Scalar, ...]"


class Condition:
    """One comparison. `value` is a tuple for `in` and `!in`, a scalar otherwise, always of plain types or `WrittenNumber`.

    `form` is equal for all expressions that mean the same: a tuple of three for a condition, of two for a group. Nodes
    define no `==`.
    """

    __slots__ = ("form", "key", "operator", "value")

    def __init__(self, key: str, operator: str, value: Value) -> None:
        self.key = key
        self.operator = operator
        self.value = value
        # For the operators of order, a number and its text are equal.
        one = exact if operator in ORDER else identity
        self.form: tuple[t.Any, ...] = (key, operator, frozenset(map(one, value)) if isinstance(value, tuple) else one(value))

    def __repr__(self) -> str:
        return f"Condition({self.key!r}, {self.operator!r}, {self.value!r})"


class Group:
    """`and` or `or` of at least one condition or group; `form` as in a condition."""

    __slots__ = ("children", "form", "op")

    def __init__(self, op: str, children: tuple[Tree, ...]) -> None:
        self.op = op
        self.children = children
        # Neither order nor repetition nor nesting in a group of the same type matters.
        forms: set[t.Any] = set()
        for child in children:
            is_same_group = len(child.form) == 2 and child.form[0] == op
            forms |= child.form[1] if is_same_group else {child.form}
        self.form: tuple[t.Any, ...] = forms.pop() if len(forms) == 1 else (op, frozenset(forms))

    def __repr__(self) -> str:
        return f"Group({self.op!r}, {self.children!r})"


# What stands under `where`, whether or not `where` was written.
Tree: t.TypeAlias = "Condition | Group"


def conditions(tree: Tree, path: str = "filter.where") -> t.Iterator[tuple[str, Condition]]:
    """Yield every condition of the expression in its written order with its place, such as `filter.where.and[0]`."""
    if isinstance(tree, Condition):
        yield path, tree
        return
    for index, child in enumerate(tree.children):
        yield from conditions(child, f"{path}.{tree.op}[{index}]")
