# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook `deliver` over zones that are in the desired state: beside tasks that do nothing, and with several jobs beside one."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import typing as t

from fleet import PLAYBOOK, WAYS, Single, Way, fleet, rounds
from table import show, stands

DELIVER = Way([str(PLAYBOOK), "edgeops.observability.deliver"])
COUNT, QUICK_COUNT, JOBS = 100, 50, 4
NAMES = ("archive", "errors", "security", "audit")


def variables(jobs: int) -> dict[str, t.Any]:
    """The variables of the role for a zone with that many jobs."""
    return {
        "edgeops_request_budget": "none",
        "log_delivery_custom_fields": {
            "request_headers": ["x-request-id", "x-tenant"],
            "response_headers": ["x-cache"],
            "cookies": ["Session"],
        },
        "log_delivery_job_defaults": {"fields": ["ClientIP", "RayID"], "timestamp_format": "rfc3339"},
        "log_delivery_jobs": [
            {
                "name": name,
                "destination_conf": f"s3://bucket/{name}?region=eu-west-1",
                "filter": {"key": "EdgeResponseStatus", "operator": "geq", "value": 500},
            }
            for name in NAMES[:jobs]
        ],
        "log_delivery_script_monitor_enabled": True,
    }


def report(given: argparse.Namespace) -> bool:
    """Measure and print; whether the bars hold."""
    ways = {
        "deliver, 1 job": dataclasses.replace(DELIVER, variables=variables(1)),
        f"deliver, {JOBS} jobs": dataclasses.replace(DELIVER, variables=variables(JOBS)),
        "three debug tasks": WAYS["debug"],
    }
    count = QUICK_COUNT if given.quick else COUNT
    found = measure(ways, count, given)
    waiting = given.latency / 1000 / given.forks
    show(
        f"{count} unchanged zones, {given.forks} forks, {given.latency} ms latency",
        ["run", "CPU s", "ms a zone", "seconds", "less waiting", "requests"],
        [
            [
                way,
                f"{each.processor:.2f}",
                f"{1000 * each.processor / count:.1f}",
                f"{each.seconds:.2f}",
                f"{each.seconds - each.requests * waiting:.2f}",
                str(each.requests),
            ]
            for way, each in found.items()
        ],
    )
    one, several, debug = (each.processor for each in found.values())
    return all(
        [
            stands(f"deliver / three debug tasks, {count} unchanged zones, CPU", one / debug, 1.2),
            stands(f"{JOBS} jobs / one job in each zone, CPU", several / one, 1.15),
        ]
    )


def measure(ways: t.Mapping[str, Way], count: int, given: argparse.Namespace) -> dict[str, Single]:
    """Run all ways in turn; of the unchanged runs of each, the one that needed the least of the processor counts."""
    zones = [f"{number:032x}" for number in range(1, count + 1)]
    with contextlib.ExitStack() as stack:
        runs = {name: stack.enter_context(fleet(way, zones, given)) for name, way in ways.items()}
        for run in runs.values():
            run()
        found = [{name: run() for name, run in runs.items()} for _unused in range(rounds(given))]
    return {name: min((each[name] for each in found), key=lambda single: single.processor) for name in ways}
