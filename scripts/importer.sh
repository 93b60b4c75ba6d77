#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What Galaxy and automation hub say about the artifact when it is uploaded; an error or a warning is a finding.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copy=$("$root/scripts/tracked-copy.sh" "$folder/source")
ansible-galaxy collection build "$copy" --output-path "$folder" >/dev/null
cd "$folder"
export HOME=$folder
# Its own ansible-lint run would ask a server for its schemas; the gate beside this one runs it offline.
printf '[galaxy-importer]\nCHECK_REQUIRED_TAGS = True\nRUN_ANSIBLE_LINT = False\nRUN_ANSIBLE_TEST = False\nRUN_FLAKE8 = False\n' > importer.cfg
GALAXY_IMPORTER_CONFIG=$folder/importer.cfg python -m galaxy_importer.main edgeops-observability-*.tar.gz 2>&1 | tee importer.log
! grep -E '^(ERROR|WARNING)|Traceback' importer.log
