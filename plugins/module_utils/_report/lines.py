# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from .._core import CUSTOM_FIELDS, SCRIPT_MONITOR
from .._text import canonical, line
from .._zone.result import ZoneResult
from .document import Counts, Item, Report, Row
from .facts import (
    ACTIONS,
    AUDIT,
    COMPLIANT,
    FINDING,
    FINDINGS,
    KINDS,
    LOOK,
    MAX_PRINTED,
    NEEDS_ATTENTION,
    NOTE,
    SEVERITIES,
    STATUSES,
    UNAUDITED,
    ZONE,
    Action,
    guide_url,
    type_of,
)
from .findings import differences
from .items import APPLIED, counting, items_of, plural, sentence, subject_words
from .model import zones_with

# A report in words: the verdict, what to do about which items, and the lines for the terminal.

# Minimum number of zones with an equal item to show it once.
MIN_SHARED = 3
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
    """Return the numbers of items by kind."""
    words = [plural(counts[f"{kind}s"], kind) for kind in KINDS]
    return f"{', '.join(words)}, {counts['waived']:,} waived"


def not_audited(rows: t.Iterable[Row]) -> str:
    """Return the parts of zones that were not audited, because they are not declared or not requested; "" if there is none."""
    looked_at = [row for row in rows if row["scope"] == ZONE and not row["carried"] and {*row["resources"]} - {"fields"}]
    zones = [
        {*row["resources"], *(item["resource"] for item in row["items"] if item["type"] == "not_readable")} for row in looked_at
    ]
    lacking = {name: sum(name not in known for known in zones) for name in (CUSTOM_FIELDS, SCRIPT_MONITOR, "scripts")}
    reasons = {CUSTOM_FIELDS: "not declared", SCRIPT_MONITOR: "not declared", "scripts": "edgeops_audit_scripts is false"}
    words = [
        f"{name.replace('_', ' ')} of {plural(number, 'zone')} ({reasons[name]})" for name, number in lacking.items() if number
    ]
    return f"Not audited: {', '.join(words)}." if words else ""


def groups_by_action(rows: t.Iterable[Row]) -> list[tuple[Action, list[Group]]]:
    """Return what counts in this run, by what to do about it: the most severe first, then what concerns most zones."""
    collected: dict[str, list[tuple[Row, Item]]] = {}
    for row in rows:
        for item in [] if row["carried"] else counting(row["items"]):
            shown = {
                name: value for name, value in item.items() if name not in ("id", "severity", "first_seen", "waived", "carried")
            }
            collected.setdefault(canonical(shown), []).append((row, item))
    by_action: dict[Action, list[Group]] = collections.defaultdict(list)
    for pairs in collected.values():
        for part in [pairs] if len(pairs) >= MIN_SHARED else [[pair] for pair in pairs]:
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
    lines = [text for row in rows for text in _of_row(row, new)]
    by_status = ", ".join(status_count(status, zones_with(counts, status)) for status in STATUSES)
    unseen = not_audited(rows)
    return [
        *lines,
        verdict(counts),
        f"{plural(len(rows), 'zone')}: {by_status}",
        item_counts(counts),
        *([unseen] if unseen else []),
        *_next(rows),
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
    items = counting(row["items"])
    for kind in KINDS:
        shown, left = _shown(items, kind)
        for item in shown:
            yield line(f"{zone} {in_words(item)}{' (new)' if item['id'] in new else ''}", _MAX_LINE)
        if left:
            types = ", ".join(f"{number} {name}" for name, number in left.items())
            yield f"{zone} {kind}: {plural(sum(left.values()), f'more {kind}')} in the report ({types})"


def _shown(items: t.Sequence[Item], kind: str) -> tuple[list[Item], collections.Counter[str]]:
    """Return the items of a kind that are printed, of each type at least one, and how many of each type are left."""
    of_kind = [item for item in items if item["kind"] == kind]
    first = {item["type"]: item["id"] for item in reversed(of_kind)}
    by_need = sorted(of_kind, key=lambda item: item["id"] != first[item["type"]])
    chosen = {item["id"] for item in by_need[:MAX_PRINTED]}
    left = collections.Counter(item["type"] for item in of_kind if item["id"] not in chosen)
    return [item for item in of_kind if item["id"] in chosen], left


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


def _next(rows: t.Sequence[Row]) -> t.Iterator[str]:
    actions = [AUDIT] if any(row["status"] == UNAUDITED for row in rows) else []
    for action in (*actions, *(action for action, _groups in groups_by_action(rows) if action is not LOOK)):
        yield f"Next: {action.title}. {action.advice} {guide_url(action)}"
