# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.observability.plugins.module_utils._engine.task import CompositeTask, Spec
from ansible_collections.edgeops.observability.plugins.module_utils._zone.options import desire
from ansible_collections.edgeops.observability.plugins.module_utils._zone.plan import TASKS, plan, secrets
from ansible_collections.edgeops.observability.plugins.module_utils._zone.read import read
from ansible_collections.edgeops.observability.plugins.module_utils._zone.spec import ZONE_SPEC

TASK = CompositeTask(
    name="zone_observability",
    spec=Spec(options=ZONE_SPEC),
    desire=desire,
    read=read,
    plan=plan,
    parts=TASKS,
    secrets=secrets,
    approvable=False,
)
