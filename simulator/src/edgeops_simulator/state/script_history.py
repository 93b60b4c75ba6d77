# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of the scripts of a zone: they appear, change, are reported as malicious, and vanish."""

from __future__ import annotations

import datetime
import hashlib
import re
import secrets
import typing as t
from urllib.parse import urlsplit

from edgeops_simulator import clock
from edgeops_simulator.jsontext import KIND_NAMES, is_a
from edgeops_simulator.state.owners import Zone
from edgeops_simulator.state.part import Document
from edgeops_simulator.state.scripts import Scripts as KeptScripts

Scripts = dict[str, Document]
_HASH = re.compile(r"[0-9a-f]{64}")
_MEMBERS: t.Mapping[str, type] = {
    **dict.fromkeys(("action", "at", "script_id", "url", "host", "page", "hash", "domain", "status"), str),
    "score": int,
    "categories": list,
    "malicious": bool,
}


class BadEvent(ValueError):
    """The event is invalid, or impossible for the scripts of this zone."""


def follow(zone: Zone, events: t.Any) -> list[str]:
    """Apply all events in order, or none; return the ids of the changed scripts."""
    if not isinstance(events, list) or not events:
        raise BadEvent("events is not a list with at least one event")
    scripts = dict(zone.scripts)
    touched: dict[str, None] = {}
    for index, event in enumerate(events):
        try:
            touched.update(dict.fromkeys(_happen(scripts, event)))
        except BadEvent as problem:
            raise BadEvent(f"events[{index}]: {problem}") from None
    zone.scripts = KeptScripts(scripts)
    return list(touched)


def _happen(scripts: Scripts, event: t.Any) -> list[str]:
    if not isinstance(event, dict) or event.get("action") not in ACTIONS:
        raise BadEvent(f"an event is an object with an action, one of {', '.join(ACTIONS)}")
    for name, value in event.items():
        if name not in _MEMBERS:
            raise BadEvent(f"unknown member {name}; known are {', '.join(_MEMBERS)}")
        if not is_a(value, _MEMBERS[name]):
            raise BadEvent(f"{name} is not {KIND_NAMES[_MEMBERS[name]]}")
    return ACTIONS[event["action"]](scripts, event, _moment(event.get("at")))


def _moment(text: str | None) -> str:
    if text is None:
        return clock.stamp_seconds()
    try:
        moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise BadEvent(f"at: {text!r} is not a time such as 2026-01-31T12:00:00Z") from None
    in_utc = moment.astimezone(datetime.timezone.utc) if moment.tzinfo else moment
    return f"{in_utc:%Y-%m-%dT%H:%M:%SZ}"


def _meant(scripts: Scripts, event: Document) -> list[str]:
    """Return the scripts with an id, or with a URL; on all hosts unless the event names one."""
    if not event.get("script_id") and not event.get("url"):
        raise BadEvent("an event needs the script_id or the url of a script")
    script_ids = [
        script_id
        for script_id, script in scripts.items()
        if script_id == event.get("script_id", script_id)
        and script.get("script_url") == event.get("url", script.get("script_url"))
        and script.get("host") == event.get("host", script.get("host"))
    ]
    if not script_ids:
        raise BadEvent(f"no such script: {event.get('script_id') or event.get('url')}")
    return script_ids


def _version(event: Document, url: str, at: str) -> Document:
    """Return the new version of a script; the hash is random if omitted."""
    content = event.get("hash") or hashlib.sha256(f"{url} {at} {secrets.token_hex(8)}".encode()).hexdigest()
    score = event.get("score", 1)
    if not _HASH.fullmatch(content) or not 1 <= score <= 99:
        raise BadEvent("hash has 64 hexadecimal digits in lower case; score is 1 to 99")
    return {"hash": content, "js_integrity_score": score, "fetched_at": at}


def _add(scripts: Scripts, event: Document, at: str) -> list[str]:
    url, script_id = event.get("url"), event.get("script_id") or secrets.token_hex(16)
    if not url or not event.get("host"):
        raise BadEvent("a script that is added needs url and host")
    if script_id in scripts:
        raise BadEvent(f"there is a script {script_id}")
    version = _version(event, url, at)
    scripts[script_id] = {
        "script_id": script_id,
        "script_url": url,
        "added_at": at,
        "first_seen_at": at,
        "last_seen_at": at,
        "host": event["host"],
        "domain_reported_malicious": False,
        "url_reported_malicious": False,
        "seen_on_first": event.get("page", f"https://{event['host']}/"),
        "count": 1,
        "status": event.get("status", "active"),
        "appears_in_cdn_cgi_path": "/cdn-cgi/" in url,
        **version,
        "versions": [version],
    }
    return [script_id]


def _seen(script: Document, at: str) -> Document:
    return {**script, "last_seen_at": at, "count": script.get("count", 0) + 1}


def _see(scripts: Scripts, event: Document, at: str) -> list[str]:
    script_ids = _meant(scripts, event)
    for script_id in script_ids:
        scripts[script_id] = {**_seen(scripts[script_id], at), "status": event.get("status", "active")}
    return script_ids


def _change(scripts: Scripts, event: Document, at: str) -> list[str]:
    """Add a version of the content as the newest; its hash may be one of an earlier version."""
    script_ids = _meant(scripts, event)
    version = _version(event, scripts[script_ids[0]].get("script_url", ""), at)
    for script_id in script_ids:
        script = scripts[script_id]
        present = {name: script[name] for name in version if script.get(name) is not None}
        before = script.get("versions", [present] if len(present) == len(version) else [])
        scripts[script_id] = {**_seen(script, at), **version, "versions": [version, *before]}
    return script_ids


def _vanish(scripts: Scripts, event: Document, at: str) -> list[str]:
    """Remove a script from all listings, or change its status, for example to `inactive`."""
    script_ids = _meant(scripts, event)
    for script_id in script_ids:
        if "status" in event:
            scripts[script_id] = {**scripts[script_id], "status": event["status"]}
        else:
            del scripts[script_id]
    return script_ids


def _report(scripts: Scripts, event: Document, at: str) -> list[str]:
    """Report a script, or all scripts of a domain, as malicious, or withdraw the report."""
    domain = event.get("domain")
    if domain is None:
        script_ids, what = _meant(scripts, event), "url"
    else:
        hosts = {script_id: urlsplit(str(script.get("script_url", ""))).hostname or "" for script_id, script in scripts.items()}
        script_ids, what = [i for i, host in hosts.items() if f".{host}".endswith(f".{domain.lower()}")], "domain"
        if not script_ids:
            raise BadEvent(f"no script comes from {domain}")
    malicious = event.get("malicious", True)
    for script_id in script_ids:
        categories = event.get("categories", ["Malware"]) if malicious else []
        reported = {f"{what}_reported_malicious": malicious, f"malicious_{what}_categories": categories}
        scripts[script_id] = {**scripts[script_id], **reported}
    return script_ids


ACTIONS: t.Mapping[str, t.Callable[[Scripts, Document, str], list[str]]] = {
    "add": _add,
    "see": _see,
    "change": _change,
    "report": _report,
    "vanish": _vanish,
}
