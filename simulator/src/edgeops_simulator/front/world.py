# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import pathlib
import typing as t

from edgeops_simulator import snapshot
from edgeops_simulator.faults.table import FaultTable
from edgeops_simulator.front.rate import RateLimit
from edgeops_simulator.journal import Journal
from edgeops_simulator.settings import Settings
from edgeops_simulator.state.service import Service
from edgeops_simulator.store import Store


@dataclasses.dataclass
class World:
    """Everything that one running simulator has: the service's state and what stands around it."""

    service: Service
    start: dict[str, t.Any]
    log_folder: pathlib.Path | None = None
    store: Store | None = None
    journal: Journal = dataclasses.field(default_factory=Journal)
    faults: FaultTable = dataclasses.field(default_factory=FaultTable)
    rate: RateLimit = dataclasses.field(default_factory=RateLimit)
    refuse: t.Callable[[float | None], None] = lambda seconds: None
    reopen: t.Callable[[], None] = lambda: None

    def reset(self) -> None:
        """Back to how it was started: state, settings and faults, with an empty journal."""
        self.service.zones.clear()
        self.service.settings = Settings()
        self.service.next_job_id = 1
        self.faults.clear()
        self.reopen()
        self.rate = RateLimit()
        self.seed(self.start)
        self.journal.clear()

    def seed(self, document: t.Any) -> None:
        snapshot.load(self.service, document)
        self.faults.add(document.get("faults") or [])

    def restore(self, document: t.Any) -> None:
        """Exactly what a snapshot holds, nothing of what was there."""
        trial = Service(self.service.credentials)
        snapshot.load(trial, document)
        self.service.zones, self.service.settings = trial.zones, trial.settings
        self.service.next_job_id = trial.next_job_id

    def close_port_if_due(self) -> None:
        fault = self.faults.take_refusal()
        if fault:
            self.refuse(None if fault.count is None else float(fault.params.get("seconds", 0.4)))

    def keep(self, zone_id: str | None = None) -> None:
        """Write what changed to the state file, if there is one: one zone, or everything."""
        if self.store is not None:
            if zone_id is None:
                self.store.save(self.service)
            else:
                self.store.append(self.service, zone_id)
