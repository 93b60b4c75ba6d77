# SPDX-License-Identifier: GPL-3.0-or-later

"""What reviewers of the community and of certified content look for before they look at code."""

from __future__ import annotations

import fnmatch
import re
import subprocess
import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.edgeops.observability.plugins.doc_fragments.connection import ModuleDocFragment

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GALAXY = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))
SECTIONS = (
    *("Requirements", "Installation", "Use cases", "Contents", "Testing", "Communication", "Contributing", "Support"),
    *("Versioning, release notes and roadmap", "Related information", "License"),
)
CONDUCT = "https://docs.ansible.com/ansible/latest/community/code_of_conduct.html"
KINDS = ("modules", "filter", "test", "inventory")
PLUGINS = sorted(path for kind in KINDS for path in (ROOT / "plugins" / kind).glob("[a-z]*.py"))


def section(title: str) -> str:
    return README.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_readme_has_every_section() -> None:
    assert [title for title in re.findall(r"^## (.+)$", README, re.MULTILINE) if title in SECTIONS] == list(SECTIONS)


@pytest.mark.parametrize(
    "words",
    [
        "https://forum.ansible.com/c/help/6",
        "https://forum.ansible.com/tag/cloudflare",
        "You are welcome",
        "https://docs.ansible.com/ansible/latest/community/communication.html",
        GALAXY["issues"],
        CONDUCT,
    ],
)
def test_readme_says_where_to_talk(words: str) -> None:
    assert words in section("Communication")


def test_readme_promises_semantic_versions() -> None:
    assert "https://semver.org/" in section("Versioning, release notes and roadmap")


def links() -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", README)


def test_links_are_absolute_and_lead_somewhere() -> None:
    """A relative link, or one to a file that is not in the repository, is dead on Galaxy."""
    raw = GALAXY["repository"].replace("https://github.com/", "https://raw.githubusercontent.com/") + "/main/"
    assert not [link for link in links() if not link.startswith("https://")]
    prefixes = (f"{GALAXY['repository']}/blob/main/", f"{GALAXY['repository']}/tree/main/", raw)
    named = [link.removeprefix(prefix) for link in links() for prefix in prefixes if link.startswith(prefix)]
    assert len(named) > 15
    assert not [name for name in named if not (ROOT / name).exists()]


def test_picture_shows_where_nothing_else_is() -> None:
    (picture,) = re.findall(r"!\[[^]]{20,}\]\((\S+)\)", README)
    assert picture.startswith("https://raw.githubusercontent.com/") and picture.endswith(".png")


def test_documentation_is_where_galaxy_says() -> None:
    assert GALAXY["documentation"] == f"{GALAXY['repository']}/tree/main/docs"


@pytest.mark.parametrize("word", ["cloudflare", "logpush", "page shield", "client-side security"])
def test_collection_is_found_by_what_users_search(word: str) -> None:
    tags = {tag.replace("_", " ") for tag in GALAXY["tags"]}
    assert word.replace("-", " ") in tags and word in GALAXY["description"].lower()
    assert word in README.lower()


def test_conduct_is_that_of_the_community() -> None:
    text = (ROOT / "CODE_OF_CONDUCT.md").read_text(encoding="utf-8")
    assert CONDUCT in text and len(text.splitlines()) < 6


@pytest.mark.parametrize("path", PLUGINS, ids=lambda path: path.stem)
def test_oldest_python_is_documented(path: Path) -> None:
    documented = re.search(r'DOCUMENTATION = r"""(.*?)"""', path.read_text(encoding="utf-8"), re.DOTALL)
    document = yaml.safe_load(documented[1])
    fragment = yaml.safe_load(ModuleDocFragment.DOCUMENTATION)
    inherits = "edgeops.observability.connection" in document.get("extends_documentation_fragment", ())
    assert "python >= 3.10" in (fragment if inherits else document)["requirements"]


def test_guides_and_examples_are_published() -> None:
    """The folders that installed copies hold, and none that only developers need."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()

    def ignored(name: str) -> bool:
        parents = [name, *(str(parent) for parent in Path(name).parents)]
        return any(fnmatch.fnmatch(place, pattern) for place in parents if place != "." for pattern in GALAXY["build_ignore"])

    published = {"/".join(name.split("/")[:2]) for name in listed if not ignored(name)}
    assert {"docs/docsite", "examples/awx", "examples/eda", "roles/log_delivery"} <= published
    assert not [name for name in published if name.startswith(("tests/", "scripts/", "simulator/", "docs/sphinx", "."))]


def test_dependencies_are_none() -> None:
    assert t.cast("dict[str, str]", GALAXY["dependencies"]) == {}
