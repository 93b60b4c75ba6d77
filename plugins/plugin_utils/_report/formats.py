# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import itertools
import json
import re
import typing as t
import xml.etree.ElementTree as ET

from ...module_utils._logpush.health import STATES
from ...module_utils._text import is_integer, line, parse_time
from .._words import distinct
from .alerts import rows_of_alerts
from .destinations import delivering_text, table_of
from .document import Counts, Item, Report, Row
from .facts import DIFFERENCE, FINDINGS, KINDS, LOOK, NOTE, PARTS_AUDITED, RESOURCES, STATUSES, TYPES, UNAUDITED, UNMANAGED
from .items import counting, subject_words
from .lines import error_text, groups_by_action, in_words, other_date, shown_name, verdict, waiver_reasons
from .not_audited import not_audited_text

# The report as JSON, JUnit XML, Markdown and metrics; the page has files of its own.


def render_json(report: Report) -> bytes:
    """Return the report as ASCII JSON, the same bytes for equal reports."""
    return (json.dumps(report, sort_keys=True, indent=1) + "\n").encode("ascii")


# JUnit XML: a suite for each zone and a case for each resource, so that a case keeps its name from run to run.

_MAX_MESSAGE = 2000


def render_junit(report: Report) -> bytes:
    """Return the report as JUnit XML."""
    reasons = waiver_reasons(report)
    root = ET.Element("testsuites", name=line(report["title"]))
    for row in report["zones"]:
        _add_suite(root, row, reasons)
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add_suite(root: ET.Element, row: Row, reasons: t.Mapping[str, str]) -> None:
    suite = ET.SubElement(root, "testsuite", name=line(row["zone"]), tests=str(len(RESOURCES)))
    ended: collections.Counter[str | None] = collections.Counter()
    for resource in RESOURCES:
        case = ET.SubElement(suite, "testcase", classname=line(row["zone"]), name=resource)
        outcome, message, lines = _case_outcome(row, resource, reasons)
        ended[outcome] += 1
        if outcome:
            ET.SubElement(case, outcome, message=line(message, _MAX_MESSAGE)).text = "\n".join(lines)
        notes = [_case_line(item) for item in counting(_of(row, resource)) if item["kind"] == NOTE]
        gaps = "" if row["carried"] else line(not_audited_text([row], resource), _MAX_MESSAGE)
        if notes or gaps:
            ET.SubElement(case, "system-out").text = "\n".join(filter(None, (*notes, gaps)))
    for name, outcome in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(ended[outcome]))
    if row["audited_at"]:
        suite.set("timestamp", line(row["audited_at"]).rstrip("Z"))


def _case_outcome(row: Row, resource: str, reasons: t.Mapping[str, str]) -> tuple[str | None, str, list[str]]:
    """Return how a case ends, with its message and further lines."""
    if row["carried"]:
        return "skipped", f"not part of this run; last audited at {row['audited_at']}", []
    if row["status"] == UNAUDITED and resource not in row["resources"]:
        return "error", f"unaudited: {error_text(row)}", []
    items = [item for item in _of(row, resource) if item["kind"] != NOTE and not item["carried"]]
    wrong = counting(items)
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        return "failure", f"{_case_line(wrong[0])}{more}", [_case_line(item) for item in wrong]
    if items:
        waived = [f"{_case_line(item)} [{line(reasons.get(item['id'], 'waived'))}]" for item in items]
        return "skipped", f"waived: {'; '.join(waived)}", waived
    if resource not in row["resources"]:
        return "skipped", "unmanaged" if row["status"] == UNMANAGED else "not managed or not audited", []
    return None, "", []


def _of(row: Row, resource: str) -> list[Item]:
    return [item for item in row["items"] if item["resource"] == resource]


def _case_line(item: Item) -> str:
    return line(f"{in_words(item)} [{item['id']}]", _MAX_MESSAGE)


# Markdown for a pull request or a job summary: bounded, what is wrong first, and it reports what it cut.

_MAX_CHARACTERS = 60_000
_MAX_CELL = 300
_MAX_SENTENCE = 4000
_MAX_ZONES = 20
# What is markup anywhere; an underscore within a word is not, and a colon or a dot only where a bare link would begin.
_SPECIAL = re.compile(r"([\\`*{}\[\]#|~^$]|(?<!\w)_|_(?!\w)|:(?=//)|(?<=www)\.|^[-+=>]|(?<=^\d)[.)])", re.IGNORECASE)
# A space of no width keeps names of people and numbers of issues from becoming links.
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;&#8203;", "#": "#&#8203;"})


def render_markdown(report: Report, is_survey: bool = False) -> bytes:
    """Return the report, or that of a survey, as Markdown of at most 60,000 characters."""
    lines = _markdown_lines(report, is_survey)
    kept: list[str] = []
    # Leave space for the line that says what was cut.
    remaining = _MAX_CHARACTERS - 300
    for text in lines:
        if len(text) + 1 > remaining:
            break
        remaining -= len(text) + 1
        kept.append(text)
    if len(kept) < len(lines):
        kept += ["", f"**{len(lines) - len(kept)} of {len(lines)} lines were cut**; all of it is in report.json and report.html."]
    return ("\n".join(kept) + "\n").encode()


def _markdown_lines(report: Report, is_survey: bool) -> list[str]:
    rows = [row for row in report["zones"] if not row["carried"]]
    reasons, numbers = waiver_reasons(report), _numbers(report["counts"])
    sentence = verdict(report, delivering_text(rows) if is_survey else "")
    failed = [(escape(row["zone"]), escape(error_text(row))) for row in rows if row["status"] == UNAUDITED]
    waived = [
        (escape(row["zone"]), _what(item), escape(item["message"]), escape(reasons.get(item["id"], "waived")), item["id"])
        for row in report["zones"]
        for item in row["items"]
        if item["waived"] and not item["carried"]
    ]
    told = [
        (
            escape(f"{alert.alert} ({alert.account})"),
            escape(alert.covered),
            escape("; ".join(whom) or "nobody"),
            escape("; ".join(when)),
        )
        for alert in rows_of_alerts(report["alerts"], report["zones"])
        for whom, when in [([who for who, _time in alert.told], [time for _who, time in alert.told])]
    ]
    zones = {status.capitalize(): [row for row in rows if row["status"] == status] for status in STATUSES}
    unseen = not_audited_text(rows)
    zones["Not part of this run"] = [row for row in report["zones"] if row["carried"]]
    return [
        f"# {escape(report['title'])}",
        "",
        f"**{escape(sentence)}** Outcome: {report['outcome']}, {escape(report['generated_at'])}",
        "",
        _cells(*numbers),
        f"|{' ---: |' * len(numbers)}",
        _cells(*map(str, numbers.values())),
        *(["", escape(unseen, _MAX_SENTENCE)] if unseen else []),
        *_table("Unaudited zones", "", ("zone", "why"), failed),
        *_action_tables(rows, frozenset(report["comparison"]["new"])),
        *(_destinations(rows) if is_survey else ()),
        *_table("Who is told", "", ("alert", "zones covered", "by whom", "last delivery"), told),
        *_table("Waived", "", ("zone", "what", "is, should be", "waived", "id"), waived),
        *(text for name, of_name in zones.items() if of_name for text in _zone_list(name, of_name, report["generated_at"])),
    ]


def _destinations(rows: t.Sequence[Row]) -> t.Iterator[str]:
    """Yield the jobs of a survey by destination, and who has none."""
    table = table_of(rows)
    columns = ("zone", "job", "dataset", "destination", "filter", "transformer", "personal fields", "last delivery", "health")
    yield from _table(
        "Jobs by destination", "", columns, [tuple(map(escape, line)) for place in table.places for line in place.lines]
    )
    for title, some in (("Without a job", table.without), ("Jobs could not be read", table.unread)):
        yield from ["", f"**{title}:** {', '.join(escape(shown_name(row)) for row in some)}"] if some else ()


def _numbers(counts: Counts) -> dict[str, int]:
    """Return the numbers by the titles of their columns: hosts, hosts by status, items by kind."""
    return {
        "zones": counts["zones"],
        **({"accounts": counts["accounts"]} if counts["accounts"] else {}),
        **{f"with {name}" if name == FINDINGS else name: number for name, number in counts["statuses"].items()},
        "differences": counts["differences"],
        "findings": counts["findings"],
        "notes": counts["notes"],
        "waived": counts["waived"],
    }


def _action_tables(rows: t.Sequence[Row], new: t.Collection[str]) -> t.Iterator[str]:
    for action, groups in groups_by_action(rows):
        cells = []
        for group in groups:
            item, its_rows = group.item, group.rows
            zones = ", ".join(escape(row["zone"]) for row in its_rows[:_MAX_ZONES])
            zones += f" and {len(its_rows) - _MAX_ZONES} more" if len(its_rows) > _MAX_ZONES else ""
            since = escape(item["first_seen"]) + (" (new)" if any(other["id"] in new for other in group.items) else "")
            cells.append((escape(item["severity"]), zones, _what(item), escape(item["message"]), since, item["id"]))
        advice = "" if action is LOOK else f"{escape(action.advice)} [Guide]({action.url})"
        yield from _table(action.title, advice, ("severity", "zone", "what", "is, should be", "since", "id"), cells)


def _zone_list(title: str, rows: t.Sequence[Row], at: str) -> list[str]:
    names = (f"- {escape(shown_name(row))}{f', {date}' if (date := other_date(row, at)) else ''}" for row in rows)
    return ["", f"## {title}: {len(rows)}", "", *names]


def _table(title: str, text: str, columns: t.Sequence[str], rows: t.Sequence[t.Sequence[str]]) -> list[str]:
    """Return a heading with a table; nothing without a row."""
    if not rows:
        return []
    head = [*([text, ""] if text else []), _cells(*columns), _cells(*["---"] * len(columns))]
    return ["", f"## {title}", "", *head, *(_cells(*row) for row in rows)]


def _cells(*texts: str) -> str:
    return f"| {' | '.join(texts)} |"


def _what(item: Item) -> str:
    return escape(", ".join(filter(None, (item["type"], item["resource"], subject_words(item)))))


def escape(text: object, most: int = _MAX_CELL) -> str:
    """Return a text as Markdown that shows it and does nothing else: no markup, no link, no mention, no end of a cell."""
    return _SPECIAL.sub(r"\\\1", line(text, most)).translate(_ENTITIES)


# OpenMetrics text for a file that a node exporter collects: every series in every run, also at 0.

_METRICS: t.Mapping[str, str] = {
    "edgeops_zone_status": "1 for the status that the zone has.",
    "edgeops_zone_items": "Differences, findings and notes that are not waived.",
    "edgeops_zone_findings": "Findings and notes that are not waived, by type.",
    "edgeops_job_state": "1 for the state that the Logpush job has.",
    "edgeops_job_last_success_timestamp_seconds": "When a Logpush job last delivered; 0 if never.",
    "edgeops_job_window_records": "Records that a Logpush job delivered in the window.",
    "edgeops_job_window_dropped_records": "Records that a Logpush job lost for good in the window.",
    "edgeops_not_audited_zones": "Zones and accounts of which this part was not audited.",
    "edgeops_audit_timestamp_seconds": "When the report was made.",
    "edgeops_zone_audit_timestamp_seconds": "When the zone was last audited; 0 if never.",
}


def render_metrics(report: Report) -> bytes:
    """Return the report as metrics."""
    samples: dict[str, list[str]] = {name: [] for name in _METRICS}

    def add(name: str, value: int | str, **labels: str) -> None:
        pairs = [(label, text.replace("\\", "\\\\").replace('"', '\\"')) for label, text in labels.items()]
        within = ",".join(f'{label}="{text}"' for label, text in pairs)
        samples[name].append(f"{name}{{{within}}} {value}" if pairs else f"{name} {value}")

    # Two series must differ in what is shown of their names.
    for zone, row in zip(distinct(line(row["zone"]) for row in report["zones"]), report["zones"], strict=True):
        add("edgeops_zone_audit_timestamp_seconds", _unix_seconds(row["audited_at"]), zone=zone)
        for status in STATUSES:
            add("edgeops_zone_status", int(row["status"] == status), zone=zone, status=status)
        # Of a zone outside this run, what its last audit found, because 0 would mean that it is resolved.
        items = [item for item in row["items"] if not item["waived"]] if row["carried"] else counting(row["items"])
        counts = collections.Counter((item["resource"], item["kind"]) for item in items)
        for resource, kind in itertools.product(RESOURCES, KINDS):
            add("edgeops_zone_items", counts[resource, kind], zone=zone, resource=resource, kind=kind)
        types = collections.Counter(item["type"] for item in items if item["kind"] != DIFFERENCE)
        for name in TYPES:
            add("edgeops_zone_findings", types[name], zone=zone, type=name)
        jobs = row["jobs"] or []
        delivered = {fact.get("job_id"): fact for fact in row["delivery"] or ()}
        for label, job in zip(distinct(line(job["job"]) for job in jobs), jobs, strict=True):
            for state in STATES:
                add("edgeops_job_state", int(job["health"] == state), zone=zone, job=label, state=state)
            last = _unix_seconds(job["last_complete"])
            add("edgeops_job_last_success_timestamp_seconds", last, zone=zone, job=label)
            for name in ("records", "dropped_records") if row["delivery"] is not None else ():
                number = delivered.get(job.get("job_id"), {name: 0}).get(name)
                # What the plan does not show is not 0.
                add(f"edgeops_job_window_{name}", number if is_integer(number) else "NaN", zone=zone, job=label)
    for part in PARTS_AUDITED:
        hosts = [
            row for row in report["zones"] if not row["carried"] and any(gap["part"] == part for gap in row["not_audited"] or ())
        ]
        add("edgeops_not_audited_zones", len(hosts), part=part)
    add("edgeops_audit_timestamp_seconds", _unix_seconds(report["generated_at"]))
    families = ([f"# TYPE {name} gauge", f"# HELP {name} {explained}", *samples[name]] for name, explained in _METRICS.items())
    return ("\n".join(itertools.chain(*families)) + "\n# EOF\n").encode()


def _unix_seconds(text: object) -> int:
    """Return the Unix time of a text; 0 if it is not a time, or one before 1970."""
    time = parse_time(text)
    return 0 if time is None else max(0, int(time.timestamp()))
