# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._api.client import Client
from .._core import STATE_OPTION, Answer, Conclusion, Plan
from .._engine.task import Params, Spec, StateTask
from .facts import DEFAULT_RULESET_DESCRIPTION, DEFAULT_RULESET_NAME, FIELD_KINDS, PRESERVE_DUPLICATES
from .options import DesiredCustomFields, desire
from .plan import plan
from .read import read
from .result import conclude
from .state import Ruleset


class LogCustomFields(StateTask[DesiredCustomFields, "Ruleset | None"]):
    """The custom log fields of a zone."""

    name = "log_custom_fields"
    spec = Spec(
        options={
            **STATE_OPTION,
            **{name: {"type": "list", "elements": "str"} for name in (*FIELD_KINDS, PRESERVE_DUPLICATES)},
            "purge": {"type": "bool", "default": True},
            "description": {"type": "str"},
            "ruleset_name": {"type": "str", "default": DEFAULT_RULESET_NAME},
            "ruleset_description": {"type": "str", "default": DEFAULT_RULESET_DESCRIPTION},
            "field_limit": {"type": "int"},
        },
    )

    def desire(self, params: Params) -> DesiredCustomFields:
        return desire(params)

    def read(self, client: Client, desired: DesiredCustomFields) -> Ruleset | None:
        return read(client, desired)

    def plan(self, desired: DesiredCustomFields, state: Ruleset | None) -> Plan:
        return plan(desired, state)

    def conclude(
        self, desired: DesiredCustomFields, state: Ruleset | None, plan: Plan, answers: t.Sequence[Answer]
    ) -> Conclusion:
        return conclude(desired, state, plan, answers)


TASK = LogCustomFields()
