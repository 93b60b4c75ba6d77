# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ...module_utils._core import Conclusion
from ...module_utils._engine.task import LocalTask, Params, Spec
from .audit import audit
from .facts import DEFAULT_FORMATS, DEFAULT_KEEP, FILES, GATES
from .options import Order, desire
from .waivers import MEMBERS


class AuditReport(LocalTask[Order]):
    name = "audit_report"
    spec = Spec(
        options={
            "zones": {"type": "list", "elements": "dict", "required": True},
            "expected": {"type": "list", "elements": "str"},
            "dest": {"type": "path", "required": True},
            "formats": {"type": "list", "elements": "str", "choices": list(FILES), "default": list(DEFAULT_FORMATS)},
            "previous": {"type": "path"},
            "merge": {"type": "list", "elements": "path", "default": []},
            "waivers": {
                "type": "list",
                "elements": "dict",
                "default": [],
                "options": {name: {"type": "str"} for name in MEMBERS},
            },
            "required_fields": {"type": "dict", "default": {}},
            "fail_on": {"type": "list", "elements": "str", "choices": list(GATES), "default": []},
            "at": {"type": "str"},
            "title": {"type": "str"},
            "survey": {"type": "bool", "default": False},
            "keep": {"type": "int", "default": DEFAULT_KEEP},
            "validate_only": {"type": "bool", "default": False},
        },
    )

    def desire(self, params: Params) -> Order:
        return desire(params)

    def report(self, desired: Order) -> Conclusion:
        return audit(desired)


TASK = AuditReport()
