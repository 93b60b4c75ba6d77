#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Build the documentation site from the tracked files into FOLDER (default: docs/site). A warning is an error.
# Needs no network: references to Ansible's own documentation are resolved from docs/sphinx/ansible-references.txt.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
target=${1:-$root/docs/site}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$("$root/scripts/tracked-copy.sh" "$work")
rst=$work/rst
# antsibull-docs refuses a folder that other users can write to.
mkdir -m 755 "$rst"
# An empty home keeps the configuration and other collections of the caller out of the site.
# ansible-core requires a UTF-8 locale.
export LC_ALL=C.UTF-8 HOME=$work/home TMPDIR=$work ANSIBLE_COLLECTIONS_PATH=$work ANSIBLE_CONFIG=$work/ansible.cfg
mkdir "$HOME"
touch "$ANSIBLE_CONFIG"
antsibull-docs --config-file "$copy/docs/sphinx/antsibull-docs.cfg" collection --fail-on-error --use-current --squash-hierarchy \
    --dest-dir "$rst" edgeops.observability >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
if [ -s "$work/log" ]; then cat "$work/log"; fi
cp "$copy"/docs/docsite/rst/*.{svg,png} "$rst/docsite/"
python "$root/scripts/site_index.py" "$rst" "$copy/docs/sphinx/index.rst"
rm -rf "$target"
sphinx-build -q -W --keep-going -b html -c "$copy/docs/sphinx" -d "$work/doctrees" "$rst" "$target"
echo "$target/index.html"
