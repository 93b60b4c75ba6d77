# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import pathlib
import select
import subprocess
import sys
import threading
import typing as t
from urllib.parse import urlsplit

from edgeops_simulator.run import Options, Running, serve

Document = dict[str, t.Any]
_START = "from edgeops_simulator.cli import main; sys.exit(main(sys.argv[1:]))"


def exchange(url: str, method: str, path: str, body: t.Any, headers: dict[str, str]) -> tuple[int, t.Any]:
    with contextlib.closing(Channel(url)) as channel:
        return channel.exchange(method, path, body, headers)


class Channel:
    """Sends requests to one URL, one after the other over a connection that is kept."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        self._path = parts.path
        self._one_at_a_time = threading.Lock()

    def exchange(self, method: str, path: str, body: t.Any, headers: dict[str, str]) -> tuple[int, t.Any]:
        payload = None if body is None else json.dumps(body)
        sent = headers if payload is None else {**headers, "Content-Type": "application/json"}
        with self._one_at_a_time:
            kept = self._connection.sock
            if kept is not None and select.select([kept], [], [], 0)[0]:
                self.close()  # the simulator has ended, or closed it after a minute without requests
            self._connection.request(method, self._path + path, payload, sent)
            response = self._connection.getresponse()
            content = response.read()
        return response.status, json.loads(content) if content else None

    def close(self) -> None:
        self._connection.close()


@contextlib.contextmanager
def in_thread(options: Options) -> t.Iterator[Document]:
    ready = threading.Event()
    state: dict[str, t.Any] = {}

    async def main() -> None:
        state["loop"], state["stop"] = asyncio.get_running_loop(), asyncio.Event()

        def announce(running: Running) -> None:
            state["announcement"] = running.announcement()
            ready.set()

        await serve(options, announce, state["stop"])

    def target() -> None:
        try:
            asyncio.run(main())
        except BaseException as problem:  # raised again in the thread that waits
            state["problem"] = problem
            ready.set()

    thread = threading.Thread(target=target, name="edgeops-simulator", daemon=True)
    thread.start()
    ready.wait()
    if "problem" in state:
        raise state["problem"]
    try:
        yield state["announcement"]
    finally:
        state["loop"].call_soon_threadsafe(state["stop"].set)
        thread.join(10)


def _arguments(options: Options) -> list[str]:
    command = ["--token", options.token]
    for name in ("email", "key", "state", "log_folder", "certfile", "keyfile", "port", "control_port"):
        value = getattr(options, name)
        if value is not None:
            command += ["--" + name.replace("_", "-"), str(value)]
    for zone in options.zones:
        command += ["--zone", zone]
    for account in options.accounts:
        command += ["--account", account if isinstance(account, str) else "=".join(account.values())]
    return command


@contextlib.contextmanager
def in_subprocess(options: Options) -> t.Iterator[Document]:
    package = str(pathlib.Path(__file__).resolve().parents[1])
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {package!r}); {_START}", *_arguments(options)]
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
        if child.stdout is not None:
            child.stdout.close()


def _configure(announcement: Document, options: Options) -> None:
    """Set seed and settings through the control URL: a reset returns to them, and they need no file."""
    start = {**options.seed, "settings": {**(options.seed.get("settings") or {}), **options.settings}}
    exchange(announcement["control_url"], "PUT", "/start", start, {})
    state = exchange(announcement["control_url"], "GET", "/state", None, {})[1]
    for name in ("zones", "accounts"):
        announcement[name] = [owner["id"] for owner in state[name]]
