# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import re
import typing as t

from ...module_utils._baseline.entries import AUTHORISATION
from ...module_utils._chain.kinds import PAGES, Kind
from ...module_utils._core import Json
from ...module_utils._text import format_time, line, list_of
from .chains import NOUNS
from .document import Document, ZoneChain
from .inventory import Listed
from .page_history import ListedPage

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
# Only in the table of a folder that has a chain of payment pages.
_OF_PAGES = ("page", "subject")
# A spreadsheet evaluates a cell that begins with one of these, in half or full width; some split a line also where a text has a
# semicolon, a comma or a bar, and evaluate each part.
_EVALUATED = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_AT_START = re.compile(rf"^[\s'\"]*[{_EVALUATED}]|^[\t\r\n]")
_WITHIN = re.compile(rf"([;,|][\s\"]*)([{_EVALUATED}])")
# RFC 4180 asks for quotes around commas, quotes and ends of lines.
_QUOTED = re.compile(r"[\",;|\t\r\n]|^'")


def render_table(document: Document) -> bytes:
    """Return the whole inventory at the end of the period, and every change in the order of time."""
    columns = (*COLUMNS, *_OF_PAGES) if document.has_pages else COLUMNS
    rows = [columns, *([_cell(row.get(name)) for name in columns] for row in _rows(document))]
    return "".join(",".join(map(_quote, row)) + "\r\n" for row in rows).encode()


def _rows(document: Document) -> t.Iterator[dict[str, Json]]:
    made = format_time(document.desired.period.at)
    for sentence in document.warnings:
        yield {"kind": "verdict", "at": made, "what": "warning", "message": sentence}
    for zone in document.not_audited:
        yield {
            **_not_audited(zone.zone_id, zone.name, zone.kind, zone.last_at),
            "message": f"no audit of {NOUNS[zone.kind.name]} in this period",
        }
    for chain, scripts in document.of_scripts:
        for script in scripts.listed():
            about = {"script_url": script.script_url, "host": script.host, "hashes": script.seen.hash}
            yield {**_at_the_end(chain, script), "kind": "inventory", **about}
    for chain, pages in document.of_pages:
        for page in pages.pages:
            about = {
                "page": page.page,
                "hashes": " ".join(page.hashes),
                "message": "; ".join(filter(None, (page.message, page.has))),
            }
            yield {**_at_the_end(chain, page), "kind": "page", **about}
        for url, at in pages.left_out:
            row = _not_audited(chain.zone_id, chain.name, chain.kind, at)
            yield {**row, "page": url, "message": "the last audit did not look at this page"}
    for place, event in enumerate(document.changes):
        yield {
            **_of_entry(event.declared),
            "zone_id": event.zone_id,
            "zone": document.name_of(event.zone_id),
            "kind": "page_change" if event.of_pages else "change",
            "page": event.page,
            "subject": event.subject,
            "at": format_time(event.at),
            "what": event.what,
            "script_url": event.script_url,
            "host": event.host,
            "entry": event.entry,
            "hashes": " ".join(event.hashes),
            "message": "; ".join(filter(None, (event.message, document.words.get(place)))),
        }


def _at_the_end(chain: ZoneChain, listed: Listed | ListedPage) -> dict[str, Json]:
    at = chain.history.last_at
    return {
        **_of_entry(listed.declared),
        "zone_id": chain.zone_id,
        "zone": chain.name,
        "at": format_time(at) if at else "",
        "what": "listed",
        "entry": listed.entry,
        "message": listed.message,
    }


def _not_audited(zone_id: str, name: str, kind: Kind, last_at: datetime.datetime | None) -> dict[str, Json]:
    """Return a row of the inventory about what was not audited, which no other row says; `last_at` is its last audit."""
    at = format_time(last_at) if last_at else ""
    return {"zone_id": zone_id, "zone": name, "kind": "page" if kind is PAGES else "inventory", "what": "not_audited", "at": at}


def _of_entry(declared: t.Mapping[str, Json]) -> dict[str, Json]:
    return {name: declared.get(name) for name in _DECLARED}


def _cell(value: Json) -> str:
    """Return the text of a cell, never a formula."""
    text = " ".join(map(str, list_of(value))) if isinstance(value, list) else "" if value is None else str(value)
    plain = _WITHIN.sub(r"\1'\2", line(text))
    return f"'{plain}" if plain != line(text) or _AT_START.search(text) or _AT_START.search(plain) else plain


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text
