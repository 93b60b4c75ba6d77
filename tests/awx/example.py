# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the example is, and what the tests make of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from awx.stub import Controller

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "awx"
PROJECT = EXAMPLE / "project"
EMAIL = "operator@example.com"
# Distinctive, because outputs are searched for them.
TOKEN = "planted-token-20b6d4f1aa"
KEY = "planted-key-93ce07b5d8"


@dataclasses.dataclass(frozen=True)
class Configured:
    """A controller that configure.yml has been run against twice, with what each run printed and wrote."""

    controller: Controller
    outputs: list[str]
    writes: list[list[tuple[str, str]]]
