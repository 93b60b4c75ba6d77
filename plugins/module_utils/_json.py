# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import math
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

# What the types of JSON are called in messages, by their Python types.
JSON_TYPES: t.Mapping[type, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def json_type(value: Json) -> str:
    """Return what the type of a value is called, as in "a list"; a Python type that JSON does not have by its own name."""
    return JSON_TYPES.get(type(value), f"a value of type {type(value).__name__}")


def is_integer(value: Json) -> bool:
    """Return whether a value is an integer of JSON; Python counts its booleans as integers."""
    return isinstance(value, int) and not isinstance(value, bool)


def unique_members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return the members of an object; a hook that refuses an object with two members of one name."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has two members of one name")
    return members


def no_constant(name: str) -> t.NoReturn:
    """Refuse a number that JSON lacks, such as NaN; a hook."""
    raise ValueError(f"{name!r} is not a JSON number")


def finite_float(text: str) -> float:
    """Return a number of JSON text that has a fraction or an exponent; a hook that refuses one that only infinity could stand for."""
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:60]} is too large a number")
    return number
