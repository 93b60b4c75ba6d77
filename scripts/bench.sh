#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the benchmarks in an environment that has the vendor's SDK beside everything else: `scripts/bench.sh --quick`.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
"$root/scripts/environment.sh" .venvs/bench "3.11 3.12 3.13" requirements/bench.txt
export PATH=$root/.venvs/bench/bin:$PATH VIRTUAL_ENV=$root/.venvs/bench
export PYTHONPATH=$root/.venvs/collections ANSIBLE_COLLECTIONS_PATH=$root/.venvs/collections
exec python "$root/scripts/benchmark/run.py" "$@"
