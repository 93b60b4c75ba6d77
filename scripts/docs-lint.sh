#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Documentation of every plugin and every reference between them, on a copy that holds tracked files only.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copy=$("$root/scripts/tracked-copy.sh" "$folder")
cd "$copy"
antsibull-docs lint-collection-docs --plugin-docs --validate-collection-refs self --skip-rstcheck .
