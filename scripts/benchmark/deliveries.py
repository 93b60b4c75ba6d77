# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure the playbooks `deliver` and `check` for zones in the desired state.

`deliver` is compared with tasks that do nothing, and several jobs with one; `check` with a report is compared with one without.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import tempfile
import typing as t

from fleet import PLAYBOOK, WAYS, Single, Way, fleet, rounds
from table import check_limit, show

DELIVER, CHECK = (Way([str(PLAYBOOK), f"edgeops.observability.{name}"]) for name in ("deliver", "check"))
FORMATS = ["json", "html", "junit", "markdown", "metrics"]
COUNT, QUICK_COUNT, JOBS = 100, 50, 4
NAMES = ("archive", "errors", "security", "audit")


def variables(jobs: int) -> dict[str, t.Any]:
    """Return the variables of the role for a zone with this number of jobs."""
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


def report(options: argparse.Namespace) -> bool:
    """Measure and print; return whether all limits hold."""
    count = QUICK_COUNT if options.quick else COUNT
    return all([_deliveries(count, options), _checks(count, options)])


def _deliveries(count: int, options: argparse.Namespace) -> bool:
    ways = {
        "deliver, 1 job": dataclasses.replace(DELIVER, variables=variables(1)),
        f"deliver, {JOBS} jobs": dataclasses.replace(DELIVER, variables=variables(JOBS)),
        "three debug tasks": WAYS["debug"],
    }
    one, several, debug = measured(ways, count, options)
    return all(
        [
            check_limit(f"deliver / three debug tasks, {count} unchanged zones, CPU", one / debug, 1.2),
            check_limit(f"{JOBS} jobs / one job in each zone, CPU", several / one, 1.15),
        ]
    )


def _checks(count: int, options: argparse.Namespace) -> bool:
    # The zones are empty, so that state absent is compliant without a delivery before the check.
    absent = {**variables(1), "log_delivery_state": "absent"}
    del absent["log_delivery_script_monitor_enabled"]
    with tempfile.TemporaryDirectory() as folder:
        ways = {
            "check": dataclasses.replace(CHECK, variables=absent),
            "check, report in five formats": dataclasses.replace(
                CHECK, variables={**absent, "edgeops_report_dir": folder, "edgeops_report_formats": FORMATS}
            ),
        }
        without, with_report = measured(ways, count, options)
    return check_limit(f"check with a report / without, {count} unchanged zones, CPU", with_report / without, 1.2)


def measured(ways: t.Mapping[str, Way], count: int, options: argparse.Namespace) -> list[float]:
    """Measure and print; return the processor seconds of each variant."""
    runs = measure(ways, count, options)
    waiting = options.latency / 1000 / options.forks
    show(
        f"{count} unchanged zones, {options.forks} forks, {options.latency} ms latency",
        ["run", "CPU s", "ms a zone", "seconds", "less waiting", "requests"],
        [
            [
                way,
                f"{run.processor:.2f}",
                f"{1000 * run.processor / count:.1f}",
                f"{run.seconds:.2f}",
                f"{run.seconds - run.requests * waiting:.2f}",
                str(run.requests),
            ]
            for way, run in runs.items()
        ],
    )
    return [run.processor for run in runs.values()]


def measure(ways: t.Mapping[str, Way], count: int, options: argparse.Namespace) -> dict[str, Single]:
    """Run all variants in turn; return for each the unchanged run with the least processor time."""
    zones = [f"{number:032x}" for number in range(1, count + 1)]
    with contextlib.ExitStack() as stack:
        runs = {name: stack.enter_context(fleet(way, zones, options)) for name, way in ways.items()}
        for run in runs.values():
            run()
        turns = [{name: run() for name, run in runs.items()} for _unused in range(rounds(options))]
    return {name: min((turn[name] for turn in turns), key=lambda single: single.processor) for name in ways}
