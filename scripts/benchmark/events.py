# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure the event source with 1,000 known zones that do not change: memory, and processor time between two polls."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile

from table import check_limit, show
from unit import seconds_of_c

from edgeops_simulator.testing import running

ZONES, SCRIPTS = 1000, 20
# Arguments: those of the source, the seconds of each pause, the number of pauses.
CHILD = """
import asyncio, json, resource, sys, time
from ansible_collections.edgeops.observability.plugins.module_utils._events.observe import Clock
from ansible_collections.edgeops.observability.plugins.module_utils._events.source import watch

measured, events, blocks = [], [], [0.0]
polls = iter(range(1, 1 + int(sys.argv[3])))

class Queue:
    async def put(self, event):
        events.append(event["edgeops"]["kind"])

async def pause(seconds):
    if next(polls, 0) == 0:
        raise asyncio.CancelledError
    begin, busy = time.perf_counter(), time.process_time()
    await asyncio.sleep(float(sys.argv[2]))
    measured.append((time.process_time() - busy) / (time.perf_counter() - begin))

async def look_at_the_loop():
    while True:
        begin = time.perf_counter()
        await asyncio.sleep(0.01)
        blocks.append(time.perf_counter() - begin - 0.01)

async def main():
    looking = asyncio.create_task(look_at_the_loop())
    try:
        await watch(Queue(), json.loads(sys.argv[1]), Clock(sleep=pause))
    except asyncio.CancelledError:
        looking.cancel()

asyncio.run(main())
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([memory, max(measured), max(blocks), len(events)]))
"""


def report(options: argparse.Namespace) -> bool:
    """Measure and print; return whether all limits hold."""
    zones = [f"{number:032x}" for number in range(1, ZONES + 1)]
    scripts = {zone: [_script(number) for number in range(SCRIPTS)] for zone in zones}
    job = {"name": "logs", "destination_conf": "s3://bucket/logs?region=eu-west-1", "enabled": True}
    seed = {"scripts": scripts, "jobs": {zone: [job] for zone in zones}}
    with running(zones=zones, seed=seed, process=True) as simulator, tempfile.TemporaryDirectory() as folder:
        arguments = {"zones": zones, "state_file": f"{folder}/state.json", "request_budget": "none"}
        environment = {**os.environ, **simulator.environment(), "HOME": folder}
        command = [sys.executable, "-c", CHILD, json.dumps(arguments), *(("5", "1") if options.quick else ("10", "2"))]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # our own code
    memory, processor, block, events = json.loads(done.stdout)
    show(
        f"Event source, {ZONES} zones of {SCRIPTS} scripts and a job, nothing changes",
        ["peak MB", "processor between polls", "longest block of the loop, s", "events"],
        [[f"{memory:.0f}", f"{processor:.2%}", f"{block:.3f}", str(events)]],
    )
    held = [
        check_limit("event source, 1 000 zones at rest: peak MB", memory, 150),
        check_limit("event source: processor between polls, % of a core", processor * 100, 5),
        check_limit("event source: longest block of the loop, in C", block / seconds_of_c(), 0.5),
        check_limit("event source: events", events, 0),
    ]
    return all(held)


def _script(number: int) -> dict[str, str]:
    return {
        "script_id": f"{number:032x}",
        "script_url": f"https://cdn.example/{number}.js",
        "host": "shop.example",
        "status": "active",
        "hash": f"{number:064x}",
    }
