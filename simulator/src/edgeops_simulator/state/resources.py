# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections and cookies, and the page_shield listings of these and of scripts."""

from __future__ import annotations

import typing as t
from urllib.parse import unquote, urlsplit

from edgeops_simulator.state.part import Document, Observed
from edgeops_simulator.state.scripts import USUAL_TIME, Scripts

Query = t.Mapping[str, str]
_CACHED_LISTINGS = 32
_USUAL: Document = dict.fromkeys(("first_seen_at", "last_seen_at"), USUAL_TIME)


_COOKIE: Document = {"name": "", "host": "", "type": "first_party", **_USUAL}


class Connections(Observed):
    """The connections of the pages of a zone, by id, with page_shield's names."""

    members: t.ClassVar[t.Mapping[str, type]] = {"id": str, "hidden": list}


class Cookies(Observed):
    """The cookies of a zone, by id, with page_shield's names."""

    members: t.ClassVar[t.Mapping[str, type]] = {"id": str, "hidden": list}


def _without_hidden(item: Document) -> Document:
    hidden = {"hidden", *item.get("hidden", ())}
    return {name: value for name, value in item.items() if name not in hidden}


def connection(item: Document) -> Document:
    """Return a connection with the members that page_shield requires, and defaults for those that the seed omits."""
    host = item.get("host", "")
    usual = {"url": f"https://{host}/", "host": host, "added_at": USUAL_TIME, **_USUAL, "url_contains_cdn_cgi_path": False}
    return _without_hidden({**usual, **item})


def cookie(item: Document) -> Document:
    """Return a cookie with the members that page_shield requires, and defaults for those that the seed omits."""
    return _without_hidden({**_COOKIE, **item})


def _wildcard(pattern: str) -> t.Callable[[str], bool]:
    """Return a function that compares a text with a pattern, which may start or end with `*`."""
    text = unquote(pattern.strip()).lower()
    core = text.strip("*")
    if text.startswith("*") and text.endswith("*"):
        return lambda value: core in value.lower()
    if text.startswith("*"):
        return lambda value: value.lower().endswith(core)
    if text.endswith("*"):
        return lambda value: value.lower().startswith(core)
    return lambda value: value.lower() == text


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _any_of(patterns: str, values: t.Iterable[t.Any]) -> bool:
    """Return whether a value matches a pattern; no patterns match everything."""
    tests = [_wildcard(pattern) for pattern in _words(patterns)]
    return not tests or any(test(str(value)) for test in tests for value in values)


class _Names(t.NamedTuple):
    """The names of the members that differ between scripts and other resources."""

    url: str
    in_cdn_cgi: str
    pages: str
    first_page: str

    def pages_of(self, item: Document) -> list[t.Any]:
        return item.get(self.pages) or [item.get(self.first_page, "")]


_SCRIPT = _Names("script_url", "appears_in_cdn_cgi_path", "seen_on", "seen_on_first")
_OTHER = _Names("url", "url_contains_cdn_cgi_path", "page_urls", "first_page_url")


def _cached(table: Observed, key: tuple[t.Any, ...], find: t.Callable[[], list[Document]]) -> list[Document]:
    if key not in table.listings:
        if len(table.listings) >= _CACHED_LISTINGS:
            table.listings.clear()
        table.listings[key] = find()
    return table.listings[key]


def select(table: Observed, hosts: str, status: str) -> list[Document]:
    """Return a listing of script_monitor, by hosts and status."""
    statuses = set(_words(status) or ["active"])

    def find() -> list[Document]:
        tests = [_wildcard(host) for host in _words(hosts)]
        return [
            item
            for item in table.values()
            if item.get("status", "active") in statuses and (not tests or any(test(str(item.get("host", ""))) for test in tests))
        ]

    return _cached(table, (hosts, status), find)


def _one_of_each(scripts: t.Iterable[Document]) -> list[Document]:
    """Return only the newest of the scripts with the same content, script host and zone host."""
    newest: dict[t.Any, Document] = {}
    for script in scripts:
        content = script.get("hash") or id(script)
        key = (content, urlsplit(str(script.get("script_url", ""))).netloc, script.get("host"))
        if key not in newest or str(script.get("first_seen_at", "")) > str(newest[key].get("first_seen_at", "")):
            newest[key] = script
    return list(newest.values())


def _is_reported(item: Document) -> bool:
    return bool(item.get("url_reported_malicious") or item.get("domain_reported_malicious"))


def _ordered(items: list[Document], query: Query) -> list[Document]:
    order = query.get("order_by", "")
    if order in ("first_seen_at", "last_seen_at"):
        items = sorted(items, key=lambda item: str(item.get(order, "")), reverse=query.get("direction") == "desc")
    if query.get("prioritize_malicious") == "true":
        items = sorted(items, key=lambda item: not _is_reported(item))
    return items


def select_seen(table: Scripts | Connections, query: Query) -> list[Document]:
    """Return a page_shield listing of scripts or connections, filtered and sorted."""
    names = _SCRIPT if isinstance(table, Scripts) else _OTHER

    def find() -> list[Document]:
        items = select(table, query.get("hosts", ""), query.get("status", ""))
        for words, kept in ((_words(query.get("urls", "")), True), (_words(query.get("exclude_urls", "")), False)):
            if words:
                items = [item for item in items if any(word in str(item.get(names.url, "")) for word in words) is kept]
        if query.get("exclude_cdn_cgi", "true") != "false":
            items = [item for item in items if not item.get(names.in_cdn_cgi)]
        if query.get("page_url"):
            items = [item for item in items if _any_of(query["page_url"], names.pages_of(item))]
        if names is _SCRIPT and query.get("exclude_duplicates", "true") != "false":
            items = _one_of_each(items)
        return _ordered(items, query)

    return _cached(table, ("page_shield", *sorted((n, v) for n, v in query.items() if n not in ("page", "per_page"))), find)


def select_cookies(table: Cookies, query: Query) -> list[Document]:
    """Return a page_shield listing of cookies, filtered and sorted."""

    def fits(item: Document) -> bool:
        exact = {"same_site": "same_site_attribute", "path": "path_attribute", "domain": "domain_attribute", "type": "type"}
        flags = {"secure": "secure_attribute", "http_only": "http_only_attribute"}
        return (
            _any_of(query.get("hosts", ""), [item["host"]])
            and _any_of(query.get("name", ""), [item["name"]])
            and _any_of(query.get("page_url", ""), item.get("page_urls") or [""])
            and all(not query.get(name) or str(item.get(member, "")) == query[name] for name, member in exact.items())
            and all(not query.get(name) or bool(item.get(member)) is (query[name] == "true") for name, member in flags.items())
        )

    return _ordered([item for item in table.values() if fits({**_COOKIE, **item})], query)
