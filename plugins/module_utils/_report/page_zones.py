# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The zones of the page: details where there is something to read, one line where there is not.
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._report.facts import (
    COMPLIANT,
    DIFFERENCE,
    DRIFTED,
    FINDING,
    NOTE,
    UNAUDITED,
    UNMANAGED,
)
from ansible_collections.edgeops.observability.plugins.module_utils._report.items import Item, counting, subject_words
from ansible_collections.edgeops.observability.plugins.module_utils._report.text import line, until
from ansible_collections.edgeops.observability.plugins.module_utils._report.zones import Row

View = dict[str, Json]

_MAX_NAME = 300
_MAX_TEXT = 300
_MAX_ITEMS = 200
_MAX_SCRIPTS = 50
_MAX_OPEN = 20


class ZoneViews:
    """The zones of a report by section; items of `once` are shown elsewhere and only counted here."""

    def __init__(self, report: t.Mapping[str, Json], once: t.Collection[str]) -> None:
        self._rows: list[Row] = report["zones"]
        self._once = once
        self._new = frozenset(report["comparison"]["new"])
        self._changed = frozenset(report["comparison"]["changed"])
        self._reasons = {name: until(waiver) for waiver in report["waivers"] for name in waiver["items"]}

    def sections(self) -> list[View]:
        """What is wrong comes first."""
        present = [row for row in self._rows if not row["carried"]]
        compliant = [row for row in present if row["status"] == COMPLIANT]
        sections = [
            self._section(UNAUDITED, "Unaudited", [row for row in present if row["status"] == UNAUDITED]),
            self._section(DRIFTED, "Drifted", [row for row in present if row["status"] == DRIFTED]),
            self._section("found", "Compliant, with findings", [row for row in compliant if _has_findings(row)]),
            self._section(UNMANAGED, "Unmanaged", [row for row in present if row["status"] == UNMANAGED]),
            self._section(COMPLIANT, "Compliant", [row for row in compliant if not _has_findings(row)]),
            self._section("carried", "Not part of this run", [row for row in self._rows if row["carried"]]),
        ]
        few = sum(len(section["wrong"]) for section in sections) <= _MAX_OPEN
        for section in sections:
            for zone in section["wrong"]:
                zone["open"] = few
        return [section for section in sections if section["count"]]

    def _section(self, name: str, title: str, rows: t.Sequence[Row]) -> View:
        views = [self._zone(row) for row in rows]
        return {
            "id": name,
            "title": title,
            "count": len(rows),
            "wrong": [view for view in views if view["problems"] or view["error"]],
            "fine": [view for view in views if not (view["problems"] or view["error"])],
        }

    def _zone(self, row: Row) -> View:
        own = [item for item in row["items"] if item["id"] not in self._once]
        evidence = row["evidence"] if isinstance(row["evidence"], dict) else {}
        scripts = row["inventory"] or []
        error = row["error"] or {}
        return {
            "name": line(row["zone"], _MAX_NAME),
            "status": row["status"],
            "tally": _tally(row["items"], self._new),
            "error": line(f"{error.get('kind')}: {error.get('message')}", 1000) if error else "",
            "as_of": row["audited_at"] if row["carried"] or row["status"] == UNAUDITED else None,
            "shared": len(row["items"]) - len(own),
            "problems": [self._item(item) for item in own[:_MAX_ITEMS]],
            "more_problems": max(0, len(own) - _MAX_ITEMS),
            "scripts": [_script(script) for script in scripts[:_MAX_SCRIPTS]],
            "script_count": len(scripts),
            "more_scripts": max(0, len(scripts) - _MAX_SCRIPTS),
            "seq": line(evidence.get("seq"), _MAX_TEXT),
            "head": line(evidence.get("head") or "", _MAX_TEXT),
        }

    def _item(self, item: Item) -> View:
        return {
            **item_view(item),
            "fresh": item["id"] in self._new,
            "changed": item["id"] in self._changed,
            "reason": line(self._reasons.get(item["id"], ""), _MAX_TEXT) if item["waived"] else "",
        }


def item_view(item: Item) -> View:
    """An item with its texts at a length that a user reads."""
    return {
        **{name: line(item[name]) for name in ("severity", "kind", "resource", "first_seen")},
        "subject": line(subject_words(item), _MAX_TEXT),
        "message": line(item["message"], _MAX_TEXT),
        "carried": item["carried"],
        "waived": item["waived"],
    }


def _has_findings(row: Row) -> bool:
    return any(item["kind"] == FINDING for item in counting(row["items"]))


def _tally(items: t.Sequence[Item], new: frozenset[str]) -> str:
    kinds = [item["kind"] for item in counting(items)]
    numbers = {
        **{kind: kinds.count(kind) for kind in (DIFFERENCE, FINDING, NOTE)},
        "waived": sum(item["waived"] for item in items),
        "new": sum(item["id"] in new for item in items),
        "as of the last audit": sum(item["carried"] for item in items),
    }
    words = [f"{number} {_plural(name, number)}" for name, number in numbers.items() if number]
    return f": {', '.join(words)}" if words else ""


def _plural(name: str, number: int) -> str:
    return f"{name}s" if name in (DIFFERENCE, FINDING, NOTE) and number > 1 else name


def _script(script: View) -> View:
    entry = script.get("entry")
    return {
        "url": line(script.get("script_url"), _MAX_TEXT),
        "host": line(script.get("host") or "an unknown host", _MAX_TEXT),
        "entry": f"entry {line(entry, _MAX_TEXT)}" if entry else "no entry covers it",
    }
