#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The steps of a release after `make release-check` has built the artifact in build/package:
#   describe   SHA256SUMS, and the dependencies as CycloneDX
#   sign       MANIFEST.json.asc, with the armored key in GPG_PRIVATE_KEY and its passphrase in GPG_PASSPHRASE
#   publish    to Ansible Galaxy, or to the server GALAXY_URL, with the token in GALAXY_TOKEN
# Secrets are read from the environment only, because process lists show arguments.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
export PATH=$root/.venv/bin:$PATH
cd "${RELEASE_FOLDER:-$root/build/package}"
artifact=$(ls edgeops-observability-*.tar.gz)

describe() {
    sha256sum "$artifact" >SHA256SUMS
    python "$root/scripts/sbom.py" .
}

sign() {
    GNUPGHOME=$(mktemp -d)
    export GNUPGHOME
    trap 'gpgconf --kill all; rm -rf "$GNUPGHOME"' EXIT
    gpg --batch --quiet --import <<<"$GPG_PRIVATE_KEY"
    # `ansible-galaxy collection verify --signature` checks the installed manifest against this signature.
    tar --extract --gzip --file "$artifact" --to-stdout MANIFEST.json >"$GNUPGHOME/MANIFEST.json"
    gpg --batch --yes --quiet --pinentry-mode loopback --passphrase-fd 0 --armor --detach-sign \
        --output MANIFEST.json.asc "$GNUPGHOME/MANIFEST.json" <<<"${GPG_PASSPHRASE:-}"
}

publish() {
    : "${GALAXY_TOKEN:?is missing: the API token of the namespace}"
    export ANSIBLE_GALAXY_SERVER_LIST=release
    export ANSIBLE_GALAXY_SERVER_RELEASE_URL=${GALAXY_URL:-https://galaxy.ansible.com/} ANSIBLE_GALAXY_SERVER_RELEASE_TOKEN=$GALAXY_TOKEN
    ansible-galaxy collection publish "$artifact"
}

case ${1:-} in
    describe | sign | publish) "$1" ;;
    *) echo "usage: $0 describe | sign | publish" >&2; exit 2 ;;
esac
