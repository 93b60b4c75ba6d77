# SPDX-License-Identifier: GPL-3.0-or-later

import fcntl
import os
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest

from edgeops_simulator.testing import running
from harness import Playbook
from harness.fixtures import simulator

__all__ = ["simulator"]

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))
ZONE = "023e105f4ecef8ad9ca31a8372d0c353"


@pytest.fixture(scope="session")
def simulator_server(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[t.Any]:
    """Run a simulator with the zone of the examples."""
    bucket = tmp_path_factory.mktemp("bucket")
    with running(zones=[ZONE], token="planted-docs-token-41c7d2", log_folder=str(bucket)) as server:
        yield server


@pytest.fixture
def zone(simulator: t.Any) -> str:
    """Return the zone of the examples, without settings."""
    return ZONE


@pytest.fixture
def playbook(simulator: t.Any, zone: str, tmp_path: Path) -> Playbook:
    """Run playbooks against the simulator, by default in the zone of the examples."""
    return Playbook(simulator, zone, tmp_path)


@pytest.fixture(scope="session")
def page() -> t.Iterator[t.Any]:
    """Return the page in a browser, which takes seconds to start."""
    from browser import opened  # noqa: PLC0415  # Playwright is not in every environment that runs tests of this folder

    with opened() as opened_page:
        yield opened_page


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site; parallel test processes share it, and the first one builds it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    target = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (target / "index.html").exists():
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            command = [ROOT / "scripts" / "docs.sh", target]
            done = subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    return target
