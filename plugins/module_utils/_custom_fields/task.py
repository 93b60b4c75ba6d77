# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import HOLDS_DATA, STATE_OPTION
from .._engine.task import Spec, StateTask
from .facts import DEFAULT_RULESET_DESCRIPTION, DEFAULT_RULESET_NAME, FIELD_KINDS, PRESERVE_DUPLICATES
from .options import DesiredCustomFields, desire
from .plan import plan
from .read import read
from .result import conclude, option_of
from .state import Ruleset


class LogCustomFields(StateTask[DesiredCustomFields, t.Optional[Ruleset]]):  # noqa: UP045  # the linter of ansible-test knows no other form
    """The custom log fields of a zone."""

    name = "log_custom_fields"
    spec = Spec(
        options={
            **STATE_OPTION,
            **{name: {"type": "list", "elements": "str", HOLDS_DATA: True} for name in (*FIELD_KINDS, PRESERVE_DUPLICATES)},
            "purge": {"type": "bool", "default": True},
            "description": {"type": "str", HOLDS_DATA: True},
            "ruleset_name": {"type": "str", "default": DEFAULT_RULESET_NAME},
            "ruleset_description": {"type": "str", "default": DEFAULT_RULESET_DESCRIPTION},
            "field_limit": {"type": "int"},
        },
    )

    desire = staticmethod(desire)
    read = staticmethod(read)
    plan = staticmethod(plan)
    conclude = staticmethod(conclude)
    option_of = staticmethod(option_of)


TASK = LogCustomFields()
