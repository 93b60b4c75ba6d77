# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import typing as t

from edgeops_simulator._launch import Channel, exchange, in_subprocess, in_thread
from edgeops_simulator.run import Options
from edgeops_simulator.settings import Settings

DEFAULT_ZONE = "5a1e0c47d2b94f6f8e3b7c9012d4a6f8"
DEFAULT_TOKEN = "simulated-token-1f6c"  # noqa: S105 - valid for a simulator only
_SAFE = ("GET", "HEAD", "OPTIONS")
_READING = ("/graphql", "/logpush/transformers/preview")
Document = dict[str, t.Any]


class ControlError(Exception):
    """The control URL refused a request."""


class Simulator:
    """A running simulator: its addresses, its credentials, and its control URL."""

    def __init__(self, announcement: Document, email: str | None, key: str | None, log_folder: pathlib.Path | None) -> None:
        self.base_url: str = announcement["base_url"]
        self.control_url: str = announcement["control_url"]
        self.token: str = announcement["token"]
        self.zones: list[str] = announcement["zones"]
        self.accounts: list[str] = announcement["accounts"]
        self.email, self.key, self.log_folder = email, key, log_folder
        self.controls = Channel(self.control_url)

    @property
    def zone(self) -> str:
        return self.zones[0]

    @property
    def account(self) -> str:
        return self.accounts[0]

    def environment(self) -> dict[str, str]:
        """Return the environment variables with which a client uses this simulator."""
        return {"CLOUDFLARE_BASE_URL": self.base_url, "CLOUDFLARE_API_TOKEN": self.token}

    def control(self, method: str, path: str, body: t.Any = None) -> t.Any:
        status, answer = self.controls.exchange(method, path, body, {})
        if status >= 400:
            raise ControlError(answer["error"] if isinstance(answer, dict) else answer)
        return answer

    def _document(self, method: str, path: str, body: t.Any = None) -> Document:
        document: Document = self.control(method, path, body)
        return document

    def request(self, method: str, path: str, body: t.Any = None) -> tuple[int, t.Any]:
        """Send a request to the API as another client with the same token would; plain HTTP only."""
        headers = {"Authorization": f"Bearer {self.token}", "X-Simulator-Editor": "1"}
        return exchange(self.base_url, method, path, body, headers)

    def reset(self, **seed: t.Any) -> None:
        self.control("POST", "/reset", seed)

    def journal(self, zone: str | None = None, *, since: int = 0) -> list[Document]:
        """Return the requests to the API, by default all of all zones; `since` is the number of the first one."""
        query = f"?since={since}" + (f"&zone={zone}" if zone else "")
        entries: list[Document] = self.control("GET", f"/journal{query}")["requests"]
        return entries

    def writes(self, zone: str | None = None, *, since: int = 0) -> list[Document]:
        entries = self.journal(zone, since=since)
        return [entry for entry in entries if entry["method"] not in _SAFE and not entry["path"].endswith(_READING)]

    def clear_journal(self) -> None:
        self.control("DELETE", "/journal")

    def seed(self, document: Document | None = None, **members: t.Any) -> None:
        self.control("POST", "/seed", {**(document or {}), **members})

    def settings(self, **changes: t.Any) -> Document:
        return self._document("PATCH", "/settings", changes)

    def faults(self, *faults: Document) -> list[Document]:
        made: list[Document] = self.control("POST", "/faults", list(faults))["faults"]
        return made

    def clear_faults(self) -> None:
        self.control("DELETE", "/faults")

    def snapshot(self) -> Document:
        return self._document("GET", "/snapshot")

    def restore(self, document: Document) -> None:
        self.control("PUT", "/snapshot", document)

    def traffic(self, requests: t.Sequence[Document] = (), zone: str | None = None, **more: t.Any) -> Document:
        """Deliver these requests to a zone; `more` are `at`, `failures`, or `account`, `dataset` and `records`."""
        return self._document("POST", "/traffic", {"zone": zone, "requests": list(requests), **more})

    def query(self, text: str, **variables: t.Any) -> t.Any:
        """Send a GraphQL query; return its whole answer."""
        return self.request("POST", "/graphql", {"query": text, "variables": variables})[1]

    def scripts(self, *events: Document, zone: str | None = None) -> list[Document]:
        """Apply these events to the scripts of a zone; return the changed scripts."""
        changed: list[Document] = self.control("POST", "/scripts", {"zone": zone, "events": list(events)})["scripts"]
        return changed

    def state(self, zone: str | None = None, *, account: str | None = None) -> Document:
        """Return the state of a zone, by default of the first one, or of an account."""
        address = f"account={account}" if account else f"zone={zone or self.zone}"
        return self._document("GET", f"/state?{address}")


@contextlib.contextmanager
def running(
    zones: t.Sequence[str] = (DEFAULT_ZONE,),
    token: str = DEFAULT_TOKEN,
    *,
    accounts: t.Sequence[t.Any] = (),
    email: str | None = "editor@example.com",
    key: str | None = "simulated-key-77b2",
    seed: Document | None = None,
    log_folder: str | pathlib.Path | None = None,
    process: bool = False,
    **more: t.Any,
) -> t.Iterator[Simulator]:
    """Run a simulator until the block ends, in a thread or, with `process=True`, in its own process.

    `more` are settings by name, and `state`, `certfile`, `keyfile`, `port` and `control_port` as the command has them.
    """
    folder = pathlib.Path(log_folder) if log_folder else None
    settings = {name: more.pop(name) for name in [f.name for f in dataclasses.fields(Settings)] if name in more}
    if more.get("state"):
        more["state"] = pathlib.Path(more["state"])
    options = Options(
        token, list(zones), list(accounts), email, key, seed=seed or {}, settings=settings, log_folder=folder, **more
    )
    with in_subprocess(options) if process else in_thread(options) as announcement:
        simulator = Simulator(announcement, email, key, folder)
        with contextlib.closing(simulator.controls):
            yield simulator
