# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator.refusal import Refusal

KIND_NAMES: t.Mapping[t.Any, str] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    list: "an array",
    dict: "an object",
    float: "a number",
}


def is_a(value: t.Any, kind: type) -> bool:
    """JSON's idea of a type: a boolean is no number, an integer is one, and so is 1.0 an integer."""
    if kind in (int, float) and isinstance(value, bool):
        return False
    if kind is float:
        return isinstance(value, (int, float))
    if kind is int:
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, kind)


def check_types(body: t.Mapping[str, t.Any], kinds: t.Mapping[str, type], code: int, *, nullable: bool, place: str = "") -> None:
    """Refuse the first member whose value has the wrong JSON type."""
    for name, kind in kinds.items():
        if name not in body or (nullable and body[name] is None):
            continue
        if not is_a(body[name], kind):
            raise Refusal(400, code, f"{place}{name} must be {KIND_NAMES[kind]}", source={"pointer": f"/{name}"})


def need_object(value: t.Any, code: int, what: str = "the body") -> dict[str, t.Any]:
    if not isinstance(value, dict):
        raise Refusal(400, code, f"{what} must be a JSON object")
    return value
