# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import BAD_RESPONSE, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

_COUNTS = ("page", "per_page", "count", "total_count", "total_pages")


class Page(t.NamedTuple):
    """One page, with how many pages and items there are in all, as far as the service reports."""

    items: list[Json]
    pages: int | None = None
    total: int | None = None
    cursor: str | None = None
    total_pages: int | None = None
    per_page: int | None = None

    @property
    def may_have_more(self) -> bool:
        """Whether a page that reports no number of pages may be followed by another: it is full, or not the total."""
        size = len(self.items)
        return size != self.total if self.total is not None else bool(self.items) and size == self.per_page


def page_of(items: list[Json], info: dict[str, Json] | None, number: int | None) -> Page:
    """The page of this number (None: it has none), its `result_info` checked against itself and against the items."""
    if info is None:
        return Page(items)
    counts = {name: _count(name, info[name]) for name in _COUNTS if info.get(name) is not None}
    if number is not None and counts.get("page", number) != number:
        raise _bad(f"page {number} was requested, and `page` is {counts['page']}")
    if counts.get("count", len(items)) != len(items):
        raise _bad(f"`count` is {counts['count']}, and the page holds {len(items)} items")
    if 0 < counts.get("per_page", 0) < len(items):
        raise _bad(f"`per_page` is {counts['per_page']}, and the page holds {len(items)} items")
    if counts.get("total_count", len(items)) < len(items):
        raise _bad(f"`total_count` is {counts['total_count']}, and one page holds {len(items)} items")
    if items and counts.get("total_pages", 1 if number is None else number) < (number or 1):
        raise _bad(f"`total_pages` is {counts['total_pages']}, and page {number or 1} holds {len(items)} items")
    total, total_pages, per_page = (counts.get(name) for name in ("total_count", "total_pages", "per_page"))
    return Page(items, _pages(counts), total, _cursor_of(info), total_pages, per_page)


def _cursor_of(info: dict[str, Json]) -> str | None:
    """Where a listing by cursor goes on, or None at its end."""
    cursors = info.get("cursors")
    if cursors is not None and not isinstance(cursors, dict):
        raise _bad("`cursors` is not an object")
    after, cursor = (cursors or {}).get("after"), info.get("cursor")
    if not all(isinstance(place, (str, type(None))) for place in (after, cursor)):
        raise _bad("a cursor is not text")
    return after or cursor or None


def _pages(counts: dict[str, int]) -> int | None:
    told = counts.get("total_pages")
    if "total_count" not in counts or not counts.get("per_page"):
        return told
    needed = -(-counts["total_count"] // counts["per_page"])
    # An empty list may be said to have one page, which is empty.
    if told is not None and max(told, 1) != max(needed, 1):
        raise _bad(
            f"`total_pages` is {told}, which does not fit `total_count` {counts['total_count']} "
            f"and `per_page` {counts['per_page']}"
        )
    return needed


def _count(name: str, value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _bad(f"`{name}` is not a valid count")
    return value


def _bad(reason: str) -> Failure:
    return Failure(BAD_RESPONSE, f"The listing contradicts itself: in `result_info`, {reason}.")
