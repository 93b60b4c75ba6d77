# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import pathlib
import typing as t

from edgeops_simulator.faults.table import FaultTable
from edgeops_simulator.front.rate import RateLimit
from edgeops_simulator.journal import Journal
from edgeops_simulator.state.owners import Owner
from edgeops_simulator.state.service import Service
from edgeops_simulator.store import Store


def _load(trial: Service, document: t.Any) -> list[t.Any]:
    """Load a document into a state that is not in use yet; return its faults after validation."""
    trial.load(document)
    faults = document.get("faults") or []
    FaultTable().add(faults)
    return faults if isinstance(faults, list) else [faults]


@dataclasses.dataclass
class World:
    """One simulator: the state of the service, its settings, faults and journal."""

    service: Service
    start: dict[str, t.Any]
    log_folder: pathlib.Path | None = None
    store: Store | None = None
    journal: Journal = dataclasses.field(default_factory=Journal)
    faults: FaultTable = dataclasses.field(default_factory=FaultTable)
    rate: RateLimit = dataclasses.field(default_factory=RateLimit)
    query_rate: RateLimit = dataclasses.field(default_factory=RateLimit)
    refuse: t.Callable[[float | None], None] = lambda seconds: None
    reopen: t.Callable[[], None] = lambda: None

    def reset(self, *more: t.Any) -> None:
        """Return to the state at the start, and add further seeds; the journal is emptied."""
        trial = Service(self.service.credentials)
        faults = [fault for document in (self.start, *more) for fault in _load(trial, document)]
        self.service.adopt(trial)
        self.faults.clear()
        self.faults.add(faults)
        self.reopen()
        self.rate, self.query_rate = RateLimit(), RateLimit()
        self.journal.clear()

    def restart(self, document: t.Any) -> None:
        """Replace the state at the start and reset to it; zones and accounts from the command line remain."""
        _load(Service(self.service.credentials), document)
        both = {name: [*self.start.get(name, []), *document.get(name, [])] for name in ("zones", "accounts")}
        self.start = {**document, **both}
        self.reset()

    def seed(self, document: t.Any) -> None:
        """Add the content of a document; if it is invalid, nothing changes."""
        trial = self.service.copy()
        faults = _load(trial, document)
        self.service.adopt(trial)
        self.faults.add(faults)

    def restore(self, document: t.Any) -> None:
        """Replace the state with that of a snapshot."""
        trial = Service(self.service.credentials)
        _load(trial, document)
        self.service.adopt(trial)

    def close_port_if_due(self) -> None:
        fault = self.faults.take_refusal()
        if fault:
            self.refuse(None if fault.count is None else float(fault.params.get("seconds", 0.4)))

    def keep(self, owner: Owner | None = None) -> None:
        """Write one zone or account, by default the whole state, to the state file if there is one."""
        if self.store is not None:
            if owner is None:
                self.store.save(self.service)
            else:
                self.store.append(self.service, owner)
