# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Listings: every page of them, and the certainty that nothing is missing.
import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.result_info import Page, cursor_of, page_of
from ansible_collections.edgeops.observability.plugins.module_utils._errors import BAD_RESPONSE, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

Query = dict[str, t.Any]
Fetched = tuple[list[Json], "dict[str, Json] | None"]
Fetch = t.Callable[[Query], Fetched]
# Runs a fetch for each query and gives the answers in order; the client may do so side by side.
FetchAll = t.Callable[[t.Sequence[Query]], t.Iterable[Fetched]]

MAX_PAGES = 100_000
KEYS = ("script_id", "id")


class Listing(t.NamedTuple):
    """How to list: the page size to ask for (None: the route has no pages to ask for) and the members that identify an item."""

    per_page: int | None = None
    keys: t.Sequence[str] = KEYS
    side_by_side: int = 1

    def query(self, page: int) -> Query:
        """The paging part of a query; a route without pages is requested without a page."""
        if self.per_page is None:
            return {} if page == 1 else {"page": page}
        return {"page": page, "per_page": self.per_page}


def collect(fetch_all: FetchAll, listing: Listing) -> list[Json]:
    """All items in the order of their pages, each once. A listing that contradicts itself is read a second time, then refused."""
    moved = None
    for _attempt in range(2):
        items, info = next(iter(fetch_all([listing.query(1)])))
        first = page_of(items, info, 1)
        try:
            if cursor_of(info) is not None:
                return _by_cursor(fetch_all, listing, first)
            if first.pages is not None:
                return _counted(fetch_all, listing, first)
            return _unique(first.items, listing.keys) if listing.per_page is None else _until_empty(fetch_all, listing, first)
        except _Moved as error:
            moved = error
    raise Failure(BAD_RESPONSE, f"The listing contradicts itself, also when read again: {moved}.")


class _Moved(Exception):
    """What was listed does not fit together, perhaps because the list changed meanwhile."""


def _counted(fetch_all: FetchAll, listing: Listing, first: Page) -> list[Json]:
    pages = [first]
    found = _add({}, first.items, listing.keys)
    last = min(first.pages or 0, MAX_PAGES) if first.items else 0
    # A few at a time, so that a count that is out of all proportion is found out by an empty page.
    for start in range(2, last + 1, 4 * listing.side_by_side):
        numbers = range(start, min(start + 4 * listing.side_by_side, last + 1))
        answers = list(fetch_all([listing.query(number) for number in numbers]))
        batch = [page_of(*answer, number) for answer, number in zip(answers, numbers, strict=True)]
        pages += batch
        known = len(found)
        for page in batch:
            _add(found, page.items, listing.keys)
        if len(found) == known or not all(page.items for page in batch):
            break
    totals = {page.total for page in pages}
    if len(totals) > 1:
        raise _Moved("`total_count` differs from page to page")
    if first.total is not None and len(found) != first.total:
        raise _Moved(f"`total_count` is {first.total}, but {len(found)} items were listed")
    return list(found.values())


def _until_empty(fetch_all: FetchAll, listing: Listing, first: Page) -> list[Json]:
    found = _add({}, first.items, listing.keys)
    page = first
    for number in range(2, MAX_PAGES):
        if not page.items:
            return list(found.values())
        page = page_of(*next(iter(fetch_all([listing.query(number)]))), number)
        known = len(found)
        _add(found, page.items, listing.keys)
        if page.items and len(found) == known:
            raise Failure(BAD_RESPONSE, f"The listing has no end: page {number} repeats earlier pages.")
    raise Failure(BAD_RESPONSE, f"The listing has no end within {MAX_PAGES} pages.")


def _by_cursor(fetch_all: FetchAll, listing: Listing, first: Page) -> list[Json]:
    items = list(first.items)
    cursor = first.cursor
    seen: set[str] = set()
    while cursor is not None:
        if cursor in seen or len(seen) >= MAX_PAGES:
            raise Failure(BAD_RESPONSE, "The listing has no end: the service repeated a cursor.")
        seen.add(cursor)
        size = {} if listing.per_page is None else {"per_page": listing.per_page}
        more, info = next(iter(fetch_all([{"cursor": cursor, **size}])))
        items += more
        cursor = cursor_of(info)
    return _unique(items, listing.keys)


def _unique(items: t.Iterable[Json], keys: t.Sequence[str]) -> list[Json]:
    return list(_add({}, items, keys).values())


def _add(found: dict[str, Json], items: t.Iterable[Json], keys: t.Sequence[str]) -> dict[str, Json]:
    for item in items:
        found.setdefault(_identity(item, keys), item)
    return found


def _identity(item: Json, keys: t.Sequence[str]) -> str:
    if isinstance(item, dict):
        for key in keys:
            if isinstance(item.get(key), (str, int)):
                return f"{key}={item[key]!r}"
    return json.dumps(item, sort_keys=True)
