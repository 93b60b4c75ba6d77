# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses

from edgeops_simulator.settings import Settings
from edgeops_simulator.state.zone import Zone


@dataclasses.dataclass
class Credentials:
    token: str
    email: str | None = None
    key: str | None = None


@dataclasses.dataclass
class Service:
    """The whole state: zones by id, settings, and the number that the next job gets."""

    credentials: Credentials
    zones: dict[str, Zone] = dataclasses.field(default_factory=dict)
    settings: Settings = dataclasses.field(default_factory=Settings)
    next_job_id: int = 1

    def copy(self) -> Service:
        """The same state, to try a seed on: parts of zones are replaced there, never changed."""
        zones = {zone_id: dataclasses.replace(zone) for zone_id, zone in self.zones.items()}
        return dataclasses.replace(self, zones=zones, settings=dataclasses.replace(self.settings))

    def take_job_id(self) -> int:
        """Job ids count up over all zones and are never given twice."""
        job_id = self.next_job_id
        self.next_job_id += 1
        return job_id
