# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure `adopt` and `survey` for zones that a user configured by hand: only the request budget may slow them down."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import typing as t
from pathlib import Path

from fleet import PLAYBOOK, Single, timed
from table import check_limit, show

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import MAX_PARALLEL
from edgeops_simulator.testing import running

# The rate of the default budget, 1200/300, with a shorter window, so that a few zones use it up.
REQUESTS, WINDOW = 20, 5
ZONES, QUICK_ZONES = 200, 20
FOLDERS = {"adopt": "edgeops_adopt_dir", "survey": "edgeops_report_dir"}
JOB = {
    "name": "by hand",
    "dataset": "http_requests",
    "destination_conf": "s3://bucket/logs?region=eu-west-1",
    "logpull_options": "fields=ClientIP,RayID&timestamps=rfc3339",
    "enabled": True,
}


def report(options: argparse.Namespace) -> bool:
    """Measure and print; return whether all limits hold."""
    return all([_reported("adopt", options.forks, options), _reported("survey", MAX_PARALLEL, options)])


def _reported(playbook: str, at_once: int, options: argparse.Namespace) -> bool:
    count = QUICK_ZONES if options.quick else ZONES
    run = _measured(playbook, count, options)
    window = WINDOW * 1.01  # the service counts a request slightly later than the client
    budget = max(0, (run.requests - 1) // REQUESTS) * window
    waiting = max(budget, run.requests * options.latency / 1000 / at_once)
    show(
        f"Playbook {playbook} of {count} zones, {REQUESTS} requests in {WINDOW} s",
        ["zones", "requests", "seconds", "budget or latency, s", "ratio", "CPU s", "CPU s a zone"],
        [
            [
                str(count),
                str(run.requests),
                f"{run.seconds:.1f}",
                f"{waiting:.1f}",
                f"{run.seconds / waiting:.2f}",
                f"{run.processor:.1f}",
                f"{run.processor / count:.2f}",
            ]
        ],
    )
    return check_limit(f"{playbook} of {count} zones / time that the budget takes for its requests", run.seconds / waiting, 1.2)


def _measured(playbook: str, count: int, options: argparse.Namespace) -> Single:
    zones = [f"{number:032x}" for number in range(1, count + 1)]
    seed = {"jobs": {zone: [JOB] for zone in zones}, "script_monitor": {zone: {"enabled": True} for zone in zones}}
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        simulator = stack.enter_context(running(zones=zones, seed=seed, process=True, latency_ms=options.latency))
        (folder / "inventory.yml").write_text(json.dumps(_inventory(zones)), encoding="utf-8")
        (folder / "ansible.cfg").touch()
        variables = {"edgeops_request_budget": f"{REQUESTS}/{WINDOW}", FOLDERS[playbook]: str(folder / playbook)}
        command = [
            str(PLAYBOOK),
            f"edgeops.observability.{playbook}",
            "-i",
            str(folder / "inventory.yml"),
            "-f",
            str(options.forks),
        ]
        own = {"HOME": str(folder), "ANSIBLE_HOME": str(folder), "ANSIBLE_CONFIG": str(folder / "ansible.cfg")}
        environment = {**os.environ, **simulator.environment(), **own}
        return timed([*command, "-e", json.dumps(variables)], environment, simulator)


def _inventory(zones: t.Sequence[str]) -> dict[str, t.Any]:
    local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    return {"all": {"vars": local, "hosts": {f"zone{number}": {"zone_id": zone} for number, zone in enumerate(zones)}}}
