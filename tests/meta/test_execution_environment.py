# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an execution environment reads about the collection, compared with what the collection states elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
BUILDER = Path(sys.executable).with_name("ansible-builder")
DEFINITION = "examples/awx/execution-environment.yml"


def load(name: str) -> t.Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def requirements(name: str) -> dict[str, Requirement]:
    lines = [line.partition("#")[0].strip() for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    return {found.name: found for found in map(Requirement, filter(None, lines))}


def builder(*arguments: str) -> str:
    done = subprocess.run([str(BUILDER), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def introspected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What ansible-builder finds in the collection as it is published."""
    folder = tmp_path_factory.mktemp("collections")
    subprocess.run([str(ROOT / "scripts" / "tracked-copy.sh"), str(folder)], check=True, capture_output=True)
    return t.cast("dict[str, list[str]]", yaml.safe_load(builder("introspect", str(folder))))


def test_the_two_files_are_there() -> None:
    assert load("meta/execution-environment.yml")["dependencies"] == {
        "python": "meta/ee-requirements.txt",
        "system": "meta/ee-bindep.txt",
    }
    assert (ROOT / "meta" / "ee-bindep.txt").is_file()


def test_builder_finds_python_packages_only(introspected: dict[str, list[str]]) -> None:
    """ansible-builder finds the libraries, and no system package."""
    found = {Requirement(line.partition("#")[0].strip()) for line in introspected["python"]}
    assert found == set(requirements("meta/ee-requirements.txt").values())
    assert all("edgeops.observability" in line for line in introspected["python"])
    assert introspected["system"] == []


def test_libraries_are_those_of_the_collection() -> None:
    assert requirements("meta/ee-requirements.txt") == requirements("requirements.txt")
    assert set(requirements("requirements.txt")) == {"requests", "urllib3"}


def test_context_of_an_image_holds_this_release(tmp_path: Path) -> None:
    builder("create", "--file", str(ROOT / DEFINITION), "--context", str(tmp_path), "--output-filename", "Containerfile")
    (collection,) = yaml.safe_load((tmp_path / "_build" / "requirements.yml").read_text(encoding="utf-8"))["collections"]
    galaxy = load("galaxy.yml")
    assert collection == {"name": f"{galaxy['namespace']}.{galaxy['name']}", "version": galaxy["version"]}
    assert "ansible-core>=2.16" in (tmp_path / "Containerfile").read_text(encoding="utf-8")


def oldest_core() -> str:
    """The oldest release of ansible-core that meta/runtime.yml allows."""
    (floor,) = SpecifierSet(load("meta/runtime.yml")["requires_ansible"])
    assert floor.operator == ">="
    return re.match(r"\d+\.\d+", floor.version)[0]


def test_oldest_core_is_stated_alike() -> None:
    """meta/runtime.yml, the image and the pins state the same oldest ansible-core."""
    image = Requirement(load(DEFINITION)["dependencies"]["ansible_core"]["package_pip"])
    assert image.specifier == SpecifierSet(f">={oldest_core()}")
    cores = [path.stem.removeprefix("core-") for path in (ROOT / "requirements").glob("core-*.in")]
    assert min(cores, key=lambda core: tuple(map(int, core.split(".")))) == oldest_core()


def test_readme_states_the_same() -> None:
    """The oldest Python is that of the linters, and no other ansible-core than the oldest one is named."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    python = re.search(r'^python_version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert f"those of [meta/runtime.yml](meta/runtime.yml), on Python {python} and newer" in readme
    assert "pip install requests" in readme
    assert set(re.findall(r"ansible-core[ >=]*(2\.\d+)", readme)) <= {oldest_core()}
