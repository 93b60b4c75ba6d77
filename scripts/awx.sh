#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a command in the environment that has the modules of awx.awx beside the collection: `scripts/awx.sh ansible-lint`.
# It is apart from the main one, so that nothing here can lean on a collection that a user may not have.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
"$root/scripts/environment.sh" .venvs/awx "3.11 3.12 3.13" requirements/awx.txt
export PATH=$root/.venvs/awx/bin:$PATH VIRTUAL_ENV=$root/.venvs/awx
# Where ansible-lint finds the checkout; tests give their playbooks a path of their own.
export ANSIBLE_COLLECTIONS_PATH=$root/.venvs/collections
exec "$@"
