#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copy the tracked files to FOLDER/ansible_collections/edgeops/observability, the only place where some tools accept a collection,
# and print that path. Untracked files, such as work in progress, are not copied.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
target=$1/ansible_collections/edgeops/observability
mkdir -p "$target"
cd "$root"
git ls-files -z | while IFS= read -r -d '' file; do
    if [ -e "$file" ]; then printf '%s\0' "$file"; fi
done | tar --create --null --files-from=- | tar --extract --directory "$target"
echo "$target"
