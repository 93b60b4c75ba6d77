# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import sysconfig
import typing as t

import pytest

from edgeops_simulator.openapi import description

ROOT = pathlib.Path(__file__).parents[1]


@pytest.mark.parametrize("phases", ["fuzzing,stateful"])
def test_schemathesis_finds_no_violation(sim: t.Any, phases: str) -> None:
    command = [str(pathlib.Path(sysconfig.get_path("scripts")) / "schemathesis"), "run", f"{sim.control_url}/openapi.json"]
    command += ["--header", f"Authorization: Bearer {sim.token}", "--phases", phases, "--max-examples", "3", "--seed", "1"]
    command += ["--generation-database", "none", "--no-color"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert len(sim.journal()) > 100, f"too few requests for a finding to mean anything, by {sys.executable}"


def test_every_reference_has_its_schema() -> None:
    """The tool above passes over answers whose schema it does not find."""
    document = description("http://localhost/client/v4")
    named = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document)))
    assert named - document["components"]["schemas"].keys() == set(), "add it to SCHEMAS in schemas/answers.py"
