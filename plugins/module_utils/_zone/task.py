# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from .._engine.task import CompositeTask, Spec
from .._zones import ALL_ADDRESSES
from .facts import ZONE_SPEC
from .options import desire
from .plan import TASKS, plan, secrets
from .read import read

TASK = CompositeTask(
    name="zone_observability",
    spec=Spec(options=ZONE_SPEC),
    desire=desire,
    read=read,
    compose=plan,
    parts=TASKS,
    secrets=secrets,
    approvable=False,
    addresses=ALL_ADDRESSES,
)
