# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ...module_utils._core import Conclusion
from ...module_utils._engine.task import ArgumentSpec, LocalTask, Params, Spec
from .document import DEFAULT_MAX_GAP_DAYS
from .document import Desired as Document
from .document import desire as desire_document
from .report import report as write_document
from .verification import Archive, desire, report

_ARCHIVE: ArgumentSpec = {"evidence_dir": {"type": "path", "required": True}, "expected_heads": {"type": "dict"}}


class ScriptEvidenceInfo(LocalTask[Archive]):
    name = "script_evidence_info"
    spec = Spec(options=_ARCHIVE)

    def desire(self, params: Params) -> Archive:
        return desire(params)

    def report(self, desired: Archive) -> Conclusion:
        return report(desired)


TASK = ScriptEvidenceInfo()


class EvidenceReport(LocalTask[Document]):
    """The document of a period. It is written in check mode too, and nothing else is changed."""

    name = "evidence_report"
    spec = Spec(
        options={
            **_ARCHIVE,
            "dest": {"type": "path", "required": True},
            "since": {"type": "str"},
            "until": {"type": "str"},
            "zone_names": {"type": "dict"},
            "max_gap_days": {"type": "float", "default": DEFAULT_MAX_GAP_DAYS},
            "title": {"type": "str"},
            "at": {"type": "str"},
        }
    )

    def desire(self, params: Params) -> Document:
        return desire_document(params)

    def report(self, desired: Document) -> Conclusion:
        return write_document(desired)


REPORT_TASK = EvidenceReport()
