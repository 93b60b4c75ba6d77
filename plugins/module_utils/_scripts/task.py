# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from .._api.client import Client
from .._engine.run import Run
from .._engine.task import Spec, StateTask, Task
from .audit import desire as desire_audit
from .facts import ALL, DEFAULT_MAX_GAP_DAYS, DEFAULT_STATUSES, MALICIOUS_OPTIONS, ROUTE_OPTION, SCRIPT_FINDINGS
from .monitor import Desired, MonitorState, conclude, desire, plan
from .read import Service, monitor


class ScriptMonitor(StateTask[Desired, MonitorState]):
    """The script monitor of a zone."""

    name = "script_monitor"
    spec = Spec(
        options={"enabled": {"type": "bool", "required": True}, **ROUTE_OPTION},
    )

    desire = staticmethod(desire)

    def read(self, client: Client, desired: Desired) -> MonitorState:
        return monitor(client, desired.route)

    plan = staticmethod(plan)
    conclude = staticmethod(conclude)


TASK = ScriptMonitor()


class ScriptAudit(Task):
    """The audit of a zone's scripts. It writes nothing to the service, and keeps its evidence in check mode too."""

    name = "script_audit"
    spec = Spec(
        options={
            "baseline": {"type": "raw", "required": True},
            "fail_on": {"type": "list", "elements": "str", "choices": [ALL, *SCRIPT_FINDINGS], "default": []},
            "details": {"type": "str", "choices": ["findings", "none", "all"], "default": "findings"},
            "evidence_dir": {"type": "path"},
            "expected_head": {"type": "str"},
            "max_gap_days": {"type": "float", "default": DEFAULT_MAX_GAP_DAYS},
            "at": {"type": "str"},
            "hosts": {"type": "list", "elements": "str"},
            "pages": {"type": "list", "elements": "str", "default": []},
            "status": {"type": "list", "elements": "str", "default": list(DEFAULT_STATUSES)},
            **MALICIOUS_OPTIONS,
            **ROUTE_OPTION,
        },
        required_by={"expected_head": ["evidence_dir"]},
    )

    def perform(self, run: Run) -> None:
        """Audit, keep the evidence, and report."""
        audit = desire_audit(run.params)
        run.report(audit.perform(Service(run.connect(self.addresses))))


AUDIT_TASK = ScriptAudit()
