# SPDX-License-Identifier: GPL-3.0-or-later

"""The unit C of the limits: the time in which this machine does a fixed amount of work that is typical for the collection."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import typing as t

RECORDS, RUNS = 30_000, 3
_HOST = re.compile(r"https://([^/]+)/")
_Measured = t.TypeVar("_Measured")


def in_turns(
    runs: t.Mapping[str, t.Callable[[], _Measured]], rounds: int, processor: t.Callable[[_Measured], float]
) -> dict[str, tuple[_Measured, float]]:
    """Run several things in turns, each between two measurements of C, because the speed of a machine changes within seconds.

    Return the middle one of the runs of each, an odd number, with its processor time in C.
    """
    measurements: dict[str, list[tuple[_Measured, float]]] = {name: [] for name in runs}
    before = seconds_of_c()
    for _round in range(rounds):
        for name, run in runs.items():
            done, after = run(), seconds_of_c()
            measurements[name].append((done, processor(done) * 2 / (before + after)))
            before = after
    return {name: sorted(pairs, key=lambda pair: pair[1])[rounds // 2] for name, pairs in measurements.items()}


def seconds_of_c() -> float:
    """Return C, measured in a process of its own, because its memory would count for the processes that are started after it."""
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True)  # our own code
    return float(done.stdout)


def _measured() -> float:
    """Return the mean processor time of three runs that encode, decode, group by host and sort 30,000 records of scripts."""
    records = [
        {
            "script_id": f"{number:032x}",
            "script_url": f"https://cdn{number % 97}.example/assets/{number}.js",
            "host": f"shop{number % 7}.example",
            "status": "active",
            "hash": f"{number:064x}",
            "js_integrity_score": number % 100,
        }
        for number in range(RECORDS)
    ]
    began = time.process_time()
    for _run in range(RUNS):
        groups: dict[str, list[dict[str, object]]] = {}
        for line in [json.dumps(record, sort_keys=True) for record in records]:
            record = json.loads(line)
            if match := _HOST.match(record["script_url"]):
                groups.setdefault(match[1], []).append(record)
        for host in sorted(groups):
            groups[host].sort(key=lambda record: str(record["script_id"]))
    return (time.process_time() - began) / RUNS


if __name__ == "__main__":
    print(_measured())
