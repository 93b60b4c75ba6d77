# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import decimal
import functools

# Far beyond any log field, and well inside what the decimal arithmetic of every Python build can hold.
MAX_EXPONENT = 100_000_000

# Whether it is negative, the exponent of its first digit, and its digits without zeros around them (none in 0).
Parts = tuple[bool, int, str]


# No dataclass: its methods are generated at every import, which takes longer than the rest of the file.
@functools.total_ordering
class Extreme:
    """A number too large or too small for decimals, which compares exactly with its like and with all others."""

    __slots__ = ("digits", "first", "negative")

    def __init__(self, negative: bool, first: int, digits: str) -> None:
        self.negative = negative
        self.first = first
        self.digits = digits

    def __repr__(self) -> str:
        return f"Extreme({self.negative!r}, {self.first!r}, {self.digits!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Extreme) and parts(self) == parts(other)

    def __hash__(self) -> int:
        return hash(parts(self))

    def __lt__(self, other: Extreme | int | decimal.Decimal) -> bool:
        one, two = parts(self), parts(other)
        if one[0] is not two[0] or not two[2]:
            return one[0]
        return one[1:] > two[1:] if one[0] else one[1:] < two[1:]


def parts(number: Extreme | int | decimal.Decimal) -> Parts:
    """What a number is made of; the same for all spellings of it."""
    if isinstance(number, Extreme):
        return number.negative, number.first, number.digits
    if not number:
        return False, 0, ""
    plain = decimal.Decimal(number)
    return plain.is_signed(), plain.adjusted(), "".join(map(str, plain.as_tuple().digits)).rstrip("0")
