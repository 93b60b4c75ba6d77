# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the collection and install it as a user does, in a folder without other collections."""

import fcntl
import functools
import os
import subprocess
import sys
from pathlib import Path

from ansible.release import __version__

ROOT = Path(__file__).resolve().parents[2]
GALAXY = Path(sys.executable).with_name("ansible-galaxy")


@functools.cache
def installed() -> Path:
    """Return the folder for ANSIBLE_COLLECTIONS_PATH; of the parallel processes with the same ansible-core the first installs the collection."""
    # The folder is that of `make test`, otherwise of the conftest.py of all tests.
    place = Path(os.environ["EDGEOPS_ARTIFACT_FOLDER"], __version__)
    place.mkdir(exist_ok=True)
    collections = place / "collections"
    with (place / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not collections.exists():
            _galaxy(place, "build", str(ROOT), "--output-path", str(place), "--force")
            (built,) = place.glob("*.tar.gz")
            _galaxy(place, "install", str(built), "--offline", "--force", "--collections-path", str(place / "new"))
            (place / "new").rename(collections)
    return collections


def _galaxy(place: Path, *arguments: str) -> None:
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(place),
        "LC_ALL": "C.UTF-8",
        "ANSIBLE_COLLECTIONS_PATH": str(place),
    }
    command = [str(GALAXY), "collection", *arguments]
    done = subprocess.run(command, env=environment, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
