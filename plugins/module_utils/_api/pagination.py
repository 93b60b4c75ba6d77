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
        raise _bad(f"`count` is {counts['count']}, and the page contains {len(items)} items")
    if 0 < counts.get("per_page", 0) < len(items):
        raise _bad(f"`per_page` is {counts['per_page']}, and the page contains {len(items)} items")
    if counts.get("total_count", len(items)) < len(items):
        raise _bad(f"`total_count` is {counts['total_count']}, and one page contains {len(items)} items")
    if items and counts.get("total_pages", 1 if number is None else number) < (number or 1):
        raise _bad(f"`total_pages` is {counts['total_pages']}, and page {number or 1} contains {len(items)} items")
    total, total_pages, per_page = (counts.get(name) for name in ("total_count", "total_pages", "per_page"))
    return Page(items, _pages(counts), total, _cursor_of(info), total_pages, per_page)


def _cursor_of(info: dict[str, Json]) -> str | None:
    """Return the cursor of the next page, None at the end."""
    cursors = info.get("cursors")
    if cursors is not None and not isinstance(cursors, dict):
        raise _bad("`cursors` is not an object")
    found: list[str] = []
    for cursor in ((cursors or {}).get("after"), info.get("cursor")):
        if not isinstance(cursor, (str, type(None))):
            raise _bad("a cursor is not a string")
        found += [cursor] if cursor else []
    return found[0] if found else None


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
    return _bad_listing(f"contradicts itself: in `result_info`, {reason}")


Query = dict[str, t.Any]
# Fetches the pages of all queries, perhaps in parallel, and returns them in order.
FetchAll = t.Callable[[t.Sequence[Query]], t.Iterable[Page]]

MAX_PAGES = 100_000
KEYS = ("script_id", "id")


class _Moved(Exception):
    """The pages contradict each other, perhaps because the list changed meanwhile."""


class Listing:
    """The items of all pages.

    `per_page` is None for a route without paging parameters. The first of `keys` that an item has identifies it.
    """

    def __init__(self, fetch_all: FetchAll, per_page: int | None = None, keys: t.Sequence[str] = KEYS, parallel: int = 1) -> None:
        self._fetch_all = fetch_all
        self._size = {} if per_page is None else {"per_page": per_page}
        self._keys = keys
        # A few at a time, so that an absurd page count ends at the first empty page.
        self._at_once = 4 * parallel

    def read(self) -> list[Json]:
        """Return all items in order, each once; read a contradictory listing a second time before raising `bad_response`."""
        moved = None
        for _attempt in range(2):
            self._items: dict[str, Json] = {}
            self._received = 0
            try:
                (first,) = self._fetch_all([{"page": 1, **self._size} if self._size else {}])
                self._first: Page = first
                self._add(first)
                if first.cursor is not None:
                    self._follow(first.cursor)
                elif first.pages is not None:
                    self._read_counted(first.pages)
                elif self._size or first.may_have_more:
                    self._read_until_empty()
                if first.total is not None and not self._received == len(self._items) == first.total:
                    listed = f"{self._received} items were listed, {len(self._items)} of them different"
                    raise _Moved(f"`total_count` is {first.total}, but {listed}")
                return list(self._items.values())
            except _Moved as error:
                moved = error
        raise _bad_listing(f"contradicts itself, also when read again: {moved}")

    def _add(self, page: Page) -> tuple[bool, bool]:
        """Add the items of a page; return whether any of them is new, and whether any was on an earlier page."""
        if (page.total, page.total_pages) != (self._first.total, self._first.total_pages):
            raise _Moved("`total_count` or `total_pages` differs from page to page")
        known = len(self._items)
        listed = [_identity(item, self._keys) for item in page.items]
        repeats = not self._items.keys().isdisjoint(listed)
        for identity, item in zip(listed, page.items, strict=True):
            self._items.setdefault(identity, item)
        self._received += len(page.items)
        return len(self._items) > known, repeats

    def _read_counted(self, last: int) -> None:
        """Read as many pages as the first one reports; raise `_Moved` for an empty page and for repeated items."""
        if last > 1 and not self._first.items:
            raise _Moved(f"page 1 of {last} is empty")
        for start in range(2, min(last, MAX_PAGES) + 1, self._at_once):
            numbers = range(start, min(start + self._at_once, last + 1))
            pages = list(self._fetch_all([{"page": number, **self._size} for number in numbers]))
            for number, page in zip(numbers, pages, strict=True):
                if not page.items:
                    raise _Moved(f"page {number} of {last} is empty")
                _anything_new, repeats = self._add(page)
                if repeats:
                    raise _Moved(f"page {number} repeats items of earlier pages")
        if last > MAX_PAGES:
            raise _bad_listing(f"has no end within {MAX_PAGES} pages")

    def _read_until_empty(self) -> None:
        page = self._first
        for number in range(2, MAX_PAGES):
            if not page.items:
                return
            (page,) = self._fetch_all([{"page": number, **self._size}])
            anything_new, _repeats = self._add(page)
            if page.items and not anything_new:
                raise _bad_listing(f"has no end: page {number} repeats earlier pages")
        raise _bad_listing(f"has no end within {MAX_PAGES} pages")

    def _follow(self, cursor: str | None) -> None:
        seen: set[str] = set()
        while cursor is not None:
            if cursor in seen or len(seen) >= MAX_PAGES:
                raise _bad_listing("has no end: the service repeated a cursor")
            seen.add(cursor)
            (page,) = self._fetch_all([{"cursor": cursor, **self._size}])
            self._add(page)
            cursor = page.cursor


def _identity(item: Json, keys: t.Sequence[str]) -> str:
    if isinstance(item, dict):
        for key in keys:
            if isinstance(item.get(key), (str, int)):
                return f"{key}={item[key]!r}"
    return canonical(item)


def _bad_listing(what: str) -> Failure:
    return Failure(BAD_RESPONSE, f"The listing {what}.")
