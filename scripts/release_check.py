# SPDX-License-Identifier: GPL-3.0-or-later

"""Check that all files with the version agree, so that a tag is all that a release still needs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
# The patterns of the version in each file; those of all other files must agree with this one.
DECIDES = "galaxy.yml"
VERSIONS = {
    DECIDES: r"^version: (.+)$",
    "plugins/module_utils/_version.py": r'^VERSION = "(.+)"$',
    "simulator/pyproject.toml": r'^version = "(.+)"$',
    "simulator/src/edgeops_simulator/__init__.py": r'^__version__ = "(.+)"$',
    "README.md": r"^.*?https://edgeops\.github\.io/edgeops\.observability/([\d.]+)/",
    "examples/awx/README.md": r"src: edgeops-observability-(.+)\.tar\.gz$",
    "examples/awx/project/ansible-navigator.yml": r"^ +image: .+:(.+)$",
    "examples/awx/controller.yml": r"^zones_image: .+:(.+)$",
    "examples/awx/execution-environment.yml": r"^ +version: (.+)$",
    "examples/eda/decision-environment.yml": r"^ +version: (.+)$",
}
DOCUMENTS = {
    "LICENSE": "GNU GENERAL PUBLIC LICENSE",
    "CODE_OF_CONDUCT.md": "code of conduct",
    "CONTRIBUTING.md": "make test",
    "README.md": "ansible-galaxy collection install",
    "SUPPORT.md": "Semantic Versioning",
}


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.rstrip()


def _text(name: str) -> str:
    path = ROOT / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _versions() -> dict[str, str]:
    matches = {name: re.search(pattern, _text(name), re.MULTILINE) for name, pattern in VERSIONS.items()}
    return {name: match[1] if match else "no version" for name, match in matches.items()}


def problems() -> list[str]:
    """Return the reasons why a release is not possible."""
    named = _versions()
    version = named[DECIDES]
    reasons = [f"{name} says {other}, and {DECIDES} {version}" for name, other in named.items() if other != version]
    reasons += [
        f"{name} is missing, or says nothing of '{words}'" for name, words in DOCUMENTS.items() if words not in _text(name)
    ]
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        reasons.append(f"{DECIDES}: {version} is not a semantic version of a release")
    return [*reasons, *_changelog(version), *_tree(version)]


def _changelog(version: str) -> list[str]:
    reasons = []
    releases = yaml.safe_load(_text("changelogs/changelog.yaml"))["releases"]
    if version not in releases:
        reasons.append(f"changelogs/changelog.yaml has no release {version}: run `antsibull-changelog release`")
    left = sorted(path.name for path in (ROOT / "changelogs" / "fragments").glob("*.y*ml"))
    if left:
        reasons.append(f"changelog fragments that no release has taken up: {', '.join(left)}")
    # In Markdown the dots are escaped.
    if not all(f"v{version}" in _text(name).replace("\\", "") for name in ("CHANGELOG.md", "CHANGELOG.rst")):
        reasons.append(f"CHANGELOG.md or CHANGELOG.rst does not describe {version}")
    return reasons


def _tree(version: str) -> list[str]:
    reasons = []
    unsaved = _git("status", "--porcelain")
    if unsaved:
        reasons.append(f"uncommitted changes:\n{unsaved}")
    tag = os.environ.get("RELEASE_TAG", version)
    if tag != version:
        reasons.append(f"the release is tagged {tag}, and {DECIDES} says {version}")
    if _git("tag", "--list", version) and _git("rev-parse", f"{version}^{{commit}}") != _git("rev-parse", "HEAD"):
        reasons.append(f"the tag {version} is on another commit already")
    return reasons


if __name__ == "__main__":
    sys.exit("\n".join(problems()) or 0)
