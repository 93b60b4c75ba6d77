# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists that people keep by hand drift; here every module is held against each of them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import yaml

from ansible_collections.edgeops.observability.plugins.module_utils._filter import bounds as limits
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import facts as jobs
from harness import documented

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("*.py") if path.stem != "__init__")
CONTRACT = [
    "log_custom_fields",
    "log_custom_fields_info",
    "logpush_job",
    "logpush_job_info",
    "logpush_ownership",
    "script_monitor",
    "script_monitor_info",
]
# Why a module that brings something into a state has no sibling that only reads.
WITHOUT_INFO = {"logpush_ownership": "the service offers no way to read a challenge"}
LONGEST_MODULE = 60
# Which numbers the description of an option has to name.
LIMITS = {
    **{("logpush_job", name): span for name, span in jobs.RANGES.items()},
    ("logpush_job", "dataset"): (jobs.LONGEST_DATASET,),
    ("logpush_job", "destination_conf"): (jobs.LONGEST_DESTINATION,),
    ("logpush_job", "ownership_challenge"): (jobs.LONGEST_CHALLENGE,),
    ("logpush_job", "logpull_options"): (jobs.LONGEST_OPTIONS,),
    ("logpush_job", "validate_filter"): (limits.MAX_FILTER_OPERATORS, limits.MAX_FILTER_BYTES),
    ("log_custom_fields", "field_limit"): (limits.CUSTOM_FIELD_LIMIT,),
    ("script_monitor_info", "per_page"): (1, limits.MAX_PER_PAGE),
}


def runtime() -> dict:
    return yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"))


def code_lines(path: Path) -> int:
    """Lines of code outside the documentation and the comments."""
    text = path.read_text(encoding="utf-8")
    documentation = sum(
        node.end_lineno - node.lineno + 1
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("DOCUMENTATION", "EXAMPLES", "RETURN")
    )
    return sum(1 for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")) - documentation


def test_the_modules_are_those_of_the_contract() -> None:
    assert MODULES == CONTRACT


def test_action_group_holds_every_module() -> None:
    assert sorted(runtime()["action_groups"]["zone"]) == MODULES


def test_every_module_has_an_action_plugin_and_nothing_else_has() -> None:
    assert sorted(path.stem for path in (ROOT / "plugins" / "action").glob("*.py") if path.stem != "__init__") == MODULES


@pytest.mark.parametrize("module", MODULES)
def test_action_plugin_names_the_task_of_its_module(module: str) -> None:
    text = (ROOT / "plugins" / "action" / f"{module}.py").read_text(encoding="utf-8")
    assert f"plugins.modules.{module} import TASK" in text
    assert code_lines(ROOT / "plugins" / "action" / f"{module}.py") <= 6


@pytest.mark.parametrize("module", MODULES)
def test_module_is_tested_through_playbooks(module: str) -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "integration").glob("test_*.py"))
    assert f'"{module}"' in tests or f"edgeops.observability.{module}" in tests


@pytest.mark.parametrize("module", MODULES)
def test_module_is_documented_and_short(module: str) -> None:
    assert documented.section(module, "DOCUMENTATION")["module"] == module
    assert all(f"edgeops.observability.{module}" in task for task in documented.section(module, "EXAMPLES")[:1])
    assert documented.section(module, "RETURN")["error"]["returned"] == "failure"
    assert code_lines(ROOT / "plugins" / "modules" / f"{module}.py") <= LONGEST_MODULE


@pytest.mark.parametrize(("module", "option"), LIMITS, ids=".".join)
def test_an_option_is_documented_with_its_limits(module: str, option: str) -> None:
    description = " ".join(documented.section(module, "DOCUMENTATION")["options"][option]["description"])
    numbers = {int(number) for number in re.findall(r"\b\d+\b", description)}
    assert set(LIMITS[module, option]) <= numbers


@pytest.mark.parametrize("module", [each for each in MODULES if not each.endswith("_info")])
def test_module_has_an_info_sibling_or_a_reason(module: str) -> None:
    assert (f"{module}_info" in MODULES) != (module in WITHOUT_INFO)


def test_every_public_name_of_the_contract_exists() -> None:
    for path in (
        "plugins/filter/logpush_filter.yml",
        "plugins/filter/explain_logpush_filter.yml",
        "plugins/test/passes_logpush_filter.yml",
        "plugins/inventory/zones.py",
        "roles/log_delivery/meta/argument_specs.yml",
        "playbooks/deliver.yml",
        "playbooks/check.yml",
    ):
        stem = ROOT / path
        assert stem.exists() or stem.with_suffix(".py").exists(), path


def test_readme_names_every_module() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert not [module for module in MODULES if f"`{module}`" not in readme and f"edgeops.observability.{module}" not in readme]


def test_what_the_readme_promises_is_shown_in_tests_that_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .+ \| (.*tests/.*) \|$", readme, re.MULTILINE)
    assert rows
    for path in re.findall(r"`(tests/[^`]+)`", " ".join(rows)):
        assert (ROOT / path).exists(), path
