# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import typing as t

from .._words import plural
from .audits import Audit, Period

# The days of a period as shapes, a column for each week. Shapes tell the states apart on paper without colours, too.

# Of a day's square, and from one to the next; the space for the names of weekdays and months.
_SIZE, _STEP, _LEFT, _TOP = 10, 12, 30, 14
# Each from the upper left corner of its day, to which the path returns by itself.
_SHAPES: t.Mapping[str, str] = {
    "none": "m4 4h2v2h-2z",
    "passed": "h10v10h-10z",
    "found": "m5 0l5 10h-10z",
    "blind": "h10v10h-10zm2 2v6h6v-6z",
}
STATES: t.Mapping[str, str] = {
    "passed": "audited, no finding",
    "found": "audited, with findings",
    "blind": "audited, but nothing could be seen",
    "none": "no audit",
}
_WEEKDAYS = ("Mon", "", "Wed", "", "Fri", "", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# Of several audits of a day, the one that says most.
_RANK = ("none", "blind", "passed", "found")


def shape(state: str, x: int = 0, y: int = 0) -> str:
    """Return the path of a day's shape."""
    return f"M{x} {y}{_SHAPES[state]}"


def calendar(audits: t.Sequence[Audit], period: Period) -> dict[str, t.Any]:
    """Return paths, labels and size of the calendar, and its description."""
    days: dict[datetime.date, str] = {}
    for audit in audits:
        state = "found" if audit.can_see and audit.has_findings else "passed" if audit.can_see else "blind"
        days[audit.day] = max(state, days.get(audit.day, "none"), key=_RANK.index)
    first, last = period.first, datetime.date.fromisoformat(period.until)
    paths: dict[str, list[str]] = {state: [] for state in _SHAPES}
    months: list[tuple[int, str]] = []
    for number in range((last - first).days + 1):
        day = first + datetime.timedelta(number)
        week, weekday = divmod(number + first.weekday(), 7)
        state = days.get(day, "none")
        paths[state].append(shape(state, _LEFT + week * _STEP, _TOP + weekday * _STEP))
        if day.day == 1 or number == 0:
            year = f" {day.year}" if number == 0 or day.month == 1 else ""
            months.append((_LEFT + week * _STEP, f"{_MONTHS[day.month - 1]}{year}"))
    weeks = ((last - first).days + first.weekday()) // 7 + 1
    found, blind = (sum(state == name for state in days.values()) for name in ("found", "blind"))
    label = f"{plural(len(audits), 'audit')} on {plural(len(days), 'day')}, {found:,} of them with findings"
    if blind:
        label += f", {blind:,} on which nothing could be seen"
    return {
        "paths": {state: "".join(parts) for state, parts in paths.items() if parts},
        # The name of a month that begins in the week after the first day would cover that of the first.
        "months": [
            month for place, month in enumerate(months) if not (place == 0 and len(months) > 1 and months[1][0] - month[0] < 50)
        ],
        "weekdays": [(_TOP + place * _STEP + _SIZE - 2, name) for place, name in enumerate(_WEEKDAYS) if name],
        "width": _LEFT + weeks * _STEP,
        "height": _TOP + 7 * _STEP,
        "label": label,
    }
