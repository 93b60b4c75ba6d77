# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._core import Json
from .._text import line
from .facts import COMPLIANT, DRIFTED, MAX_MARKDOWN_CHARACTERS, NOTE, UNAUDITED, UNMANAGED
from .findings import Item, counting, subject_words
from .zones import Row

# Markdown for a pull request or a job summary: bounded, what is wrong first, and it reports what it cut.


_MAX_CELL = 300
# What is markup anywhere; an underscore within a word is not, and a colon or a dot only where a bare link would begin.
_SPECIAL = re.compile(r"([\\`*{}\[\]#|~^$]|(?<!\w)_|_(?!\w)|:(?=//)|(?<=www)\.|^[-+=>]|(?<=^\d)[.)])", re.IGNORECASE)
# A space of no width keeps names of people and numbers of issues from becoming links.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;&#8203;", "#": "#&#8203;"}
_RESERVED = 300


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
    pairs = [(row, item) for row in rows for item in counting(row["items"])]
    fresh = set(report["comparison"]["new"])
    wrong = [(row, item) for row, item in pairs if item["kind"] != NOTE]
    return [
        f"# {escape(report['title'])}",
        "",
        f"Outcome: **{report['outcome']}**, {escape(report['generated_at'])}",
        "",
        *_counts(report["counts"]),
        *_unaudited(rows),
        *_table("New since the previous report", [pair for pair in wrong if pair[1]["id"] in fresh]),
        *_table("Differences and findings", [pair for pair in wrong if pair[1]["id"] not in fresh]),
        *_table("Notes", [pair for pair in pairs if pair[1]["kind"] == NOTE]),
        *_zones("Drifted", [row for row in rows if row["status"] == DRIFTED]),
        *_zones("Unmanaged", [row for row in rows if row["status"] == UNMANAGED]),
        *_zones("Compliant", [row for row in rows if row["status"] == COMPLIANT]),
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


def _table(title: str, pairs: t.Sequence[tuple[Row, Item]]) -> list[str]:
    if not pairs:
        return []
    head = [
        "",
        f"## {title}",
        "",
        "| zone | severity | resource | subject | what | id |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    return head + [
        f"| {escape(row['zone'])} | {escape(item['severity'])} {escape(item['kind'])} | {escape(item['resource'])} |"
        f" {escape(subject_words(item))} | {escape(item['message'])} | {item['id']} |"
        for row, item in pairs
    ]


def _zones(title: str, rows: t.Sequence[Row]) -> list[str]:
    return ["", f"## {title}: {len(rows)}", "", *(f"- {escape(row['zone'])}" for row in rows)] if rows else []


def escape(text: object) -> str:
    """A text as Markdown that shows it and does nothing else: no markup, no link, no mention, no end of a cell."""
    plain = _SPECIAL.sub(r"\\\1", line(text, _MAX_CELL))
    return "".join(_ENTITIES.get(character, character) for character in plain)
