# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the mutants of a package: `mutation_judge.py SECONDS RESULTS`, in a folder whose `pyproject.toml` configures mutmut.

mutmut makes the mutants. It would let pytest start and collect again for each of them, which takes far longer than the tests do;
here tests are collected once, and each mutant is a fork of that process, which runs the tests that get to the mutated function.
"""

from __future__ import annotations

import functools
import json
import math
import os
import pathlib
import random
import resource
import sys
import time
import typing as t

import pytest
from _pytest.runner import runtestprotocol
from mutmut import __main__ as mutmut
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.runners.harness import PytestRunner
from mutmut.stats import save_stats
from mutmut.utils import file_utils
from mutmut.utils.format_utils import mangled_name_from_mutant_name

# Whatever starts slowly and judges nothing here.
WITHOUT = (
    "cacheprovider",
    "xdist",
    "hypothesispytest",
    "cov",
    "pytest_benchmark",
    "benchmark",
    "junitxml",
    "logging",
    "faulthandler",
)
QUICK = ["-q", "--rootdir=.", "--assert=plain", "--tb=no", *(f"-pno:{name}" for name in WITHOUT), "tests"]
VERDICTS = {0: "survived", 1: "killed", 2: "suspicious", None: "timeout"}
SURVIVED, KILLED, SUSPICIOUS = 0, 1, 2
WORKERS = os.cpu_count() or 1

Tests = t.Mapping[str, t.Sequence[tuple[float, int]]]


def passes(item: pytest.Item) -> bool:
    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def fork(work: t.Callable[[], int], seconds: int | None = None) -> int:
    """Starts the work in a process of its own, with at most that many seconds of the processor."""
    child = os.fork()
    if child == 0:
        code = SUSPICIOUS
        try:
            if seconds:
                resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            code = work()
        finally:
            os._exit(code)
    return child


def ended(child: int) -> int | None:
    """What the work returned; None if it did not return, as after its time."""
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else None


def collect() -> int:
    """Let mutmut write down which tests get to which function; none of them may fail without a mutant."""
    set_mutant_under_test("stats")
    code = PytestRunner().run_stats(tests=[])
    save_stats()
    return code


def reached(items: t.Sequence[pytest.Item], found: pathlib.Path) -> Tests:
    """The tests that get to each function, quickest first."""
    stats = json.loads(found.read_text(encoding="utf-8"))
    indexes = {item.nodeid: index for index, item in enumerate(items)}
    seconds = stats["duration_by_test"]
    return {
        function: sorted((seconds[test], indexes[test]) for test in tests)
        for function, tests in stats["tests_by_mangled_function_name"].items()
    }


class Judge:
    def __init__(self, mutants: t.Sequence[str], results: pathlib.Path, seconds: int) -> None:
        self.mutants = mutants
        self.results = results
        self.deadline = time.monotonic() + seconds

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        tests = reached(session.items, pathlib.Path("mutmut-stats.json"))
        shares = [self.results.with_suffix(f".{index}") for index in range(WORKERS)]
        judges = [fork(functools.partial(self._judge, index, share, tests, session.items)) for index, share in enumerate(shares)]
        if {ended(judge) for judge in judges} != {SURVIVED}:
            raise session.Failed("a judge has failed")
        self.results.write_text("".join(share.read_text(encoding="utf-8") for share in shares), encoding="utf-8")
        return True

    def _judge(self, index: int, share: pathlib.Path, tests: Tests, items: t.Sequence[pytest.Item]) -> int:
        with share.open("w", encoding="utf-8", buffering=1) as file:
            for mutant in self.mutants[index::WORKERS]:
                late = time.monotonic() > self.deadline
                chosen = tests.get(mangled_name_from_mutant_name(mutant), ())
                file.write(f"{mutant}: {'not checked' if late else verdict(mutant, items, chosen)}\n")
        return SURVIVED


def verdict(mutant: str, items: t.Sequence[pytest.Item], tests: t.Sequence[tuple[float, int]]) -> str:
    def run() -> int:
        set_mutant_under_test(mutant)
        return SURVIVED if all(passes(items[index]) for _unused, index in tests) else KILLED

    # A mutant may take ten times as long as the code does, and a little more: the machine has other work.
    return VERDICTS[ended(fork(run, 3 + math.ceil(10 * sum(took for took, _unused in tests))))] if tests else "no tests"


def made() -> list[str]:
    """The names of the mutants that mutmut makes as it is configured in this folder."""
    set_mutant_under_test("mutant_generation")
    pathlib.Path("mutants").mkdir()
    file_utils.copy_src_dir()
    file_utils.copy_also_copy_files()
    file_utils.setup_source_paths()
    mutmut.create_mutants(1)
    return [name for _unused, name, _unused in mutmut.collect_source_file_mutation_data(mutant_names=())[0]]


def main(seconds: str, results: str) -> int:
    mutants = made()
    # Mixed, so that what is judged in time is a fair sample.
    random.Random(0).shuffle(mutants)
    if ended(fork(collect)) != SURVIVED:
        print("the tests have to pass before mutants are judged")
        return 1
    judge = Judge(mutants, pathlib.Path(results).absolute(), int(seconds))
    os.chdir("mutants")
    set_mutant_under_test("")
    return int(pytest.main(QUICK, plugins=[judge]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
