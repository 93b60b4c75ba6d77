# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses

from edgeops_simulator.snapshot import PARTS
from edgeops_simulator.state.zone import Zone, default_zone


def test_every_part_of_a_zone_is_kept() -> None:
    """What a request changes must be there again after a restart; what is derived from it has no representation."""
    found = {field.name for field in dataclasses.fields(Zone) if field.repr} - default_zone("0" * 32).summary().keys()
    assert found == set(PARTS), "add it to PARTS and _LOADERS in snapshot.py, and to _SMALL in store.py if requests change it"
