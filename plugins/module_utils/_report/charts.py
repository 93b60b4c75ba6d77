# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Json
from .facts import NEEDS_ATTENTION, STATUSES
from .sentences import plural
from .zones import zones_with

# The two charts of the page, as numbers for shapes of a fixed size.

View = dict[str, Json]

BAR_WIDTH = 1000
# A status that one zone of a thousand has must still be seen.
_MIN_WIDTH = 8
TREND_HEIGHT = 80
_COLUMN, _GAP = 20, 3
MAX_REPORTS = 30


def status_bar(counts: t.Mapping[str, int]) -> View:
    """The zones by status, as parts of one bar."""
    present = [(status, number) for status in STATUSES if (number := zones_with(counts, status))]
    widths = [max(_MIN_WIDTH, BAR_WIDTH * number / max(counts["zones"], 1)) for _status, number in present]
    parts, left = [], 0.0
    for (status, _number), width in zip(present, (each * BAR_WIDTH / sum(widths) for each in widths), strict=True):
        parts.append({"status": status, "x": round(left, 1), "width": round(width, 1)})
        left += width
    legend = [{"status": status, "count": f"{zones_with(counts, status):,}"} for status in STATUSES]
    words = ", ".join(f"{number:,} {status}" for status, number in present)
    return {"parts": parts, "legend": legend, "label": f"Zones by status: {words}", "width": BAR_WIDTH}


def trend(earlier: t.Sequence[t.Mapping[str, Json]], at: str, counts: t.Mapping[str, int]) -> View | None:
    """The zones that need attention in the last reports, as columns; None without an earlier report."""
    if not earlier:
        return None
    reports = [*earlier, {"at": at, "counts": counts}][-MAX_REPORTS:]
    tallest = max(1, *(_concerned(each["counts"]) for each in reports))
    columns = []
    for number, report in enumerate(reports):
        top, shapes = float(TREND_HEIGHT), []
        for status in NEEDS_ATTENTION:
            height = TREND_HEIGHT * zones_with(report["counts"], status) / tallest
            top -= height
            if height:
                shapes.append({"status": status, "y": round(top, 1), "height": round(height, 1)})
        columns.append({"x": number * _COLUMN, "width": _COLUMN - _GAP, "shapes": shapes})
    first, last = _concerned(reports[0]["counts"]), _concerned(reports[-1]["counts"])
    span = f"{plural(len(reports), 'report')} from {reports[0]['at'][:10]} to {reports[-1]['at'][:10]}"
    return {
        "columns": columns,
        "width": len(reports) * _COLUMN - _GAP,
        "height": TREND_HEIGHT,
        "tallest": f"{tallest:,}",
        "first": reports[0]["at"][:10],
        "last": reports[-1]["at"][:10],
        "label": f"Zones that need attention in {span}: {first:,} in the first, {last:,} in the last, at most {tallest:,}",
    }


def _concerned(counts: t.Mapping[str, int]) -> int:
    return sum(zones_with(counts, status) for status in NEEDS_ATTENTION)
