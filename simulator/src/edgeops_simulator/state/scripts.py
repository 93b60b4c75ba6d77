# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
from urllib.parse import unquote, urlsplit

from edgeops_simulator.state.part import Document, Observed

if t.TYPE_CHECKING:
    from edgeops_simulator.state.owners import Zone

DETAILS = ("seen_on", "versions")
_INTERNAL = ("hidden", "page_shield_js_integrity_score")
_NOT_LISTED = frozenset({*DETAILS, *_INTERNAL})
_RENAMED = {
    "script_id": "id",
    "script_url": "url",
    "seen_on_first": "first_page_url",
    "seen_on": "page_urls",
    "appears_in_cdn_cgi_path": "url_contains_cdn_cgi_path",
}
_CACHED_LISTINGS = 32
_USUAL_TIME = "2026-01-01T00:00:00Z"


class Scripts(Observed):
    """The scripts that were seen on a zone, by id."""

    members: t.ClassVar[t.Mapping[str, type]] = {"script_id": str, "hidden": list}
    id_name = "script_id"


def _shown(script: Document, leave_out: t.Collection[str] = ()) -> Document:
    hidden = {*script.get("hidden", ()), *_INTERNAL, *leave_out}
    return {name: value for name, value in script.items() if name not in hidden}


def in_list(script: Document) -> Document:
    """A script as a listing shows it: mostly just as it is kept."""
    return script if _NOT_LISTED.isdisjoint(script) else _shown(script, DETAILS)


def in_full(script: Document) -> Document:
    """One script with its details; those that the seed omits follow from its other fields."""
    shown = _shown(script)
    hidden = script.get("hidden", ())
    if "seen_on" not in hidden:
        shown.setdefault("seen_on", [script["seen_on_first"]] if script.get("seen_on_first") else [])
    if "versions" not in hidden:
        present = {name: script[name] for name in ("hash", "js_integrity_score", "fetched_at") if shown.get(name) is not None}
        shown.setdefault("versions", [present] if len(present) == 3 else [])
    return shown


def _turned(score: t.Any) -> t.Any:
    return min(99, max(1, 100 - score)) if isinstance(score, int) else score


def _usual(shown: Document) -> Document:
    """The members that page_shield shows of every script, with the values of those that the seed omits."""
    known = [shown[name] for name in ("added_at", "first_seen_at", "fetched_at", "last_seen_at") if shown.get(name)]
    first, last = (known[0], known[-1]) if known else (_USUAL_TIME, _USUAL_TIME)
    host = shown.get("host", "")
    return {
        "url": f"https://{host}/{shown.get('script_id')}.js",
        "host": host,
        "added_at": first,
        "first_seen_at": first,
        "last_seen_at": last,
        "url_contains_cdn_cgi_path": False,
    }


def page_shield(script: Document, shown: Document) -> Document:
    """The same script in page_shield's words: renamed fields, no `count`, and a score that runs the other way."""
    renamed = {_RENAMED.get(name, name): value for name, value in shown.items() if name != "count"}
    if "js_integrity_score" in renamed:
        given = script.get("page_shield_js_integrity_score")
        renamed["js_integrity_score"] = _turned(renamed["js_integrity_score"]) if given is None else given
    hidden = {_RENAMED.get(name, name) for name in script.get("hidden", ())}
    for name, value in _usual(shown).items():
        if name not in hidden:
            renamed.setdefault(name, value)
    if "versions" in renamed:
        renamed["versions"] = [{**v, "js_integrity_score": _turned(v.get("js_integrity_score"))} for v in renamed["versions"]]
    return renamed


def from_page_shield(shown: Document) -> Document:
    """The script that page_shield shows like this."""
    back = {new: old for old, new in _RENAMED.items()}
    script = {back.get(name, name): value for name, value in shown.items()}
    if "js_integrity_score" in script:
        script["page_shield_js_integrity_score"] = script["js_integrity_score"]
        script["js_integrity_score"] = _turned(script["js_integrity_score"])
    if isinstance(script.get("versions"), list):
        versions = [version for version in script["versions"] if isinstance(version, dict)]
        script["versions"] = [{**one, "js_integrity_score": _turned(one.get("js_integrity_score"))} for one in versions]
    return script


def _wildcard(pattern: str) -> t.Callable[[str], bool]:
    """Exact, or with `*` at the start and/or the end."""
    text = unquote(pattern.strip()).lower()
    core = text.strip("*")
    if text.startswith("*") and text.endswith("*"):
        return lambda value: core in value
    if text.startswith("*"):
        return lambda value: value.endswith(core)
    if text.endswith("*"):
        return lambda value: value.startswith(core)
    return lambda value: value == text


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def select(zone: Zone, hosts: str, status: str) -> list[Document]:
    """The scripts of a listing; remembered, so that a page costs what is on it and not what the zone holds."""
    key = (hosts, status)
    if key not in zone.scripts.listings:
        if len(zone.scripts.listings) >= _CACHED_LISTINGS:
            zone.scripts.listings.clear()
        statuses = set(_words(status) or ["active"])
        tests = [_wildcard(host) for host in _words(hosts)]
        zone.scripts.listings[key] = [
            script
            for script in zone.scripts.values()
            if script.get("status", "active") in statuses
            and (not tests or any(test(str(script.get("host", "")).lower()) for test in tests))
        ]
    return zone.scripts.listings[key]


def _one_of_each(scripts: t.Iterable[Document]) -> list[Document]:
    """Scripts of one content from one script host on one zone host are shown once, the newest of them."""
    newest: dict[t.Any, Document] = {}
    for script in scripts:
        content = script.get("hash") or id(script)
        key = (content, urlsplit(str(script.get("script_url", ""))).netloc, script.get("host"))
        if key not in newest or str(script.get("first_seen_at", "")) > str(newest[key].get("first_seen_at", "")):
            newest[key] = script
    return list(newest.values())


def select_page_shield(zone: Zone, query: t.Mapping[str, str]) -> list[Document]:
    """A listing of page_shield, whose further filters and order the older route does not have."""
    names = ("hosts", "status", "urls", "exclude_urls", "exclude_cdn_cgi", "exclude_duplicates", "order_by", "direction")
    key = ("page_shield", *(query.get(name) for name in names))
    if key in zone.scripts.listings:
        return zone.scripts.listings[key]
    scripts = select(zone, query.get("hosts", ""), query.get("status", ""))
    for words, kept in ((_words(query.get("urls", "")), True), (_words(query.get("exclude_urls", "")), False)):
        if words:
            scripts = [s for s in scripts if any(word in str(s.get("script_url", "")) for word in words) is kept]
    if query.get("exclude_cdn_cgi", "true") != "false":
        scripts = [script for script in scripts if not script.get("appears_in_cdn_cgi_path")]
    if query.get("exclude_duplicates", "true") != "false":
        scripts = _one_of_each(scripts)
    order = query.get("order_by", "")
    if order in ("first_seen_at", "last_seen_at"):
        scripts = sorted(scripts, key=lambda s: str(s.get(order, "")), reverse=query.get("direction") == "desc")
    zone.scripts.listings[key] = scripts
    return scripts
