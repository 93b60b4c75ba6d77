# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import csv
import io
import typing as t

from ...module_utils._baseline.entries import AUTHORISATION
from ...module_utils._core import Json
from ...module_utils._text import format_time, line, list_of
from .document import Document

# Inventory and changes as a table for a spreadsheet: RFC 4180, in UTF-8.

# Members of an entry of the baseline.
_DECLARED = (*AUTHORISATION, "authorised_on", "integrity")
COLUMNS = (
    "zone_id",
    "zone",
    "kind",
    "at",
    "what",
    "script_url",
    "host",
    "entry",
    *_DECLARED,
    "hashes",
    "message",
)
# With one of these at its beginning, a spreadsheet would evaluate the text of a cell.
_EVALUATED = ("=", "+", "-", "@", "\t", "\r", "\n")


def render_table(document: Document) -> bytes:
    """Return the whole inventory at the end of the period, and every change in the order of time."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in _rows(document):
        writer.writerow([_cell(row.get(name)) for name in COLUMNS])
    return text.getvalue().encode()


def _rows(document: Document) -> t.Iterator[dict[str, Json]]:
    for zone in document.zones:
        at = zone.history.last_at
        for script in zone.inventory:
            yield {
                **_of_entry(script.declared),
                "zone_id": zone.zone_id,
                "zone": zone.name,
                "kind": "inventory",
                "at": format_time(at) if at else "",
                "what": "listed",
                "script_url": script.script_url,
                "host": script.host,
                "entry": script.entry,
                "hashes": script.hash,
                "message": ", ".join(script.findings),
            }
    for event in document.changes:
        yield {
            **_of_entry(event.declared),
            "zone_id": event.zone_id,
            "zone": document.name_of(event.zone_id),
            "kind": "change",
            "at": format_time(event.at),
            "what": event.what,
            "script_url": event.script_url,
            "host": event.host,
            "entry": event.entry,
            "hashes": " ".join(event.hashes),
            "message": event.message,
        }


def _of_entry(declared: t.Mapping[str, Json]) -> dict[str, Json]:
    return {name: declared.get(name) for name in _DECLARED}


def _cell(value: Json) -> str:
    """Return the text of a cell, never a formula."""
    text = " ".join(map(str, list_of(value))) if isinstance(value, list) else "" if value is None else str(value)
    plain = line(text)
    return f"'{plain}" if text.startswith(_EVALUATED) or plain.startswith(_EVALUATED) else plain
