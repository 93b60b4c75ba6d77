# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ...module_utils._core import Conclusion
from ...module_utils._engine.task import LocalTask, Params, Spec
from .verification import Archive, desire, report


class ScriptEvidenceInfo(LocalTask[Archive]):
    name = "script_evidence_info"
    spec = Spec(options={"evidence_dir": {"type": "path", "required": True}, "expected_heads": {"type": "dict"}})

    def desire(self, params: Params) -> Archive:
        return desire(params)

    def report(self, desired: Archive) -> Conclusion:
        return report(desired)


TASK = ScriptEvidenceInfo()
