# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbooks `deliver` and `check` over zones that are in the desired state.

`deliver` stands beside tasks that do nothing, and with several jobs beside one; `check` with a report beside one without.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import tempfile
import typing as t

from fleet import PLAYBOOK, WAYS, Single, Way, fleet, rounds
from table import show, stands

DELIVER, CHECK = (Way([str(PLAYBOOK), f"edgeops.observability.{name}"]) for name in ("deliver", "check"))
FORMATS = ["json", "html", "junit", "markdown", "metrics"]
COUNT, QUICK_COUNT, JOBS = 100, 50, 4
NAMES = ("archive", "errors", "security", "audit")


def variables(jobs: int) -> dict[str, t.Any]:
    """The variables of the role for a zone with that many jobs."""
    return {
        "edgeops_request_budget": "none",
        "log_delivery_custom_fields": {
            "request_fields": ["x-request-id", "x-tenant"],
            "response_fields": ["x-cache"],
            "cookie_fields": ["Session"],
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
    count = QUICK_COUNT if given.quick else COUNT
    return all([_deliveries(count, given), _checks(count, given)])


def _deliveries(count: int, given: argparse.Namespace) -> bool:
    ways = {
        "deliver, 1 job": dataclasses.replace(DELIVER, variables=variables(1)),
        f"deliver, {JOBS} jobs": dataclasses.replace(DELIVER, variables=variables(JOBS)),
        "three debug tasks": WAYS["debug"],
    }
    one, several, debug = measured(ways, count, given)
    return all(
        [
            stands(f"deliver / three debug tasks, {count} unchanged zones, CPU", one / debug, 1.2),
            stands(f"{JOBS} jobs / one job in each zone, CPU", several / one, 1.15),
        ]
    )


def _checks(count: int, given: argparse.Namespace) -> bool:
    # Nothing is there, so a check finds nothing to do without a delivery before it.
    absent = {**variables(1), "log_delivery_state": "absent"}
    del absent["log_delivery_script_monitor_enabled"]
    with tempfile.TemporaryDirectory() as folder:
        ways = {
            "check": dataclasses.replace(CHECK, variables=absent),
            "check, report in five formats": dataclasses.replace(
                CHECK, variables={**absent, "edgeops_report_dir": folder, "edgeops_report_formats": FORMATS}
            ),
        }
        without, with_report = measured(ways, count, given)
    return stands(f"check with a report / without, {count} unchanged zones, CPU", with_report / without, 1.2)


def measured(ways: t.Mapping[str, Way], count: int, given: argparse.Namespace) -> list[float]:
    """Measure and print; the processor seconds of each way."""
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
    return [each.processor for each in found.values()]


def measure(ways: t.Mapping[str, Way], count: int, given: argparse.Namespace) -> dict[str, Single]:
    """Run all ways in turn; of the unchanged runs of each, the one that needed the least of the processor counts."""
    zones = [f"{number:032x}" for number in range(1, count + 1)]
    with contextlib.ExitStack() as stack:
        runs = {name: stack.enter_context(fleet(way, zones, given)) for name, way in ways.items()}
        for run in runs.values():
            run()
        found = [{name: run() for name, run in runs.items()} for _unused in range(rounds(given))]
    return {name: min((each[name] for each in found), key=lambda single: single.processor) for name in ways}
