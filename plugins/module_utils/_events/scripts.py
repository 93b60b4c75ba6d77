# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from .._core import Json
from .facts import SCRIPT_CHANGED, SCRIPT_GONE, SCRIPT_MALICIOUS, SCRIPT_NEW, SCRIPT_REPORTED, Change
from .state import Identity, Script

# Of what the service lists of a script: members that help to react to it.
_SHOWN = ("script_id", "status", "js_integrity_score", "malicious_reasons", "first_seen_at", "fetched_at", "seen_on_first")

Scripts = t.Mapping[Identity, Script]
Details = t.Mapping[Identity, t.Mapping[str, Json]]


class Seen(t.NamedTuple):
    """The scripts of a listing: what is compared, and what else the service lists of each."""

    scripts: Scripts
    details: Details


def compare_scripts(
    known: Scripts | None, seen: Seen, *, silent: bool, is_covered: t.Callable[[Identity], bool]
) -> tuple[Scripts, list[Change]]:
    """Return the scripts to remember and what changed; scripts that were never listed before are `silent` or all new."""
    before = known or {}
    after = {identity: _remembered(before.get(identity), script) for identity, script in seen.scripts.items()}
    if known is None and silent:
        return after, []
    changes: list[Change] = []
    for identity in sorted(after):
        details = seen.details.get(identity, {})
        changes.extend(_changes(identity, before.get(identity), after[identity], details, is_covered))
    gone = sorted(before.keys() - after.keys())
    return after, [
        *changes,
        *(Change(SCRIPT_GONE, subject_of(identity), _show(identity, before[identity]), None) for identity in gone),
    ]


def subject_of(identity: Identity) -> str:
    """Return what an event about a script is about: the JSON of URL and host."""
    return json.dumps(identity, separators=(",", ":"), ensure_ascii=False)


def _remembered(before: Script | None, now: Script) -> Script:
    """A script that is listed without a hash or a score for a while keeps the last ones: a change in between is one, and no change is none."""
    if before is None:
        return now
    return now._replace(
        hashes=now.hashes or before.hashes, malicious=before.malicious if now.malicious is None else now.malicious
    )


def _changes(
    identity: Identity,
    before: Script | None,
    now: Script,
    details: t.Mapping[str, Json],
    is_covered: t.Callable[[Identity], bool],
) -> t.Iterator[Change]:
    shown = {**_show(identity, now), **{name: details[name] for name in _SHOWN if name in details}}
    was = None if before is None else _show(identity, before)

    def change(kind: str) -> Change:
        return Change(kind, subject_of(identity), was, shown)

    if before is None and not is_covered(identity):
        yield change(SCRIPT_NEW)
    if before is not None and before.hashes and set(now.hashes) - set(before.hashes):
        yield change(SCRIPT_CHANGED)
    if now.malicious and not (before and before.malicious):
        yield change(SCRIPT_MALICIOUS)
    if set(now.reported) - set(before.reported if before else ()):
        yield change(SCRIPT_REPORTED)


def _show(identity: Identity, script: Script) -> dict[str, Json]:
    url, host = identity
    return {
        "script_url": url,
        "host": host,
        "hash": script.hashes[0] if script.hashes else None,
        "hashes": list(script.hashes),
        "malicious": script.malicious,
        "reported": list(script.reported),
    }
