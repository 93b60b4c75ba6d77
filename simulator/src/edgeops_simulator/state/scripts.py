# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator.state.part import Document, Observed

DETAILS = ("seen_on", "versions")
SCORES = ("magecart_score", "malware_score", "cryptomining_score", "dataflow_score", "obfuscation_score")
_INTERNAL = ("hidden", "page_shield_js_integrity_score")
_NOT_LISTED = frozenset({*DETAILS, *SCORES, *_INTERNAL})
_RENAMED = {
    "script_id": "id",
    "script_url": "url",
    "seen_on_first": "first_page_url",
    "seen_on": "page_urls",
    "appears_in_cdn_cgi_path": "url_contains_cdn_cgi_path",
}
USUAL_TIME = "2026-01-01T00:00:00Z"


class Scripts(Observed):
    """The scripts that were seen on a zone, by id."""

    members: t.ClassVar[t.Mapping[str, type]] = {"script_id": str, "hidden": list}
    id_name = "script_id"


def _shown(script: Document, leave_out: t.Collection[str] = ()) -> Document:
    hidden = {*script.get("hidden", ()), *_INTERNAL, *leave_out}
    return {name: value for name, value in script.items() if name not in hidden}


def in_list(script: Document) -> Document:
    """Return a script as a listing of script_monitor shows it, without its hidden members."""
    return script if _NOT_LISTED.isdisjoint(script) else _shown(script, (*DETAILS, *SCORES))


def in_full(script: Document, leave_out: t.Collection[str] = SCORES) -> Document:
    """Return a script with its details; details that the seed omits are derived from other members."""
    details = _shown(script, leave_out)
    hidden = script.get("hidden", ())
    if "seen_on" not in hidden:
        details.setdefault("seen_on", [script["seen_on_first"]] if script.get("seen_on_first") else [])
    if "versions" not in hidden:
        present = {name: script[name] for name in ("hash", "js_integrity_score", "fetched_at") if details.get(name) is not None}
        details.setdefault("versions", [present] if len(present) == 3 else [])
    return details


def _turned(score: t.Any) -> t.Any:
    return min(99, max(1, 100 - score)) if isinstance(score, int) else score


def _usual(script: Document) -> Document:
    """Return the members that page_shield has for every script, with defaults for those that the seed omits."""
    known = [script[name] for name in ("added_at", "first_seen_at", "fetched_at", "last_seen_at") if script.get(name)]
    first, last = (known[0], known[-1]) if known else (USUAL_TIME, USUAL_TIME)
    host = script.get("host", "")
    return {
        "url": f"https://{host}/{script.get('script_id')}.js",
        "host": host,
        "added_at": first,
        "first_seen_at": first,
        "last_seen_at": last,
        "url_contains_cdn_cgi_path": False,
    }


def page_shield(script: Document, *, in_list: bool) -> Document:
    """Return a script with page_shield's names, without `count`, and with the score in reverse direction."""
    members = _shown(script, ("versions",)) if in_list else in_full(script, ())
    renamed = {_RENAMED.get(name, name): value for name, value in members.items() if name != "count"}
    if "js_integrity_score" in renamed:
        score = script.get("page_shield_js_integrity_score")
        renamed["js_integrity_score"] = _turned(renamed["js_integrity_score"]) if score is None else score
    hidden = {_RENAMED.get(name, name) for name in script.get("hidden", ())}
    for name, value in _usual(members).items():
        if name not in hidden:
            renamed.setdefault(name, value)
    if "versions" in renamed:
        renamed["versions"] = [{**v, "js_integrity_score": _turned(v.get("js_integrity_score"))} for v in renamed["versions"]]
    return renamed


def from_page_shield(members: Document) -> Document:
    """Convert a script with page_shield's names back."""
    back = {new: old for old, new in _RENAMED.items()}
    script = {back.get(name, name): value for name, value in members.items()}
    if "js_integrity_score" in script:
        script["page_shield_js_integrity_score"] = script["js_integrity_score"]
        script["js_integrity_score"] = _turned(script["js_integrity_score"])
    if isinstance(script.get("versions"), list):
        versions = [version for version in script["versions"] if isinstance(version, dict)]
        script["versions"] = [{**one, "js_integrity_score": _turned(one.get("js_integrity_score"))} for one in versions]
    return script
