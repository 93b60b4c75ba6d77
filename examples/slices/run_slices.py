# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a playbook over the slices of an inventory in parallel, as a job with slices does, and merge the results.

    python run_slices.py --inventory fleet.zones.yml --playbook edgeops.observability.deliver --slices 4

Needs ansible-runner. Slices on one machine share one request budget, which belongs to the user and the credential. Slices on
several machines do not: give each its share, as in `--extra-vars edgeops_request_budget=300/300`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import typing as t
from pathlib import Path

import ansible_runner

OUTCOMES = ("failures", "dark", "changed", "ok")


def hosts_of(inventory: str) -> list[str]:
    """Every host of the inventory, in order."""
    listing = ["ansible", "all", "--inventory", inventory, "--list-hosts"]
    lines = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted(line.strip() for line in lines[1:])


def start(
    folder: Path, playbook: str, inventory: str, hosts: t.Sequence[str], variables: t.Mapping[str, t.Any]
) -> tuple[t.Any, t.Any]:
    """Start one slice; it runs in a process of its own."""
    folder.mkdir()
    limit = folder / "hosts"
    limit.write_text("\n".join(hosts), encoding="utf-8")
    return ansible_runner.run_async(
        private_data_dir=str(folder),
        playbook=playbook,
        inventory=inventory,
        limit=f"@{limit}",
        extravars=dict(variables),
        quiet=True,
    )


def joined(runners: t.Iterable[t.Any]) -> dict[str, str]:
    """How it ended for each host of all slices: the worst of what its statistics say."""
    found: dict[str, str] = {}
    for runner in runners:
        stats = runner.stats or {}
        for outcome in reversed(OUTCOMES):
            found.update(dict.fromkeys((host for host, count in stats.get(outcome, {}).items() if count), outcome))
    return found


def main() -> int:
    """Print the outcome of each zone as JSON; fail if any failed, or has none."""
    parser = argparse.ArgumentParser(description="One playbook over one inventory, in slices side by side")
    parser.add_argument("--inventory", required=True)
    parser.add_argument("--playbook", required=True)
    parser.add_argument("--slices", type=int, default=4)
    parser.add_argument("--extra-vars", type=json.loads, default={}, help="JSON")
    given = parser.parse_args()
    inventory = str(Path(given.inventory).resolve())
    playbook = str(Path(given.playbook).resolve()) if Path(given.playbook).exists() else given.playbook
    hosts = hosts_of(inventory)
    with tempfile.TemporaryDirectory() as folder:
        slices = [hosts[number :: given.slices] for number in range(given.slices)]
        started = [
            start(Path(folder, f"slice{number}"), playbook, inventory, part, given.extra_vars)
            for number, part in enumerate(slices)
            if part
        ]
        for thread, _unused in started:
            thread.join()
        found = joined(runner for _unused, runner in started)
    print(json.dumps(found, indent=2, sort_keys=True))
    return int(set(hosts) != set(found) or any(outcome in ("failures", "dark") for outcome in found.values()))


if __name__ == "__main__":
    sys.exit(main())
