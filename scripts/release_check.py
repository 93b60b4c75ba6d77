# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether what names the version agrees, so that a release is only a tag away."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]


def problems() -> list[str]:
    """Sentences about what stands in the way of a release."""
    found = []
    version = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))["version"]
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        found.append(f"galaxy.yml: {version} is not a semantic version of a release")
    releases = yaml.safe_load((ROOT / "changelogs" / "changelog.yaml").read_text(encoding="utf-8"))["releases"]
    if version not in releases:
        found.append(f"changelogs/changelog.yaml has no release {version}: run `antsibull-changelog release`")
    left = sorted(path.name for path in (ROOT / "changelogs" / "fragments").glob("*.y*ml"))
    if left:
        found.append(f"changelog fragments that no release has taken up: {', '.join(left)}")
    changelogs = [ROOT / name for name in ("CHANGELOG.md", "CHANGELOG.rst")]
    if not all(path.exists() and version in path.read_text(encoding="utf-8") for path in changelogs):
        found.append(f"CHANGELOG.md or CHANGELOG.rst does not describe {version}")
    unsaved = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    if unsaved:
        found.append(f"uncommitted changes:\n{unsaved.rstrip()}")
    return found


if __name__ == "__main__":
    sys.exit("\n".join(problems()) or 0)
