# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import itertools
import typing as t

from .._words import plural
from .audits import Audit, Period

# The days of a period as shapes, a block for each month with a column for each week. The shapes tell the states apart on paper without
# colours, too.

# Of a day's square, and from one to the next; the space for the names of weekdays.
_SIZE, _STEP, _LEFT = 10, 12, 13
# Each from the upper left corner of its day, to which the path returns by itself.
_SHAPES: t.Mapping[str, str] = {
    "none": "m3 3h4v4h-4z",
    "passed": "h10v10h-10z",
    "part": "l10 10h-10z",
    "found": "m5 0l5 10h-10z",
    "blind": "h10v10h-10zm2 2v6h6v-6z",
}
STATES: t.Mapping[str, str] = {
    "passed": "audited, no finding",
    "part": "audited in part, no finding",
    "found": "audited, with findings",
    "blind": "audited, but it proves nothing",
    "none": "no audit",
}
_WEEKDAYS = tuple((_STEP * place + _SIZE - 1, name) for place, name in enumerate("MTWTFSS") if place % 2 == 0)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# Of several audits of a day, the one that says most.
_RANK = ("none", "blind", "part", "passed", "found")


class Month(t.NamedTuple):
    """A month: its name, the path of all days of each state, its size, and the places of the names of weekdays."""

    name: str
    paths: t.Mapping[str, str]
    width: int
    height: int = 7 * _STEP
    weekdays: t.Sequence[tuple[int, str]] = _WEEKDAYS


class Calendar(t.NamedTuple):
    """The months of a period, and what they show, for people who cannot see them."""

    label: str
    months: t.Sequence[Month]


def shape(state: str, x: int = 0, y: int = 0) -> str:
    """Return the path of a day's shape."""
    return f"M{x} {y}{_SHAPES[state]}"


def calendar(audits: t.Sequence[Audit], period: Period) -> Calendar:
    """Return the calendar of a chain's audits."""
    days: dict[datetime.date, str] = {}
    for audit in audits:
        proves = audit.proves_its_day and not audit.blind and audit.day <= period.last
        state = "blind" if not proves else "part" if audit.left_out else "passed"
        state = "found" if audit.can_see and audit.has_findings else state
        days[audit.day] = max(state, days.get(audit.day, "none"), key=_RANK.index)
    found, part, blind = (sum(state == name for state in days.values()) for name in ("found", "part", "blind"))
    label = f"{plural(len(audits), 'audit')} on {plural(len(days), 'day')}, {found:,} of them with findings"
    label += f", {part:,} on which not everything was looked at" if part else ""
    label += f", {blind:,} that prove nothing" if blind else ""
    last = datetime.date.fromisoformat(period.until)
    whole = [period.first + datetime.timedelta(number) for number in range((last - period.first).days + 1)]
    months = itertools.groupby(whole, lambda day: (day.year, day.month))
    return Calendar(label, [_month(list(of_month), days) for _month_of_year, of_month in months])


def _month(of_month: t.Sequence[datetime.date], days: t.Mapping[datetime.date, str]) -> Month:
    offset = of_month[0].replace(day=1).weekday()
    paths: dict[str, list[str]] = {state: [] for state in _SHAPES}
    for day in of_month:
        week, weekday = divmod(day.day - 1 + offset, 7)
        state = days.get(day, "none")
        paths[state].append(shape(state, _LEFT + week * _STEP, weekday * _STEP))
    weeks = (of_month[-1].day - 1 + offset) // 7 + 1
    name = f"{_MONTHS[of_month[0].month - 1]} {of_month[0].year}"
    return Month(name, {state: "".join(parts) for state, parts in paths.items() if parts}, _LEFT + weeks * _STEP)
