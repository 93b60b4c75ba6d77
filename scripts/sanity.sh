#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every sanity test of the ansible-core in PATH, on a copy of the tracked files; no test is skipped and no finding ignored.
# Tests and simulator, which are not published and depend on no version, are what ruff and mypy look at.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
copy=$("$root/scripts/tracked-copy.sh" "$folder")

# A home for each ansible-core: the environments that ansible-test makes stay here between runs, the user's are left alone,
# and two versions side by side do not remove what the other one is making under the same name.
home=$root/.venvs/sanity-$("$root/scripts/version.sh" ansible-core)
export HOME=$home
mkdir -p "$HOME/.ansible/test/cache"
python "$root/scripts/bootstrap_pip.py" "$HOME/.ansible/test/cache"
cd "$copy"

# As ruff and mypy do, take what passed for the same files, ansible-core and interpreters as passed.
published=$(find . -type f ! -path './tests/*' ! -path './simulator/*' | LC_ALL=C sort)
key=$({
    xargs -d '\n' sha256sum <<<"$published"
    xargs -d '\n' stat --format %a <<<"$published"
    for version in 2.7 3.{6..15}; do "python$version" -VV 2>&1 || true; done
} | sha256sum)
passed=$home/passed
if [ $# = 0 ] && [ "$(head -n 1 "$passed" 2>/dev/null)" = "$key" ]; then
    tail -n +2 "$passed"
    exit
fi
# The import test imports every file apart from the others, and each time ansible-core's loader compiles all that it imports.
# The environments of that test, which one file of each kind makes, remember what they have compiled.
first=(plugins/module_utils/__init__.py plugins/plugin_utils/__init__.py)
if [ ! -e "$home/remembers" ] && ansible-test sanity --local --test import "${first[@]}" >/dev/null 2>&1; then
    for site in "$home"/.ansible/test/venv/sanity{,.import.plugin}/*/*/lib/python*/site-packages; do
        echo "import builtins, functools; builtins.compile = functools.cache(builtins.compile)" >"$site/remembers.pth"
    done
    touch "$home/remembers"
fi
ansible-test sanity --local --color no --truncate 0 --exclude tests/ --exclude simulator/ "$@" 2>&1 | tee "$folder/said"
if [ $# = 0 ]; then
    { echo "$key"; echo "Unchanged since it passed:"; cat "$folder/said"; } >"$passed"
fi
