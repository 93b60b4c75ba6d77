# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
import xml.etree.ElementTree as ET

from .._core import Json
from .._text import line, until
from .facts import NOTE, RESOURCES, UNAUDITED, UNMANAGED
from .items import Item, Row, counting
from .lines import in_words

# JUnit XML: a suite for each zone and a case for each resource, so that a case keeps its name from run to run.


_MAX_MESSAGE = 2000
_OUTCOMES = ("failure", "error", "skipped")


def render(report: t.Mapping[str, Json]) -> bytes:
    """The report as JUnit XML."""
    reasons = {item: until(waiver) for waiver in report["waivers"] for item in waiver["items"]}
    root = ET.Element("testsuites", name=line(report["title"]))
    for row in report["zones"]:
        _add_suite(root, row, reasons)
    suites = list(root)
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add_suite(root: ET.Element, row: Row, reasons: t.Mapping[str, str]) -> None:
    suite = ET.SubElement(root, "testsuite", name=line(row["zone"]), tests=str(len(RESOURCES)))
    found = dict.fromkeys(_OUTCOMES, 0)
    for resource in RESOURCES:
        case = ET.SubElement(suite, "testcase", classname=line(row["zone"]), name=resource)
        outcome, message, lines = _verdict(row, resource, reasons)
        if outcome:
            found[outcome] += 1
            ET.SubElement(case, outcome, message=line(message, _MAX_MESSAGE)).text = "\n".join(lines)
        notes = [_text(item) for item in counting(_of(row, resource)) if item["kind"] == NOTE]
        if notes:
            ET.SubElement(case, "system-out").text = "\n".join(notes)
    suite.set("failures", str(found["failure"]))
    suite.set("errors", str(found["error"]))
    suite.set("skipped", str(found["skipped"]))
    if row["audited_at"]:
        suite.set("timestamp", line(row["audited_at"]).rstrip("Z"))


def _verdict(row: Row, resource: str, reasons: t.Mapping[str, str]) -> tuple[str | None, str, list[str]]:
    """What a case ends as, with its message and further lines."""
    if row["carried"]:
        return "skipped", f"not part of this run; last audited at {row['audited_at']}", []
    if row["status"] == UNAUDITED:
        error = row["error"] or {}
        return "error", f"unaudited: {error.get('kind')}: {error.get('message')}", []
    items = [item for item in _of(row, resource) if item["kind"] != NOTE and not item["carried"]]
    wrong = counting(items)
    if wrong:
        return "failure", _summary(wrong), [_text(item) for item in wrong]
    if items:
        waived = [f"{_text(item)} [{line(reasons.get(item['id'], 'waived'))}]" for item in items]
        return "skipped", f"waived: {'; '.join(waived)}", waived
    if resource not in row["resources"]:
        return "skipped", "unmanaged" if row["status"] == UNMANAGED else "not managed or not audited", []
    return None, "", []


def _of(row: Row, resource: str) -> list[Item]:
    return [item for item in row["items"] if item["resource"] == resource]


def _summary(items: t.Sequence[Item]) -> str:
    first = items[0]
    more = f" (and {len(items) - 1} more)" if len(items) > 1 else ""
    return f"{_text(first)}{more}"


def _text(item: Item) -> str:
    return line(f"{in_words(item)} [{item['id']}]", _MAX_MESSAGE)
