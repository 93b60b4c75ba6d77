# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Json
from .._text import line, until
from .facts import KINDS, NEEDS_ATTENTION, STATUSES, UNAUDITED
from .items import Item, Row, address, counting
from .lines import about
from .sentences import plural

# The zones of the page: one section for each status, details where there is something to read.

View = dict[str, Json]

_MAX_NAME = 300
_MAX_TEXT = 300
_MAX_ITEMS = 200
_MAX_SCRIPTS = 50
_MAX_OPEN = 20
# A job without a row delivered and lost nothing in the window.
_FACTS = ("records", "dropped_records", "uploads")
_CARRIED = "not part of this run"


def day(time: object) -> str:
    """The day of a time."""
    return line(time)[:10]


class ZoneViews:
    """The zones of a report, by status and with their ids."""

    def __init__(self, report: t.Mapping[str, Json]) -> None:
        self._rows: list[Row] = report["zones"]
        self._new = frozenset(report["comparison"]["new"])
        self._changed = frozenset(report["comparison"]["changed"])
        self._reasons = {name: until(waiver) for waiver in report["waivers"] for name in waiver["items"] if not waiver["expired"]}

    def sections(self) -> list[View]:
        """The zones by status, what needs attention first; those of earlier runs come last."""
        groups = {status: [row for row in self._rows if not row["carried"] and row["status"] == status] for status in STATUSES}
        groups[_CARRIED] = [row for row in self._rows if row["carried"]]
        sections = [self._section(name, rows) for name, rows in groups.items() if rows]
        concerned = [section for section in sections if section["name"] in NEEDS_ATTENTION]
        if sum(len(section["detailed"]) for section in concerned) <= _MAX_OPEN:
            for section in concerned:
                section["open"] = True
        return sections

    def technical(self) -> list[View]:
        """What only programs and their authors need: the ids of zones, plans, evidence and items."""
        return [
            {
                "name": line(row["zone"], _MAX_NAME),
                "id": line(address(row) or "", _MAX_TEXT),
                "plans": [(name, line(plan, _MAX_TEXT)) for name, plan in row["plan_ids"].items() if plan],
                "evidence": line((row["evidence"] or {}).get("head") or "", _MAX_TEXT),
                "found": " ".join(item["id"] for item in row["items"]),
            }
            for row in self._rows
        ]

    def _section(self, name: str, rows: t.Sequence[Row]) -> View:
        views = [self._zone(row) for row in rows]
        return {
            "name": name,
            "id": f"zones-{name.replace(' ', '-')}",
            "count": f"{len(rows):,}",
            "open": False,
            "detailed": [view for view in views if view["found"] or view["error"] or view["jobs"] or view["scripts"]],
            "plain": [view for view in views if not (view["found"] or view["error"] or view["jobs"] or view["scripts"])],
        }

    def _zone(self, row: Row) -> View:
        items, scripts, error = row["items"], row["inventory"] or [], row["error"] or {}
        return {
            "name": line(row["zone"], _MAX_NAME),
            "account": row["scope"] != "zone",
            "tally": self._tally(items),
            "error": line(f"{error.get('kind')}: {error.get('message')}", 1000) if error else "",
            "as_of": day(row["audited_at"]) if row["audited_at"] and (row["carried"] or row["status"] == UNAUDITED) else "",
            "found": [self._item(item) for item in items[:_MAX_ITEMS]],
            "more_items": max(0, len(items) - _MAX_ITEMS),
            "jobs": _jobs(row),
            "scripts": [_script(script) for script in scripts[:_MAX_SCRIPTS]],
            "script_count": plural(len(scripts), "script"),
            "more_scripts": max(0, len(scripts) - _MAX_SCRIPTS),
        }

    def _item(self, item: Item) -> View:
        marks = [word for word, ids in (("new", self._new), ("changed", self._changed)) if item["id"] in ids]
        marks += ["as of the last audit"] if item["carried"] else []
        marks += [f"waived: {line(self._reasons.get(item['id'], 'by a waiver'), _MAX_TEXT)}"] if item["waived"] else []
        return {
            "id": item["id"],
            "severity": line(item["severity"]),
            "label": line(item["kind"] if item["type"] == item["kind"] else f"{item['kind']} {item['type']}", _MAX_TEXT),
            "about": line(about(item), _MAX_TEXT),
            "message": line(item["message"], 2 * _MAX_TEXT),
            "since": day(item["first_seen"]),
            "marks": marks,
            "quiet": item["carried"] or item["waived"],
        }

    def _tally(self, items: t.Sequence[Item]) -> str:
        kinds = [item["kind"] for item in counting(items)]
        words = [plural(kinds.count(kind), kind) for kind in KINDS if kind in kinds]
        others = {
            "waived": sum(item["waived"] for item in items),
            "new": sum(item["id"] in self._new for item in items),
            "as of the last audit": sum(item["carried"] for item in items),
        }
        return ", ".join([*words, *(f"{number:,} {name}" for name, number in others.items() if number)])


def _jobs(row: Row) -> list[View]:
    """What each job delivered and lost, where that was read."""
    if row["delivery"] is None:
        return []
    facts = {each.get("job_id"): each for each in row["delivery"]}
    jobs = row["jobs"] or [{"job": f"job {number}", "job_id": number, "health": "unknown"} for number in facts]
    return [_job(job, facts.get(job.get("job_id"), dict.fromkeys(_FACTS, 0))) for job in jobs]


def _job(job: View, facts: View) -> View:
    numbers = {name: facts.get(name) for name in _FACTS}
    shown = {name: f"{number:,}" if isinstance(number, int) else "not known" for name, number in numbers.items()}
    return {
        "name": line(job["job"], _MAX_TEXT),
        "state": line(job["health"]),
        "last": day(job.get("last_complete") or ""),
        **shown,
    }


def _script(script: View) -> View:
    entry = script.get("entry")
    return {
        "url": line(script.get("script_url"), _MAX_TEXT),
        "host": line(script.get("host") or "an unknown host", _MAX_TEXT),
        "entry": f"entry {line(entry, _MAX_TEXT)}" if entry else "no entry covers it",
    }
