# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks of the whole repository, including those of reviewers for the community and for certified content."""

import fnmatch
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from ansible_collections.edgeops.observability.plugins.doc_fragments.connection import ModuleDocFragment
from ansible_collections.edgeops.observability.plugins.module_utils._supported import MIN_CORE, MIN_PYTHON
from harness import documented

ROOT = Path(__file__).resolve().parents[2]
# Composed of parts, because this file is searched, too.
REGISTRIES = (
    "pypi" + ".org",
    "files." + "pythonhosted",
    "galaxy.ansible" + ".com/api",
    "--index" + "-url",
    "--extra-index" + "-url",
)


def files() -> list[str]:
    """Return all files of the project: tracked ones, and new ones that are not ignored."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [name for name in dict.fromkeys(listed) if name and (ROOT / name).is_file()]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def load(name: str) -> dict:
    return yaml.safe_load(text_of(name))


README = text_of("README.md")
GALAXY = load("galaxy.yml")
RAW = GALAXY["repository"].replace("https://github.com/", "https://raw.githubusercontent.com/")


def test_every_file_has_its_licence() -> None:
    """The files are those that the pre-commit hook checks."""
    (hook,) = [hook for hook in load(".pre-commit-config.yaml")["repos"][0]["hooks"] if hook["id"] == "licence"]
    assert "--negate" in hook["args"]
    named = [name for name in files() if not re.search(hook["exclude"], name) and text_of(name).strip()]
    assert len(named) > 500
    assert [name for name in named if not re.search(hook["entry"], text_of(name)[:1500])] == []


def test_licence_is_complete() -> None:
    assert len(text_of("LICENSE").splitlines()) > 600


def test_no_file_names_a_package_registry() -> None:
    places = [(name, word) for name in files() for word in REGISTRIES if word in text_of(name)]
    assert not places


def test_no_lock_file_archive_or_sanity_ignore() -> None:
    patterns = ("*uv.lock", "*package-lock.json", "*.tar.gz", "tests/sanity/ignore-*", "*.egg-info/*")
    assert not [name for name in files() for pattern in patterns if fnmatch.fnmatch(name, pattern)]


def test_ignored_rules_have_a_reason() -> None:
    # Composed of parts, because this line would match itself.
    silenced = re.compile(r"# (type: " + r"ignore|no" + r"qa)\S*\s*(.*)$")
    bare = [
        f"{name}:{number}"
        for name in files()
        if name.endswith(".py")
        for number, line in enumerate(text_of(name).splitlines(), 1)
        if (match := silenced.search(line)) and "#" not in match[2] and not re.search(r"\w{3}.*\s\w", match[2])
    ]
    assert not bare


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


def test_readme_has_support_and_versions() -> None:
    words = (
        "https://forum.ansible.com/c/help/6",
        "https://forum.ansible.com/tag/cloudflare",
        "You are welcome",
        "https://docs.ansible.com/ansible/latest/community/communication.html",
        GALAXY["issues"],
        CONDUCT,
    )
    assert [word for word in words if word not in section("Communication")] == []
    assert "https://semver.org/" in section("Versioning, release notes and roadmap")


def test_links_are_absolute_and_have_a_target() -> None:
    """On Galaxy, relative links and pictures do not work, nor do links to files that are not in the repository."""
    links = re.findall(r"\]\(([^)\s]+)\)", README)
    assert not [link for link in links if not link.startswith("https://")]
    prefixes = (f"{GALAXY['repository']}/blob/main/", f"{GALAXY['repository']}/tree/main/", f"{RAW}/main/")
    named = [link.removeprefix(prefix) for link in links for prefix in prefixes if link.startswith(prefix)]
    assert len(named) > 6
    assert not [name for name in named if not (ROOT / name).exists()]
    pages = [
        link.removeprefix(f"{GALAXY['documentation']}/docsite/") for link in links if "github.io/" in link and "/docsite/" in link
    ]
    assert len(pages) > 8
    assert not [link for link in links if "github.io/" in link and not link.startswith(f"{GALAXY['documentation']}/")]
    assert not [page for page in pages if not (ROOT / "docs" / "docsite" / "rst" / page.replace(".html", ".rst")).is_file()]
    (picture,) = re.findall(r"!\[[^]]{20,}\]\((\S+)\)", README)
    assert picture.startswith(f"{RAW}/main/") and picture.endswith(".png")
    assert GALAXY["documentation"] == f"https://edgeops.github.io/edgeops.observability/{GALAXY['version']}"


def anchors_of(name: str) -> set[str]:
    """Return the anchors that GitHub and Sphinx make of the headings of a page."""
    text = re.sub(r"^(```|~~~).*?^\1", "", text_of(name), flags=re.MULTILINE | re.DOTALL)
    titles = r"^#+ (.+)$" if name.endswith(".md") else r"^(\S.*)\n(?:=+|-+|~+|\^+)$"
    plain = [re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", title) for title in re.findall(titles, text, re.MULTILINE)]
    return {re.sub(r"[^\w -]", "", title.strip().lower()).replace(" ", "-") for title in plain}


def target_of(name: str, link: str) -> str | None:
    """Return the file and the anchor that a link leads to, None for one that leaves the project.

    A page of the site stands for the file that `make docs` builds it from.
    """
    for prefix in (f"{GALAXY['repository']}/blob/main/", f"{GALAXY['repository']}/tree/main/", f"{RAW}/main/"):
        if link.startswith(prefix):
            return link.removeprefix(prefix)
    if link.startswith(f"{GALAXY['repository']}#"):
        return "README.md" + link.removeprefix(GALAXY["repository"])
    if link.startswith(f"{GALAXY['documentation']}/docsite/"):
        return "docs/docsite/rst/" + link.removeprefix(f"{GALAXY['documentation']}/docsite/").replace(".html", ".rst")
    if "://" in link or link.startswith("mailto:"):
        return None
    path, hash_, anchor = link.partition("#")
    return os.path.normpath(Path(name).parent / path if path else name) + hash_ + anchor


PAGES = [name for name in files() if name.endswith(".md") or re.fullmatch(r"docs/docsite/rst/\w+\.rst", name)]


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_to_a_file_and_a_heading(name: str) -> None:
    """Links between the labels of guides are followed by Sphinx, which makes a missing one an error."""
    link = r"\]\(([^)\s]+)\)" if name.endswith(".md") else r"`[^`<]+<([^>\s]+)>`__?"
    broken = []
    for place in filter(None, (target_of(name, link) for link in re.findall(link, text_of(name)))):
        path, _hash, anchor = place.partition("#")
        if not (ROOT / path).exists() or (anchor and anchor not in anchors_of(path)):
            broken.append(place)
    assert not broken


@pytest.mark.parametrize("word", ["cloudflare", "logpush", "page shield", "client-side security"])
def test_collection_is_found_by_search_terms(word: str) -> None:
    tags = {tag.replace("_", " ") for tag in GALAXY["tags"]}
    assert word.replace("-", " ") in tags and word in GALAXY["description"].lower()
    assert word in README.lower()


def test_code_of_conduct_is_that_of_the_community() -> None:
    assert CONDUCT in text_of("CODE_OF_CONDUCT.md") and len(text_of("CODE_OF_CONDUCT.md").splitlines()) < 6


@pytest.mark.parametrize("path", PLUGINS, ids=lambda path: path.stem)
def test_oldest_python_is_documented(path: Path) -> None:
    document = documented.section_of(path, "DOCUMENTATION")
    fragment = yaml.safe_load(ModuleDocFragment.DOCUMENTATION)
    inherits = "edgeops.observability.connection" in document.get("extends_documentation_fragment", ())
    assert "python >= 3.10" in (fragment if inherits else document)["requirements"]


def test_supported_versions_are_stated_once() -> None:
    core, python = (".".join(map(str, version)) for version in (MIN_CORE, MIN_PYTHON))
    assert load("meta/runtime.yml")["requires_ansible"] == f">={core}.0"
    assert f"ansible-core {core} to " in README and f" on Python {python} and newer" in README


def test_guides_and_examples_are_published() -> None:
    """The artifact contains the folders for users, and none that only developers need."""

    def ignored(name: str) -> bool:
        parents = [name, *(str(parent) for parent in Path(name).parents)]
        return any(fnmatch.fnmatch(place, pattern) for place in parents if place != "." for pattern in GALAXY["build_ignore"])

    published = {"/".join(name.split("/")[:2]) for name in files() if not ignored(name)}
    assert {"docs/docsite", "examples/awx", "examples/eda", "roles/log_delivery"} <= published
    assert not [name for name in published if name.startswith(("tests/", "scripts/", "simulator/", "docs/sphinx", "."))]
    assert GALAXY["dependencies"] == {}


def test_no_task_has_a_tag() -> None:
    """Tags of import_playbook select a whole playbook, so that no task may be excluded from it."""
    files = [*(ROOT / "playbooks").rglob("*.yml"), *(ROOT / "roles").glob("*/tasks/*.yml")]
    assert len(files) > 5
    assert not [path.name for path in files if re.search(r"^[ -]*tags:", path.read_text(encoding="utf-8"), re.MULTILINE)]


def test_each_play_states_what_a_configuration_could_change() -> None:
    """Some of these settings of users would change a play that no scenario sees."""
    stated = {"strategy": "ansible.builtin.linear", "connection": "local", "gather_facts": False, "become": False}
    plays = [play for path in (ROOT / "playbooks").rglob("*.yml") for play in yaml.safe_load(path.read_text(encoding="utf-8"))]
    with_hosts = [play for play in plays if "hosts" in play]
    assert len(with_hosts) > 20
    assert [play["name"] for play in with_hosts if {name: play.get(name) for name in stated} != stated] == []
