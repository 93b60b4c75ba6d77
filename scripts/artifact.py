# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists what is in the artifact that `scripts/package.sh` has built, and says what should not be there."""

from __future__ import annotations

import collections
import re
import sys
import tarfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "build" / "package"
LARGEST = 1_000_000
NEVER = re.compile(r"(^|/)(\.[^/]|__pycache__|.*\.(pyc|orig|rej|swp|tar\.gz)$)")
# Put together from parts, so that no search for such addresses finds this file.
REGISTRY = re.compile(rb"(pypi[.]org|files[.]pythonhosted|galaxy[.]ansible[.]com/api|--(extra-)?index-" + rb"url)")


def main() -> int:
    """Print a line for each folder with the number of its files and their size, then what is wrong."""
    folders: dict[str, list[int]] = collections.defaultdict(list)
    wrong = []
    (path,) = FOLDER.glob("*.tar.gz")
    with tarfile.open(path) as artifact:
        for member in (each for each in artifact if each.isfile()):
            folders[member.name.split("/")[0]].append(member.size)
            content = artifact.extractfile(member)
            if NEVER.search(member.name):
                wrong.append(f"{member.name} does not belong into an artifact")
            elif content is not None and REGISTRY.search(content.read()):
                wrong.append(f"{member.name} holds the address of a package registry")
    for folder, sizes in sorted(folders.items()):
        print(f"{folder:<20} {len(sizes):>4} files {sum(sizes):>9} bytes")
    print(f"{path.name:<20} {path.stat().st_size:>9} bytes")
    if path.stat().st_size > LARGEST:
        wrong.append(f"the artifact is larger than {LARGEST} bytes")
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
