# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ...module_utils._engine.task import LocalTask, Spec
from .verification import desire, report

TASK = LocalTask(
    name="script_evidence_info",
    spec=Spec(options={"evidence_dir": {"type": "path", "required": True}, "expected_heads": {"type": "dict"}}),
    desire=desire,
    report=report,
)
