#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes or refreshes one virtual environment: `scripts/environment.sh FOLDER PYTHON_VERSIONS PINS`, such as `.venv "3.11 3.12" requirements/dev.txt`.
# The first of the versions that is on this machine is taken; with none of them it ends with 3.
# The simulator is installed editable. A second run with the same pins does nothing.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$1 pins=$3
read -ra versions <<<"$2"
cd "$root"
mkdir -p .venvs
exec 9>.venvs/lock
flock 9

# Stays as it is as long as its interpreter is there and is one of those that the pins are for.
fits() {
    local found
    found=$("$folder/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) && [[ " ${versions[*]} " == *" $found "* ]]
}

key=$(cat "$pins" requirements/bootstrap.txt scripts/environment.sh simulator/pyproject.toml 2>/dev/null | sha256sum)
if [ "$(cat "$folder/installed" 2>/dev/null)" = "$key" ] && fits; then
    exit 0
fi

rm -f "$folder/installed"
if ! fits; then
    if ! python=$(scripts/find-python.sh "${versions[@]}"); then
        echo "Python ${2// //} with its venv module is not on this machine" >&2
        exit 3
    fi
    scripts/uv.sh venv --quiet --clear --no-project --python "$python" "$folder"
fi
export VIRTUAL_ENV=$root/$folder
scripts/uv.sh pip sync --quiet "$pins"
if [ -f simulator/pyproject.toml ]; then
    scripts/uv.sh pip install --quiet --no-deps --no-build-isolation --editable simulator
fi

packages=$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
# Compiled once here: the tests start hundreds of processes that leave nothing behind, compiled code included. Of collections and of
# the large tools few files are ever imported. What is for another Python does not compile, and is not needed.
large='ansible_collections|ansible_test|babel|docutils|graphql|hypothesis|libcst|mypyc?|pip|pygments|schemathesis|setuptools|sphinx|textual'
"$folder/bin/python" -m compileall -qq -j 0 -x "^$packages/($large)/" "$packages" || true
# Gives the checkout its name as a collection, for the tests and tools that import it. No environment has it: playbooks run the installed artifact.
mkdir -p .venvs/collections/ansible_collections/edgeops
ln -sfn "$root" .venvs/collections/ansible_collections/edgeops/observability
echo "$key" > "$folder/installed"
