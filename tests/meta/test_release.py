# SPDX-License-Identifier: GPL-3.0-or-later

"""What prevents a release is found; what has to agree at any time does."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import types
from pathlib import Path

import pytest
from release_check import DECIDES, VERSIONS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def release_check() -> types.ModuleType:
    """The script, loaded again, so that a test can point it elsewhere."""
    described = importlib.util.spec_from_file_location("release_check", ROOT / "scripts" / "release_check.py")
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


@pytest.fixture
def elsewhere(release_check: types.ModuleType, tmp_path: Path) -> Path:
    """A folder with what names the version, free to be broken; the tree and its tags are taken as they should be."""
    for name in (*release_check.VERSIONS, *release_check.DOCUMENTS, "changelogs/changelog.yaml", "CHANGELOG.md", "CHANGELOG.rst"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "changelogs" / "fragments").mkdir()
    release_check.ROOT = tmp_path
    release_check._tree = lambda version: []
    return tmp_path


def test_nothing_stands_in_the_way(release_check: types.ModuleType, elsewhere: Path) -> None:
    assert release_check.problems() == []


@pytest.mark.parametrize("name", [name for name in VERSIONS if name != DECIDES])
def test_another_version_is_named(release_check: types.ModuleType, elsewhere: Path, name: str) -> None:
    version = release_check._versions()[release_check.DECIDES]
    path = elsewhere / name
    path.write_text(path.read_text(encoding="utf-8").replace(version, "9.9.9"), encoding="utf-8")
    assert release_check.problems() == [f"{name} says 9.9.9, and galaxy.yml {version}"]


def test_no_other_file_names_the_version(release_check: types.ModuleType) -> None:
    named = re.compile(rf"(version|observability)\W{{1,4}}{re.escape(release_check._versions()[DECIDES])}\b")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    texts = [
        name for name in listed if (ROOT / name).is_file() and not name.startswith(("CHANGELOG", "changelogs/", "requirements/"))
    ]
    found = {name for name in texts if named.search((ROOT / name).read_text(encoding="utf-8", errors="replace"))}
    assert found <= VERSIONS.keys(), "let it come from galaxy.yml, or compare it in scripts/release_check.py"


def test_what_is_missing_is_named(release_check: types.ModuleType, elsewhere: Path) -> None:
    """A fragment that is left, a document, and a version that the changelog lacks."""
    (elsewhere / "changelogs" / "fragments" / "left.yml").write_text("minor_changes: []\n", encoding="utf-8")
    (elsewhere / "SUPPORT.md").unlink()
    assert sorted(release_check.problems()) == [
        "SUPPORT.md is missing, or says nothing of 'Semantic Versioning'",
        "changelog fragments that no release has taken up: left.yml",
    ]
    for name, version in release_check._versions().items():
        path = elsewhere / name
        path.write_text(path.read_text(encoding="utf-8").replace(version, "9.9.9"), encoding="utf-8")
    found = " ".join(release_check.problems())
    assert "changelogs/changelog.yaml has no release 9.9.9" in found
    assert "CHANGELOG.md or CHANGELOG.rst does not describe 9.9.9" in found


def test_tag_of_another_version_is_named(monkeypatch: pytest.MonkeyPatch, release_check: types.ModuleType) -> None:
    monkeypatch.setenv("RELEASE_TAG", "9.9.9")
    assert any("the release is tagged 9.9.9" in problem for problem in release_check.problems())
