#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Turns requirements/*.in into exact pins. Plain lists only: no annotations, and no address of where a package came from.
set -euo pipefail
cd "$(dirname "$0")/.."

compile() {
    local name=$1 version=$2 python
    python=$(scripts/find-python.sh "$version") || { echo "$name: Python $version is not on this machine" >&2; return; }
    {
        echo "# SPDX-License-Identifier: GPL-3.0-or-later"
        echo "# Made by \`make requirements\` from $name.in, for Python $version."
        scripts/uv.sh pip compile --quiet --upgrade --no-annotate --no-header --no-emit-index-url --no-emit-find-links \
            --python "$python" "requirements/$name.in"
    } > "requirements/$name.txt.new"
    mv "requirements/$name.txt.new" "requirements/$name.txt"
}

compile dev 3.11
compile bench 3.11
compile awx 3.11
compile core-2.16 3.11
compile core-2.18 3.12
compile core-2.21 3.13
