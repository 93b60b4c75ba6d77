# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import http.client
import json
import pathlib
import subprocess
import sys
import threading
import typing as t
from urllib.parse import urlsplit

from edgeops_simulator.run import Options, Running, serve
from edgeops_simulator.settings import Settings

DEFAULT_ZONE = "5a1e0c47d2b94f6f8e3b7c9012d4a6f8"
DEFAULT_TOKEN = "simulated-token-1f6c"
_SAFE = ("GET", "HEAD", "OPTIONS")
Document = dict[str, t.Any]


class ControlError(Exception):
    """The control interface refused what was asked of it."""


class Simulator:
    """A running simulator: where it is, what it accepts, and its side door."""

    def __init__(self, announcement: Document, email: str | None, key: str | None, log_folder: pathlib.Path | None) -> None:
        self.base_url: str = announcement["base_url"]
        self.control_url: str = announcement["control_url"]
        self.token: str = announcement["token"]
        self.zones: list[str] = announcement["zones"]
        self.email, self.key, self.log_folder = email, key, log_folder

    @property
    def zone(self) -> str:
        return self.zones[0]

    def environment(self) -> dict[str, str]:
        """The environment variables that point a client here."""
        return {"CLOUDFLARE_BASE_URL": self.base_url, "CLOUDFLARE_API_TOKEN": self.token}

    def control(self, method: str, path: str, body: t.Any = None) -> t.Any:
        status, answer = _exchange(self.control_url, method, path, body, {})
        if status >= 400:
            raise ControlError(answer["error"] if isinstance(answer, dict) else answer)
        return answer

    def request(self, method: str, path: str, body: t.Any = None) -> tuple[int, t.Any]:
        """A request to the service itself, as somebody else with the same token would send it; plain HTTP only."""
        headers = {"Authorization": f"Bearer {self.token}", "X-Simulator-Editor": "1"}
        return _exchange(self.base_url, method, path, body, headers)

    def reset(self, **seed: t.Any) -> None:
        self.control("POST", "/reset", seed)

    def journal(self, zone: str | None = None) -> list[Document]:
        found: list[Document] = self.control("GET", "/journal" + (f"?zone={zone}" if zone else ""))["requests"]
        return found

    def writes(self, zone: str | None = None) -> list[Document]:
        return [entry for entry in self.journal(zone) if entry["method"] not in _SAFE]

    def clear_journal(self) -> None:
        self.control("DELETE", "/journal")

    def seed(self, document: Document | None = None, **members: t.Any) -> None:
        self.control("POST", "/seed", {**(document or {}), **members})

    def settings(self, **changes: t.Any) -> Document:
        return t.cast(Document, self.control("PATCH", "/settings", changes))

    def faults(self, *faults: Document) -> list[Document]:
        return t.cast("list[Document]", self.control("POST", "/faults", list(faults))["faults"])

    def clear_faults(self) -> None:
        self.control("DELETE", "/faults")

    def snapshot(self) -> Document:
        return t.cast(Document, self.control("GET", "/snapshot"))

    def restore(self, document: Document) -> None:
        self.control("PUT", "/snapshot", document)

    def traffic(self, requests: t.Sequence[Document], zone: str | None = None) -> Document:
        return t.cast(Document, self.control("POST", "/traffic", {"zone": zone, "requests": list(requests)}))

    def state(self, zone: str | None = None) -> Document:
        return t.cast(Document, self.control("GET", f"/state?zone={zone or self.zone}"))


def _exchange(url: str, method: str, path: str, body: t.Any, headers: dict[str, str]) -> tuple[int, t.Any]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(t.cast(str, parts.hostname), parts.port, timeout=60)
    try:
        payload = None if body is None else json.dumps(body)
        sent = headers if payload is None else {**headers, "Content-Type": "application/json"}
        connection.request(method, parts.path + path, payload, sent)
        response = connection.getresponse()
        content = response.read()
        return response.status, json.loads(content) if content else None
    finally:
        connection.close()


@contextlib.contextmanager
def running(
    zones: t.Sequence[str] = (DEFAULT_ZONE,),
    token: str = DEFAULT_TOKEN,
    *,
    email: str | None = "editor@example.com",
    key: str | None = "simulated-key-77b2",
    seed: Document | None = None,
    log_folder: str | pathlib.Path | None = None,
    process: bool = False,
    **more: t.Any,
) -> t.Iterator[Simulator]:
    """A simulator for as long as the block runs: in a thread, or with `process=True` as a process of its own.

    `more` holds settings by name, and `state`, `certfile`, `keyfile`, `port` and `control_port` as the command has them.
    """
    folder = pathlib.Path(log_folder) if log_folder else None
    settings = {name: more.pop(name) for name in [f.name for f in dataclasses.fields(Settings)] if name in more}
    if more.get("state"):
        more["state"] = pathlib.Path(more["state"])
    options = Options(token, list(zones), email, key, seed=seed or {}, settings=settings, log_folder=folder, **more)
    with (_process(options) if process else _thread(options)) as announcement:
        yield Simulator(announcement, email, key, folder)


@contextlib.contextmanager
def _thread(options: Options) -> t.Iterator[Document]:
    ready = threading.Event()
    found: dict[str, t.Any] = {}

    async def main() -> None:
        found["loop"], found["stop"] = asyncio.get_running_loop(), asyncio.Event()

        def announce(running: Running) -> None:
            found["announcement"] = running.announcement()
            ready.set()

        await serve(options, announce, found["stop"])

    def target() -> None:
        try:
            asyncio.run(main())
        except BaseException as problem:  # handed to the thread that waits
            found["problem"] = problem
            ready.set()

    thread = threading.Thread(target=target, name="edgeops-simulator", daemon=True)
    thread.start()
    ready.wait()
    if "problem" in found:
        raise found["problem"]
    try:
        yield found["announcement"]
    finally:
        found["loop"].call_soon_threadsafe(found["stop"].set)
        thread.join(10)


def _command(options: Options) -> list[str]:
    command = [sys.executable, "-m", "edgeops_simulator", "--token", options.token]
    for name in ("email", "key", "state", "log_folder", "certfile", "keyfile", "port", "control_port"):
        value = getattr(options, name)
        if value is not None:
            command += ["--" + name.replace("_", "-"), str(value)]
    for zone in options.zones:
        command += ["--zone", zone]
    return command


@contextlib.contextmanager
def _process(options: Options) -> t.Iterator[Document]:
    environment_path = str(pathlib.Path(__file__).resolve().parents[1])
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {environment_path!r}); " + _START, *_command(options)[3:]]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        line = child.stdout.readline()
        if not line:
            raise RuntimeError(f"the simulator ended with {child.wait()} before it was ready")
        announcement = json.loads(line)
        _configure(announcement, options)
        yield announcement
    finally:
        child.terminate()
        child.wait(10)


_START = "from edgeops_simulator.cli import main; sys.exit(main(sys.argv[1:]))"


def _configure(announcement: Document, options: Options) -> None:
    """Seed and settings go through the side door: they need no file, and a reset has to know them."""
    start = {**options.seed, "settings": {**(options.seed.get("settings") or {}), **options.settings}}
    _exchange(announcement["control_url"], "PUT", "/start", start, {})
    if options.seed.get("zones"):
        state = _exchange(announcement["control_url"], "GET", "/state", None, {})[1]
        announcement["zones"] = [zone["id"] for zone in state["zones"]]
