# SPDX-License-Identifier: GPL-3.0-or-later

"""List the content of an artifact, and report files that are missing or must not be in it: `artifact.py FILE`."""

from __future__ import annotations

import collections
import re
import sys
import tarfile
from pathlib import Path

# Besides the files that Galaxy adds; documentation and examples are for readers of an installed collection.
EXPECTED = (
    *(
        "CHANGELOG.md",
        "CHANGELOG.rst",
        "CODE_OF_CONDUCT.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "README.md",
        "SUPPORT.md",
        "TESTING.md",
    ),
    *("changelogs", "docs/docsite", "examples", "extensions", "meta", "playbooks", "plugins", "requirements.txt", "roles"),
)
MADE = ("FILES.json", "MANIFEST.json")
LARGEST = 1_000_000
NEVER = re.compile(r"(^|/)(\.[^/]|__pycache__|.*\.(pyc|orig|rej|swp|tar\.gz)$)")
# Composed of parts, so that a search for these addresses does not find this file.
REGISTRY = re.compile(rb"(pypi[.]org|files[.]pythonhosted|galaxy[.]ansible[.]com/api|--(extra-)?index-" + rb"url)")


def main() -> int:
    """Print each folder with the number and size of its files, then the errors."""
    folders: dict[str, list[int]] = collections.defaultdict(list)
    wrong = []
    path = Path(sys.argv[1])
    with tarfile.open(path) as artifact:
        for member in (entry for entry in artifact if entry.isfile()):
            place = next((name for name in (*EXPECTED, *MADE) if f"{member.name}/".startswith(f"{name}/")), None)
            folders[place or member.name].append(member.size)
            content = artifact.extractfile(member)
            if place is None or NEVER.search(member.name):
                wrong.append(f"{member.name} does not belong into an artifact")
            elif content is not None and REGISTRY.search(content.read()):
                wrong.append(f"{member.name} holds the address of a package registry")
    wrong += [f"{name} is missing in the artifact" for name in EXPECTED if name not in folders]
    for folder, sizes in sorted(folders.items()):
        print(f"{folder:<20} {len(sizes):>4} files {sum(sizes):>9} bytes")
    print(f"{path.name:<20} {path.stat().st_size:>9} bytes")
    if path.stat().st_size > LARGEST:
        wrong.append(f"the artifact is larger than {LARGEST} bytes")
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
