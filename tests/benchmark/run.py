# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measures the collection beside the other ways to do the same; prints tables with ratios.

python tests/benchmark/run.py                     everything, for 10, 100, 300 and 1000 zones
python tests/benchmark/run.py --quick             10 and 100 zones
python tests/benchmark/run.py --zones 50 --ways in-process debug --parts fleet
"""

from __future__ import annotations

import argparse
import os
import sys
import typing as t
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import deliveries
import events
import filters
import fleet
import imports
import script_audits

import scripts

PARTS: dict[str, t.Callable[[argparse.Namespace], bool]] = {
    "fleet": fleet.report,
    "deliveries": deliveries.report,
    "scripts": lambda given: all([scripts.report(given), script_audits.report(given)]),
    "filters": filters.report,
    "imports": imports.report,
    "events": events.report,
}


def main() -> int:
    """Run the parts that were asked for; the exit code says whether all bars hold."""
    parser = argparse.ArgumentParser(description="Benchmarks of the collection")
    parser.add_argument("--quick", action="store_true", help="10 and 100 zones only")
    parser.add_argument("--zones", type=int, nargs="+", help="how many zones, several times")
    parser.add_argument(
        "--ways", nargs="+", choices=list(fleet.WAYS), default=list(fleet.WAYS), help="what to measure over zones"
    )
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--forks", type=int, default=10)
    parser.add_argument("--latency", type=int, default=20, help="milliseconds that the service takes for each answer")
    given = parser.parse_args()
    # What is measured is what users have: code that is compiled once.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    given.zones = given.zones or ([10, 100] if given.quick else [10, 100, 300, 1000])
    # Every part runs, whether or not the one before it holds its bars.
    held = [PARTS[part](given) for part in given.parts]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
