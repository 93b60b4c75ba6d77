# SPDX-License-Identifier: GPL-3.0-or-later

"""Make an environment with pinned packages and the simulator: `environment.py FOLDER PINS PYTHON`.

Sessions with the same pins share one: to install packages and to compile what they import takes seconds of each. The first session makes
it while the others wait; it is made again when its pins, its interpreter or its place change.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINK = ROOT / ".venvs" / "collections" / "ansible_collections" / "edgeops" / "observability"
UV = Path(sys.executable).with_name("uv")


def make(folder: Path, pins: Path, python: str) -> None:
    """Make the environment, unless it is already there as it would be made."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        interpreter = subprocess.run([python, "-VV"], check=True, capture_output=True, text=True).stdout
        sources = "".join(path.read_text(encoding="utf-8") for path in (pins, ROOT / "simulator" / "pyproject.toml"))
        made, wanted = folder / "made-of.txt", f"{folder}\n{interpreter}{sources}"
        if made.exists() and made.read_text(encoding="utf-8") == wanted:
            return
        _uv(folder, "venv", "--clear", "--no-project", "--no-python-downloads", "--python", python, str(folder))
        _uv(folder, "pip", "install", "--requirement", str(pins))
        # What the simulator takes is pinned where it is used.
        if "\nstarlette==" in sources:
            _uv(folder, "pip", "install", "--no-deps", "--no-build-isolation", "--editable", str(ROOT / "simulator"))
        made.write_text(wanted, encoding="utf-8")


def link() -> None:
    """Link the checkout as a collection, for tests and tools that import it. Playbooks run the installed artifact."""
    LINK.parent.mkdir(parents=True, exist_ok=True)
    if not LINK.is_symlink() or LINK.readlink() != ROOT:
        LINK.unlink(missing_ok=True)
        # A parallel session may have created it.
        with contextlib.suppress(FileExistsError):
            LINK.symlink_to(ROOT)


def _uv(folder: Path, *arguments: str) -> None:
    # uv leaves a lock file in the temporary folder.
    with tempfile.TemporaryDirectory() as temporary:
        # Trust what the system trusts, for example the authority of a company's proxy.
        environment = {"UV_SYSTEM_CERTS": "true", **os.environ, "VIRTUAL_ENV": str(folder), "TMPDIR": temporary}
        environment.pop("UV_PYTHON", None)
        subprocess.run([UV, *arguments, "--quiet"], env=environment, check=True)


if __name__ == "__main__":
    make(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
    link()
