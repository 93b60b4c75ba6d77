# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import decimal
import math
import re
import typing as t

# Python's integers and decimals compare with each other exactly; floats are turned into decimals first.
Exact = int | decimal.Decimal

_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]+))?")

# Far beyond any log field, and well inside what the decimal arithmetic of every Python build can hold.
MAX_EXPONENT_DIGITS = 9
# An integer this long takes more text than a whole filter may have.
MAX_INTEGER_BITS = 4096


def is_number(value: object) -> bool:
    """True for what JSON calls a number: true and false are none, and neither are NaN and the infinities."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def exact(value: object) -> Exact | None:
    """The number that is meant by a number or by number text, without rounding; None for anything else.

    A float means the shortest decimal that is written for it, so that 0.1 and "0.1" are one number.
    """
    if isinstance(value, str):
        return _from_text(value)
    if not is_number(value):
        return None
    return decimal.Decimal(float.__repr__(value)) if isinstance(value, float) else t.cast(int, value)


def _from_text(text: str) -> decimal.Decimal | None:
    match = _JSON_NUMBER.fullmatch(text)
    if match is None:
        return None
    exponent = (match[1] or "").lstrip("+-0")
    return decimal.Decimal(text) if len(exponent) <= MAX_EXPONENT_DIGITS else None


def canonical_number(number: Exact) -> str:
    """One text for one number: 30, 30.0 and 3e1 all give `3e1`."""
    sign, digits, exponent = decimal.Decimal(number).as_tuple()
    text = "".join(map(str, digits))
    significant = text.rstrip("0")
    if not significant:
        return "0"
    return f"{'-' * sign}{significant}e{t.cast(int, exponent) + len(text) - len(significant)}"
