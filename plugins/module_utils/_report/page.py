# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import hashlib
import re
import sys
import typing as t

from .._core import INVALID_OPTION, Failure, Json
from .._text import line
from .facts import AUDIT, DIFFERENCE, KINDS, LOOK, NEEDS_ATTENTION, STATUSES, UNAUDITED, ZONE, Action, guide_url
from .items import Item, Row, address, cells, counting, plural
from .lines import Group, about, error_text, groups_by_action, item_counts, not_audited, status_count, verdict, waiver_reasons
from .page_template import STYLE, TEMPLATE
from .waivers import PATTERNS
from .zones import zones_with

# The report as one page: what it shows, as data for its template, cut to what a user reads.
# In this order: verdict, charts, what to do, zones, waivers, technical details.

View = dict[str, Json]

_MAX_TEXT = 300
# What needs attention lists at most so many; all of it is with the zones.
_MAX_LISTED = 200
_MAX_ITEMS = 200
_MAX_SCRIPTS = 50
# With more zones than these, the sections of the zones are closed at first.
_MAX_OPEN = 20
_CARRIED = "not part of this run"
_COMPARED = (
    ("new", "new"),
    ("changed", "changed"),
    ("persisting", "unchanged"),
    ("resolved", "resolved"),
    ("unknown", "not audited now"),
)


def render(report: t.Mapping[str, Json]) -> bytes:
    """Return the report as one page that loads nothing and runs nothing."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    return str(_template().render(page=page_of(report), style=_Trusted(STYLE), policy=_Trusted(policy))).encode()


class _Trusted(str):
    """Text of this collection, which the template does not escape."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def _template() -> t.Any:
    try:
        from jinja2 import Environment, StrictUndefined  # noqa: PLC0415  # only this format needs it
    except ImportError as error:
        raise Failure(
            INVALID_OPTION,
            f"formats: html needs the Python library Jinja2, which {sys.executable} lacks ({error}). Run the task on the"
            " controller, where ansible-core brings it along, or leave html out of formats.",
        ) from None
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(TEMPLATE)


def page_of(report: t.Mapping[str, Json]) -> View:
    """Return the page of a report as data for its template."""
    comparison, counts, rows = report["comparison"], report["counts"], report["zones"]
    new = frozenset(comparison["new"])
    present = [row for row in rows if not row["carried"]]
    sentence = re.split("(?<=[:;]) ", verdict(counts), maxsplit=1)
    by_action = groups_by_action(present)
    return {
        "title": line(report["title"], _MAX_TEXT),
        "verdict": sentence[0].rstrip(";"),
        "verdict_more": "".join(sentence[1:]),
        "generated_at": moment(report["generated_at"]),
        "numbers": item_counts(counts),
        "compared": _compared(report),
        "not_audited": not_audited(rows),
        "bar": status_bar(counts),
        "trend": trend(report["trend"], report["generated_at"], counts),
        "todo": [
            *_unaudited(present),
            *(_action(action, groups, new) for action, groups in by_action if action is not LOOK),
        ],
        "notes": next((_action(action, groups, new) for action, groups in by_action if action is LOOK), None),
        "sections": _sections(report),
        "waivers": [_waiver(waiver) for waiver in report["waivers"]],
        "technical": [_technical(row) for row in rows],
        "report_id": report["report_id"],
        "previous_id": _short(comparison["previous_id"] or ""),
        "plan_id": report["plan_id"],
        "version": report["collection_version"],
    }


def _short(text: object) -> str:
    return line(text, _MAX_TEXT)


def moment(text: object) -> str:
    """Return a time as people read it."""
    return line(text).replace("T", " ").replace("Z", " UTC")


def _day(time: object) -> str:
    return line(time)[:10]


def _compared(report: t.Mapping[str, Json]) -> str:
    """Return what became of the items of the previous report, in one line."""
    comparison = report["comparison"]
    if comparison["previous_id"] is None:
        return "There is no previous report to compare with."
    words = [f"{len(comparison[name]):,} {word}" for name, word in _COMPARED if comparison[name]]
    when = f" of {moment(report['trend'][-1]['at'])}" if report["trend"] else ""
    return f"Compared with the report{when}: {', '.join(words) or 'nothing then, nothing now'}."


# The two charts, as numbers for shapes of a fixed size.

BAR_WIDTH = 1000
# Wide enough to see the status of one zone among a thousand.
_MIN_WIDTH = 8
TREND_HEIGHT = 80
_COLUMN, _GAP = 20, 3
MAX_REPORTS = 30


def status_bar(counts: t.Mapping[str, int]) -> View:
    """Return the zones by status, as parts of one bar."""
    present = [(status, number) for status in STATUSES if (number := zones_with(counts, status))]
    widths = [max(_MIN_WIDTH, BAR_WIDTH * number / max(counts["zones"], 1)) for _status, number in present]
    parts, left = [], 0.0
    for (status, _number), width in zip(present, (each * BAR_WIDTH / sum(widths) for each in widths), strict=True):
        parts.append({"status": status, "x": round(left, 1), "width": round(width, 1)})
        left += width
    legend = []
    for status in STATUSES:
        count, label = status_count(status, zones_with(counts, status)).split(maxsplit=1)
        legend.append({"status": status, "count": count, "label": label})
    words = ", ".join(status_count(*pair) for pair in present)
    return {"parts": parts, "legend": legend, "label": f"Zones by status: {words}", "width": BAR_WIDTH}


def trend(earlier: t.Sequence[t.Mapping[str, Json]], at: str, counts: t.Mapping[str, int]) -> View | None:
    """Return the zones that need attention in the last reports, as columns; None without an earlier report."""
    if not earlier:
        return None
    reports = [*earlier, {"at": at, "counts": counts}][-MAX_REPORTS:]
    days, numbers = [each["at"][:10] for each in reports], [_concerned(each["counts"]) for each in reports]
    tallest = max(1, *numbers)
    columns = []
    for number, report in enumerate(reports):
        top, shapes = float(TREND_HEIGHT), []
        for status in NEEDS_ATTENTION:
            height = TREND_HEIGHT * zones_with(report["counts"], status) / tallest
            top -= height
            if height:
                shapes.append({"status": status, "y": round(top, 1), "height": round(height, 1)})
        columns.append({"x": number * _COLUMN, "width": _COLUMN - _GAP, "shapes": shapes})
    span = f"{plural(len(reports), 'report')} from {days[0]} to {days[-1]}"
    return {
        "columns": columns,
        "width": len(reports) * _COLUMN - _GAP,
        "height": TREND_HEIGHT,
        "tallest": f"{tallest:,}",
        "first": days[0],
        "last": days[-1],
        "label": f"Zones that need attention in {span}: {numbers[0]:,} in the first, {numbers[-1]:,} in the last, at most {tallest:,}",
    }


def _concerned(counts: t.Mapping[str, int]) -> int:
    return sum(zones_with(counts, status) for status in NEEDS_ATTENTION)


# What needs attention, grouped by what to do.


def _unaudited(rows: t.Sequence[Row]) -> list[View]:
    failed = [row for row in rows if row["status"] == UNAUDITED]
    lines = [
        {
            "id": "",
            "severity": "high",
            "zones": [_short(row["zone"])],
            "what": row["scope"],
            "name": UNAUDITED,
            "is": _short(error_text(row)),
            "should_be": "audited",
            "since": f"last audited {_day(row['audited_at'])}" if row["audited_at"] else "never audited",
            "fresh": 0,
        }
        for row in failed[:_MAX_LISTED]
    ]
    return [_todo(AUDIT, lines, len(failed), len(failed))] if failed else []


def _action(action: Action, groups: t.Sequence[Group], new: frozenset[str]) -> View:
    lines = [_group(group, new) for group in groups[:_MAX_LISTED]]
    zones = {id(row) for group in groups for row in group.rows}
    return _todo(action, lines, len(groups), len(zones))


def _todo(action: Action, lines: t.Sequence[View], total: int, zones: int) -> View:
    return {
        "title": action.title,
        "advice": action.advice,
        "guide": guide_url(action),
        "zones": plural(zones, "zone"),
        "lines": lines,
        "more": max(0, total - len(lines)),
    }


def _group(group: Group, new: frozenset[str]) -> View:
    item = group.item
    name, present, desired = cells(item)
    return {
        "id": item["id"] if len(group.rows) == 1 else "",
        "severity": line(item["severity"]),
        "zones": [_short(row["zone"]) for row in group.rows],
        "what": _short(about(item)),
        "name": _short(name or ("" if item["kind"] == DIFFERENCE else item["type"])),
        "is": line(present, 2 * _MAX_TEXT),
        "should_be": line(desired, 2 * _MAX_TEXT),
        "since": _day(min(each["first_seen"] for each in group.items)),
        "fresh": sum(each["id"] in new for each in group.items),
    }


# The zones, one section for each status: details where there is something to read.


def _sections(report: t.Mapping[str, Json]) -> list[View]:
    """Return the zones by status, what needs attention first; those of earlier runs come last."""
    rows = report["zones"]
    marks = {name: frozenset(report["comparison"][name]) for name in ("new", "changed")}
    reasons = waiver_reasons(report)
    groups = {status: [row for row in rows if not row["carried"] and row["status"] == status] for status in STATUSES}
    groups[_CARRIED] = [row for row in rows if row["carried"]]
    views = {name: [_zone(row, marks, reasons) for row in of_name] for name, of_name in groups.items() if of_name}
    concerned = sum(bool(_has_details(view)) for name in NEEDS_ATTENTION for view in views.get(name, ()))
    return [
        {
            "name": name,
            "id": f"zones-{name.replace(' ', '-')}",
            "count": status_count(name, len(zones)),
            "open": name in NEEDS_ATTENTION and concerned <= _MAX_OPEN,
            "detailed": [view for view in zones if _has_details(view)],
            "plain": [view for view in zones if not _has_details(view)],
        }
        for name, zones in views.items()
    ]


def _has_details(view: View) -> bool:
    return bool(view["found"] or view["error"] or view["jobs"] or view["scripts"])


def _zone(row: Row, marks: t.Mapping[str, t.Collection[str]], reasons: t.Mapping[str, str]) -> View:
    items, scripts = row["items"], row["inventory"] or []
    return {
        "name": _short(row["zone"]),
        "account": row["scope"] != ZONE,
        "tally": _tally(items, marks["new"]),
        "error": line(error_text(row), 1000) if row["error"] else "",
        "as_of": _day(row["audited_at"]) if row["audited_at"] and (row["carried"] or row["status"] == UNAUDITED) else "",
        "found": [_item(item, marks, reasons) for item in items[:_MAX_ITEMS]],
        "more_items": max(0, len(items) - _MAX_ITEMS),
        "jobs": _jobs(row),
        "scripts": [_script(script) for script in scripts[:_MAX_SCRIPTS]],
        "script_count": plural(len(scripts), "script"),
        "more_scripts": max(0, len(scripts) - _MAX_SCRIPTS),
    }


def _tally(items: t.Sequence[Item], new: t.Collection[str]) -> str:
    kinds = [item["kind"] for item in counting(items)]
    words = [plural(kinds.count(kind), kind) for kind in KINDS if kind in kinds]
    others = {
        "waived": sum(item["waived"] for item in items),
        "new": sum(item["id"] in new for item in items),
        "as of the last audit": sum(item["carried"] for item in items),
    }
    return ", ".join([*words, *(f"{number:,} {name}" for name, number in others.items() if number)])


def _item(item: Item, marks: t.Mapping[str, t.Collection[str]], reasons: t.Mapping[str, str]) -> View:
    words = [word for word, ids in marks.items() if item["id"] in ids]
    words += ["as of the last audit"] if item["carried"] else []
    words += [f"waived: {_short(reasons.get(item['id'], 'by a waiver'))}"] if item["waived"] else []
    return {
        "id": item["id"],
        "severity": line(item["severity"]),
        "label": _short(item["kind"] if item["type"] == item["kind"] else f"{item['kind']} {item['type']}"),
        "about": _short(about(item)),
        "message": line(item["message"], 2 * _MAX_TEXT),
        "since": _day(item["first_seen"]),
        "marks": words,
        "quiet": item["carried"] or item["waived"],
    }


def _jobs(row: Row) -> list[View]:
    """Return what each job delivered and lost, where that was read; a job without a row did neither."""
    if row["delivery"] is None:
        return []
    facts = {each.get("job_id"): each for each in row["delivery"]}
    jobs = row["jobs"] or [{"job": f"job {number}", "job_id": number, "health": "unknown"} for number in facts]
    return [_job(job, facts.get(job.get("job_id"))) for job in jobs]


def _job(job: View, facts: View | None) -> View:
    names = ("records", "dropped_records", "uploads")
    numbers = {name: 0 if facts is None else facts.get(name) for name in names}
    return {
        "name": _short(job["job"]),
        "state": line(job["health"]),
        "last": _day(job.get("last_complete") or ""),
        **{name: f"{number:,}" if isinstance(number, int) else "not known" for name, number in numbers.items()},
    }


def _script(script: View) -> View:
    entry = script.get("entry")
    return {
        "url": _short(script.get("script_url")),
        "host": _short(script.get("host") or "an unknown host"),
        "entry": f"entry {_short(entry)}" if entry else "no entry covers it",
    }


def _waiver(waiver: dict[str, Json]) -> View:
    covers = [f"{name} {waiver[name]}" for name in PATTERNS if waiver.get(name)]
    return {
        "covers": _short(", ".join(covers) or "everything"),
        "reason": _short(waiver["reason"]),
        "owner": _short(waiver["owner"]),
        "until": waiver["until"],
        "expired": waiver["expired"],
        "count": plural(len(waiver["items"]), "item") if waiver["items"] else "matches nothing",
    }


def _technical(row: Row) -> View:
    """Return what only programs and their authors need: the ids of a zone, its plans, evidence and items."""
    return {
        "name": _short(row["zone"]),
        "id": _short(address(row) or ""),
        "plans": [(name, _short(plan)) for name, plan in row["plan_ids"].items() if plan],
        "evidence": _short((row["evidence"] or {}).get("head") or ""),
        "found": " ".join(item["id"] for item in row["items"]),
    }
