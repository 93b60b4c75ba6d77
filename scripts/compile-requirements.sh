#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Turns requirements/*.in into exact pins. Plain lists only: no annotations, and no address of where a package came from.
# One list holds for several Pythons: it names a version of each package that all of them can run.
set -euo pipefail
cd "$(dirname "$0")/.."
# What axe-playwright-python would drive a browser with; the tests only take its axe-core.
unused=(--no-emit-package playwright --no-emit-package pyee --no-emit-package greenlet)
# What jsonschema would check internationalized addresses with, which no schema here has: it takes a second in each process that imports it.
unused+=(--no-emit-package rfc3987-syntax --no-emit-package lark)

compile() {
    local name=$1 lowest=$2 pythons="${*:2}"
    {
        echo "# SPDX-License-Identifier: GPL-3.0-or-later"
        echo "# Made by \`make requirements\` from $name.in, for Python ${pythons// /, }."
        scripts/uv.sh pip compile --quiet --upgrade --universal --fork-strategy fewest --python-version "$lowest" \
            --no-annotate --no-header --no-emit-index-url --no-emit-find-links "${unused[@]}" "requirements/$name.in"
    } > "requirements/$name.txt.new"
    mv "requirements/$name.txt.new" "requirements/$name.txt"
}

# The lowest first. `scripts/gates.py` says which of them a core is run with.
compile dev 3.11 3.12 3.13
compile bench 3.11 3.12 3.13
compile awx 3.11 3.12 3.13
compile eda 3.11 3.12 3.13
compile core-2.16 3.11 3.12
compile core-2.17 3.11 3.12
compile core-2.18 3.11 3.12 3.13
compile core-2.20 3.12 3.13
compile core-2.21 3.12 3.13
