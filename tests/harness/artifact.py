# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the collection and install it as a user does, in a folder without other collections."""

import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GALAXY = Path(sys.executable).with_name("ansible-galaxy")
# Deleted when the test process ends; each parallel process has its own.
FOLDER = tempfile.TemporaryDirectory(prefix="artifact-")


@functools.cache
def installed() -> Path:
    """Install the collection from an artifact of this checkout; return the folder for ANSIBLE_COLLECTIONS_PATH."""
    folder = Path(FOLDER.name)
    _galaxy("build", str(ROOT), "--output-path", str(folder))
    (built,) = folder.glob("*.tar.gz")
    _galaxy("install", str(built), "--offline", "--force", "--collections-path", str(folder / "collections"))
    return folder / "collections"


def _galaxy(*arguments: str) -> None:
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": FOLDER.name,
        "LC_ALL": "C.UTF-8",
        "ANSIBLE_COLLECTIONS_PATH": FOLDER.name,
    }
    command = [str(GALAXY), "collection", *arguments]
    done = subprocess.run(command, env=environment, cwd=FOLDER.name, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
