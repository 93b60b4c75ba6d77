# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of gates: what is checked, with which tool, in which environment, and in which of the runs."""

from __future__ import annotations

import dataclasses
import os
import shlex

# The cores that are supported, the floor first and the newest last, each with the Pythons of the controller that its pins hold for:
# the first of them that is on the machine is taken.
CORES = {
    "2.16": ("3.11", "3.12"),
    "2.17": ("3.12", "3.11"),
    "2.18": ("3.12", "3.11", "3.13"),
    "2.19": ("3.11", "3.12", "3.13"),
    "2.20": ("3.13", "3.12"),
    "2.21": ("3.13", "3.12"),
}
MAIN = "2.19"
FLOOR, *_between, NEWEST = CORES
PROCESSORS = os.cpu_count() or 1
# So many gates run at once, each with half of the processors: one more than would keep them busy, because gates also wait. With a
# fourth they end no sooner, because each takes more of the processors.
AT_ONCE = min(3, PROCESSORS + 1)
WORKERS = PROCESSORS // 2
AWX = ("scripts/awx.sh",)
EDA = ("scripts/eda.sh",)
# What these scripts run is in environments of their own.
APART = {AWX[0]: ".venvs/awx", EDA[0]: ".venvs/eda"}
PYTEST = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider")


@dataclasses.dataclass(frozen=True)
class Gate:
    """One row: a command in the environment of one core. `seconds` is about what it takes: the longest begin first.

    What a `timed` gate does at certain times must not depend on what else runs: it goes first, beside `small` gates only, which
    take seconds of one processor, and run one at a time.
    """

    name: str
    tool: str
    command: tuple[str, ...]
    core: str = MAIN
    seconds: int = 5
    timed: bool = False
    small: bool = False

    @property
    def environment(self) -> str:
        return environment(self.core)

    @property
    def tool_environment(self) -> str:
        """The folder of the virtual environment that its tool is in."""
        return APART.get(self.command[0], self.environment)

    @property
    def distribution(self) -> str:
        """The name under which its tool is installed."""
        return "ansible-core" if self.tool in ("ansible-test", "ansible-galaxy") else self.tool


def environment(core: str) -> str:
    """The folder of the virtual environment for a core."""
    return ".venv" if core == MAIN else f".venvs/core-{core}"


def pins(core: str) -> str:
    """The file that pins what is in the environment for a core."""
    return "requirements/dev.txt" if core == MAIN else f"requirements/core-{core}.txt"


def _pytest(
    name: str, folders: str, seconds: int, *, core: str = MAIN, timed: bool = False, small: bool = False, workers: int = WORKERS
) -> Gate:
    workers = PROCESSORS if timed else 1 if small else workers
    command = (*PYTEST, *(("-n", str(workers), "--dist", "worksteal") if workers > 1 else ()), *shlex.split(folders))
    return Gate(name, "pytest", command, core, seconds, timed, small)


def _tool(name: str, tool: str, *arguments: str) -> Gate:
    return Gate(name, tool, (tool, *arguments), small=True)


def _on_core(core: str) -> tuple[Gate, ...]:
    """What depends on ansible-core: the main one is tested whole, the others with what touches each module, the role and each playbook."""
    # Most sanity tests are the same with every core: the newest runs them.
    which, seconds = ((), 160) if core == NEWEST else (("of-core",), 40)
    sanity = Gate("sanity", "ansible-test", ("scripts/sanity.sh", *which), core, seconds)
    modules = _pytest("modules", "tests/modules", 20, core=core)
    if core != MAIN:
        # The environment of the oldest core has urllib3 1.26.
        http = (_pytest("http", "tests/unit/module_utils/_api tests/tls", 20, core=core),) if core == FLOOR else ()
        return (sanity, *http, modules, _pytest("playbooks", "-m every_core tests/playbooks", 80, core=core))
    return (sanity, *WHOLE)


WHOLE = (
    _pytest("units", "tests/unit", 75),
    _pytest("modules", "tests/modules", 20),
    # With one process it would go on alone at the end, because its tests also wait.
    _pytest("playbooks", "tests/playbooks", 170, workers=max(2, WORKERS)),
)
STATIC = (
    _tool("lint", "ruff", "check", "--quiet", "."),
    _tool("format", "ruff", "format", "--check", "--quiet", "."),
    _tool("types", "mypy"),
    _tool("yaml", "yamllint", "--strict", "."),
)
ONCE = (
    # Both need the modules of awx.awx, which only an environment apart has; `scripts/awx.sh` makes it.
    Gate("roles and playbooks", "ansible-lint", (*AWX, "ansible-lint", "--offline"), seconds=25),
    Gate("controller", "pytest", (*AWX, *PYTEST, "tests/awx"), seconds=70),
    # The engine of rulebooks; without Java or its environment the tests are skipped with the reason.
    Gate("rulebooks", "pytest", (*EDA, *PYTEST, "tests/eda"), seconds=20),
    Gate("documentation", "antsibull-docs", ("scripts/docs-lint.sh",), small=True),
    _tool("changelog", "antsibull-changelog", "lint"),
    Gate("package", "ansible-galaxy", ("scripts/package.sh",), small=True),
    Gate("importer", "galaxy-importer", ("scripts/importer.sh",), small=True),
    _pytest("meta", "tests/meta", 20),
    _pytest("simulator", "simulator/tests", 25),
    _pytest("examples and site", "tests/docs", 130),
    _pytest("faults", "tests/faults", 25),
    _pytest("properties", "tests/properties", 40),
    _pytest("secrets", "tests/secrets", 40),
    _pytest("origin", "tests/tls", 5, small=True),
    _pytest("budget and races", "tests/budget tests/concurrency", 35, timed=True),
)
RUNS = {
    # Nothing else takes long here, so that the units get all processors; what builds an artifact is left to `make test`.
    "check": (
        *STATIC,
        _pytest("units", "tests/unit", 60, workers=PROCESSORS),
        _pytest("meta", "-m 'not builds' tests/meta", 15, small=True),
    ),
    "test": (*_on_core(FLOOR), *_on_core(NEWEST), *WHOLE, *STATIC, *ONCE),
    "test-all": (*(gate for core in CORES for gate in _on_core(core)), *STATIC, *ONCE),
    # The jobs of .github/workflows/test.yml: what each core is tested with, and what needs one core only.
    **{f"core-{core}": _on_core(core) for core in CORES},
    "once": (*STATIC, *ONCE),
}
