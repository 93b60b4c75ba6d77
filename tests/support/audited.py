# SPDX-License-Identifier: GPL-3.0-or-later

"""A zone with two scripts, one of them with a justification, and the audits of it that write evidence."""

import json
import typing as t
from pathlib import Path

import pytest

AUDIT = "edgeops.observability.script_audit"
A, B = "a" * 64, "b" * 64
SCRIPTS = [
    {
        "script_id": "0a" * 16,
        "script_url": "https://cdn.example.net/a.js",
        "host": "shop.example.com",
        "status": "active",
        "hash": A,
    },
    {"script_id": "0b" * 16, "script_url": "https://cdn.example.net/b.js", "host": "shop.example.com", "status": "infrequent"}
    | {"hash": B, "versions": [{"hash": A, "fetched_at": "2026-11-01T00:00:00Z"}]},
]
KNOWN: dict[str, t.Any] = {
    "name": "a",
    "url": "https://cdn.example.net/a.js",
    "owner": "o",
    "justification": "j",
    "authorised_by": "me",
    "hashes": [A],
}


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    return tmp_path / "evidence"


@pytest.fixture
def scripts(simulator: t.Any, zone: str) -> None:
    simulator.seed(scripts={zone: SCRIPTS})
    simulator.request("PUT", f"/zones/{zone}/script_monitor", {"enabled": True})
    simulator.clear_journal()


def task(name: str = "Audit", *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
    return {"name": name, AUDIT: {"baseline": [KNOWN], **options}, "check_mode": check}


def records(evidence: Path, zone: str) -> list[dict[str, t.Any]]:
    return [json.loads(line) for line in (evidence / f"{zone}.jsonl").read_text(encoding="ascii").splitlines()]
