# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import functools
import pathlib
import re
import typing as t

from ...module_utils._address import ZONE
from ...module_utils._core import Json
from ...module_utils._text import line
from .._page import render_page, short
from .._words import plural
from .alerts import rows_of_alerts
from .destinations import delivering_text, table_of
from .document import Copied, Counts, Item, Report, Row, TrendEntry, address
from .facts import DIFFERENCE, KINDS, LOOK, NEEDS_ATTENTION, STATUSES, UNAUDITED
from .items import cells, counting, items_of, job_words, patterns_text, problem
from .lines import (
    Group,
    about,
    audit_action,
    error_text,
    groups_by_action,
    hosts_text,
    is_shared,
    item_counts,
    notes_text,
    other_date,
    shown_name,
    status_count,
    verdict,
    waiver_reasons,
    with_findings,
)
from .not_audited import not_audited_text

# The report as one page: the data for its template beside the report itself, and the filters of the template.

View = dict[str, Json]

_HERE = pathlib.Path(__file__).parent
_MAX_CELL = 1000
# Maximum number of rows in a table of what is to be done.
_MAX_ROWS = 200
# With more zones that need attention, the sections of the zones are closed at first.
_MAX_OPEN = 20
_CARRIED = "not part of this run"


def render(report: Report, is_survey: bool = False) -> bytes:
    """Return the report, or that of a survey, as one page."""
    filters = {
        "about": about,
        "amount": _amount,
        "columns": _columns,
        "covers": patterns_text,
        "day": _day,
        "hosts": hosts_text,
        "job_words": job_words,
        "in_hosts": _in_hosts,
        "label": _label,
        "last_audit": _last_audit,
        "moment": _moment,
        "name": shown_name,
        "other_date": other_date,
        "plural": plural,
        "short": short,
        "text": line,
    }
    view = {**_view(report, delivering_text(report["zones"]) if is_survey else ""), "report": report}
    view["destinations"] = table_of(report["zones"]) if is_survey else None
    return render_page(_HERE / "page.html.j2", _HERE / "page.css", view, filters, {"detailed": _has_details, "desires": _desires})


def _day(time: object) -> str:
    return line(time)[:10]


def _moment(time: object) -> str:
    return line(time).replace("T", " ").replace("Z", " UTC")


def _label(item: Item) -> str:
    return str(item["kind"]) if item["type"] == item["kind"] else f"{item['kind']} {item['type']}"


def _last_audit(row: Row) -> str:
    """Return the day of the last audit of a zone that this run did not audit; "" if there was none."""
    return _day(row["audited_at"]) if row["audited_at"] and (row["carried"] or row["status"] == UNAUDITED) else ""


def _amount(number: Json) -> str:
    return f"{number:,}" if isinstance(number, int) else "not known"


def _columns(item: Item) -> list[str]:
    """Return what differs or the type of a finding, what it is, and what it should be."""
    name, present, desired = cells(item)
    return [
        short(name or ("" if item["kind"] == DIFFERENCE else item["type"])),
        *(line(text, _MAX_CELL) for text in (present, desired)),
    ]


def _desires(group: Group) -> bool:
    """Return whether an item says what should be."""
    return bool(_columns(group.item)[2])


def _in_hosts(groups: t.Sequence[Group]) -> str:
    return hosts_text({id(row): row for group in groups for row in group.rows}.values())


def _view(report: Report, unaffected: str) -> View:
    """Return what the template shows beside the report, and its functions; `unaffected` is as for `verdict`."""
    counts, rows = report["counts"], report["zones"]
    present = [row for row in rows if not row["carried"]]
    marked = {"new": frozenset(report["comparison"]["new"]), "changed": frozenset(report["comparison"]["changed"])}
    sentence = re.split("(?<=[:;]) ", verdict(report, unaffected), maxsplit=1)
    todo = dict(groups_by_action(present))
    notes = todo.pop(LOOK, [])
    if unaudited := [_unaudited(row) for row in present if row["status"] == UNAUDITED]:
        todo = {audit_action(present): unaudited, **todo}
    concerned = sum(_has_details(row) for row in present if row["status"] in NEEDS_ATTENTION)
    sections = {status: [row for row in present if row["status"] == status] for status in STATUSES}
    sections[_CARRIED] = [row for row in rows if row["carried"]]
    return {
        "verdict": sentence[0].rstrip(":;"),
        "verdict_more": "".join(sentence[1:]),
        "numbers": item_counts(counts),
        "compared": _compared(report),
        "not_audited": not_audited_text(rows),
        "bar": _status_bar(counts, present),
        "trend": _trend([*report["trend"], {"at": report["generated_at"], "counts": counts}]),
        "told": rows_of_alerts(report["alerts"], rows),
        "look": LOOK,
        "notes": notes,
        "noted": notes_text(present),
        "todo": todo,
        "new": marked["new"],
        "shared": _shared([notes, *todo.values()]),
        "most": _MAX_ROWS,
        "hosts": "Zones and accounts" if any(row["scope"] != ZONE for row in rows) else "Zones",
        "sections": sections,
        "unfolded": NEEDS_ATTENTION if concerned <= _MAX_OPEN else (),
        "status_count": status_count,
        "tally": functools.partial(_tally, new=marked["new"]),
        "marks": functools.partial(_marks, marked=marked, reasons=waiver_reasons(report)),
        "jobs_of": _jobs_of,
        "shown_hours": _shown_hours,
        "error_text": error_text,
        "address": address,
    }


def _shared(lists: t.Iterable[t.Sequence[Group]]) -> frozenset[str]:
    """Return the ids of the items that are shown once for several zones."""
    groups = [group for groups in lists for group in groups[:_MAX_ROWS] if is_shared(group)]
    return frozenset(item["id"] for group in groups for item in group.items if item["id"])


def _compared(report: Report) -> str:
    """Return the numbers of the comparison with the previous report, in one line."""
    comparison = report["comparison"]
    if comparison["previous_id"] is None:
        return "There is no previous report to compare with."
    numbers = {
        "new": comparison["new"],
        "changed": comparison["changed"],
        "unchanged": comparison["persisting"],
        "resolved": comparison["resolved"],
        "not audited now": comparison["unknown"],
    }
    words = [f"{len(ids):,} {word}" for word, ids in numbers.items() if ids]
    when = f" of {_moment(report['trend'][-1]['at'])}" if report["trend"] else ""
    return f"Compared with the report{when}: {', '.join(words) or 'nothing then, nothing now'}."


# The two charts, as numbers for shapes of a fixed size.

_BAR_WIDTH = 1000
# Wide enough to see the status of one zone among a thousand.
_MIN_WIDTH = 8
_TREND_HEIGHT = 80
_COLUMN, _GAP = 20, 3
_MAX_REPORTS = 30


def _status_bar(counts: Counts, rows: t.Sequence[Row]) -> View:
    """Return the zones by status, as parts of one bar; a status that hides findings says so."""
    numbers, total_hosts = counts["statuses"], max(counts["zones"] + counts["accounts"], 1)
    present = {status: number for status, number in numbers.items() if number}
    widths = {status: max(_MIN_WIDTH, _BAR_WIDTH * number / total_hosts) for status, number in present.items()}
    parts, left, total = [], 0.0, sum(widths.values())
    for status, least in widths.items():
        width = least * _BAR_WIDTH / total
        parts.append({"status": status, "x": round(left, 1), "width": round(width, 1)})
        left += width
    also = {status: with_findings(status, rows) for status in numbers}
    texts = {name: ", ".join(filter(None, [status_count(name, number), also[name]])) for name, number in numbers.items()}
    legend = [(status, *text.split(maxsplit=1)) for status, text in texts.items()]
    words = ", ".join(texts[status] for status in present)
    return {"parts": parts, "legend": legend, "label": f"By status: {words}", "width": _BAR_WIDTH}


def _trend(reports: t.Sequence[TrendEntry]) -> View | None:
    """Return the zones that need attention in the last reports, as columns; None for a first report."""
    if len(reports) == 1:
        return None
    reports = reports[-_MAX_REPORTS:]
    days = [entry["at"][:10] for entry in reports]
    numbers = [sum(entry["counts"]["statuses"][status] for status in NEEDS_ATTENTION) for entry in reports]
    tallest = max(1, *numbers)
    shapes = []
    for number, report in enumerate(reports):
        top = float(_TREND_HEIGHT)
        for status in NEEDS_ATTENTION:
            height = _TREND_HEIGHT * report["counts"]["statuses"][status] / tallest
            top -= height
            if height:
                shapes.append({"status": status, "x": number * _COLUMN, "y": round(top, 1), "height": round(height, 1)})
    span = f"{plural(len(reports), 'report')} from {days[0]} to {days[-1]}"
    return {
        "shapes": shapes,
        "column": _COLUMN - _GAP,
        "width": len(reports) * _COLUMN - _GAP,
        "height": _TREND_HEIGHT,
        "tallest": f"{tallest:,}",
        "first": days[0],
        "last": days[-1],
        "label": f"Zones that need attention in {span}: {numbers[0]:,} in the first, {numbers[-1]:,} in the last, at most {tallest:,}",
    }


# What needs attention, and the details of a zone.


def _unaudited(row: Row) -> Group:
    (item,) = items_of(address(row), [problem(UNAUDITED, None, short(error_text(row)), "audited", resource=row["scope"])], "")
    return Group(item, ((row, item),))


def _has_details(row: Row) -> bool:
    return bool(row["items"] or row["error"] or _jobs_of(row) or row["inventory"])


def _jobs_of(row: Row) -> list[tuple[t.Mapping[str, Json], Copied]]:
    """Return the jobs with what each delivered and lost, if that was read; a job without a row did neither."""
    if row["delivery"] is None:
        return []
    facts = {fact.get("job_id"): fact for fact in row["delivery"]}
    if not row["jobs"]:
        return [({"job": f"job {number}", "health": "unknown", "last_complete": None}, fact) for number, fact in facts.items()]
    nothing: Copied = {"records": 0, "dropped_records": 0, "uploads": 0}
    return [(job, facts.get(job.get("job_id"), nothing)) for job in row["jobs"]]


def _shown_hours(row: Row) -> str:
    """Return of how many hours the delivery facts of a zone are, where they are not of all that were asked for."""
    gaps = [gap for gap in row["not_audited"] or () if gap["part"] == "delivery" and gap["asked"]]
    return gaps[0]["reason"] if gaps else ""


def _tally(row: Row, new: t.Collection[str]) -> str:
    items = row["items"]
    kinds = [item["kind"] for item in counting(items)]
    words = [plural(kinds.count(kind), kind) for kind in KINDS if kind in kinds]
    others = {
        "waived": sum(item["waived"] for item in items),
        "new": sum(item["id"] in new for item in items),
        "as of the last audit": sum(item["carried"] for item in items),
    }
    return ", ".join([*words, *(f"{number:,} {name}" for name, number in others.items() if number)])


def _marks(item: Item, marked: t.Mapping[str, t.Collection[str]], reasons: t.Mapping[str, str]) -> list[str]:
    words = [word for word, ids in marked.items() if item["id"] in ids]
    words += ["as of the last audit"] if item["carried"] else []
    return words + ([f"waived: {short(reasons.get(item['id'], 'by a waiver'))}"] if item["waived"] else [])
