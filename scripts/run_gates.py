# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the gates of one run (`check`, `test`, `test-all`), prints one table and, as the last line, `N passed, N failed`.

With names of gates after the run, only those: `run_gates.py test sanity`. Each test of a test runner counts as one, every
other gate as one. What a gate printed is kept in build/logs, and shown where it failed.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import os
import re
import subprocess
import sys
import time
import typing as t
from pathlib import Path

from gates import AT_ONCE, CORES, RUNS, Gate, environment, pins

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / "build" / "logs"
SHOWN = 6000
NO_INTERPRETER = 3
# What some tests of modules run with, beside the controllers' Pythons.
PYTHONS = ("3.10", *sorted({version for versions in CORES.values() for version in versions}))
ROW = "{:<20} {:<20} {:<26} {:<38} {:>7}"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a gate ended."""

    gate: Gate
    passed: int
    failed: int
    note: str
    seconds: float
    version: str = ""
    output: str = ""

    def row(self) -> str:
        unchanged = ", unchanged since" if self.output.startswith("Unchanged since") else ""
        verdict = self.note or (f"failed ({self.failed})" if self.failed else f"passed ({self.passed}){unchanged}")
        where = f"{self.version} on {self.gate.core}" if self.gate.name in ("sanity", "units", "playbooks") else self.version
        return ROW.format(self.gate.name, self.gate.tool, where, verdict, f"{self.seconds:.1f}")


def main() -> int:
    """Set the environments up, run everything, report."""
    run, *names = sys.argv[1:]
    gates = [gate for gate in RUNS[run] if not names or gate.name in names]
    LOGS.mkdir(parents=True, exist_ok=True)
    missing = {core: note for core in CORES if any(gate.core == core for gate in gates) and (note := _set_up(core))}
    outcomes = [Outcome(gate, 0, 0, f"skipped: {missing[gate.core]}", 0) for gate in gates if gate.core in missing]
    runnable = [gate for gate in gates if gate.core not in missing]
    print(ROW.format("gate", "tool", "version", "result", "seconds"), flush=True)
    for outcome in outcomes:
        print(outcome.row())
    for outcome in _outcomes(runnable):
        outcomes.append(outcome)
        print(outcome.row(), flush=True)
    return _report(outcomes)


def _outcomes(gates: list[Gate]) -> t.Iterator[Outcome]:
    """Every outcome as soon as it is there: of the gates that run side by side, then of those that run alone."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        together = sorted((gate for gate in gates if not gate.alone), key=lambda gate: gate.seconds, reverse=True)
        for done in concurrent.futures.as_completed([pool.submit(_run, gate) for gate in together]):
            yield done.result()
    yield from (_run(gate) for gate in gates if gate.alone)


def _report(outcomes: list[Outcome]) -> int:
    for outcome in outcomes:
        if outcome.failed:
            print(f"\n=== {outcome.gate.name} ({outcome.gate.tool}) ===\n{outcome.output[-SHOWN:]}")
        for line in [] if outcome.failed else re.findall(r"^SKIPPED .*$", outcome.output, re.MULTILINE):
            print(f"{outcome.gate.name}: {line}")
    failed = sum(outcome.failed for outcome in outcomes)
    print(f"\n{sum(outcome.passed for outcome in outcomes)} passed, {failed} failed")
    return 1 if failed else 0


def _set_up(core: str) -> str:
    """Make the environment of a core; where its interpreter is missing, the sentence that says so."""
    command = ["scripts/environment.sh", environment(core), " ".join(CORES[core]), pins(core)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode == NO_INTERPRETER:
        return done.stderr.strip().splitlines()[-1]
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return ""


def _run(gate: Gate) -> Outcome:
    begin = time.monotonic()
    try:
        done = _execute(gate, gate.command)
    except FileNotFoundError as missing:
        done = subprocess.CompletedProcess(gate.command, 127, str(missing))
    passed, failed = _counted(gate, done)
    version = (
        re.search(r"\d+\.\d[\w.]*", _execute(gate, gate.version).stdout) if gate.version and done.returncode != 127 else None
    )
    log = LOGS / f"{gate.name}-{gate.core}.log".replace(" ", "-")
    log.write_text(done.stdout, encoding="utf-8")
    return Outcome(gate, passed, failed, "", time.monotonic() - begin, version[0] if version else "", done.stdout)


def _execute(gate: Gate, command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    python_folders = [str(Path(found).parent) for version in PYTHONS if (found := _interpreter(version))]
    # Real interpreters before the shims that some version managers put on PATH, and the environment before everything.
    path = [str(ROOT / gate.environment / "bin"), str(ROOT / "scripts"), *dict.fromkeys(python_folders), os.environ["PATH"]]
    return subprocess.run(
        [str(ROOT / command[0]) if command[0].startswith("scripts/") else command[0], *command[1:]],
        cwd=ROOT,
        env={**os.environ, "PATH": os.pathsep.join(path), "VIRTUAL_ENV": str(ROOT / gate.environment)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
        errors="replace",
    )


@functools.cache
def _interpreter(version: str) -> str:
    command = [str(ROOT / "scripts" / "find-python.sh"), version]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()


def _counted(gate: Gate, done: subprocess.CompletedProcess[str]) -> tuple[int, int]:
    """How many passed and failed: the numbers of pytest's and ansible-test's own reports, otherwise the gate itself."""
    if gate.tool == "pytest":
        passed, failed, errors = (
            sum(map(int, re.findall(rf"(\d+) {word}\b", _last_line(done.stdout)))) for word in ("passed", "failed", "errors?")
        )
        return passed, failed + errors or int(done.returncode != 0)
    if gate.name == "sanity":
        broken = re.search(r"The (\d+) sanity test\(s\)", done.stdout)
        failed = int(broken[1]) if broken else int(done.returncode != 0)
        return done.stdout.count('Running sanity test "') - failed, failed
    return int(done.returncode == 0), int(done.returncode != 0)


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if re.search(r"\b(passed|failed|errors?)\b", line)), "")


if __name__ == "__main__":
    sys.exit(main())
