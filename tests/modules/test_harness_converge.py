# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from harness import Modules


def test_converge_foretells_does_and_settles(modules: Modules) -> None:
    converged = modules.converge("script_monitor", {"enabled": True})
    assert converged.result["script_monitor"]["enabled"] is True
    assert [entry["method"] for entry in converged.writes] == ["PUT"]
    assert [entry["method"] for entry in converged.reapplied.journal] == ["GET"]


def test_lifecycle_has_twelve_steps(modules: Modules) -> None:
    """Lifecycle runs twelve steps in one process."""
    steps = modules.converge_each("script_monitor", [{"enabled": True}, {"enabled": False}, {"enabled": True}])
    assert len(steps) == 3
    assert len(steps[0].report.ours) == 12


def test_converge_refuses_a_compliant_zone(modules: Modules) -> None:
    """converge fails for a desired state that the zone already has."""
    with pytest.raises(AssertionError, match="changed is False"):
        modules.converge("script_monitor", {"enabled": False})
