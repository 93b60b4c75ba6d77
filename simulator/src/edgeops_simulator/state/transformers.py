# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import typing as t

from edgeops_simulator import clock
from edgeops_simulator.state.part import Document, JobIds, Table


class Transformers(Table):
    """The transformers of an account, by id: SQL that changes records before delivery."""

    members: t.ClassVar[t.Mapping[str, type]] = {"id": int, "name": str, "code": str, "versions": list}

    def add(self, ids: JobIds, item: Document, index: int) -> None:
        moment = clock.stamp_seconds()
        made = {"id": self.next_id(), "name": f"transformer-{index + 1}", "description": "", "dataset": None}
        made |= {"code": "SELECT * FROM http_requests", "created_at": moment, "updated_at": moment, **copy.deepcopy(item)}
        self[made["id"]] = made
        if "versions" not in item:
            made["versions"] = []
            self.add_version(made, str(made["code"]), moment)

    def next_id(self) -> int:
        return max(self, default=0) + 1

    def add_version(self, transformer: Document, code: str, moment: str) -> None:
        """Add a query as the newest version; ids of versions are unique in an account."""
        taken = (version["id"] for other in self.values() for version in other["versions"])
        number = transformer["versions"][-1]["version"] + 1 if transformer["versions"] else 1
        transformer["versions"].append({"id": max(taken, default=0) + 1, "version": number, "created_at": moment, "code": code})
        transformer["code"] = code


def create(transformers: Transformers, body: Document, dataset: str) -> Document:
    moment = clock.stamp_seconds()
    made = {"id": transformers.next_id(), "name": body["name"], "description": body.get("description") or ""}
    made |= {"dataset": dataset, "created_at": moment, "updated_at": moment, "versions": []}
    transformers.add_version(made, body["code"], moment)
    transformers[made["id"]] = made
    return made


def update(transformers: Transformers, transformer: Document, body: Document, dataset: str | None) -> Document:
    """PUT: an omitted description is cleared, omitted code is kept, and sent code adds a version."""
    moment = clock.stamp_seconds()
    transformer.update(name=body["name"], description=body.get("description") or "", dataset=dataset, updated_at=moment)
    if body.get("code"):
        transformers.add_version(transformer, body["code"], moment)
    return transformer
