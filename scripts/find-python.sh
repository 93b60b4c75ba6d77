#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints the path of a real interpreter of the first of the versions given (3.11 3.12) that is on this machine, or fails.
# pyenv's shims answer for versions that they do not have, so they are passed over and its version folders are looked at instead;
# and last, because pyenv builds without the optimizations of distributions, which make the tests take a fifth more.
# Without ensurepip, which some distributions package apart, an interpreter makes no environments and is passed over too.
set -eu

usable() {
    [ -x "$1" ] && "$1" -c "import sys, venv, ensurepip; sys.exit('%d.%d' % sys.version_info[:2] != '$version')" >/dev/null 2>&1
}

# Prints the first that is usable.
first() {
    for candidate in "$@"; do
        if usable "$candidate"; then echo "$candidate"; exit 0; fi
    done
}

for version in "$@"; do
    IFS=:
    for folder in $PATH; do
        case $folder in
            */.venv/bin | */.venvs/* | */shims) ;;
            *) first "$folder/python$version" ;;
        esac
    done
    for folder in $PATH; do
        case $folder in
            */shims) first "${folder%/shims}/versions/$version"*/bin/python"$version" ;;
        esac
    done
    unset IFS
    first "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version"*/bin/python"$version"
done
exit 1
