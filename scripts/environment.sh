#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes or refreshes one virtual environment: `scripts/environment.sh FOLDER PYTHON_VERSION PINS`.
# The collection is linked into it under its full name and the simulator is installed editable. A second run with the same pins does nothing.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$1 version=$2 pins=$3
cd "$root"
mkdir -p .venvs
exec 9>.venvs/lock
flock 9

wanted=$(cat "$pins" requirements/bootstrap.txt scripts/environment.sh simulator/pyproject.toml 2>/dev/null | sha256sum)
if [ "$(cat "$folder/installed" 2>/dev/null)" = "$wanted" ] && [ -x "$folder/bin/python" ]; then
    exit 0
fi

if ! python=$(scripts/find-python.sh "$version"); then
    echo "Python $version is not on this machine" >&2
    exit 3
fi
rm -f "$folder/installed"
if [ ! -x "$folder/bin/python" ]; then
    scripts/uv.sh venv --quiet --clear --no-project --python "$python" "$folder"
fi
export VIRTUAL_ENV=$root/$folder
# Compiled once here: the tests start hundreds of processes that leave nothing behind, compiled code included.
export UV_COMPILE_BYTECODE=${UV_COMPILE_BYTECODE:-1}
scripts/uv.sh pip sync --quiet "$pins"
if [ -f simulator/pyproject.toml ]; then
    scripts/uv.sh pip install --quiet --no-deps --no-build-isolation --editable simulator
fi

namespace=$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/ansible_collections/edgeops
mkdir -p "$namespace"
ln -sfn "$root" "$namespace/observability"
# The same link for mypy, which looks past site-packages for code to check.
mkdir -p .venvs/types/ansible_collections/edgeops
ln -sfn "$root" .venvs/types/ansible_collections/edgeops/observability
echo "$wanted" > "$folder/installed"
