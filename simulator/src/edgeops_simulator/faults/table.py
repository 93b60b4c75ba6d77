# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import fnmatch
import re
import typing as t

from edgeops_simulator.faults.answers import ANSWERS, STATUS_KINDS

WIRE = ("reset", "reset_after", "hang", "drip", "short_body", "huge", "gzip_bomb")
REFUSED = "refused"
KINDS = (REFUSED, *WIRE, *ANSWERS, *STATUS_KINDS)
_NOT_APPLIED = ("reset", "hang", "status", *(kind for kind in STATUS_KINDS if kind != "504"))
_ADDRESS = ("kind", "index", "count", "method", "path", "zone", "applied", "id")


class BadFault(ValueError):
    """The description of a fault is invalid."""


@dataclasses.dataclass
class Fault:
    """A kind of fault and its requests: `count` of those that match, starting with number `index`."""

    id: int
    kind: str
    index: int = 0
    count: int | None = 1
    method: str | None = None
    path: str | None = None
    zone: str | None = None
    applied: bool = True
    params: dict[str, t.Any] = dataclasses.field(default_factory=dict)
    seen: int = 0
    fired: int = 0

    def matches(self, method: str, path: str, zone: str | None) -> bool:
        if (self.method and self.method != method) or (self.zone and self.zone != zone):
            return False
        if not self.path:
            return True
        if self.path.startswith("re:"):
            return re.search(self.path[3:], path) is not None
        return fnmatch.fnmatchcase(path, self.path)

    def due(self) -> bool:
        return self.seen >= self.index and (self.count is None or self.fired < self.count)

    def document(self) -> dict[str, t.Any]:
        own = {name: value for name, value in vars(self).items() if name != "params"}
        return {**own, **self.params}


def read(description: t.Any, fault_id: int) -> Fault:
    """Parse a fault of the control interface."""
    if not isinstance(description, dict) or description.get("kind") not in KINDS:
        raise BadFault(f"a fault is an object with a kind, one of {', '.join(KINDS)}")
    kind = description["kind"]
    index, count = description.get("index", 0), description.get("count", 1)
    if not isinstance(index, int) or index < 0 or not (count is None or (isinstance(count, int) and count > 0)):
        raise BadFault("index counts from 0; count is at least 1, or null for always")
    for name in ("method", "path", "zone"):
        if not isinstance(description.get(name), (str, type(None))):
            raise BadFault(f"{name} must be a string")
    if kind == "status" and not isinstance(description.get("status"), int):
        raise BadFault("the kind 'status' needs the number of the status")
    params = {name: value for name, value in description.items() if name not in _ADDRESS}
    usually = (kind not in _NOT_APPLIED and params.get("status") != 504) or (kind, params.get("status")) == ("status", 504)
    fault = Fault(fault_id, kind, index, count, params=params, applied=description.get("applied", usually))
    fault.method, fault.path, fault.zone = (description.get(name) for name in ("method", "path", "zone"))
    fault.method = fault.method and fault.method.upper()
    return fault


class FaultTable:
    """The active faults, in the order in which they were added."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._next = 1

    def add(self, descriptions: t.Any) -> list[Fault]:
        items = descriptions if isinstance(descriptions, list) else [descriptions]
        new = [read(item, self._next + offset) for offset, item in enumerate(items)]
        self._next += len(new)
        self._faults += new
        return new

    def take(self, method: str, path: str, zone: str | None) -> Fault | None:
        """Count a request; return the first fault that applies to it."""
        taken = None
        for fault in self._faults:
            if not fault.matches(method, path, zone):
                continue
            if taken is None and fault.kind != REFUSED and fault.due():
                taken = fault
                fault.fired += 1
            fault.seen += 1
        return taken

    def take_refusal(self) -> Fault | None:
        """Return the fault that closes the port now, after the requests before it were answered."""
        for fault in self._faults:
            if fault.kind == REFUSED and fault.due():
                fault.fired += 1
                fault.index = fault.seen + 1
                return fault
        return None

    def clear(self) -> None:
        self._faults.clear()

    def documents(self) -> list[dict[str, t.Any]]:
        return [fault.document() for fault in self._faults]
