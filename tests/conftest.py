# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hypothesis
import pytest

# Seeded, so that a run says the same thing twice; `--hypothesis-profile=explore` looks at other examples each time.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, print_blob=False)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--as-modules", action="store_true", help="run every task as an ordinary module, not in the controller's process")
