#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the collection from tracked files into build/package, and rehearses it on a bare machine.
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
