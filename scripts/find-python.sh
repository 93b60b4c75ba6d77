#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints the path of a real interpreter of the version given (3.11), or fails.
# pyenv's shims answer for versions that they do not have, so they are passed over and its version folders are looked at instead.
set -eu
version=$1

usable() {
    [ -x "$1" ] && "$1" -c "import sys, venv; sys.exit('%d.%d' % sys.version_info[:2] != '$version')" >/dev/null 2>&1
}

IFS=:
for folder in $PATH; do
    case $folder in
        */.venv/bin | */.venvs/*) continue ;;
        */shims)
            for candidate in "${folder%/shims}/versions/$version"*/bin/python"$version"; do
                if usable "$candidate"; then echo "$candidate"; exit 0; fi
            done
            continue ;;
    esac
    if usable "$folder/python$version"; then echo "$folder/python$version"; exit 0; fi
done
for candidate in "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version"*/bin/python"$version"; do
    if usable "$candidate"; then echo "$candidate"; exit 0; fi
done
exit 1
