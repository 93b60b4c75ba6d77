# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import typing as t

from edgeops_simulator import clock
from edgeops_simulator.state.part import Document, Table

if t.TYPE_CHECKING:
    from edgeops_simulator.state.owners import Account
    from edgeops_simulator.state.service import Service


class Transformers(Table):
    """The transformers of an account, by id: SQL that changes records before they are delivered."""

    members: t.ClassVar[t.Mapping[str, type]] = {"id": int, "name": str, "code": str}

    def add(self, service: Service, item: Document, index: int) -> None:
        moment = clock.stamp_seconds()
        made = {"id": self.next_id(), "name": f"transformer-{index + 1}", "description": "", "dataset": None}
        made |= {"code": "SELECT * FROM input", "created_at": moment, "updated_at": moment, **copy.deepcopy(item)}
        self[made["id"]] = made

    def next_id(self) -> int:
        return max(self, default=0) + 1


def create(account: Account, body: Document) -> Document:
    moment = clock.stamp_seconds()
    made = {"id": account.transformers.next_id(), "name": body["name"], "description": body.get("description") or ""}
    made |= {"dataset": None, "code": body["code"], "created_at": moment, "updated_at": moment}
    account.transformers[made["id"]] = made
    return made


def update(transformer: Document, body: Document) -> Document:
    """PUT: a description that is left out is cleared, code that is left out stays."""
    transformer.update(name=body["name"], description=body.get("description") or "", updated_at=clock.stamp_seconds())
    if body.get("code"):
        transformer["code"] = body["code"]
    return transformer


def jobs_of(service: Service, account: Account, transformer_id: int) -> list[Document]:
    """The jobs of the account and of its zones that refer to a transformer."""
    owners = [account, *(zone for zone in service.zones.values() if zone.account.get("id") == account.id)]
    return [
        {"id": job["id"], "name": job.get("name") or "", "object_type": owner.kind, "object_tag": owner.id}
        for owner in owners
        for job in owner.jobs.values()
        if job.get("transformer_id") == transformer_id
    ]
