# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from edgeops_simulator import clock
from edgeops_simulator.state.zone import Document, Zone

# What page_shield keeps beside the state that it shares with script_monitor.
PAGE_SHIELD_DEFAULTS: t.Mapping[str, bool] = {"use_cloudflare_reporting_endpoint": True, "use_connection_url_path": False}


def status(zone: Zone) -> Document:
    """The status object; a zone that was never touched has a time all the same."""
    if not zone.script_monitor.get("updated_at"):
        zone.script_monitor["updated_at"] = clock.stamp()
    return {name: zone.script_monitor[name] for name in ("enabled", "updated_at")}


def page_shield_status(zone: Zone) -> Document:
    extra = {name: zone.script_monitor.get(name, default) for name, default in PAGE_SHIELD_DEFAULTS.items()}
    return {**status(zone), **extra}


def update(zone: Zone, changes: Document) -> Document:
    """Every update moves the time, one that changes nothing included."""
    zone.script_monitor.update(changes)
    zone.script_monitor["updated_at"] = clock.stamp()
    return status(zone)
