# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.front import analytics, logpush, notifications, policies, rulesets, script_monitor, transformers, zones

OPERATIONS = tuple(
    operation
    for area in (zones, script_monitor, policies, rulesets, logpush, transformers, notifications, analytics)
    for operation in area.routes.operations
)
