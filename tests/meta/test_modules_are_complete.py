# SPDX-License-Identifier: GPL-3.0-or-later

"""All lists of modules that are maintained by hand contain each module."""

import ast
import collections
import importlib
import json
import re
import runpy
import types
import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import MAX_CUSTOM_FIELDS
from ansible_collections.edgeops.observability.plugins.module_utils._filter import text as limits
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import facts as jobs
from ansible_collections.edgeops.observability.plugins.module_utils._script_monitor import MAX_PER_PAGE
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.facts import MEMBERS
from harness import documented
from harness.modules import MODULES as PACKAGE
from harness.modules import task_of

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("*.py") if path.stem != "__init__")
CONNECTION = "edgeops.observability.connection"
ATTRIBUTES = "edgeops.observability.attributes"
# Modules with requests, and the reason why there is no info module for them.
WITHOUT_INFO = {"logpush_ownership": "the service offers no way to read a challenge"}
# Modules about the hosts of a play, which are tested with playbooks.
PARTS = {"adoption_summary", "delivery_plan", "delivery_summary", "validate_variables"}
# A description of a return value that is longer than this, as JSON, is copied and not written twice.
SHORT = 250
# The kinds of plugins that users name.
PUBLIC = ("modules", "filter", "test", "inventory", "lookup", "callback", "strategy")
# The numbers that the description of an option must contain.
LIMITS = {
    **{("logpush_job", name): span for name, span in jobs.RANGES.items()},
    ("logpush_job", "dataset"): (jobs.MAX_DATASET_LENGTH,),
    ("logpush_job", "destination_conf"): (jobs.MAX_DESTINATION_LENGTH,),
    ("logpush_job", "ownership_challenge"): (jobs.MAX_CHALLENGE_LENGTH,),
    ("logpush_job", "logpull_options"): (jobs.MAX_OPTIONS_LENGTH,),
    ("logpush_job", "validate_filter"): (limits.MAX_FILTER_OPERATORS, limits.MAX_FILTER_BYTES),
    ("log_custom_fields", "field_limit"): (MAX_CUSTOM_FIELDS,),
    ("script_monitor_info", "per_page"): (1, MAX_PER_PAGE),
}


def code_lines(path: Path) -> int:
    """Return the number of lines of code, without documentation and comments."""
    text = path.read_text(encoding="utf-8")
    documentation = sum(
        node.end_lineno - node.lineno + 1
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("DOCUMENTATION", "EXAMPLES", "RETURN")
    )
    return sum(1 for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")) - documentation


# Modules that send requests have the connection options in their documentation.
REMOTE = [
    module
    for module in MODULES
    if CONNECTION in documented.section(module, "DOCUMENTATION").get("extends_documentation_fragment", ())
]


def declared(module: str) -> types.ModuleType:
    return importlib.import_module(f"{PACKAGE}.{module}")


def difference(actual: t.Iterable[t.Any], expected: t.Iterable[t.Any]) -> str:
    """Return names that a list lacks, and names that are unknown or duplicate."""
    has, needs = collections.Counter(actual), collections.Counter(expected)
    return f"missing: {sorted(needs - has)}, too many: {sorted(has - needs)}"


def test_action_group_has_every_remote_module() -> None:
    group = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"))["action_groups"]["zone"]
    assert group == REMOTE, f"meta/runtime.yml, action_groups.zone, in the order of the alphabet; {difference(group, REMOTE)}"


@pytest.mark.parametrize("module", sorted({*MODULES} - PARTS))
def test_module_has_a_test(module: str) -> None:
    """Tests of modules, or their shared code, contain the full name of each module, or pass its name to the harness."""
    files = [*(ROOT / "tests" / "modules").glob("test_*.py"), *(ROOT / "tests" / "support").glob("*.py")]
    tests = "".join(path.read_text(encoding="utf-8") for path in files)
    match = re.search(rf"\bedgeops\.observability\.{module}\b|\b(converge|converge_each|lifecycle)\(\s*\"{module}\"", tests)
    assert match is not None, f"tests/modules has no test that runs {module}"


@pytest.mark.parametrize("module", MODULES)
def test_module_is_documented_and_short(module: str) -> None:
    assert documented.section(module, "DOCUMENTATION")["module"] == module
    assert any(f"edgeops.observability.{module}" in task for task in documented.section(module, "EXAMPLES"))
    assert documented.section(module, "RETURN")["error"]["returned"] == "failure"
    assert code_lines(ROOT / "plugins" / "modules" / f"{module}.py") <= 60
    assert code_lines(ROOT / "plugins" / "action" / f"{module}.py") <= 12
    fragments = documented.section(module, "DOCUMENTATION")["extends_documentation_fragment"]
    # If two fragments document one attribute, the first takes precedence.
    assert [name for name in fragments if name.startswith(ATTRIBUTES)][-1:] == [ATTRIBUTES], (
        "it comes last, below .info or .local"
    )


def test_options_of_several_jobs_are_generated() -> None:
    """`PYTHONPATH=.venvs/collections python scripts/job_options.py` writes the file."""
    script = runpy.run_path(str(ROOT / "scripts" / "job_options.py"))
    assert script["PAGE"].read_text(encoding="utf-8") == script["text"]()


def test_return_values_are_copied() -> None:
    """`python scripts/return_values.py` writes what several modules return alike."""
    script = runpy.run_path(str(ROOT / "scripts" / "return_values.py"))
    assert script["texts"]() == script["read"]()


def test_return_values_alike_have_one_home() -> None:
    """A description of some length stands in a second module only as a copy, a line of `COPIES`."""
    script = runpy.run_path(str(ROOT / "scripts" / "return_values.py"))
    copied = {str(target) for _source, target in script["copies"](script["read"]())}
    places: dict[str, list[str]] = {}
    for module in MODULES:
        for path, value in _return_values(documented.section(module, "RETURN")):
            text = json.dumps(value, sort_keys=True, default=str)
            if len(text) > SHORT and not any(f"{module}: {path}.".startswith(f"{place}.") for place in copied):
                places.setdefault(text, []).append(f"{module}: {path}")
    assert [same for same in places.values() if len(same) > 1] == []


def _return_values(values: dict[str, t.Any], path: str = "") -> t.Iterator[tuple[str, dict[str, t.Any]]]:
    """Yield the path and the description of each value, and of what it contains."""
    for name, value in values.items():
        yield f"{path}{name}", value
        yield from _return_values(value.get("contains") or {}, f"{path}{name}.")


@pytest.mark.parametrize(("module", "option"), LIMITS, ids=".".join)
def test_documented_limits_of_options(module: str, option: str) -> None:
    description = " ".join(documented.section(module, "DOCUMENTATION")["options"][option]["description"])
    numbers = {int(number) for number in re.findall(r"\b\d+\b", description)}
    assert set(LIMITS[module, option]) <= numbers


@pytest.mark.parametrize("module", [name for name in MODULES if not hasattr(declared(name), "TASK") and name not in PARTS])
def test_controller_module_documents_its_options(module: str) -> None:
    """ansible-test compares only modules whose file contains the argument specification."""
    specification = task_of(module).arguments()["argument_spec"]
    options = documented.section(module, "DOCUMENTATION")["options"]
    assert set(options) == set(specification)
    for name, option in specification.items():
        stated = {member: options[name].get(member) for member in ("type", "elements", "default", "choices", "required")}
        assert stated == {"type": "str", **{member: option.get(member) for member in stated}}, name


def test_members_of_scripts_are_documented() -> None:
    """Each name that the option accepts is described in the result or in the option."""
    described = list(documented.section("script_monitor_info", "RETURN")["scripts"]["contains"])
    option = " ".join(documented.section("script_monitor_info", "DOCUMENTATION")["options"]["members"]["description"])
    assert list(MEMBERS[: len(described)]) == described
    assert all(f"V({name})" in option for name in MEMBERS[len(described) :])


@pytest.mark.parametrize("module", [name for name in REMOTE if not name.endswith("_info")])
def test_seealso_names_an_info_module(module: str) -> None:
    named = {entry.get("module", "") for entry in documented.section(module, "DOCUMENTATION").get("seealso", ())}
    readers = {name for name in named if name.endswith("_info") and name.rpartition(".")[2] in MODULES}
    assert bool(readers) != (module in WITHOUT_INFO), (
        f"either seealso of plugins/modules/{module}.py names an _info module, or WITHOUT_INFO of this file says why there is none"
    )


def plugins_in_folders() -> dict[tuple[str, str], str]:
    """Return the public plugins with the version in which each was added."""
    files = [path for kind in PUBLIC for path in (ROOT / "plugins" / kind).glob("[a-z]*") if path.suffix in (".py", ".yml")]
    matches = {path: re.search(r"^version_added: (\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE) for path in files}
    return {(path.parent.name, path.stem): match[1] if match else "none" for path, match in matches.items()}


def test_changelog_lists_every_plugin() -> None:
    """Published plugins must not change without a changelog entry; new ones are listed by the release."""
    releases = yaml.safe_load((ROOT / "changelogs" / "changelog.yaml").read_text(encoding="utf-8"))["releases"]
    added = [{"modules": release.get("modules", ()), **release.get("plugins", {})} for release in releases.values()]
    listed = {(kind, entry["name"]) for kinds in added for kind, entries in kinds.items() for entry in entries}
    present = plugins_in_folders()
    assert not listed - present.keys()
    assert not [plugin for plugin in present if plugin not in listed and present[plugin] in (*releases, "none")], (
        "give these the next release as version_added, or, if that is in changelogs/changelog.yaml already, run"
        " `antsibull-changelog release --update-existing --reload-plugins --refresh-plugins --date DATE` with its date"
    )


def readme_table(head: str) -> list[list[str]]:
    """Return the rows of the table of README.md with this header, as cells."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = text.partition(f"\n{head}\n")[2].partition("\n\n")[0].splitlines()[1:]
    return [[cell.strip("` ") for cell in row.strip("|").split(" | ")] for row in rows]


def test_readme_lists_every_plugin_once() -> None:
    modules = [row[0] for row in readme_table("| module | about |")]
    assert sorted(modules) == MODULES, f"a row for each module in the table of README.md; {difference(modules, MODULES)}"
    plugins = [(kind, name) for name, kind, *_rest in readme_table("| plugin | kind | does |") if kind in PUBLIC]
    expected = [plugin for plugin in plugins_in_folders() if plugin[0] != "modules"]
    assert sorted(plugins) == sorted(expected), (
        f"a row for each plugin in its table of README.md; {difference(plugins, expected)}"
    )


def test_guarantees_name_existing_tests() -> None:
    """The tests that the page of guarantees names exist."""
    page = (ROOT / "docs" / "docsite" / "rst" / "guarantees.rst").read_text(encoding="utf-8")
    paths = re.findall(r"``(tests/[^`]+)``", page)
    assert len(paths) > 6
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_event_query_has_every_module() -> None:
    queries = yaml.safe_load((ROOT / "extensions" / "audit" / "event_query.yml").read_text(encoding="utf-8"))
    assert list(queries) == [f"edgeops.observability.{module}" for module in MODULES]
    assert not [module for module in REMOTE if queries[f"edgeops.observability.{module}"]["query"] == "empty"]


@pytest.mark.parametrize("folder", ["modules", "action", "filter", "test", "inventory"])
def test_plugin_checks_the_versions_first(folder: str) -> None:
    """What an old Python cannot compile must not be imported before; a module on the controller only has no code."""
    home = "module_utils" if folder == "modules" else "plugin_utils"
    first = (
        f"from ansible_collections.edgeops.observability.plugins.{home}._supported import check_supported\n\ncheck_supported()\n"
    )
    files = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "plugins" / folder).glob("[!_]*.py"))]
    starts = [re.search(r"(?m)^(from|import) (?!__future__)", text) for text in files]
    assert files and any(starts)
    assert not [
        text[:400] for text, start in zip(files, starts, strict=True) if start and not text[start.start() :].startswith(first)
    ]


@pytest.mark.parametrize("module", MODULES)
def test_ansible_knows_each_key_of_an_option(module: str) -> None:
    """Keys that only this collection reads are not declared to AnsibleModule."""
    known = {"type", "elements", "choices", "default", "fallback", "required", "no_log", "options", "aliases"}
    known |= {"mutually_exclusive", "required_together", "required_one_of", "required_if", "required_by", "apply_defaults"}
    waiting = [task_of(module).arguments()["argument_spec"]]
    while waiting:
        for name, option in waiting.pop().items():
            assert set(option) <= known, name
            waiting.append(option.get("options") or {})
