# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ...module_utils._core import HOLDS_DATA, KEEPS_NULLS
from ...module_utils._engine.task import DocumentTask, Spec
from ...module_utils._logpush.costs import RATES_OPTION
from .._play.records import REGISTERED
from .facts import DEFAULT_FORMATS, DEFAULT_KEEP, DEFAULT_MAX_AGE_DAYS, DEFAULT_SILENT_DAYS, FILES, GATES
from .options import DesiredReport, desire
from .report import Composed, Written, compose, conclude, write
from .waivers import MEMBERS

# Patterns of what a service shows.
_OF_THE_SERVICE = ("member", "subject")


class AuditReport(DocumentTask[DesiredReport, Composed | None, Written]):
    name = "audit_report"
    spec = Spec(
        options={
            "zones": {"type": "list", "elements": "dict", KEEPS_NULLS: True, HOLDS_DATA: True},
            "registered": {"type": "dict", "options": {name: {"type": "str"} for name in REGISTERED}},
            "delivery": {"type": "bool", "default": False},
            "fields": {"type": "bool", "default": False},
            "monthly_budget_usd": {"type": "raw"},
            "rates": RATES_OPTION,
            "expected": {"type": "list", "elements": "str"},
            "dest": {"type": "path", "required": True},
            "formats": {"type": "list", "elements": "str", "choices": list(FILES), "default": list(DEFAULT_FORMATS)},
            "previous": {"type": "path"},
            "merge": {"type": "list", "elements": "path", "default": []},
            "max_age_days": {"type": "int", "default": DEFAULT_MAX_AGE_DAYS},
            "waivers": {
                "type": "list",
                "elements": "dict",
                "default": [],
                "options": {name: {"type": "str", HOLDS_DATA: name in _OF_THE_SERVICE} for name in MEMBERS},
            },
            "required_fields": {"type": "dict", "default": {}},
            "silent_after_days": {"type": "int", "default": DEFAULT_SILENT_DAYS},
            "fail_on": {"type": "list", "elements": "str", "choices": list(GATES), "default": []},
            "at": {"type": "str"},
            "title": {"type": "str"},
            "keep": {"type": "int", "default": DEFAULT_KEEP},
            "put_url": {"type": "str"},
            "put_headers": {"type": "dict", "no_log": True},
            "validate_only": {"type": "bool", "default": False},
            "reads_only": {"type": "bool", "default": False},
        },
    )

    desire = staticmethod(desire)
    compose = staticmethod(compose)
    write = staticmethod(write)
    conclude = staticmethod(conclude)


TASK = AuditReport()
