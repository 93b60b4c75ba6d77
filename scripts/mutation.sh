#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Mutation testing of pure code: `scripts/mutation.sh [PACKAGE...]`, by default all of it, at the lowest priority;
# a PACKAGE may be one file of a package, such as `_logpush/plan`.
# A package is judged for at most MUTATION_SECONDS (900); what is not judged by then is counted as such and not in the score.
# The tables judge; tests with generated examples are left out, because every survivor would have to sit through all of them.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
seconds=${MUTATION_SECONDS:-900}
place=${MUTATION_FOLDER:-$(mktemp -d)}
[ -n "${MUTATION_FOLDER:-}" ] || trap 'rm -rf "$place"' EXIT
[ $# -gt 0 ] || set -- _core _redact _filter _destination _custom_fields _scripts _logpush

for package in "$@"; do
    work=$place/$package
    rm -rf "$work"
    copy=$("$root/scripts/tracked-copy.sh" "$work/src")
    utils=src/ansible_collections/edgeops/observability/plugins/module_utils
    mkdir -p "$work/tests"
    cp "$copy/tests/conftest.py" "$work/tests/"
    cp -r "$copy/tests/unit/module_utils" "$work/tests/module_utils"
    # Only tests of the package itself: others would judge, slowly, through Ansible and HTTP.
    keep="${package%%/*} test${package%%/*}.py"
    for found in "$work"/tests/module_utils/*; do
        case " $keep " in *" $(basename "$found") "*) ;; *) rm -rf "$found" ;; esac
    done
    find "$work/tests" -name '*properties*' -delete
    cp -r "$copy/tests/support" "$work/tests/"
    rm -rf "$copy/tests" "$copy/simulator" "$copy/docs"
    pattern=$package/*
    [ -d "$work/$utils/$package" ] || pattern=$package.py
    cat >"$work/pyproject.toml" <<CONFIG
[tool.mutmut]
source_paths = ["$utils"]
only_mutate = ["$utils/$pattern"]
also_copy = ["src"]
use_git_change_detection = false
track_dependencies = false
[tool.pytest.ini_options]
addopts = ["--import-mode=importlib"]
pythonpath = ["src", "tests", "tests/support"]
CONFIG
    (
        cd "$work"
        nice -n 19 python "$root/scripts/mutation_judge.py" "$seconds" results.txt >run.log 2>&1
    ) || { cat "$work/run.log"; exit 1; }
    python "$root/scripts/mutation_score.py" "$package" "$work/results.txt"
done
