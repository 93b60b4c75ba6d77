# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure the inventory of 50 000 scripts of one zone as a whole playbook, with all members and with five."""

from __future__ import annotations

import argparse
import functools

from single_play import HEADER, NOTHING, cost_of
from table import check_limit, show
from unit import in_turns

from edgeops_simulator.testing import running

SCRIPTS = 50_000
ZONE = "5a1e0c47d2b94f6f8e3b7c9012d4a6f8"
FIVE = ["script_id", "script_url", "host", "js_integrity_score", "malicious"]
START, ALL, FEW = "start: two tasks of debug", "inventory, all members", "inventory, five members"


def report(options: argparse.Namespace) -> bool:
    """Measure and print; return whether all limits hold."""
    with running(zones=[ZONE], process=True) as simulator:
        simulator.seed(scripts={ZONE: _scripts()}, script_monitor={ZONE: {"enabled": True}})
        zone = {"zone_id": ZONE, "request_budget": "none"}
        counted = {"ansible.builtin.assert": {"that": f"found.scripts | length == {SCRIPTS}"}}
        listing = {"edgeops.observability.script_monitor_info": zone, "register": "found"}
        few = {"edgeops.observability.script_monitor_info": {**zone, "members": FIVE}, "register": "found"}
        tasks = {
            START: [NOTHING, NOTHING],
            ALL: [listing, counted],
            FEW: [few, counted],
        }
        runs = {what: functools.partial(cost_of, steps, simulator.environment()) for what, steps in tasks.items()}
        costs = in_turns(runs, 3 if options.quick else 5, lambda cost: cost.processor)
    show(
        f"{SCRIPTS} scripts in one playbook, start and end included",
        [*HEADER, "CPU in C"],
        [[*cost.row(what), f"{in_c:.2f}"] for what, (cost, in_c) in costs.items()],
    )
    start, whole, five = (costs[what][1] for what in (START, ALL, FEW))
    return all(
        [
            check_limit("50 000 scripts, all members, beyond the start of a playbook, CPU in C", whole - start, 21),
            check_limit("50 000 scripts, five members, beyond the start of a playbook, CPU in C", five - start, 12),
            check_limit("50 000 scripts, all members, peak MB", costs[ALL][0].memory, 300),
        ]
    )


def _scripts() -> list[dict[str, object]]:
    kinds = (
        "https://cdn.example/{0}/x/{1}.js",
        "https://cdn.example/{0}/{1}/app.js",
        "https://cdn.example/{1}/{0}.js",
        "https://cdn.example/{0}.js?{1}",
    )
    return [
        {
            "script_id": f"{n:032x}",
            "script_url": kinds[n % 4].format(n % 552, n),
            "host": f"shop{n % 7}.example",
            "status": "active",
            "hash": ("a" if n % 50 else "b") * 64,
            "js_integrity_score": n % 50,
            "added_at": "2024-01-01T00:00:00.000000Z",
            "first_seen_at": "2024-01-01T00:00:00Z",
            "last_seen_at": "2024-01-02T00:00:00Z",
        }
        for n in range(SCRIPTS)
    ]
