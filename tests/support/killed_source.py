# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the event source, kill it before each of its steps in turn, and start it again; print the events that its rulebook got as JSON."""

import asyncio
import itertools
import json
import os
import shutil
import signal
import sys
import traceback
import typing as t
from pathlib import Path

from ansible_collections.edgeops.observability.plugins.module_utils._events import source
from ansible_collections.edgeops.observability.plugins.module_utils._events.compare import Seen
from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import Target
from ansible_collections.edgeops.observability.plugins.module_utils._events.observe import Clock
from ansible_collections.edgeops.observability.plugins.module_utils._events.source import watch
from ansible_collections.edgeops.observability.plugins.module_utils._events.state import Script

ZONES = ("a1", "b2")
A, B = ("https://cdn.example/a.js", "h"), ("https://cdn.example/b.js", "h")
OLD = {A: Script(("h1",), False, ())}
NEW = {A: Script(("h2",), False, ()), B: Script(("h1",), True, ())}


class TwoZones:
    """Replaces the service: two zones in the state of `seen`."""

    seen: t.ClassVar[Seen] = Seen(OLD)

    def __init__(self, *_unused: object) -> None:
        self.learn = self.close = lambda *_unused: None

    def list_targets(self, *, at_start: bool = False) -> tuple[Target, ...]:
        return tuple(Target(zone, zone, zone) for zone in ZONES)

    def look(self, target: Target) -> Seen:
        return self.seen

    def named(self, target: Target) -> Target:
        return target

    def take_count(self) -> int:
        return 2

    def take_warnings(self) -> list[str]:
        return []


def killer(last: int | None) -> t.Callable[[], None]:
    """Return a function that counts steps and kills this process before the last one; each use of the disk is a step, too."""
    steps = itertools.count(1)

    def step() -> None:
        if next(steps) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(function: t.Callable[..., t.Any]) -> t.Callable[..., t.Any]:
        def call(*arguments: t.Any, **named: t.Any) -> t.Any:
            step()
            return function(*arguments, **named)

        return call

    for name in ("open", "fchmod", "fsync", "replace"):
        setattr(os, name, counted(getattr(os, name)))
    return step


def run(folder: Path, log: str, last: int | None) -> None:
    received = os.open(folder / log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    step = killer(last)
    polls = iter((None,))

    class Queue:
        async def put(self, event: dict[str, t.Any]) -> None:
            step()
            os.write(received, json.dumps(event).encode() + b"\n")
            step()

    async def pause(seconds: float) -> None:
        for _poll in polls:
            return
        raise asyncio.CancelledError

    arguments = {"zones": list(ZONES), "api_token": "x", "state_file": str(folder / "state.json"), "watch": ["scripts"]}
    try:
        asyncio.run(watch(Queue(), arguments, Clock(sleep=pause)))
    except asyncio.CancelledError:
        os._exit(0)


def in_a_process(*arguments: t.Any) -> bool:
    """Run in a child process; return whether it reached its end."""
    child = os.fork()
    if not child:
        try:
            run(*arguments)
        finally:
            traceback.print_exc()
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    assert status == 0 or os.WIFSIGNALED(status), status
    return status == 0


def received(folder: Path, log: str) -> list[t.Any]:
    return [json.loads(line)["edgeops"] for line in (folder / log).read_text(encoding="utf-8").splitlines()]


def main(folder: Path) -> None:
    source.Service = TwoZones  # type: ignore[assignment,misc]  # a stand-in
    start = folder / "start"
    start.mkdir()
    assert in_a_process(start, "silent", None)
    assert received(start, "silent") == []
    TwoZones.seen = Seen(NEW)
    outcomes = []
    for last in itertools.count(1):
        copy = shutil.copytree(start, folder / str(last))
        is_done = in_a_process(copy, "first", last)
        assert in_a_process(copy, "second", None)
        state = json.loads((copy / "state.json").read_text(encoding="ascii"))
        outcomes.append([received(copy, "first"), received(copy, "second"), state["pending"]])
        if is_done:
            break
    print(json.dumps(outcomes))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
