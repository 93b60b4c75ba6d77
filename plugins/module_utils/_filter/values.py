# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections.abc
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._filter import operators
from ansible_collections.edgeops.observability.plugins.module_utils._filter.number import (
    MAX_INTEGER_BITS,
    Written,
    exact,
    is_number,
)
from ansible_collections.edgeops.observability.plugins.module_utils._filter.suggest import shown
from ansible_collections.edgeops.observability.plugins.module_utils._filter.tree import Scalar, Value


def read_value(operator: str, value: object, path: str) -> Value:
    """The value of a condition as plain types, if its shape is what the operator compares with."""
    if operator in operators.MEMBERSHIP:
        return _members(operator, value, path)
    if operator in operators.TEXT:
        return _text_only(operator, value, path)
    if operator in operators.ORDER:
        return _orderable(operator, value, path)
    if isinstance(value, bool):
        return bool(value)
    return _text_or_number(value, path, f"must be text, a number, true or false{_list_hint(operator, value)}")


def read_text(value: str, path: str) -> str:
    """Plain text that UTF-8 can carry."""
    text = str.__str__(value)
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise invalid_option(path, f"{shown(text)} has a lone surrogate, which cannot be sent as UTF-8")
    return text


def is_list(value: object) -> t.TypeGuard[collections.abc.Sequence[object]]:
    """Lists, tuples and the sequences that template engines hand out; text is none."""
    return isinstance(value, collections.abc.Sequence) and not isinstance(value, (str, bytes, bytearray, memoryview))


def _members(operator: str, value: object, path: str) -> Value:
    if not is_list(value):
        raise invalid_option(path, f"must be a list of texts or numbers for {operator!r}, not {shown(value)}")
    items = list(value)
    if not items:
        raise invalid_option(path, f"must not be empty for {operator!r}")
    return tuple(_text_or_number(item, f"{path}[{index}]", "must be text or a number") for index, item in enumerate(items))


def _text_only(operator: str, value: object, path: str) -> str:
    if isinstance(value, str):
        return read_text(value, path)
    raise invalid_option(path, f"must be text for {operator!r}, not {shown(value)}")


def _orderable(operator: str, value: object, path: str) -> Scalar:
    expected = f"must be a number, or text that is a JSON number, for {operator!r}"
    found = _text_or_number(value, path, expected)
    if exact(found) is None:
        raise invalid_option(path, f"{expected}, not {shown(found)}")
    return found


def _text_or_number(value: object, path: str, expected: str) -> Scalar:
    if isinstance(value, str):
        return read_text(value, path)
    if not is_number(value):
        raise invalid_option(path, f"{expected}, not {shown(value)}")
    if isinstance(value, Written):
        return value
    if isinstance(value, float):
        return float(value)
    number = int(value)
    if number.bit_length() > MAX_INTEGER_BITS:
        raise invalid_option(path, "is a number too large to be sent")
    return number


def _list_hint(operator: str, value: object) -> str:
    return f" for {operator!r} (a list goes with {operator.replace('eq', 'in')!r})" if is_list(value) else ""
