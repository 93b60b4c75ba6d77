# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import asyncio
import dataclasses
import pathlib
import ssl
import typing as t

from edgeops_simulator.control import Control
from edgeops_simulator.front.app import Front
from edgeops_simulator.front.routes import BASE_PATH
from edgeops_simulator.front.world import World
from edgeops_simulator.server import Listener
from edgeops_simulator.state.service import Credentials, Service
from edgeops_simulator.store import Store


@dataclasses.dataclass
class Options:
    """The options with which a simulator starts."""

    token: str
    zones: list[str] = dataclasses.field(default_factory=list)
    accounts: list[t.Any] = dataclasses.field(default_factory=list)
    email: str | None = None
    key: str | None = None
    port: int = 0
    control_port: int = 0
    seed: dict[str, t.Any] = dataclasses.field(default_factory=dict)
    settings: dict[str, t.Any] = dataclasses.field(default_factory=dict)
    state: pathlib.Path | None = None
    log_folder: pathlib.Path | None = None
    certfile: str | None = None
    keyfile: str | None = None


def make_world(options: Options) -> World:
    """Return the state at the start: that of the state file, otherwise the given zones, accounts, seed and settings."""
    zones = [*options.zones, *(options.seed.get("zones") or [])]
    accounts = [*options.accounts, *(options.seed.get("accounts") or [])]
    settings = {**(options.seed.get("settings") or {}), **options.settings}
    start = {**options.seed, "zones": zones, "accounts": accounts, "settings": settings}
    service = Service(Credentials(options.token, options.email, options.key))
    world = World(service, start, options.log_folder, Store(options.state) if options.state else None)
    if world.store is not None and world.store.load(service):
        new = [zone for zone in options.zones if zone not in service.zones]
        world.seed({"zones": new, "accounts": options.accounts, "settings": options.settings})
    else:
        world.seed(start)
    world.keep()
    return world


class Running:
    """A simulator that listens on its two ports."""

    def __init__(self, options: Options) -> None:
        tls = None
        if options.certfile:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(options.certfile, options.keyfile)
        self._scheme = "https" if tls else "http"
        self.world = make_world(options)
        front = Front(self.world)
        self._service = Listener(front, options.port, tls)
        self._control = Listener(Control(self.world, front, lambda: self.base_url), options.control_port)
        self.world.refuse, self.world.reopen = self._service.refuse, self._service.reopen

    async def open(self) -> None:
        await self._service.open()
        await self._control.open()
        self.world.close_port_if_due()

    @property
    def base_url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._service.port}{BASE_PATH}"

    def announcement(self) -> dict[str, t.Any]:
        """Return the line that the command prints when it is ready."""
        return {
            "base_url": self.base_url,
            "control_url": f"http://127.0.0.1:{self._control.port}",
            "token": self.world.service.credentials.token,
            "zones": list(self.world.service.zones),
            "accounts": list(self.world.service.accounts),
        }

    async def close(self) -> None:
        await self._service.close()
        await self._control.close()
        self.world.keep()


async def serve(options: Options, ready: t.Callable[[Running], None], stop: asyncio.Event) -> None:
    """Open the ports, announce them, and run until `stop` is set."""
    running = Running(options)
    await running.open()
    try:
        ready(running)
        await stop.wait()
    finally:
        await running.close()
