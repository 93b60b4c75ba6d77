# SPDX-License-Identifier: GPL-3.0-or-later

"""Run what a new user runs, with the artifact but without this repository: `rehearse.py ARTIFACT`.

It installs ansible-core and requests into a new Python environment, and the collection from the file into an empty home. Then
it shows the documentation of every plugin, runs the first playbook of the README (check mode, twice for real), the survey and
the audit of the README, and a run with only those folders that a collection may use at run time. The simulator, in its own
process, replaces the service.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import typing as t
from pathlib import Path

from edgeops_simulator.testing import running

ROOT = Path(__file__).resolve().parents[1]
ZONE = "023e105f4ecef8ad9ca31a8372d0c353"
COLLECTION = "edgeops.observability"
# The folders that plugins, roles and playbooks may use according to the rules for collections.
AT_RUN_TIME = {"meta", "playbooks", "plugins", "roles"}
KINDS = {"modules": "module", "filter": "filter", "test": "test", "inventory": "inventory"}


class Machine:
    """A home, a Python environment and a project folder of a user who has just installed Ansible."""

    def __init__(self, folder: Path, service: dict[str, str]) -> None:
        self.project = folder / "project"
        self.installed = folder / "home" / ".ansible" / "collections" / "ansible_collections" / "edgeops" / "observability"
        self._bin = folder / "venv" / "bin"
        path = f"{self._bin}{os.pathsep}/usr/bin{os.pathsep}/bin"
        self._environment = {"HOME": str(folder / "home"), "PATH": path, "LC_ALL": "C.UTF-8", **service}
        (folder / "home").mkdir()
        self.project.mkdir()
        uv, core = Path(sys.executable).with_name("uv"), importlib.metadata.version("ansible-core")
        subprocess.run([uv, "venv", "--quiet", "--no-project", "--python", sys.executable, folder / "venv"], check=True)
        install = [uv, "pip", "install", "--quiet", "--python", self._bin / "python", f"ansible-core=={core}"]
        subprocess.run([*install, "--requirement", ROOT / "requirements.txt"], check=True)

    def run(self, *command: str) -> str:
        """Run a command; return its output, or exit if it fails."""
        print("$", *command, flush=True)
        done = subprocess.run(
            [self._bin / command[0], *command[1:]],
            cwd=self.project,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{done.stdout}\n{command[0]} ended with {done.returncode}")
        return done.stdout

    def save(self, name: str, text: str) -> None:
        """Save an example of the documentation in the project, under the name that it has there."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main() -> int:
    """Run all steps, and print each command."""
    artifact = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder, running(zones=[ZONE]) as simulator:
        simulator.seed(zones=[{"id": ZONE, "name": "shop.example", "status": "active"}])
        machine = Machine(Path(folder), simulator.environment())
        machine.run("ansible-galaxy", "collection", "install", "--offline", artifact)
        machine.run("ansible-galaxy", "collection", "verify", "--offline", COLLECTION)
        _read_documentation(machine)
        _first_playbook(machine)
        _fleet(machine)
        for path in [path for path in machine.installed.iterdir() if path.name not in AT_RUN_TIME | {"MANIFEST.json"}]:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        _fleet(machine)
    print("The artifact does on a bare machine what the README says.")
    return 0


def _read_documentation(machine: Machine) -> None:
    """Show the documentation of every plugin; those that fail are missing in the output."""
    for folder, kind in KINDS.items():
        files = (machine.installed / "plugins" / folder).glob("[a-z]*")
        names = sorted({f"{COLLECTION}.{path.stem}" for path in files if path.suffix in {".py", ".yml"}})
        documentation = json.loads(machine.run("ansible-doc", "--json", "--type", kind, *names))
        if sorted(documentation) != names:
            sys.exit(f"ansible-doc does not show {sorted(set(names) - set(documentation))}")
    machine.run("ansible-doc", "--type", "role", f"{COLLECTION}.log_delivery")


def _blocks(machine: Machine) -> list[str]:
    readme = (machine.installed / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^```yaml\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)


def _first_playbook(machine: Machine) -> None:
    """Run the first playbook in check mode and twice for real; the second real run changes nothing."""
    machine.save("first.yml", next(block for block in _blocks(machine) if "hosts:" in block))
    counts: list[t.Any] = []
    for arguments in (["--check", "--diff"], [], []):
        recap = machine.run("ansible-playbook", "first.yml", *arguments)
        counts.append(int(re.findall(r"changed=(\d+)", recap)[-1]))
    if not counts[0] == counts[1] > counts[2] == 0:
        sys.exit(f"the first playbook of the README changes {counts} times")
    fleet = iter(block for block in _blocks(machine) if block.startswith(("plugin:", "log_delivery_")))
    machine.save("fleet.zones.yml", next(fleet))
    machine.save("group_vars/all.yml", next(fleet))


def _fleet(machine: Machine) -> None:
    """Run a survey of all zones, and an audit with a report."""
    machine.run("ansible-playbook", f"{COLLECTION}.survey", "-e", "edgeops_report_dir=survey")
    _expect(machine, "survey/report.html")
    machine.run("ansible-playbook", f"{COLLECTION}.check", "-i", "fleet.zones.yml", "-e", "edgeops_report_dir=report")
    _expect(machine, "report/report.html")


def _expect(machine: Machine, name: str) -> None:
    if not (machine.project / name).exists():
        sys.exit(f"there is no {name}")
    shutil.rmtree((machine.project / name).parent)


if __name__ == "__main__":
    sys.exit(main())
