# SPDX-License-Identifier: GPL-3.0-or-later

"""Records of chains as an audit writes them, for tests that need no audit."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

from ansible_collections.edgeops.observability.plugins.module_utils._chain.kinds import PAGES, SCRIPTS, Kind
from ansible_collections.edgeops.observability.plugins.module_utils._chain.records import seal
from ansible_collections.edgeops.observability.plugins.module_utils._pages.facts import COMPARED_HEADERS
from ansible_collections.edgeops.observability.plugins.module_utils._text import canonical, digest_of

ZONE = "0123abcd"
AT = "2026-11-21T06:00:00Z"
SCOPE: dict[str, t.Any] = {
    "hosts": [],
    "status": ["active", "infrequent"],
    "pages": [],
    "fail_on": [],
    "details": "findings",
    "route": "script_monitor",
}
PAGES_SCOPE: dict[str, t.Any] = {
    "pages": ["https://shop.example/checkout"],
    "headers": list(COMPARED_HEADERS),
    "fetches": 2,
    "fail_on": [],
}
EMPTY = digest_of([])


def script(url: str | None = "https://cdn.example/a.js", host: str | None = "shop.example", **members: t.Any) -> dict[str, t.Any]:
    """Return a script of an inventory."""
    of_script = {"script_id": "0a" * 16, "script_url": url, "host": host, "status": "active", "hash": "a" * 64}
    of_script |= {"js_integrity_score": 90, "first_seen_at": None, "malicious": False}
    return {"script": {**of_script, **members}, "entry": None, "findings": []}


def page(url: str = "https://shop.example/checkout", **members: t.Any) -> dict[str, t.Any]:
    """Return a page of a record."""
    about = {"url": url, "final_url": url, "source": "fetch", "recorded_at": None, "status": 200, "entry": "checkout"}
    return {**about, "headers": {"refresh": None}, "scripts": [], "inline": [], "frames": [], "forms": [], **members}


def unsealed(kind: Kind = SCRIPTS, **members: t.Any) -> dict[str, t.Any]:
    """Return the members of a record without its digest."""
    record = {"v": 1, "seq": 1, "at": AT, "written_at": AT, "zone_id": ZONE, "prev": None, "collection_version": "0"}
    record |= {"findings": [], "passed": True, **dict.fromkeys(kind.baselines, EMPTY)}
    if kind is PAGES:
        record |= {"kind": "pages", "scope": PAGES_SCOPE, "pages": [page()]}
    else:
        record |= {"monitor": {"enabled": True, "updated_at": None, "sampled": True}, "scope": SCOPE, "inventory": []}
    return {**record, **members}


def line_of(record: t.Mapping[str, t.Any]) -> bytes:
    """Return the line of a sealed record."""
    return canonical(record).encode() + b"\n"


def record_line(kind: Kind = SCRIPTS, **members: t.Any) -> bytes:
    return line_of(seal(unsealed(kind, **members)))


def resealed(line: bytes, *without: str, **members: t.Any) -> bytes:
    """Return the line of a record with other members, and with their digest."""
    record = {name: value for name, value in json.loads(line).items() if name not in ("digest", *without)} | members
    return line_of(seal(record))


def write_baseline(folder: Path, entries: t.Sequence[t.Any] = ()) -> str:
    """Keep a baseline in a folder of evidence; return its digest."""
    (folder / "baselines").mkdir(exist_ok=True)
    digest = digest_of(list(entries))
    path = folder / "baselines" / f"{digest}.json"
    if not path.exists():
        path.write_text(canonical(list(entries)), encoding="ascii")
    return digest


def write_chain(folder: Path, records: t.Iterable[t.Mapping[str, t.Any]], zone_id: str = ZONE, kind: Kind = SCRIPTS) -> Path:
    """Write a chain whose records have these members; return its file."""
    path, prev = folder / f"{zone_id}{kind.suffix}", None
    with path.open("wb") as file:
        for seq, members in enumerate(records, 1):
            whole = unsealed(kind, **{"seq": seq, "zone_id": zone_id.lower(), "prev": prev, **members})
            if kind.same in members:
                del whole[kind.state]
            record = seal(whole)
            prev = record["digest"]
            file.write(line_of(record))
    write_baseline(folder)
    return path
