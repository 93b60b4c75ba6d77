# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._logpush.items import Desired as DesiredJobs
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.monitor import Desired as DesiredMonitor
from ansible_collections.edgeops.observability.plugins.module_utils._zone import fields, jobs
from ansible_collections.edgeops.observability.plugins.module_utils._zone.facts import CUSTOM_FIELDS, PARTS
from ansible_collections.edgeops.observability.plugins.module_utils._zone.tasks.script_monitor import TASK as MONITOR


class Desired(t.NamedTuple):
    """The desired state of a zone as a whole; a part that is None is left alone."""

    present: bool
    zone_id: str
    prefix: str
    fields: fields.Desired | None
    jobs: DesiredJobs | None
    monitor: DesiredMonitor | None
    expected: t.Mapping[str, str | None]


def desire(params: t.Mapping[str, t.Any]) -> Desired:
    """Return the desired state of validated options; refuse what no state of the zone could make right."""
    present, prefix = params["state"] == "present", params["option_prefix"]
    lists = fields.given_lists(params[CUSTOM_FIELDS])
    enabled = params["script_monitor_enabled"]
    expected = params["expected_plan_ids"] or {}
    return Desired(
        present=present,
        zone_id=params["zone_id"],
        prefix=prefix,
        fields=fields.desire(f"{prefix}{CUSTOM_FIELDS}", lists, present),
        jobs=jobs.desire(params, lists),
        monitor=None if enabled is None else MONITOR.desire({"enabled": enabled, "route": params["route"]}),
        expected={name: expected.get(name) for name in PARTS},
    )
