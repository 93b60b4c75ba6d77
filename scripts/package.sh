#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the collection from tracked files, installs the artifact where nothing else is, verifies it and runs from it.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copy=$("$root/scripts/tracked-copy.sh" "$folder/source")
mkdir -p "$root/build/package"
ansible-galaxy collection build "$copy" --output-path "$root/build/package" --force
version=$(python -c 'import sys, yaml; print(yaml.safe_load(open(sys.argv[1]))["version"])' "$copy/galaxy.yml")
artifact=$root/build/package/edgeops-observability-$version.tar.gz

export HOME=$folder/home ANSIBLE_COLLECTIONS_PATH=$folder/installed
# Without this the checkout that is linked into the environment would answer as well.
export ANSIBLE_COLLECTIONS_SCAN_SYS_PATH=false
mkdir -p "$HOME"
cd "$folder"
ansible-galaxy collection install --offline --collections-path "$folder/installed" "$artifact"
ansible-galaxy collection verify --offline edgeops.observability
installed=$folder/installed/ansible_collections/edgeops/observability
for entry in $(ls -A "$installed"); do
    case $entry in
        CHANGELOG.* | extensions | FILES.json | LICENSE | MANIFEST.json | README.md | changelogs | meta | playbooks | plugins | requirements.txt | roles) ;;
        CODE_OF_CONDUCT.md | CONTRIBUTING.md | SUPPORT.md | TESTING.md) ;;
        *) echo "$entry is in the artifact, and nothing at run time needs it" >&2; exit 1 ;;
    esac
done
ansible-doc --list edgeops.observability
mapfile -t modules < <(cd "$installed/plugins/modules" && ls | sed 's/^/edgeops.observability./; s/\.py$//')
ansible-doc "${modules[@]}" >/dev/null 2>"$folder/undocumented"
# A module that it cannot show is a warning only.
if grep edgeops.observability "$folder/undocumented" >&2; then exit 1; fi
python "$root/scripts/rehearse.py" "$folder"
# The demonstration, from the artifact; the checkout lends it inventory, traffic and the embedded service only.
DEMO_REPORT=$folder/report "$root/scripts/demo.sh"
