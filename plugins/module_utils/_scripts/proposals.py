# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.chain import is_digest
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.entries import (
    AUTHORISATION,
    PINNED,
    Entry,
    is_host,
)
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.findings import Row
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.pattern import is_url

_MAX_NAME_LENGTH = 60


def propose(entries: t.Iterable[Entry], rows: t.Iterable[Row]) -> list[dict[str, Json]]:
    """Return entries for new scripts, and changed entries with the hashes seen added; nobody has authorised any of them."""
    new: dict[str, list[Row]] = {}
    changed: dict[str, tuple[Entry, set[str]]] = {}
    for row in rows:
        if row.entry is not None:
            if row.unauthorised:
                changed.setdefault(row.entry.name, (row.entry, set()))[1].update(row.unauthorised)
        elif row.seen.url is not None and _is_exact(row.seen.url) and (row.seen.host is None or is_host(row.seen.host)):
            new.setdefault(row.seen.url, []).append(row)
    names = {entry.name: 1 for entry in entries}
    return [
        *(_changed(entry, hashes) for entry, hashes in changed.values()),
        *(_new(url, found, names) for url, found in new.items()),
    ]


def _is_exact(url: str) -> bool:
    """Return whether a URL can be an entry that covers nothing else; a star of the service would be one of a pattern."""
    return is_url(url) and "*" not in url


def _changed(entry: Entry, hashes: set[str]) -> dict[str, Json]:
    return {**entry.declared, **_UNAUTHORISED, "hashes": _usable(entry.hashes | hashes)}


def _new(url: str, rows: t.Sequence[Row], names: dict[str, int]) -> dict[str, Json]:
    hosts = sorted({row.seen.host for row in rows if row.seen.host is not None})
    return {
        "name": _name(url, names),
        "url": url,
        "hosts": hosts if len(hosts) == len(rows) else [],
        **_UNAUTHORISED,
        "review_by": None,
        "integrity": PINNED,
        "integrity_reason": None,
        "hashes": _usable(frozenset[str]().union(*(row.hashes for row in rows))),
        "required": False,
    }


def _usable(hashes: t.Iterable[str]) -> list[str]:
    """What an entry may list; a service that sends other text for a hash leaves the script changed."""
    return sorted(value for value in hashes if is_digest(value))


def _name(url: str, names: dict[str, int]) -> str:
    """Return a name from host and path, in characters that mean nothing to templates, and add it to the names in use."""
    plain = (
        re.sub(r"[^a-z0-9.]+", "-", url.partition("://")[2].partition("?")[0].lower()).strip("-.")[:_MAX_NAME_LENGTH] or "script"
    )
    name = plain
    while name in names:
        names[plain] += 1
        name = f"{plain}-{names[plain]}"
    names[name] = 1
    return name


_UNAUTHORISED: dict[str, None] = dict.fromkeys((*AUTHORISATION, "authorised_on"))
