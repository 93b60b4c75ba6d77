# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
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
    return Page(items, _page_count(counts), total, _cursor_of(info), total_pages, per_page)


def _cursor_of(info: dict[str, Json]) -> str | None:
    """Return the cursor of the next page, None at the end."""
    cursors = info.get("cursors")
    if cursors is not None and not isinstance(cursors, dict):
        raise _bad("`cursors` is not an object")
    values: list[str] = []
    for cursor in ((cursors or {}).get("after"), info.get("cursor")):
        if not isinstance(cursor, (str, type(None))):
            raise _bad("a cursor is not a string")
        values += [cursor] if cursor else []
    return values[0] if values else None


def _page_count(counts: dict[str, int]) -> int | None:
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


def read_listing(fetch_all: FetchAll, per_page: int | None = None, keys: t.Sequence[str] = KEYS, parallel: int = 1) -> list[Json]:
    """Return all items in order, each once; read a contradictory listing a second time before raising `bad_response`.

    `per_page` is None for a route without paging parameters. The first of `keys` that an item has identifies it.
    """
    size = {} if per_page is None else {"per_page": per_page}
    moved = None
    for _attempt in range(2):
        try:
            (first,) = fetch_all([{"page": 1, **size} if size else {}])
            return _collect(first, _others(fetch_all, size, first, parallel), keys)
        except _Moved as error:
            moved = error
    raise _bad_listing(f"contradicts itself, also when read again: {moved}")


def _collect(first: Page, others: t.Iterator[Page], keys: t.Sequence[str]) -> list[Json]:
    """Return the items of all pages; raise `_Moved` if the pages contradict each other."""
    items: dict[str, Json] = {}
    received = 0
    for number, page in enumerate(itertools.chain([first], others), 1):
        if (page.total, page.total_pages) != (first.total, first.total_pages):
            raise _Moved("`total_count` or `total_pages` differs from page to page")
        listed = [_identity(item, keys) for item in page.items]
        if len(set(listed)) < len(listed) and len(set(listed)) < len(set(map(canonical, page.items))):
            raise _Moved(f"page {number} has different items of one identity")
        repeated = items.keys() & listed
        if repeated and first.cursor is None and first.pages is not None:
            raise _Moved(f"page {number} repeats items of earlier pages")
        if repeated and first.cursor is None and repeated >= set(listed):
            raise _bad_listing(f"has no end: page {number} repeats earlier pages")
        for identity, item in zip(listed, page.items, strict=True):
            if _is_another(items.setdefault(identity, item), item):
                raise _Moved(f"page {number} has another item of an identity of earlier pages")
        received += len(page.items)
    if first.total is not None and not received == len(items) == first.total:
        raise _Moved(f"`total_count` is {first.total}, but {received} items were listed, {len(items)} of them different")
    return list(items.values())


def _others(fetch_all: FetchAll, size: Query, first: Page, parallel: int) -> t.Iterator[Page]:
    """Return the pages after the first, which tells how to read them."""
    if first.cursor is not None:
        return _by_cursor(fetch_all, size, first.cursor)
    if first.pages is not None and first.pages > 1 and not first.items:
        raise _Moved(f"page 1 of {first.pages} is empty")
    # Without a number of pages, more may follow a page that is full or not the total.
    is_part = len(first.items) == first.per_page if first.total is None else len(first.items) != first.total
    if first.pages is None and not (first.items and (size or is_part)):
        return iter(())
    return _by_number(fetch_all, size, first.pages, parallel)


def _by_number(fetch_all: FetchAll, size: Query, last: int | None, parallel: int) -> t.Iterator[Page]:
    """Yield the pages from the second to the last one, or up to an empty one if the last one is unknown."""
    end = MAX_PAGES if last is None else min(last, MAX_PAGES)
    # A few at a time, so that an absurd page count ends at the first empty page.
    at_once = 1 if last is None else 4 * parallel
    for start in range(2, end + 1, at_once):
        numbers = range(start, min(start + at_once, end + 1))
        pages = fetch_all([{"page": number, **size} for number in numbers])
        for number, page in zip(numbers, pages, strict=True):
            if last is not None and not page.items:
                raise _Moved(f"page {number} of {last} is empty")
            yield page
            if not page.items:
                return
    if last is None or last > MAX_PAGES:
        raise _bad_listing(f"has no end within {MAX_PAGES} pages")


def _by_cursor(fetch_all: FetchAll, size: Query, cursor: str | None) -> t.Iterator[Page]:
    """Yield the pages from the second to the last one."""
    seen: set[str] = set()
    while cursor is not None:
        if cursor in seen or len(seen) >= MAX_PAGES:
            raise _bad_listing("has no end: the service repeated a cursor")
        seen.add(cursor)
        (page,) = fetch_all([{"cursor": cursor, **size}])
        yield page
        cursor = page.cursor


# What tells things apart beside their identifier.
_NAMED = ("script_url", "url", "host", "name")


def _is_another(one: Json, other: Json) -> bool:
    """Return whether two items of one identifier are about different things, and not one that changed meanwhile."""
    sides = [{name: item.get(name) for name in _NAMED} if isinstance(item, dict) else item for item in (one, other)]
    return one is not other and sides[0] != sides[1]


def _identity(item: Json, keys: t.Sequence[str]) -> str:
    if isinstance(item, dict):
        for key in keys:
            if isinstance(item.get(key), (str, int)):
                return f"{key}={item[key]!r}"
    return canonical(item)


def _bad_listing(what: str) -> Failure:
    return Failure(BAD_RESPONSE, f"The listing {what}.")
