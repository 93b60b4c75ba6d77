#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the pinned uv, installing it first where it is missing: `scripts/uv.sh pip compile ...`.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
pins=$root/requirements/bootstrap.txt
home=$root/.venvs/uv
# Trust what the system trusts, such as the authority of a company's proxy. uv is told to; pip, which installs it, gets the file.
export UV_SYSTEM_CERTS=true
for bundle in "${SSL_CERT_FILE:-}" /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem; do
    if [ -z "${PIP_CERT:-}" ] && [ -f "$bundle" ]; then export PIP_CERT="$bundle"; fi
done

if ! cmp -s "$pins" "$home/installed.txt"; then
    python=$("$root/scripts/find-python.sh" 3.11 3.12 3.13) ||
        { echo "Python 3.11, 3.12 or 3.13 with its venv module is needed" >&2; exit 3; }
    "$python" -m venv --clear "$home"
    "$home/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$pins" >&2
    cp "$pins" "$home/installed.txt"
fi
exec "$home/bin/uv" "$@"
