# SPDX-License-Identifier: GPL-3.0-or-later

import asyncio
import inspect
import runpy
import shutil
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import KINDS
from ansible_collections.edgeops.observability.plugins.module_utils._events.options import OPTIONS
from harness import artifact

ROOT = Path(__file__).resolve().parents[3]
SOURCE = Path("extensions/eda/plugins/event_source/zone_events.py")
PLUGIN = runpy.run_path(str(ROOT / SOURCE))
DOCUMENTATION = yaml.safe_load(PLUGIN["DOCUMENTATION"])
CHILD = """
import runpy, sys
class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "ansible_collections":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Nowhere())
from pathlib import Path
watch = runpy.run_path(sys.argv[1])["_import_watch"]()
print(Path(sys.modules[watch.__module__].__file__))
"""


def facts_of(option: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    facts = {name: option.get(name) for name in ("type", "elements", "default", "choices", "required")}
    further = option.get("options") or option.get("suboptions") or {}
    return {**facts, "suboptions": {name: facts_of(suboption) for name, suboption in further.items()}}


def test_documentation_matches_eda_tools() -> None:
    assert isinstance(DOCUMENTATION["short_description"], str)
    assert all(isinstance(text, str) for text in DOCUMENTATION["description"])
    assert {name: facts_of(option) for name, option in DOCUMENTATION["options"].items()} == {
        name: facts_of(option) for name, option in OPTIONS.items()
    }
    assert all(option["description"] for option in DOCUMENTATION["options"].values())


def test_every_kind_of_event_is_documented() -> None:
    text = " ".join(DOCUMENTATION["description"])
    guide = (ROOT / "docs" / "docsite" / "rst" / "guide_react_to_changes.rst").read_text(encoding="utf-8")
    assert not [kind for kind in KINDS if f"C({kind})" not in text or f"``{kind}``" not in guide]


def test_examples_use_arguments_that_exist() -> None:
    for ruleset in yaml.safe_load(PLUGIN["EXAMPLES"]):
        arguments = ruleset["sources"][0]["edgeops.observability.zone_events"]
        assert {"state_file"} <= set(arguments) <= set(OPTIONS)
        assert ruleset["rules"]


def test_main_is_a_coroutine() -> None:
    assert inspect.iscoroutinefunction(PLUGIN["main"])
    assert list(inspect.signature(PLUGIN["main"]).parameters) == ["queue", "args"]
    with pytest.raises(Exception, match=r"^interval: 10 is below 60"):
        asyncio.run(PLUGIN["main"](asyncio.Queue(), {"zones": ["1"], "state_file": "/nowhere/x", "interval": 10}))


def test_folder_is_listed_for_ansible_rulebook() -> None:
    listed = yaml.safe_load((ROOT / "meta" / "extensions.yml").read_text(encoding="utf-8"))["extensions"]
    assert [Path("extensions", folder["args"]["ext_dir"]) for folder in listed] == [SOURCE.parent]


def imported_from(collection: Path, *isolation: str) -> Path:
    """Return the file that the source imports, in a process in which `ansible_collections` cannot be imported."""
    command = [sys.executable, *isolation, "-c", CHILD, collection / SOURCE]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())


@pytest.mark.parametrize("parent", ["ansible_collections/edgeops/observability", "somewhere"])
def test_libraries_are_found_beside_the_source(parent: str, tmp_path: Path) -> None:
    """The source runs in any folder without the collection on sys.path (`-I`), and ignores another copy on sys.path."""
    copy = tmp_path / parent
    (copy / SOURCE.parent).mkdir(parents=True)
    shutil.copy(ROOT / SOURCE, copy / SOURCE)
    (copy / "plugins").symlink_to(ROOT / "plugins")
    assert imported_from(copy).is_relative_to(copy) and imported_from(copy, "-I").is_relative_to(copy)


def test_installed_artifact_finds_its_libraries() -> None:
    """The libraries are found after `ansible-galaxy collection install`."""
    folder = artifact.installed() / "ansible_collections" / "edgeops" / "observability"
    assert imported_from(folder, "-I").is_relative_to(folder)
