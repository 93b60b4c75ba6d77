#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copies the tracked files to FOLDER/ansible_collections/edgeops/observability, the only place where some tools accept a collection,
# and prints that path. Files that are not tracked, such as work in progress, stay out.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
target=$1/ansible_collections/edgeops/observability
mkdir -p "$target"
cd "$root"
git ls-files -z | while IFS= read -r -d '' file; do
    if [ -e "$file" ]; then printf '%s\0' "$file"; fi
done | tar --create --null --files-from=- | tar --extract --directory "$target"
echo "$target"
