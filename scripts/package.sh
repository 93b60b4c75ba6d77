#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the collection from tracked files into build/package, rehearses it on a bare machine, and runs the demonstration from it.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copy=$("$root/scripts/tracked-copy.sh" "$folder/source")
rm -rf "$root/build/package"
mkdir -p "$root/build/package"
ansible-galaxy collection build "$copy" --output-path "$root/build/package"
artifact=$(ls "$root"/build/package/*.tar.gz)
python "$root/scripts/artifact.py" "$artifact"
python "$root/scripts/rehearse.py" "$artifact"

export HOME=$folder/home ANSIBLE_COLLECTIONS_PATH=$folder/installed
# Without this the checkout that is linked into the environment would answer as well.
export ANSIBLE_COLLECTIONS_SCAN_SYS_PATH=false
mkdir -p "$HOME"
cd "$folder"
ansible-galaxy collection install --offline --collections-path "$folder/installed" "$artifact" >/dev/null
# The demonstration, from the artifact; the checkout lends it inventory, traffic and the embedded service only.
DEMO_REPORT=$folder/report "$root/scripts/demo.sh"
