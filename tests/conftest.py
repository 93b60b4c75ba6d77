# SPDX-License-Identifier: GPL-3.0-or-later

import collections
import gc
import os
import tempfile
import typing as t

import hypothesis
import pytest

from edgeops_simulator.delivery.transform import EXTRA, is_installed

# Objects of pytest's collection live until the end; repeated garbage collection of them takes a fifth of the time of unit tests.
gc.set_threshold(50_000, 20, 20)

# Seeded, so that runs are repeatable; `--hypothesis-profile=explore` uses other examples in each run.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, print_blob=False)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--as-modules", action="store_true", help="run every task as an ordinary module, not in the controller's process"
    )
    parser.addoption(
        "--faults", choices=("sample", "all"), default="sample", help="how much of the fault matrix to run; the sample is seeded"
    )
    parser.addoption(
        "--mutations",
        default="fixed",
        help="what to take away from answers: `fixed`, one thing for each cause, `all`, or a number, which draws other things for each cause",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let programs that tests start use pytest's import path; playbooks get their own environment."""
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, config.getini("pythonpath")))
    if "EDGEOPS_ARTIFACT_FOLDER" not in os.environ:
        # Parallel processes inherit the folder, so that one of them installs the collection for all; parallel sessions are given one.
        folder = tempfile.TemporaryDirectory(prefix="artifact-")
        os.environ["EDGEOPS_ARTIFACT_FOLDER"] = folder.name
        config.add_cleanup(folder.cleanup)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("engine") and not is_installed():
            item.add_marker(pytest.mark.skip(reason=f"needs Apache DataFusion: {EXTRA}"))


@pytest.fixture
def cases(record_property: t.Callable[[str, object], None]) -> t.Iterator[collections.Counter[str]]:
    """Count the cases of a test by name; the summary of the run prints the sums."""
    counted: collections.Counter[str] = collections.Counter()
    yield counted
    record_property("cases", dict(counted))


def pytest_terminal_summary(terminalreporter: t.Any) -> None:
    sums: collections.Counter[str] = collections.Counter()
    reports = [report for group in terminalreporter.stats.values() for report in group]
    for report in reports:
        if getattr(report, "when", None) == "teardown":
            sums.update(dict(report.user_properties).get("cases", {}))
    if sums:
        terminalreporter.section("cases")
        for name, number in sorted(sums.items()):
            terminalreporter.line(f"{number:7d}  {name}")
