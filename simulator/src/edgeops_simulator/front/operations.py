# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.front import analytics, logpush, rulesets, script_monitor, transformers, zones

OPERATIONS = tuple(
    operation
    for area in (zones, script_monitor, rulesets, logpush, transformers, analytics)
    for operation in area.routes.operations
)
