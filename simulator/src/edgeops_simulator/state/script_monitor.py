# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator import clock
from edgeops_simulator.state.part import Document, Part

if t.TYPE_CHECKING:
    from edgeops_simulator.state.owners import Zone
    from edgeops_simulator.state.service import Service

# The settings that page_shield has in addition to those of script_monitor.
PAGE_SHIELD_DEFAULTS: t.Mapping[str, bool] = {"use_cloudflare_reporting_endpoint": True, "use_connection_url_path": False}


class ScriptMonitor(Part):
    """The status of a zone's script monitor."""

    @classmethod
    def load(cls, service: Service, given: t.Any, place: str) -> ScriptMonitor:
        return cls({"enabled": False, "updated_at": clock.stamp(), **super().load(service, given, place)})


def status(zone: Zone) -> Document:
    """Return the status; a zone without any update has a time, too."""
    if not zone.script_monitor.get("updated_at"):
        zone.script_monitor["updated_at"] = clock.stamp()
    return {name: zone.script_monitor[name] for name in ("enabled", "updated_at")}


def page_shield_status(zone: Zone) -> Document:
    extra = {name: zone.script_monitor.get(name, default) for name, default in PAGE_SHIELD_DEFAULTS.items()}
    return {**status(zone), **extra}


def update(zone: Zone, changes: Document) -> Document:
    """Change the status; each update sets the time, even one without a change."""
    zone.script_monitor.update(changes)
    zone.script_monitor["updated_at"] = clock.stamp()
    return status(zone)
