#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Mutation testing of pure code with mutmut: `scripts/mutation.sh [PACKAGE...]`, by default all of it, at the lowest priority;
# a PACKAGE may be one file of a package, such as `_logpush/plan`. Lists the surviving mutants; tests about five mutants a second.
# Runs tests with tables only: tests with generated examples would take too long for each surviving mutant.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
[ $# -gt 0 ] || set -- _core _redact _baseline _policy _filter _destination _custom_fields _scripts _logpush

for package in "$@"; do
    work=$place/$package
    rm -rf "$work"
    copy=$("$root/scripts/tracked-copy.sh" "$work/src")
    utils=src/ansible_collections/edgeops/observability/plugins/module_utils
    mkdir -p "$work/tests"
    cp "$copy/tests/conftest.py" "$work/tests/"
    cp -r "$copy/tests/unit/module_utils" "$work/tests/module_utils"
    # Keep only tests of the package itself; others reach it slowly, through Ansible and HTTP.
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
        # mutmut draws its progress with carriage returns; its log is shown only if it fails.
        nice -n 19 mutmut run >run.log 2>&1 || { tr '\r' '\n' <run.log | tail -n 40; exit 1; }
        mutmut results | sed -n 's/^ *ansible_collections.*module_utils\./  /; /: timeout$/!p'
        mutmut export-cicd-stats >/dev/null
        echo "$package: $(tr -d '\n {}"' <mutants/mutmut-cicd-stats.json | sed 's/,/, /g; s/:/ /g')"
    )
done
