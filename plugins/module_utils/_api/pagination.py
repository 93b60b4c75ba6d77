# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import BAD_RESPONSE, Failure, Json
from .._text import canonical

_COUNTS = ("page", "per_page", "count", "total_count", "total_pages")


class Page(t.NamedTuple):
    """One page of a listing, with the total numbers of pages and items if the service reports them."""

    items: list[Json]
    pages: int | None = None
    total: int | None = None
    cursor: str | None = None
    total_pages: int | None = None
    per_page: int | None = None

    @property
    def may_have_more(self) -> bool:
        """Return whether another page may follow although no number of pages is reported: the page is full, or not the total."""
        size = len(self.items)
        return size != self.total if self.total is not None else bool(self.items) and size == self.per_page


def page_of(items: list[Json], info: dict[str, Json] | None, number: int | None) -> Page:
    """Return a page (`number` is None for a cursor); raise `bad_response` if `result_info` contradicts itself or the items."""
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
    """Return the cursor of the next page, None at the end."""
    cursors = info.get("cursors")
    if cursors is not None and not isinstance(cursors, dict):
        raise _bad("`cursors` is not an object")
    after, cursor = (cursors or {}).get("after"), info.get("cursor")
    if not all(isinstance(place, (str, type(None))) for place in (after, cursor)):
        raise _bad("a cursor is not text")
    return after or cursor or None


def _pages(counts: dict[str, int]) -> int | None:
    reported = counts.get("total_pages")
    if "total_count" not in counts or not counts.get("per_page"):
        return reported
    needed = -(-counts["total_count"] // counts["per_page"])
    # An empty list may be reported with 0 pages or with 1.
    if reported is not None and max(reported, 1) != max(needed, 1):
        raise _bad(
            f"`total_pages` is {reported}, which does not fit `total_count` {counts['total_count']} "
            f"and `per_page` {counts['per_page']}"
        )
    return needed


def _count(name: str, value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _bad(f"`{name}` is not a valid count")
    return value


def _bad(reason: str) -> Failure:
    return Failure(BAD_RESPONSE, f"The listing contradicts itself: in `result_info`, {reason}.")


Query = dict[str, t.Any]
Fetched = tuple[list[Json], "dict[str, Json] | None"]
Fetch = t.Callable[[Query], Fetched]
# Fetches all queries, perhaps in parallel, and returns the pages in order.
FetchAll = t.Callable[[t.Sequence[Query]], t.Iterable[Fetched]]

MAX_PAGES = 100_000
KEYS = ("script_id", "id")


class Listing(t.NamedTuple):
    """How to list: the page size (None: the route has no paging parameters), the members that identify an item, and the parallel pages."""

    per_page: int | None = None
    keys: t.Sequence[str] = KEYS
    side_by_side: int = 1

    def query(self, page: int) -> Query:
        """Return the paging parameters of a query; none for the first page of a route without paging."""
        if self.per_page is None:
            return {} if page == 1 else {"page": page}
        return {"page": page, "per_page": self.per_page}


def collect(fetch_all: FetchAll, listing: Listing) -> list[Json]:
    """Return all items in order, each once; read a contradictory listing a second time before raising `bad_response`."""
    moved = None
    for _attempt in range(2):
        first = page_of(*next(iter(fetch_all([listing.query(1)]))), 1)
        found = _Found(listing.keys)
        try:
            found.add(first)
            if first.cursor is not None:
                _by_cursor(fetch_all, listing, first, found)
            elif first.pages is not None:
                _counted(fetch_all, listing, first, found)
            elif listing.per_page is not None or first.may_have_more:
                _until_empty(fetch_all, listing, first, found)
            return found.whole()
        except _Moved as error:
            moved = error
    raise Failure(BAD_RESPONSE, f"The listing contradicts itself, also when read again: {moved}.")


class _Moved(Exception):
    """The pages contradict each other, perhaps because the list changed meanwhile."""


class _Found:
    """The items listed so far, each once, and the totals that the pages reported."""

    def __init__(self, keys: t.Sequence[str]) -> None:
        self.received = 0
        self._keys = keys
        self._items: dict[str, Json] = {}
        self._first: Page | None = None

    def add(self, page: Page) -> tuple[bool, bool]:
        """Add the items of a page; return whether any of them is new, and whether any was on an earlier page."""
        self._first = first = self._first or page
        if (page.total, page.total_pages) != (first.total, first.total_pages):
            raise _Moved("`total_count` or `total_pages` differs from page to page")
        known = len(self._items)
        listed = [_identity(item, self._keys) for item in page.items]
        repeats = not self._items.keys().isdisjoint(listed)
        for identity, item in zip(listed, page.items, strict=True):
            self._items.setdefault(identity, item)
        self.received += len(page.items)
        return len(self._items) > known, repeats

    def whole(self) -> list[Json]:
        """Return all items; raise `_Moved` if their number differs from the reported total."""
        total = self._first.total if self._first else None
        if total is not None and not self.received == len(self._items) == total:
            raise _Moved(f"`total_count` is {total}, but {self.received} items were listed, {len(self._items)} of them different")
        return list(self._items.values())


def _counted(fetch_all: FetchAll, listing: Listing, first: Page, found: _Found) -> None:
    """Read as many pages as the first one reports; raise `_Moved` for an empty page and for repeated items."""
    last = first.pages or 0
    _check_filled(first, 1, last)
    # A few at a time, so that an absurd page count ends at the first empty page.
    for start in range(2, min(last, MAX_PAGES) + 1, 4 * listing.side_by_side):
        numbers = range(start, min(start + 4 * listing.side_by_side, last + 1))
        answers = list(fetch_all([listing.query(number) for number in numbers]))
        for number, answer in zip(numbers, answers, strict=True):
            page = page_of(*answer, number)
            _check_filled(page, number, last)
            _anything_new, repeats = found.add(page)
            if repeats:
                raise _Moved(f"page {number} repeats items of earlier pages")
    if last > MAX_PAGES:
        raise _endless()


def _check_filled(page: Page, number: int, last: int) -> None:
    if not page.items and last > 1:
        raise _Moved(f"page {number} of {last} is empty")


def _until_empty(fetch_all: FetchAll, listing: Listing, first: Page, found: _Found) -> None:
    page = first
    for number in range(2, MAX_PAGES):
        if not page.items:
            return
        page = page_of(*next(iter(fetch_all([listing.query(number)]))), number)
        anything_new, _repeats = found.add(page)
        if page.items and not anything_new:
            raise Failure(BAD_RESPONSE, f"The listing has no end: page {number} repeats earlier pages.")
    raise _endless()


def _by_cursor(fetch_all: FetchAll, listing: Listing, first: Page, found: _Found) -> None:
    page = first
    seen: set[str] = set()
    while page.cursor is not None:
        if page.cursor in seen or len(seen) >= MAX_PAGES:
            raise Failure(BAD_RESPONSE, "The listing has no end: the service repeated a cursor.")
        seen.add(page.cursor)
        size = {} if listing.per_page is None else {"per_page": listing.per_page}
        page = page_of(*next(iter(fetch_all([{"cursor": page.cursor, **size}]))), None)
        found.add(page)


def _endless() -> Failure:
    return Failure(BAD_RESPONSE, f"The listing has no end within {MAX_PAGES} pages.")


def _identity(item: Json, keys: t.Sequence[str]) -> str:
    if isinstance(item, dict):
        for key in keys:
            if isinstance(item.get(key), (str, int)):
                return f"{key}={item[key]!r}"
    return canonical(item)
