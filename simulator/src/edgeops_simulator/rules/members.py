# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator.jsontext import KIND_NAMES, is_a
from edgeops_simulator.refusal import Refusal


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
