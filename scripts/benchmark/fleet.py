# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare three state modules in each of N zones, in a first and an unchanged run, with other ways of configuring them."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import typing as t
from pathlib import Path

from table import check_limit, show

from edgeops_simulator.testing import running

HERE = Path(__file__).parent
PLAYBOOK = Path(sys.executable).parent / "ansible-playbook"
TASKS = 3
# A timeout for one run; a thousand zones with a task for each request take more than half an hour.
SECONDS_LIMIT = 4 * 3600
ROUNDS, QUICK_ROUNDS, ENOUGH_SECONDS = 5, 2, 40
# With --quick, these run for a few zones only, because a hundred zones take minutes.
SLOW, FEW_ZONES = ("as modules", "uri"), 5


@dataclasses.dataclass(frozen=True)
class Way:
    """One way of configuring the zones: a command and additional arguments."""

    command: t.Sequence[str]
    variables: t.Mapping[str, t.Any] = dataclasses.field(default_factory=dict)


def _playbook(name: str) -> list[str]:
    return [str(PLAYBOOK), str(HERE / "playbooks" / f"{name}.yml")]


WAYS = {
    "in-process": Way(_playbook("modules")),
    "one task": Way(_playbook("one_task")),
    "as modules": Way(_playbook("modules"), {"edgeops_in_process": False}),
    "uri": Way(_playbook("uri")),
    "debug": Way(_playbook("debug")),
    "SDK": Way([sys.executable, str(HERE / "sdk.py")]),
}


class Single(t.NamedTuple):
    """One run: wall-clock seconds, processor seconds, requests."""

    seconds: float
    processor: float
    requests: int


@dataclasses.dataclass(frozen=True)
class Measured:
    """Wall-clock seconds and requests of the first and the unchanged run, and processor seconds of the latter."""

    first: float
    unchanged: float
    processor: float
    requests: tuple[int, int]

    @classmethod
    def of(cls, first: Single, unchanged: t.Sequence[Single]) -> Measured:
        """Take the minimum of repeated runs, because other work on the machine can only add time."""
        fastest = min(unchanged)
        return cls(
            first.seconds, fastest.seconds, min(single.processor for single in unchanged), (first.requests, fastest.requests)
        )

    def without_waiting(self, latency: float, forks: int) -> float:
        """Return the time of the unchanged run without the time in which all forks wait for the service."""
        return self.unchanged - self.requests[1] * latency / forks


def report(options: argparse.Namespace) -> bool:
    """Measure and print; return whether all limits hold."""
    latency = options.latency / 1000
    holds, growth = True, []
    for count in options.zones:
        slow = SLOW if options.quick and count > FEW_ZONES else ()
        measured = measure([way for way in options.ways if way not in slow], count, options)
        base = measured.get("in-process") or next(iter(measured.values()))
        rows = [
            [
                way,
                f"{figures.first:.2f}",
                f"{figures.unchanged:.2f}",
                f"{1000 * figures.unchanged / count / TASKS:.1f}",
                f"{figures.processor:.2f}",
                str(figures.requests[0]),
                str(figures.requests[1]),
                f"{figures.first / base.first:.2f}",
                f"{figures.unchanged / base.unchanged:.2f}",
                f"{figures.processor / base.processor:.2f}",
            ]
            for way, figures in measured.items()
        ]
        header = [
            "way",
            "first s",
            "unchanged s",
            "ms a task",
            "CPU s",
            "requests",
            "unchanged",
            "first /",
            "unchanged /",
            "CPU /",
        ]
        show(f"{count} zones, {TASKS} state modules each, {options.forks} forks, {options.latency} ms latency", header, rows)
        if "in-process" in measured:
            growth.append([str(count), f"{base.unchanged:.2f}", f"{1000 * base.unchanged / count:.1f}"])
        if count == 100:
            holds = _check_limits(measured, latency, options.forks)
        elif options.quick and {"in-process", "uri", "debug"} <= measured.keys():
            _beyond_debug(measured, count)
    if growth:
        show("Growth of the unchanged run in-process", ["zones", "seconds", "ms a zone"], growth)
    return holds


def _check_limits(measured: t.Mapping[str, Measured], latency: float, forks: int) -> bool:
    ours, uri, debug, one = (measured.get(way) for way in ("in-process", "uri", "debug", "one task"))
    holds = True
    if ours and uri:
        holds &= check_limit("uri / in-process, unchanged, 100 zones", uri.unchanged / ours.unchanged, 10, at_least=True)
        print(f"as processor time: {uri.processor / ours.processor:.2f}")
    if ours and debug:
        holds &= check_limit(
            "in-process without waiting / debug, 100 zones", ours.without_waiting(latency, forks) / debug.unchanged, 1.5
        )
        print(f"as processor time: {ours.processor / debug.processor:.2f}")
    if ours and one:
        holds &= check_limit(
            "zone_observability in one task / three modules, unchanged, 100 zones, CPU", one.processor / ours.processor, 1
        )
    return holds


def _beyond_debug(measured: t.Mapping[str, Measured], count: int) -> None:
    """Compare without the start of a playbook, which is most of the time for a few zones."""
    ours, uri, debug = (measured[way].processor for way in ("in-process", "uri", "debug"))
    ratio = (uri - debug) / max(ours - debug, 0.01)
    print(f"uri / in-process, unchanged, {count} zones, processor time beyond three debug tasks: {ratio:.1f} (no limit)")


def measure(names: t.Sequence[str], count: int, options: argparse.Namespace) -> dict[str, Measured]:
    """Run each way against its own simulator: once on new zones, then unchanged; short runs are repeated.

    The ways take turns, so that a machine that is slow for some time slows down all of them.
    """
    zones = [f"{number:032x}" for number in range(1, count + 1)]
    with contextlib.ExitStack() as stack:
        runs = {name: stack.enter_context(fleet(WAYS[name], zones, options)) for name in names if _installed(name)}
        first = {name: run() for name, run in runs.items()}
        unchanged: dict[str, list[Single]] = {name: [] for name in runs}
        for number in range(rounds(options)):
            for name, run in runs.items():
                if number and options.quick and name in SLOW:
                    continue
                if sum(single.seconds for single in unchanged[name]) < ENOUGH_SECONDS:
                    unchanged[name].append(run())
    return {name: Measured.of(first[name], unchanged[name]) for name in runs}


def rounds(options: argparse.Namespace) -> int:
    """Return the number of repetitions."""
    return QUICK_ROUNDS if options.quick else ROUNDS


def _installed(name: str) -> bool:
    if name != "SDK" or importlib.util.find_spec("cloudflare"):
        return True
    print("SDK: skipped, the package is not installed (it is in every requirements/core-*.txt)")
    return False


@contextlib.contextmanager
def fleet(way: Way, zones: t.Sequence[str], options: argparse.Namespace) -> t.Iterator[t.Callable[[], Single]]:
    """Prepare zones for one way; yield a function that runs it once."""
    with tempfile.TemporaryDirectory() as folder, running(zones=zones, process=True, latency_ms=options.latency) as simulator:
        command = [*way.command, *_arguments(Path(folder), zones, options.forks, way)]
        configuration = Path(folder, "ansible.cfg")
        configuration.touch()
        # A report without `edgeops_report_dir` is written into TMPDIR.
        own = {"ANSIBLE_HOME": folder, "ANSIBLE_CONFIG": str(configuration), "TMPDIR": folder}
        environment = {**os.environ, **simulator.environment(), **own}

        yield lambda: timed(command, environment, simulator)


def timed(command: t.Sequence[str], environment: t.Mapping[str, str], simulator: t.Any) -> Single:
    """Run a command against a simulator once; exit with its output if it fails."""
    simulator.clear_journal()
    before, began = _processor(), time.perf_counter()
    done = subprocess.run(
        command, env=dict(environment), capture_output=True, text=True, timeout=SECONDS_LIMIT, check=False
    )  # our own code
    if done.returncode:
        raise SystemExit(f"{command[:2]} failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return Single(time.perf_counter() - began, _processor() - before, len(simulator.journal()))


def _processor() -> float:
    """Return the processor seconds of all ended child processes; other load affects them less than wall-clock time."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _arguments(folder: Path, zones: t.Sequence[str], forks: int, way: Way) -> list[str]:
    if way.command[0] == sys.executable:
        return ["--threads", str(forks), *zones]
    local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    hosts = {f"zone{number}": {"zone_id": zone} for number, zone in enumerate(zones)}
    (folder / "inventory.yml").write_text(json.dumps({"all": {"vars": local, "hosts": hosts}}), encoding="utf-8")
    return ["-i", str(folder / "inventory.yml"), "-f", str(forks), "-e", json.dumps(dict(way.variables))]
