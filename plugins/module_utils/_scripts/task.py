# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from .._engine.task import Spec, StateTask
from .facts import AUTO, ROUTE_CHOICES
from .monitor import conclude, desire, plan
from .read import monitor

TASK = StateTask(
    name="script_monitor",
    spec=Spec(
        options={
            "enabled": {"type": "bool", "required": True},
            "route": {"type": "str", "choices": list(ROUTE_CHOICES), "default": AUTO},
        },
    ),
    desire=desire,
    read=lambda client, desired: monitor(client, desired.route),
    plan=plan,
    conclude=conclude,
)
