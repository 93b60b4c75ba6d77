#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a command in the environment that has the engine of rulebooks beside the collection: `scripts/eda.sh python -m pytest tests/eda`.
# Where that environment cannot be made, the command runs in the main one, and what needs the engine is skipped with this reason.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if "$root/scripts/environment.sh" .venvs/eda "3.11 3.12 3.13" requirements/eda.txt; then
    export PATH=$root/.venvs/eda/bin:$PATH VIRTUAL_ENV=$root/.venvs/eda
fi
exec "$@"
