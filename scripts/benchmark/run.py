# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare the collection with other ways of configuring zones; print tables with ratios, and all limits as a Markdown table.

python scripts/benchmark/run.py                     everything, for 10, 100, 300 and 1000 zones
python scripts/benchmark/run.py --quick             5 and 100 zones, few repetitions, 20 zones adopted
python scripts/benchmark/run.py --zones 50 --ways in-process debug --parts fleet
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
import typing as t
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import adoptions
import deliveries
import events
import evidence
import filters
import fleet
import imports
import listings
import page_audits
import reports
import script_audits
import table

import scripts

PARTS: dict[str, t.Callable[[argparse.Namespace], bool]] = {
    "fleet": fleet.report,
    "deliveries": deliveries.report,
    "scripts": lambda options: all([scripts.report(options), script_audits.report(options)]),
    "pages": page_audits.report,
    "reports": reports.report,
    "adoptions": adoptions.report,
    "imports": imports.report,
    "events": events.report,
    "evidence": evidence.report,
    "listings": listings.report,
    # Last, because it needs memory of this process, which counts as memory of the processes that it starts afterwards.
    "filters": filters.report,
}


def main() -> int:
    """Run the selected parts; return 0 if all limits hold."""
    parser = argparse.ArgumentParser(description="Benchmarks of the collection")
    parser.add_argument("--quick", action="store_true", help="5 and 100 zones only, and few repetitions")
    parser.add_argument("--zones", type=int, nargs="+", help="how many zones, several times")
    parser.add_argument(
        "--ways", nargs="+", choices=list(fleet.WAYS), default=list(fleet.WAYS), help="what to measure over zones"
    )
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--forks", type=int, default=10)
    parser.add_argument("--latency", type=int, default=20, help="milliseconds that the service takes for each answer")
    options = parser.parse_args()
    # Compile the code once, as for users.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    options.zones = options.zones or ([fleet.FEW_ZONES, 100] if options.quick else [10, 100, 300, 1000])
    # Run all parts, even if one exceeds a limit.
    began = time.perf_counter()
    held = [_timed(part, options) for part in PARTS if part in options.parts]
    print(f"\n{_where()}, {time.perf_counter() - began:.0f} s in all\n\n| measurement | value | limit |\n|---|---|---|")
    print("\n".join(table.LIMITS))
    return 0 if all(held) else 1


def _timed(part: str, options: argparse.Namespace) -> bool:
    began = time.perf_counter()
    holds = PARTS[part](options)
    print(f"({part}: {time.perf_counter() - began:.0f} s)", flush=True)
    return holds


def _where() -> str:
    """Return a line for the measured environment: commit, interpreter and machine."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)  # our own code
    busy = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    return f"Commit {commit.stdout.strip() or 'unknown'}, Python {platform.python_version()}, {os.cpu_count()} processors, load {busy}"


if __name__ == "__main__":
    sys.exit(main())
