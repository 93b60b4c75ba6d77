# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the gates of one run (`check`, `test`, `test-all`), prints one table and, as the last line, `N passed, N failed`.

With names of gates after the run, only those: `run_gates.py test sanity`. Each test of a test runner counts as one, every
other gate as one. What a gate printed is kept in build/logs, and shown where it failed.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import importlib.metadata
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
ROW = "{:<20} {:<20} {:<26} {:<38} {:>7} {:>9}"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a gate ended."""

    gate: Gate
    passed: int
    failed: int
    note: str
    seconds: float = 0
    processor: float = 0
    version: str = ""
    output: str = ""

    def row(self) -> str:
        unchanged = ", unchanged since" if self.output.startswith("Unchanged since") else ""
        verdict = self.note or (f"failed ({self.failed})" if self.failed else f"passed ({self.passed}){unchanged}")
        where = (
            f"{self.version} on {self.gate.core}"
            if self.gate.name in ("sanity", "units", "modules", "playbooks")
            else self.version
        )
        return ROW.format(self.gate.name, self.gate.tool, where, verdict, f"{self.seconds:.1f}", f"{self.processor:.1f}")


def main() -> int:
    """Run everything, report."""
    run, *names = sys.argv[1:]
    gates = [gate for gate in RUNS[run] if not names or gate.name in names]
    LOGS.mkdir(parents=True, exist_ok=True)
    # Some machines forbid bytecode: every gate would compile the tests again, and every test the simulator that it starts.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    print(ROW.format("gate", "tool", "version", "result", "seconds", "processor"), flush=True)
    outcomes = []
    for outcome in _outcomes(gates):
        outcomes.append(outcome)
        print(outcome.row(), flush=True)
    return _report(outcomes)


def _outcomes(gates: list[Gate]) -> t.Iterator[Outcome]:
    """Every outcome as soon as it is there: first of the timed gates, beside which nothing runs but one small gate at a time."""
    timed, small, rest = (
        [gate for gate in gates if kind(gate)]
        for kind in (lambda gate: gate.timed, lambda gate: gate.small, lambda gate: not gate.timed and not gate.small)
    )
    with concurrent.futures.ThreadPoolExecutor(1) as one, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as several:
        begun = [one.submit(_run, gate) for gate in small]
        yield from map(_run, timed)
        # Beside the longest gates, which need the main environment only.
        several.submit(lambda: [_set_up(core) for core in dict.fromkeys(gate.core for gate in rest)])
        begun += [several.submit(_run, gate) for gate in sorted(rest, key=lambda gate: gate.seconds, reverse=True)]
        for done in concurrent.futures.as_completed(begun):
            yield done.result()


def _report(outcomes: list[Outcome]) -> int:
    for outcome in outcomes:
        if outcome.failed:
            print(f"\n=== {outcome.gate.name} ({outcome.gate.tool}) ===\n{outcome.output[-SHOWN:]}")
        for line in [] if outcome.failed else re.findall(r"^SKIPPED .*$", outcome.output, re.MULTILINE):
            print(f"{outcome.gate.name}: {line}")
    tested = {outcome.gate.core for outcome in outcomes if not outcome.note}
    skipped = [core for core in CORES if core not in tested]
    if skipped:
        print(
            f"not tested here: ansible-core {', '.join(skipped)}; `make test-all` takes every one that an interpreter is found for"
        )
    failed = sum(outcome.failed for outcome in outcomes)
    print(f"\n{sum(outcome.passed for outcome in outcomes)} passed, {failed} failed")
    return 1 if failed else 0


@functools.cache
def _set_up(core: str) -> tuple[int, str]:
    """Make the environment of a core; returns the exit code and the output."""
    command = ["scripts/environment.sh", environment(core), " ".join(CORES[core]), pins(core)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def _run(gate: Gate) -> Outcome:
    code, output = _set_up(gate.core)
    if code == NO_INTERPRETER:
        return Outcome(gate, 0, 0, f"skipped: {output.strip().splitlines()[-1]}")
    if code:
        return Outcome(gate, 0, 1, "", output=output)
    log = LOGS / f"{gate.name}-{gate.core}.log".replace(" ", "-")
    began = time.monotonic()
    try:
        code, processor = _execute(gate, log)
    except FileNotFoundError as missing:
        return Outcome(gate, 0, 1, "", output=str(missing))
    seconds = time.monotonic() - began
    output = log.read_text(encoding="utf-8", errors="replace")
    passed, failed = _counted(gate, code, output)
    return Outcome(gate, passed, failed, "", seconds, processor, _version(gate), output)


def _version(gate: Gate) -> str:
    packages = map(str, (ROOT / gate.tool_environment / "lib").glob("python*/site-packages"))
    return next((found.version for found in importlib.metadata.distributions(name=gate.distribution, path=list(packages))), "")


def _execute(gate: Gate, log: Path) -> tuple[int, float]:
    """The exit code of a gate, and the seconds of a processor that it took with all that it started."""
    python_folders = [str(Path(found).parent) for version in PYTHONS if (found := _interpreter(version))]
    # Real interpreters before the shims that some version managers put on PATH, and the environment before everything.
    path = [str(ROOT / gate.environment / "bin"), str(ROOT / "scripts"), *dict.fromkeys(python_folders), os.environ["PATH"]]
    with log.open("w") as file:
        process = subprocess.Popen(
            gate.command,
            cwd=ROOT,
            env={**os.environ, "PATH": os.pathsep.join(path), "VIRTUAL_ENV": str(ROOT / gate.environment)},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
        _pid, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


@functools.cache
def _interpreter(version: str) -> str:
    command = [str(ROOT / "scripts" / "find-python.sh"), version]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()


def _counted(gate: Gate, code: int, output: str) -> tuple[int, int]:
    """How many passed and failed: the numbers of pytest's and ansible-test's own reports, otherwise the gate itself."""
    if gate.tool == "pytest":
        passed, failed, errors = (
            sum(map(int, re.findall(rf"(\d+) {word}\b", _last_line(output)))) for word in ("passed", "failed", "errors?")
        )
        return passed, failed + errors or int(code != 0)
    if gate.name == "sanity":
        broken = re.search(r"The (\d+) sanity test\(s\)", output)
        failed = int(broken[1]) if broken else int(code != 0)
        return output.count('Running sanity test "') - failed, failed
    return int(code == 0), int(code != 0)


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if re.search(r"\b(passed|failed|errors?)\b", line)), "")


if __name__ == "__main__":
    sys.exit(main())
