# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import typing as t
from pathlib import Path

import pytest
import yaml

from harness import artifact

ENGINE = Path(sys.executable).with_name("ansible-rulebook")
NAME = "shop.example"
# Far more than a busy machine needs; each wait ends with what it waits for.
MAX_WAIT_SECONDS = 240


def missing() -> str:
    """Why the engine cannot run here, or an empty text."""
    if importlib.util.find_spec("ansible_rulebook") is None:
        return "ansible-rulebook is not in this environment: scripts/eda.sh python -m pytest tests/eda"
    if shutil.which("java") is None:
        return "no Java: the engine of rulebooks needs a Java 17 (Debian: openjdk-17-jre-headless)"
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs the engine, with the reason, where it cannot run."""
    reason = missing()
    if reason:
        for item in items:
            item.add_marker(pytest.mark.skip(reason=reason))


class Rulebook:
    """A rulebook that is run, killed and run again in one folder; `output` is that of all its runs."""

    def __init__(self, simulator: t.Any, folder: Path) -> None:
        self.state_folder = folder / "volume"
        self._folder = folder
        self._output = folder / "output"
        self._process: subprocess.Popen[bytes] | None = None
        self.state_folder.mkdir()
        (folder / "home").mkdir()
        host = {
            "ansible_connection": "local",
            "ansible_python_interpreter": sys.executable,
            "zone_id": simulator.zone,
            "log_delivery_script_monitor_enabled": True,
            "log_delivery_job": {"name": "logs", "destination_conf": "s3://bucket/logs?region=eu-west-1"},
        }
        inventory = {"all": {"hosts": {NAME: host, "other.example": host}}}
        (folder / "inventory.yml").write_text(yaml.safe_dump(inventory), encoding="utf-8")
        (folder / "tmp").mkdir()
        self._environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "LC_ALL": "C.UTF-8",
            "ANSIBLE_COLLECTIONS_PATH": str(artifact.installed()),
            **simulator.environment(),
        }

    @property
    def output(self) -> str:
        return self._output.read_text(encoding="utf-8", errors="replace") if self._output.exists() else ""

    @property
    def states(self) -> list[dict[str, t.Any]]:
        """What the sources stored last."""
        return [json.loads(path.read_text(encoding="ascii")) for path in self.state_folder.glob("*.json")]

    def write(self, rulesets: list[dict[str, t.Any]]) -> None:
        """Put the rule sets where the next start finds them."""
        (self._folder / "rulebook.yml").write_text(json.dumps(rulesets), encoding="utf-8")

    def start(self) -> None:
        """Start the engine."""
        arguments = ("--rulebook", "rulebook.yml", "--inventory", "inventory.yml", "--shutdown-delay", "1")
        with self._output.open("ab") as output:
            self._process = subprocess.Popen(
                [ENGINE, *arguments],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def kill(self) -> None:
        """End the engine, and whatever it started, as a crash does."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def wait_for(self, is_so: t.Callable[[], bool]) -> None:
        """Wait until something is so; fail with the output where the engine ends before, or takes far too long."""
        end = time.monotonic() + MAX_WAIT_SECONDS
        while not is_so():
            assert self._process is None or self._process.poll() is None, self.output
            assert time.monotonic() < end, self.output
            time.sleep(0.2)


@pytest.fixture
def rulebook(simulator: t.Any, tmp_path: Path) -> t.Iterator[t.Callable[[], Rulebook]]:
    """Makes rulebooks; what still runs at the end is ended."""
    made: list[Rulebook] = []

    def make() -> Rulebook:
        made.append(Rulebook(simulator, tmp_path))
        return made[-1]

    yield make
    for each in made:
        each.kill()
