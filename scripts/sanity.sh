#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The sanity tests of the ansible-core in PATH, on a copy of the tracked files; no finding is ignored. With `of-core` those that depend on
# the code of ansible-core; the others are the same with every core. Other arguments are those of ansible-test.
# Tests and simulator, which are not published and depend on no version, are what ruff and mypy look at.
# Code is compiled and imported by the Python of the environment, which differs from one core to the next; without `of-core` also by the
# oldest one that modules run with, if it is on this machine.
set -euo pipefail
python=$(python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
oldest=
if [ $# = 0 ]; then
    oldest=$(sed -n "s/.*python_requires: '>=\(.*\)'/\1/p" "$(dirname "$0")/../tests/config.yml")
    "$(dirname "$0")/find-python.sh" "$oldest" >/dev/null || oldest=
    set -- --python "$python"
elif [ "$1" = of-core ]; then
    set -- --python "$python"
    for name in action-plugin-docs ansible-doc compile ignores import runtime-metadata validate-modules; do set -- "$@" --test "$name"; done
fi
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
    echo "$@" "$oldest"
    xargs -d '\n' sha256sum <<<"$published"
    xargs -d '\n' stat --format %a <<<"$published"
    for version in 2.7 3.{6..15}; do "python$version" -VV 2>&1 || true; done
} | sha256sum)
passed=$home/passed
if [ "$(head -n 1 "$passed" 2>/dev/null)" = "$key" ]; then
    tail -n +2 "$passed"
    exit
fi
check() { ansible-test sanity --local --color no --truncate 0 --exclude tests/ --exclude simulator/ "$@"; }
{
    check "$@"
    if [ -n "$oldest" ]; then check --python "$oldest" --test compile --test import; fi
} 2>&1 | tee "$folder/said"
{ echo "$key"; echo "Unchanged since it passed:"; cat "$folder/said"; } >"$passed"
