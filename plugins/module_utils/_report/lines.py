# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Json
from .._text import line
from .facts import AUDIT, FINDING, KINDS, LOOK, MAX_PRINTED, NOTE, STATUSES, UNAUDITED, guide_url
from .findings import differences
from .items import Item, Row, counting, items_of, subject_words
from .sentences import plural
from .summary import groups_by_action, item_counts, verdict
from .zones import zones_with

# A report, or what one result would change, as lines for a terminal.

_MAX_LINE = 2000
# What the subject of an item is called.
_NOUNS: t.Mapping[str, str] = {
    **dict.fromkeys(("jobs", "health", "delivery", "coverage"), "job"),
    "scripts": "script",
    "fields": "fields of",
}


def printed(report: t.Mapping[str, Json]) -> list[str]:
    """The lines of a report for the terminal: each item that counts, the numbers, and what to do next."""
    rows = [row for row in report["zones"] if not row["carried"]]
    new = frozenset(report["comparison"]["new"])
    lines = [text for row in rows for text in _of_row(row, new)]
    return [
        *lines,
        verdict(report["counts"]),
        f"{plural(len(rows), 'zone')}: " + ", ".join(f"{zones_with(report['counts'], name)} {name}" for name in STATUSES),
        item_counts(report["counts"]),
        *_next(rows),
    ]


def difference_lines(result: t.Mapping[str, Json]) -> list[str]:
    """A line for each member that the result of a zone would change, or has changed, without the name of the zone."""
    return [line(f"{about(item)}: {item['message']}", _MAX_LINE) for item in items_of(None, differences(result, ()), "")]


def _of_row(row: Row, new: t.Collection[str]) -> t.Iterator[str]:
    zone = line(row["zone"], 300)
    if row["status"] == UNAUDITED:
        error = row["error"] or {}
        yield line(f"{zone} {UNAUDITED}: {error.get('kind')}: {error.get('message')}", _MAX_LINE)
    items = counting(row["items"])
    for kind in KINDS:
        of_kind = [item for item in items if item["kind"] == kind]
        for item in of_kind[:MAX_PRINTED]:
            yield line(f"{zone} {in_words(item)}{' (new)' if item['id'] in new else ''}", _MAX_LINE)
        if len(of_kind) > MAX_PRINTED:
            yield f"{zone} {kind}: {plural(len(of_kind) - MAX_PRINTED, f'more {kind}')} in the report"


def in_words(item: Item) -> str:
    """An item on one line: `finding job_failing (high): health edge-logs: its deliveries fail: …`."""
    head = f"{item['kind']} {item['type']} ({item['severity']})" if item["kind"] == FINDING else item["kind"]
    head += f" {item['type']}" if item["kind"] == NOTE else ""
    return f"{head}: {about(item)}: {item['message']}"


def about(item: Item) -> str:
    """What an item is about, such as `job edge-logs`; the resource where it has no subject."""
    words, resource = subject_words(item), item["resource"].replace("_", " ")
    if not words or words.startswith(("waiver for", "entry ")):
        return words or resource
    return f"{_NOUNS.get(item['resource'], resource)} {words}"


def _next(rows: t.Sequence[Row]) -> t.Iterator[str]:
    if any(row["status"] == UNAUDITED for row in rows):
        yield f"Next: {AUDIT.title}. {AUDIT.advice} {guide_url(AUDIT)}"
    for action, _groups in groups_by_action(rows):
        if action is not LOOK:
            yield f"Next: {action.title}. {action.advice} {guide_url(action)}"
