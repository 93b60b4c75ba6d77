# SPDX-License-Identifier: GPL-3.0-or-later

"""Histories of audits in a few words each: which scripts a day showed, and which baseline it was compared with."""

from __future__ import annotations

import datetime
import hashlib
import typing as t
from pathlib import Path

from support.chains import SCOPE, script, write_baseline, write_chain

START = datetime.date(2026, 1, 1)
HOST = "shop.example"
ZONE = "a" * 32
AUTHORISATION = ("owner", "justification", "authorised_by")


def digest(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()


def url_of(name: str) -> str:
    return name if "/" in name else f"https://cdn.example/{name}.js"


def entry(*hashes: str, **members: t.Any) -> dict[str, t.Any]:
    """Return an entry of the baseline without its name: pinned to these hashes, or to any without one."""
    declared = {"owner": "payments", "justification": "card fields", "authorised_by": "j.doe", "authorised_on": "2025-12-01"}
    declared |= {"hosts": [], "review_by": None, "integrity": "pinned" if hashes else "unpinned", "integrity_reason": "r"}
    return {**declared, "hashes": sorted(str(digest(text)) for text in hashes), "required": False, **members}


def day_of(day: float) -> str:
    at = datetime.datetime.combine(START, datetime.time(6), datetime.timezone.utc) + datetime.timedelta(day)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


class Audit(t.NamedTuple):
    """An audit on a day, counted from the first of January; `scripts` are names or URLs with what their hash is made of."""

    day: float
    scripts: t.Mapping[str, str | None] = {}
    baseline: t.Mapping[str, t.Mapping[str, t.Any]] = {}
    monitor: bool = True
    scope: t.Mapping[str, t.Any] = {}
    written: float | None = None
    more: t.Sequence[tuple[str, str | None]] = ()
    # Other names of entries than those of their scripts.
    rename: t.Mapping[str, str] = {}
    # Members of scripts, by their name.
    shown: t.Mapping[str, t.Mapping[str, t.Any]] = {}
    members: t.Mapping[str, t.Any] = {}


def daily(days: t.Iterable[float], *what: t.Any, **more: t.Any) -> list[Audit]:
    return [Audit(day, *what, **more) for day in days]


def about(kind: str, name: str | None = None, entry: str | None = None, message: str = "m") -> dict[str, t.Any]:
    url = url_of(name) if name else None
    return {"kind": kind, "script_url": url, "host": HOST if name else None, "entry": entry, "message": message, "pages": None}


def record(audit: Audit, earlier: float | None) -> tuple[dict[str, t.Any], list[dict[str, t.Any]]]:
    """Return the members of the record of an audit, as the module would write it, and the entries of its baseline."""
    called = {name: audit.rename.get(name, name) for name in audit.baseline}
    entries = [{"name": called[name], "url": url_of(name), **declared} for name, declared in audit.baseline.items()]
    of_entries = [finding for declared in entries for finding in _of_entry(declared, audit)]
    findings, inventory = [*of_entries], []
    for name, text in sorted(audit.scripts.items()):
        kinds, value = [], digest(text)
        declared = audit.baseline.get(name)
        kinds += [kind for kind, of in audit.more if of == name]
        if declared is None:
            kinds.append("new")
        elif declared["integrity"] == "pinned" and value not in declared["hashes"]:
            kinds.append("changed" if value else "unverified")
        findings += [about(kind, name, called.get(name), f"1 hash seen: {value}") for kind in kinds]
        item = script(url_of(name), HOST, hash=value, script_id=str(digest(name))[:32], **audit.shown.get(name, {}))
        own = [finding["kind"] for finding in of_entries if finding["entry"] == called.get(name)]
        inventory.append({**item, "entry": called.get(name), "findings": [*kinds, *own]})
    findings += [about(kind) for kind, of in audit.more if of is None]
    findings += [] if audit.monitor else [about("monitor_off")]
    findings += [] if audit.scripts else [about("nothing_seen")]
    findings += [about("evidence_gap")] if earlier is not None and audit.day - earlier > 5 else []
    members = {"at": day_of(audit.day), "written_at": day_of(audit.day if audit.written is None else audit.written)}
    members |= {"monitor": {"enabled": audit.monitor, "updated_at": None, "sampled": True}, "scope": {**SCOPE, **audit.scope}}
    return {**members, "inventory": inventory, "findings": findings, "passed": not findings, **audit.members}, entries


def _of_entry(declared: t.Mapping[str, t.Any], audit: Audit) -> t.Iterator[dict[str, t.Any]]:
    if not all(declared[name] for name in AUTHORISATION):
        yield about("unjustified", entry=declared["name"])
    if declared["review_by"] and declared["review_by"] < day_of(audit.day)[:10]:
        yield about("expired", entry=declared["name"])
    if declared["required"] and declared["url"] not in map(url_of, audit.scripts):
        yield about("gone", entry=declared["name"])


def write(folder: Path, audits: t.Iterable[Audit], zone_id: str = ZONE) -> Path:
    """Write the evidence of a zone; return the file of its chain."""
    records, earlier = [], None
    for audit in audits:
        members, entries = record(audit, earlier)
        records.append({"baseline_digest": write_baseline(folder, entries), **members})
        earlier = audit.day
    return write_chain(folder, records, zone_id)
