# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[3] / "support" / "killed_source.py"
EXPECTED = {(kind, zone) for kind in ("script_changed", "script_new", "script_malicious") for zone in ("a1", "b2")}


def test_kill_at_any_step_loses_nothing(tmp_path: Path) -> None:
    """Killed before each write to the disk and around each event, the source has sent everything after its next start."""
    done = subprocess.run([sys.executable, PROGRAM, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    runs = json.loads(done.stdout)
    assert len(runs) > 20
    for first, second, pending in runs:
        assert {(event["kind"], event["zone"]["id"]) for event in first + second} == EXPECTED
        fresh = [event["id"] for event in first + second if not event["redelivered"]]
        assert len(fresh) == len(set(fresh))
        assert not any(event["redelivered"] for event in first)
        assert pending == []
