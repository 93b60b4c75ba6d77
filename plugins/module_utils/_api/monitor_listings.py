# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import functools
import typing as t

from .._core import Failure, Json
from .._script_monitor import MAX_PER_PAGE, ON_PAGES
from .client import Client

# Listings of what the script monitor has seen: scripts, connections and cookies.

# Requests sent in parallel; more would only spend the request budget of other zones faster.
PARALLEL_PAGES = 8
# Without these the service leaves out scripts of its own path, and all but the latest of those with one content and host.
_COMPLETE: t.Mapping[str, str] = {"exclude_cdn_cgi": "false", "exclude_duplicates": "false"}
# The query parameters of each listing, beside those of its pages.
_PARAMETERS: t.Mapping[str, t.Collection[str]] = {
    "script_monitor.scripts": ("hosts", "page_url", "status"),
    "page_shield.scripts": ("hosts", "page_url", "status", *_COMPLETE),
    "page_shield.connections": ("hosts", "page_url", "status", "exclude_cdn_cgi"),
    "page_shield.cookies": ("hosts", "page_url"),
}
# Status of a request with parameters that the service does not know.
_REFUSED = 400


def list_monitored(
    client: Client,
    operation: str,
    *,
    statuses: t.Collection[str] = ON_PAGES,
    per_page: int = MAX_PER_PAGE,
    hosts: t.Collection[str] = (),
    page_urls: t.Collection[str] = (),
    tell: t.Callable[[str], None] | None = None,
) -> t.Iterator[Json]:
    """Yield all items of a listing, one status after the other if its route takes a status.

    `tell` gets the reason why the listing may be incomplete; by default it is a warning.
    """
    names = _PARAMETERS[operation]
    keys = ("id" if operation.startswith("page_shield.") else "script_id",)
    for status in (statuses if "status" in names else ()) or ("",):
        parameters = {"hosts": ",".join(hosts), "page_url": ",".join(page_urls), "status": status, **_COMPLETE}
        ask = functools.partial(client.items, operation, per_page=per_page, parallel=PARALLEL_PAGES, keys=keys)
        yield from _ask(tell or client.warnings.append, ask, {name: parameters[name] for name in names if parameters[name]})


def _ask(
    tell: t.Callable[[str], None], ask: t.Callable[..., t.Iterable[Json]], parameters: t.Mapping[str, str]
) -> t.Iterable[Json]:
    """Return the items of a listing; if the service refuses the parameters of a complete one, ask without them and say so."""
    try:
        return ask(query=parameters)
    except Failure as failure:
        refused = sorted(_COMPLETE.keys() & parameters.keys())
        if failure.status != _REFUSED or not refused:
            raise
        try:
            items = ask(query={name: value for name, value in parameters.items() if name not in refused})
        except Failure as second:
            raise failure if second.status == _REFUSED else second from None
    tell(
        f"The list may be incomplete: the service refuses {' and '.join(refused)}, so that it"
        " may leave out scripts with the same content, and those that Cloudflare itself serves."
    )
    return items
