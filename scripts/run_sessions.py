# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the nox sessions of a tag in parallel: `run_sessions.py test`. The last line is `N passed, N failed`.

Each test of pytest and each sanity test counts as one, any other session as one. The output of a session is printed when it ends.
"""

from __future__ import annotations

import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import typing as t
import xml.etree.ElementTree as ET  # parses only reports of the sessions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "build" / "reports"
# Sessions wait, and on more processors the long ones start several processes themselves.
AT_ONCE = 3
# Where Linux keeps files in memory, and how much must be free there.
MEMORY, MIN_FREE_BYTES = Path("/dev/shm"), 4_000_000_000  # noqa: S108  # each session makes folders of its own there


def main() -> int:
    """Run all sessions and count results."""
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)
    report = REPORTS / "sessions.json"
    command = [sys.executable, "-m", "nox", "--tags", sys.argv[1], "--parallel", str(AT_ONCE), "--report", str(report)]
    with tempfile.TemporaryDirectory(prefix="artifact-") as folder:
        # Sessions with the same ansible-core share the collection that they build and install there.
        environment = {**temporary_folder(), **os.environ, "EDGEOPS_ARTIFACT_FOLDER": folder, "EDGEOPS_TAG": sys.argv[1]}
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    sessions = json.loads(report.read_text(encoding="utf-8"))["sessions"] if report.exists() else []
    total: collections.Counter[str] = collections.Counter()
    print()
    for session in sessions:
        counted = count(session)
        total += counted
        numbers = ", ".join(f"{number} {what}" for what, number in counted.items()) or f"skipped: {session['reason']}"
        print(f"{session['name']:<16} {session['duration']:6.1f} s  {numbers}")
    failed = total["failed"] or int(code != 0 or not total["passed"])
    print(f"\n{total['passed']} passed, {failed} failed")
    return 1 if failed else 0


def temporary_folder() -> dict[str, str]:
    """Return the variable for temporary files, if memory can hold them: tests replace thousands of files, and wait for the disk each time."""
    if not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < MIN_FREE_BYTES:
        return {}
    # Tests also start programs from there.
    return {} if os.statvfs(MEMORY).f_flag & os.ST_NOEXEC else {"TMPDIR": str(MEMORY)}


def count(session: dict[str, t.Any]) -> collections.Counter[str]:
    """Return the numbers of passed, failed and skipped tests from the reports of a session; without a report, of the session itself."""
    counts: collections.Counter[str] = collections.Counter()
    for path in [*REPORTS.glob(f"{session['name']}.xml"), *REPORTS.glob(f"{session['name']}/*.xml")]:
        for suite in _suites(path):
            number = {name: int(suite.get(name) or 0) for name in ("tests", "failures", "errors", "skipped", "disabled")}
            failed, skipped = number["failures"] + number["errors"], number["skipped"] + number["disabled"]
            counts += collections.Counter(passed=number["tests"] - failed - skipped, failed=failed, skipped=skipped)
    if session["result"] == "success":
        return counts or collections.Counter(passed=1)
    if session["result"] != "skipped":
        counts["failed"] = counts["failed"] or 1
    return counts


def _suites(path: Path) -> list[ET.Element]:
    """Return the test suites of a report; none for an incomplete file, whose session has failed anyway."""
    try:
        return list(ET.parse(path).iter("testsuite"))  # noqa: S314  # written by the session
    except ET.ParseError:
        return []


if __name__ == "__main__":
    sys.exit(main())
