# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.front import (
    analytics,
    boundary,
    logpush,
    notifications,
    policies,
    rulesets,
    script_monitor,
    tokens,
    transformers,
    zones,
)

OPERATIONS = tuple(
    operation
    for area in (zones, tokens, script_monitor, policies, rulesets, logpush, transformers, notifications, boundary, analytics)
    for operation in area.routes.operations
)
