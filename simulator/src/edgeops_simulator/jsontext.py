# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import math
import typing as t


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"number out of range: {text}")
    return value


def _constant(name: str) -> t.Any:
    raise ValueError(f"{name} is not JSON")


def parse(text: str | bytes) -> t.Any:
    """Parse strict JSON, without the extensions of Python's parser; raise ValueError if it is invalid or nested too deeply."""
    try:
        return json.loads(text, parse_float=_finite, parse_constant=_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def dump(value: t.Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def spaced(value: t.Any) -> str:
    """Serialize as `dump` does, with spaces after separators."""
    return json.dumps(value, ensure_ascii=False)


KIND_NAMES: t.Mapping[t.Any, str] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    list: "an array",
    dict: "an object",
    float: "a number",
}


def is_a(value: t.Any, kind: type) -> bool:
    """Return whether a value has a JSON type: a boolean is not a number; an integer is a number, and 1.0 is an integer."""
    if kind in (int, float) and isinstance(value, bool):
        return False
    if kind is float:
        return isinstance(value, (int, float))
    if kind is int:
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, kind)
