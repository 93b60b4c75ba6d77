# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import typing as t

Document = dict[str, t.Any]


@dataclasses.dataclass
class Zone:
    """Everything that the service keeps for one zone; zones share nothing."""

    id: str
    name: str = ""
    status: str = "active"
    account: Document = dataclasses.field(default_factory=dict)
    script_monitor: Document = dataclasses.field(default_factory=lambda: {"enabled": False, "updated_at": None})
    scripts: dict[str, Document] = dataclasses.field(default_factory=dict)
    rulesets: dict[str, Document] = dataclasses.field(default_factory=dict)
    jobs: dict[int, Document] = dataclasses.field(default_factory=dict)
    challenges: list[Document] = dataclasses.field(default_factory=list)
    fields: dict[str, dict[str, str]] = dataclasses.field(default_factory=dict)
    listings: dict[t.Any, list[Document]] = dataclasses.field(default_factory=dict, repr=False)

    def summary(self) -> Document:
        """The zone as the listing of zones shows it."""
        return {"id": self.id, "name": self.name, "status": self.status, "account": self.account}


def default_zone(zone_id: str) -> Zone:
    """A zone of which nothing but its id was said."""
    account = {"id": "0" * 32, "name": "Simulated account"}
    return Zone(id=zone_id, name=f"zone-{zone_id}.example", account=account)
