# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ...module_utils._core import CUSTOM_FIELDS, SCRIPT_MONITOR
from ...module_utils._text import canonical, line
from ...module_utils._zone.result import ZoneResult
from .document import Counts, Item, Report, Row
from .facts import (
    ACTIONS,
    AUDIT,
    COMPLIANT,
    FINDING,
    FINDINGS,
    KINDS,
    LOOK,
    NEEDS_ATTENTION,
    NOTE,
    SEVERITIES,
    STATUSES,
    UNAUDITED,
    ZONE,
    Action,
    type_of,
)
from .findings import differences
from .items import APPLIED, counting, items_of, plural, sentence, subject_words
from .model import zones_with

# A report in words: the verdict, what to do about which items, and the lines for the terminal.

# Minimum number of zones with an equal item to show it once.
_MIN_SHARED = 3
# Maximum number of items of one kind and zone in the terminal; a zone without a baseline may have thousands.
_MAX_PRINTED = 20
_MAX_LINE = 2000
# What the subject of an item is called.
_NOUNS: t.Mapping[str, str] = {
    **dict.fromkeys(("jobs", "health", "delivery", "coverage"), "job"),
    "scripts": "script",
    "fields": "fields of",
}


class Group(t.NamedTuple):
    """An item with the zones that have it, all of them with equal values."""

    item: Item
    rows: tuple[Row, ...]
    items: tuple[Item, ...]


def verdict(counts: Counts) -> str:
    """Return one sentence with the verdict and the numbers; where nothing else is to be done, it names the notes."""
    total, parts = counts["zones"], [(status, number) for status in STATUSES if (number := zones_with(counts, status))]
    concerned = sum(number for status, number in parts if status in NEEDS_ATTENTION)
    notes = counts["notes"]
    look = f"; {plural(notes, 'note')} {'is' if notes == 1 else 'are'} worth a look" if notes and not concerned else ""
    if counts[COMPLIANT] == total:
        return f"{'All ' if total > 1 else ''}{plural(total, 'zone')} {'is' if total == 1 else 'are'} compliant{look}."
    words = [status_count(status, number) for status, number in parts if not concerned or status in NEEDS_ATTENTION]
    need = f"{concerned:,} of {plural(total, 'zone')} {'needs' if concerned == 1 else 'need'} attention"
    return f"{need if concerned else 'No zone needs attention'}: {', '.join(words)}{look}."


def status_count(status: str, number: int) -> str:
    """Return a number of zones with their status, such as `1 drifted` or `1 with findings`."""
    return f"{number:,} {'with ' if status == FINDINGS else ''}{status}"


def item_counts(counts: Counts) -> str:
    words = [plural(counts[f"{kind}s"], kind) for kind in KINDS]
    return f"{', '.join(words)}, {counts['waived']:,} waived"


def not_audited(rows: t.Iterable[Row]) -> str:
    """Return the parts of zones that were not audited, because they are not declared or not requested; "" if there is none."""
    known = [
        {*row["resources"], *(item["resource"] for item in row["items"] if item["type"] == "not_readable")}
        for row in rows
        if row["scope"] == ZONE and not row["carried"] and {*row["resources"]} - {"fields"}
    ]
    reasons = {CUSTOM_FIELDS: "not declared", SCRIPT_MONITOR: "not declared", "scripts": "edgeops_audit_scripts is false"}
    words = [
        f"{name.replace('_', ' ')} of {plural(number, 'zone')} ({reason})"
        for name, reason in reasons.items()
        if (number := sum(name not in each for each in known))
    ]
    return f"Not audited: {', '.join(words)}." if words else ""


def groups_by_action(rows: t.Iterable[Row]) -> list[tuple[Action, list[Group]]]:
    """Return what counts in this run, by what to do about it: the most severe first, then what concerns most zones."""
    collected: dict[str, list[tuple[Row, Item]]] = {}
    for row in rows:
        for item in [] if row["carried"] else counting(row["items"]):
            shown = canonical({**item, "id": "", "severity": "", "first_seen": ""})
            collected.setdefault(shown, []).append((row, item))
    by_action: dict[Action, list[Group]] = collections.defaultdict(list)
    for pairs in collected.values():
        for part in [pairs] if len(pairs) >= _MIN_SHARED else [[pair] for pair in pairs]:
            zones, items = zip(*part, strict=True)
            action = LOOK if items[0]["kind"] == NOTE else type_of(items[0]["type"]).action
            by_action[action].append(Group(items[0], zones, items))
    ordered = [(action, sorted(by_action[action], key=_place)) for action in ACTIONS if by_action[action]]
    return sorted(ordered, key=lambda pair: (pair[0] is LOOK, _rank(pair[1][0].item)))


def _rank(item: Item) -> int:
    """Return the place of an item's severity, 0 for the highest; one of a later version counts as the highest."""
    return SEVERITIES.index(item["severity"]) if item["severity"] in SEVERITIES else 0


def _place(group: Group) -> tuple[int, int, str, str, str]:
    return _rank(group.item), -len(group.rows), group.item["type"], group.rows[0]["zone"], group.item["id"]


def printed(report: Report) -> list[str]:
    """Return the lines of a report for the terminal: each item that counts, the numbers, and what to do next."""
    rows = [row for row in report["zones"] if not row["carried"]]
    new = frozenset(report["comparison"]["new"])
    counts = report["counts"]
    by_status = ", ".join(status_count(status, zones_with(counts, status)) for status in STATUSES)
    actions = [AUDIT] if counts[UNAUDITED] else []
    actions += [action for action, _groups in groups_by_action(rows) if action is not LOOK]
    return [
        *(text for row in rows for text in _of_row(row, new)),
        verdict(counts),
        f"{plural(len(rows), 'zone')}: {by_status}",
        item_counts(counts),
        *filter(None, [not_audited(rows)]),
        *(f"Next: {action.title}. {action.advice} {action.url}" for action in actions),
    ]


def difference_lines(result: ZoneResult, *, applied: bool = False) -> list[str]:
    """Return a line for each member that the result of a zone would change, or that it has changed, without the name of the zone."""
    found = items_of(None, differences(result, result.get("listed_jobs") or ()), "")
    if applied:
        # Keep what follows the sentence, such as why a job was disabled.
        found = [{**item, "message": sentence(item, APPLIED) + item["message"].removeprefix(sentence(item))} for item in found]
    return [line(f"{about(item)}: {item['message']}", _MAX_LINE) for item in found]


def _of_row(row: Row, new: t.Collection[str]) -> t.Iterator[str]:
    zone = line(row["zone"], 300)
    if row["status"] == UNAUDITED:
        yield line(f"{zone} {UNAUDITED}: {error_text(row)}", _MAX_LINE)
    for kind in KINDS:
        items = [item for item in counting(row["items"]) if item["kind"] == kind]
        # Of each type at least one.
        first = {item["type"]: item["id"] for item in reversed(items)}
        by_need = sorted(items, key=lambda item: item["id"] != first[item["type"]])
        printed_ids = {item["id"] for item in by_need[:_MAX_PRINTED]}
        for item in items:
            if item["id"] in printed_ids:
                yield line(f"{zone} {in_words(item)}{' (new)' if item['id'] in new else ''}", _MAX_LINE)
        left = collections.Counter(item["type"] for item in items if item["id"] not in printed_ids)
        if left:
            types = ", ".join(f"{number} {name}" for name, number in left.items())
            yield f"{zone} {kind}: {plural(sum(left.values()), f'more {kind}')} in the report ({types})"


def error_text(row: Row) -> str:
    """Return why a zone could not be audited, its kind first."""
    error = row["error"] or {}
    return f"{error.get('kind')}: {error.get('message')}"


def in_words(item: Item) -> str:
    """Return an item on one line: `finding job_failing (high): job edge-logs: its deliveries fail: …`."""
    head = f"{item['kind']} {item['type']} ({item['severity']})" if item["kind"] == FINDING else item["kind"]
    head += f" {item['type']}" if item["kind"] == NOTE else ""
    return f"{head}: {about(item)}: {item['message']}"


def about(item: Item) -> str:
    """Return what an item is about, such as `job edge-logs`; the resource where it has no subject."""
    words, resource = subject_words(item), item["resource"].replace("_", " ")
    if not words or words.startswith(("waiver for", "entry ")):
        return words or resource
    return f"{_NOUNS.get(item['resource'], resource)} {words}"


def waiver_reasons(report: Report) -> dict[str, str]:
    """Return why items are waived, by their ids."""
    return {
        name: f"{waiver['reason']} ({waiver['owner']}, until {waiver['until']})"
        for waiver in report["waivers"]
        for name in waiver["items"]
        if not waiver["expired"]
    }
