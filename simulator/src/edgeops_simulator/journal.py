# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import time
import typing as t

_NEVER_KEPT = ("authorization", "x-auth-key", "x-auth-email", "cookie", "proxy-authorization")


@dataclasses.dataclass
class Entry:
    """One request to the API and its answer, without credentials."""

    index: int
    method: str
    path: str
    query: str
    zone: str | None
    account: str | None
    body: t.Any
    header_names: list[str]
    headers: dict[str, str]
    authorization: bool
    credential: str
    connection: int
    time: float
    monotonic: float
    status: int | None = None
    fault: str | None = None
    applied: bool = False

    def document(self) -> dict[str, t.Any]:
        return dict(vars(self))


def owner_in(path: str, kind: str) -> str | None:
    """Return the id of the zone or account in a path."""
    parts = path.split("/")
    return parts[2] if len(parts) > 2 and parts[1] == kind and parts[2] else None


class Journal:
    """All requests in the order of their arrival."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._next = 0

    def add(self, method: str, path: str, query: str, headers: t.Mapping[str, str], connection: int) -> Entry:
        entry = Entry(
            index=self._next,
            method=method,
            path=path,
            query=query,
            zone=owner_in(path, "zones"),
            account=owner_in(path, "accounts"),
            body=None,
            header_names=sorted(headers),
            headers={name: value for name, value in headers.items() if name not in _NEVER_KEPT},
            authorization="authorization" in headers,
            credential="none",
            connection=connection,
            time=time.time(),
            monotonic=time.monotonic(),
        )
        self._next += 1
        self._entries.append(entry)
        return entry

    def read(self, zone: str | None = None, account: str | None = None, since: int = 0) -> list[dict[str, t.Any]]:
        entries = [e for e in self._entries if e.index >= since and zone in (None, e.zone) and account in (None, e.account)]
        return [entry.document() for entry in entries]

    def clear(self) -> None:
        self._entries.clear()
        self._next = 0
