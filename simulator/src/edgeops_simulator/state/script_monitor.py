# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator import clock
from edgeops_simulator.state.part import Document, JobIds, Part

# The settings that page_shield has in addition to those of script_monitor.
PAGE_SHIELD_DEFAULTS: t.Mapping[str, bool] = {"use_cloudflare_reporting_endpoint": True, "use_connection_url_path": False}


class ScriptMonitor(Part):
    """The status of a zone's script monitor."""

    @classmethod
    def load(cls, ids: JobIds, document: t.Any, place: str) -> ScriptMonitor:
        return cls({"enabled": False, "updated_at": clock.stamp(), **super().load(ids, document, place)})


def status(monitor: ScriptMonitor) -> Document:
    """Return the status; a zone without any update has a time, too."""
    if not monitor.get("updated_at"):
        monitor["updated_at"] = clock.stamp()
    return {name: monitor[name] for name in ("enabled", "updated_at")}


def page_shield_status(monitor: ScriptMonitor) -> Document:
    extra = {name: monitor.get(name, default) for name, default in PAGE_SHIELD_DEFAULTS.items()}
    return {**status(monitor), **extra}


def update(monitor: ScriptMonitor, changes: Document) -> Document:
    """Change the status; each update sets the time, even one without a change."""
    monitor.update(changes)
    monitor["updated_at"] = clock.stamp()
    return status(monitor)
