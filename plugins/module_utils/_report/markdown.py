# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._core import Json
from .._text import line, until
from .facts import LOOK, MAX_MARKDOWN_CHARACTERS, STATUSES, UNAUDITED, Action, guide_url
from .items import Row, subject_words
from .summary import Group, groups_by_action, verdict

# Markdown for a pull request or a job summary: bounded, what is wrong first, and it reports what it cut.


_MAX_CELL = 300
# What is markup anywhere; an underscore within a word is not, and a colon or a dot only where a bare link would begin.
_SPECIAL = re.compile(r"([\\`*{}\[\]#|~^$]|(?<!\w)_|_(?!\w)|:(?=//)|(?<=www)\.|^[-+=>]|(?<=^\d)[.)])", re.IGNORECASE)
# A space of no width keeps names of people and numbers of issues from becoming links.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;&#8203;", "#": "#&#8203;"}
_RESERVED = 300
_MAX_ZONES = 20


def render(report: t.Mapping[str, Json]) -> bytes:
    """The report as Markdown of at most `MAX_MARKDOWN_CHARACTERS` characters."""
    lines = _lines(report)
    kept: list[str] = []
    remaining = MAX_MARKDOWN_CHARACTERS - _RESERVED
    for text in lines:
        if len(text) + 1 > remaining:
            break
        remaining -= len(text) + 1
        kept.append(text)
    if len(kept) < len(lines):
        kept += ["", f"**{len(lines) - len(kept)} of {len(lines)} lines were cut**; all of it is in report.json and report.html."]
    return ("\n".join(kept) + "\n").encode()


def _lines(report: t.Mapping[str, Json]) -> list[str]:
    rows = [row for row in report["zones"] if not row["carried"]]
    new = frozenset(report["comparison"]["new"])
    names = ((status, [row for row in rows if row["status"] == status]) for status in STATUSES)
    return [
        f"# {escape(report['title'])}",
        "",
        f"**{escape(verdict(report['counts']))}** Outcome: {report['outcome']}, {escape(report['generated_at'])}",
        "",
        *_counts(report["counts"]),
        *_unaudited(rows),
        *(text for action, groups in groups_by_action(rows) for text in _section(action, groups, new)),
        *_waived(report),
        *(text for status, found in names for text in _zones(status.capitalize(), found)),
        *_zones("Not part of this run", [row for row in report["zones"] if row["carried"]]),
    ]


def _counts(counts: t.Mapping[str, int]) -> list[str]:
    return [f"| {' | '.join(counts)} |", f"|{' ---: |' * len(counts)}", f"| {' | '.join(map(str, counts.values()))} |"]


def _unaudited(rows: t.Sequence[Row]) -> list[str]:
    failed = [row for row in rows if row["status"] == UNAUDITED]
    if not failed:
        return []
    head = ["", "## Unaudited zones", "", "| zone | why |", "| --- | --- |"]
    return head + [f"| {escape(row['zone'])} | {_reason(row)} |" for row in failed]


def _reason(row: Row) -> str:
    error = row["error"] or {}
    return f"{escape(error.get('kind'))}: {escape(error.get('message'))}"


def _section(action: Action, groups: t.Sequence[Group], new: t.Collection[str]) -> list[str]:
    advice = [] if action is LOOK else ["", f"{escape(action.advice)} [Guide]({guide_url(action)})"]
    head = ["| severity | zone | what | is, should be | since | id |", "| --- | --- | --- | --- | --- | --- |"]
    return ["", f"## {action.title}", *advice, "", *head, *(_line(group, new) for group in groups)]


def _line(group: Group, new: t.Collection[str]) -> str:
    item, zones = group.item, ", ".join(escape(row["zone"]) for row in group.rows[:_MAX_ZONES])
    more = f" and {len(group.rows) - _MAX_ZONES} more" if len(group.rows) > _MAX_ZONES else ""
    what = ", ".join(filter(None, (item["type"], item["resource"], subject_words(item))))
    fresh = " (new)" if any(each["id"] in new for each in group.items) else ""
    return (
        f"| {escape(item['severity'])} | {zones}{more} | {escape(what)} | {escape(item['message'])} |"
        f" {escape(item['first_seen'])}{fresh} | {item['id']} |"
    )


def _waived(report: t.Mapping[str, Json]) -> list[str]:
    reasons = {name: until(waiver) for waiver in report["waivers"] for name in waiver["items"] if not waiver["expired"]}
    pairs = [(row, item) for row in report["zones"] for item in row["items"] if item["waived"] and not item["carried"]]
    if not pairs:
        return []
    head = ["", "## Waived", "", "| zone | what | is, should be | waived | id |", "| --- | --- | --- | --- | --- |"]
    return head + [
        f"| {escape(row['zone'])} | {escape(item['type'])}, {escape(item['resource'])}, {escape(subject_words(item))} |"
        f" {escape(item['message'])} | {escape(reasons.get(item['id'], 'waived'))} | {item['id']} |"
        for row, item in pairs
    ]


def _zones(title: str, rows: t.Sequence[Row]) -> list[str]:
    return ["", f"## {title}: {len(rows)}", "", *(f"- {escape(row['zone'])}" for row in rows)] if rows else []


def escape(text: object) -> str:
    """A text as Markdown that shows it and does nothing else: no markup, no link, no mention, no end of a cell."""
    plain = _SPECIAL.sub(r"\\\1", line(text, _MAX_CELL))
    return "".join(_ENTITIES.get(character, character) for character in plain)
