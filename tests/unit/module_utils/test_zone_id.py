# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._zones import is_zone_id

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("text", ["0", "023e105f4ecef8ad9ca31a8372d0c353", "ABCdef"])
def test_ids(text: str) -> None:
    assert is_zone_id(text)


@pytest.mark.parametrize("text", ["", "0" * 33, "abc\n", "x", "../0", "٣", " 0"])
def test_what_is_no_id(text: str) -> None:
    assert not is_zone_id(text)


def test_no_other_file_has_the_pattern() -> None:
    """A check that stands twice is changed once."""
    command = ["git", "grep", "--untracked", "-lF", "]{1,32}", "--", "plugins/*.py", "extensions/*.py"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert found == ["plugins/module_utils/_zones.py"]
