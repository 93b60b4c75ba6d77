# SPDX-License-Identifier: GPL-3.0-or-later

"""The requirements of an execution environment agree with those of the collection."""

import re
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
BUILDER = Path(sys.executable).with_name("ansible-builder")
DEFINITIONS = ["examples/awx/execution-environment.yml", "examples/eda/decision-environment.yml"]


def load(name: str) -> t.Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def requirements(name: str) -> dict[str, Requirement]:
    lines = [line.partition("#")[0].strip() for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    return {requirement.name: requirement for requirement in map(Requirement, filter(None, lines))}


def builder(*arguments: str) -> str:
    done = subprocess.run([str(BUILDER), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.builds
def test_builder_finds_python_packages_only(tmp_path: Path) -> None:
    subprocess.run([str(ROOT / "scripts" / "tracked-copy.sh"), str(tmp_path)], check=True, capture_output=True)
    introspected = yaml.safe_load(builder("introspect", str(tmp_path)))
    packages = {Requirement(line.partition("#")[0].strip()) for line in introspected["python"]}
    assert packages == set(requirements("meta/ee-requirements.txt").values())
    assert all("edgeops.observability" in line for line in introspected["python"])
    assert introspected["system"] == []
    dependencies = {"python": "meta/ee-requirements.txt", "system": "meta/ee-bindep.txt"}
    assert load("meta/execution-environment.yml")["dependencies"] == dependencies


def test_libraries_agree_with_the_collection() -> None:
    assert requirements("meta/ee-requirements.txt") == requirements("requirements.txt")
    assert set(requirements("requirements.txt")) == {"requests", "urllib3", "justhtml"}


def context(definition: str, folder: Path) -> t.Any:
    """Return the list of collections in the context that ansible-builder makes."""
    builder("create", "--file", str(ROOT / definition), "--context", str(folder), "--output-filename", "Containerfile")
    return yaml.safe_load((folder / "_build" / "requirements.yml").read_text(encoding="utf-8"))["collections"]


@pytest.mark.builds
@pytest.mark.parametrize("definition", DEFINITIONS)
def test_context_of_an_image_contains_this_release(definition: str, tmp_path: Path) -> None:
    (collection,) = context(definition, tmp_path)
    galaxy = load("galaxy.yml")
    assert collection == {"name": f"{galaxy['namespace']}.{galaxy['name']}", "version": galaxy["version"]}
    text = (tmp_path / "Containerfile").read_text(encoding="utf-8")
    assert "ansible-core>=2.16" in text and 'PYCMD="/usr/bin/python3.12"' in text
    assert load(definition)["images"]["base_image"]["name"] == "docker.io/redhat/ubi9:latest", "a public image"
    made = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "_build").glob("*.txt"))
    assert [word in made for word in ("ansible-rulebook", "java-17")] == [definition == DEFINITIONS[1]] * 2, "rulebooks need both"


@pytest.mark.builds
def test_image_takes_the_collection_from_a_file(tmp_path: Path) -> None:
    """With the lines from the README of the example, the context contains the artifact."""
    readme = (ROOT / "examples" / "awx" / "README.md").read_text(encoding="utf-8")
    (example,) = (block for block in re.findall(r"```text\n(.*?)```", readme, re.DOTALL) if "additional_build_files" in block)
    definition, changes = load(DEFINITIONS[0]), yaml.safe_load(example)
    definition["additional_build_files"] = changes["additional_build_files"]
    definition["dependencies"]["galaxy"] = changes["dependencies"]["galaxy"]
    (tmp_path / "execution-environment.yml").write_text(yaml.safe_dump(definition), encoding="utf-8")
    (tmp_path / changes["additional_build_files"][0]["src"]).touch()
    (collection,) = context(str(tmp_path / "execution-environment.yml"), tmp_path / "context")
    assert collection["type"] == "file" and (tmp_path / "context" / "_build" / collection["name"]).is_file()
