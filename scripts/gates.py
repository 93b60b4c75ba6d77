# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of gates: what is checked, with which tool, in which environment, and in which of the runs."""

from __future__ import annotations

import dataclasses
import os

# The cores that are supported, the floor first and the newest last, each with the Pythons of the controller that its pins hold for:
# the first of them that is on the machine is taken.
CORES = {
    "2.16": ("3.11", "3.12"),
    "2.18": ("3.12", "3.11", "3.13"),
    "2.19": ("3.11", "3.12", "3.13"),
    "2.21": ("3.13", "3.12"),
}
MAIN = "2.19"
PROCESSORS = os.cpu_count() or 1
AWX = ("scripts/awx.sh",)
PYTEST = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider")


@dataclasses.dataclass(frozen=True)
class Gate:
    """One row: a command in the environment of one core. A wide gate uses all processors itself, and runs alone."""

    name: str
    tool: str
    command: tuple[str, ...]
    core: str = MAIN
    version: tuple[str, ...] = ()
    wide: bool = False

    @property
    def environment(self) -> str:
        return environment(self.core)


def environment(core: str) -> str:
    """The folder of the virtual environment for a core."""
    return ".venv" if core == MAIN else f".venvs/core-{core}"


def pins(core: str) -> str:
    """The file that pins what is in the environment for a core."""
    return "requirements/dev.txt" if core == MAIN else f"requirements/core-{core}.txt"


def _pytest(name: str, *arguments: str, core: str = MAIN, workers: int = PROCESSORS) -> Gate:
    command = (*PYTEST, "-n", str(workers), *arguments)
    return Gate(name, "pytest", command, core, ("python", "-m", "pytest", "--version"), wide=True)


def _tool(name: str, tool: str, *arguments: str) -> Gate:
    return Gate(name, tool, (tool, *arguments), version=(tool, "--version"))


def _on_core(core: str) -> tuple[Gate, ...]:
    sanity = Gate("sanity", "ansible-test", ("scripts/sanity.sh",), core, ("ansible-test", "--version"))
    # A playbook waits for its service now and then: one worker more uses that time.
    playbooks = _pytest("playbooks", "tests/integration", core=core, workers=PROCESSORS + 1)
    return (sanity, _pytest("units", "tests/unit", core=core), playbooks)


STATIC = (
    _tool("lint", "ruff", "check", "--quiet", "."),
    _tool("format", "ruff", "format", "--check", "--quiet", "."),
    _tool("types", "mypy"),
    _tool("yaml", "yamllint", "--strict", "."),
)
ONCE = (
    # Both need the modules of awx.awx, which only an environment apart has; `scripts/awx.sh` makes it.
    Gate("roles and playbooks", "ansible-lint", (*AWX, "ansible-lint", "--offline"), version=(*AWX, "ansible-lint", "--version")),
    Gate("controller", "pytest", (*AWX, *PYTEST, "tests/awx"), version=(*AWX, "python", "-m", "pytest", "--version")),
    Gate("documentation", "antsibull-docs", ("scripts/docs-lint.sh",), version=("antsibull-docs", "--version")),
    Gate("site", "sphinx", ("scripts/docs.sh",), version=("sphinx-build", "--version")),
    _tool("changelog", "antsibull-changelog", "lint"),
    Gate("package", "ansible-galaxy", ("scripts/package.sh",), version=("ansible-galaxy", "--version")),
    Gate("importer", "galaxy-importer", ("scripts/importer.sh",), version=("scripts/version.sh", "galaxy-importer")),
    _pytest("meta", "tests/meta"),
    _pytest("simulator", "simulator/tests"),
    _pytest("examples and site", "tests/docs"),
    _pytest("faults", "tests/faults"),
    _pytest("properties", "tests/properties"),
    _pytest("concurrency", "tests/concurrency"),
    _pytest("secrets", "tests/secrets"),
    _pytest("budget", "tests/budget"),
    _pytest("origin", "tests/tls"),
)
FLOOR, *_unused, NEWEST = CORES
RUNS = {
    "check": (*STATIC, _pytest("units and meta", "tests/unit", "tests/meta")),
    # Sanity takes longest, so it starts first.
    "test": (*_on_core(FLOOR), *_on_core(NEWEST), *STATIC, *ONCE),
    "test-all": (*(gate for core in CORES for gate in _on_core(core)), *STATIC, *ONCE),
}
