# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Which rows of two reports are about the same zone.
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._report.zones import Row

_Key = t.Callable[[Row], t.Hashable]
_Fits = t.Callable[[Row, Row], bool]
# From the surest on: two zones may have one name in two accounts, and a zone that cannot be read may have no id.
_STEPS: tuple[tuple[_Key, _Fits], ...] = (
    (lambda row: (row["zone_id"], row["zone"]), lambda row, other: True),
    (lambda row: row["zone_id"], lambda row, other: row["zone_id"] is not None),
    (lambda row: row["zone"], lambda row, other: None in (row["zone_id"], other["zone_id"])),
)


def match(rows: t.Sequence[Row], others: t.Sequence[Row]) -> tuple[list[Row | None], list[Row]]:
    """For each row the other one of its zone: by its id, or by its name where one has no id. Returns what is left of the others too."""
    found: dict[int, Row] = {}
    free = dict(enumerate(others))
    for key, fits in _STEPS:
        places: dict[t.Hashable, list[int]] = {}
        for place, other in free.items():
            places.setdefault(key(other), []).append(place)
        for number, row in enumerate(rows):
            fitting = (place for place in places.get(key(row), ()) if place in free and fits(row, free[place]))
            first = None if number in found else next(fitting, None)
            if first is not None:
                found[number] = free.pop(first)
    return [found.get(number) for number in range(len(rows))], list(free.values())
