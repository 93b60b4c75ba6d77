# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from .._core import Json
from .facts import (
    ACTIONS,
    COMPLIANT,
    DIFFERENCE,
    FINDINGS,
    KINDS,
    LOOK,
    NEEDS_ATTENTION,
    NOTE,
    RESTORE,
    SEVERITIES,
    STATUSES,
    Action,
    type_of,
)
from .items import Item, Row, compact, counting
from .sentences import plural
from .zones import zones_with

# What a report says in words: the verdict, what to do about which items, and the lines for the terminal.

# The same thing in so many zones is shown once.
MIN_SHARED = 3
_MEMBERS = ("kind", "type", "resource", "subject", "member", "is", "should_be", "message")


class Group(t.NamedTuple):
    """An item with the zones that have it, all of them with equal values."""

    item: Item
    rows: tuple[Row, ...]
    items: tuple[Item, ...]


def verdict(counts: t.Mapping[str, int]) -> str:
    """One sentence with the verdict and the numbers."""
    total, parts = counts["zones"], [(status, number) for status in STATUSES if (number := zones_with(counts, status))]
    concerned = sum(number for status, number in parts if status in NEEDS_ATTENTION)
    if counts[COMPLIANT] == total:
        return f"{'All ' if total > 1 else ''}{plural(total, 'zone')} {'is' if total == 1 else 'are'} compliant."
    words = [f"{number:,} {_status_words(status)}" for status, number in parts if not concerned or status in NEEDS_ATTENTION]
    need = f"{concerned:,} of {plural(total, 'zone')} {'needs' if concerned == 1 else 'need'} attention"
    return f"{need if concerned else 'No zone needs attention'}: {', '.join(words)}."


def _status_words(status: str) -> str:
    return "with findings" if status == FINDINGS else status


def item_counts(counts: t.Mapping[str, int]) -> str:
    """The numbers of items."""
    words = [plural(counts[f"{kind}s"], kind) for kind in KINDS]
    return f"{', '.join(words)}, {counts['waived']:,} waived"


def action_of(item: Item) -> Action:
    """What to do about an item."""
    return LOOK if item["kind"] == NOTE else RESTORE if item["kind"] == DIFFERENCE else type_of(item["type"]).action


def groups_by_action(rows: t.Iterable[Row]) -> list[tuple[Action, list[Group]]]:
    """What counts in this run, by what to do about it; the most severe first, then what concerns most zones."""
    collected: dict[str, list[tuple[Row, Item]]] = {}
    for row in rows:
        for item in [] if row["carried"] else counting(row["items"]):
            collected.setdefault(compact([item[name] for name in _MEMBERS]), []).append((row, item))
    by_action: dict[Action, list[Group]] = collections.defaultdict(list)
    for pairs in collected.values():
        for part in [pairs] if len(pairs) >= MIN_SHARED else [[pair] for pair in pairs]:
            zones, items = zip(*part, strict=True)
            by_action[action_of(items[0])].append(Group(items[0], zones, items))
    ordered = [(action, sorted(by_action[action], key=_place)) for action in ACTIONS if by_action[action]]
    return sorted(ordered, key=lambda pair: (pair[0] is LOOK, severity_rank(pair[1][0].item)))


def severity_rank(item: Item) -> int:
    """The place of an item's severity, 0 for the highest; one of a later version is taken for the highest."""
    return SEVERITIES.index(item["severity"]) if item["severity"] in SEVERITIES else 0


def _place(group: Group) -> tuple[Json, ...]:
    return severity_rank(group.item), -len(group.rows), group.item["type"], group.rows[0]["zone"], group.item["id"]
