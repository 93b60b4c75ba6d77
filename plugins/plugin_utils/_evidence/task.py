# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from ...module_utils._core import Conclusion
from ...module_utils._engine.task import ArgumentSpec, DocumentTask, LocalTask, Params, Spec
from .document import DesiredEvidence, Document
from .document import desire as desire_document
from .report import compose, conclude, write
from .verification import Archive, desire, report

_ARCHIVE: ArgumentSpec = {"evidence_dir": {"type": "path", "required": True}, "expected_heads": {"type": "dict"}}


class ScriptEvidenceInfo(LocalTask[Archive]):
    name = "script_evidence_info"
    spec = Spec(options=_ARCHIVE)

    def __init__(self, zone_names: t.Mapping[str, str] = types.MappingProxyType({})) -> None:
        """`zone_names` are the names of zones in the inventory, by id."""
        self._zone_names = zone_names

    desire = staticmethod(desire)

    def report(self, desired: Archive) -> Conclusion:
        return report(desired, self._zone_names)


class EvidenceReport(DocumentTask[DesiredEvidence, Document, list[str]]):
    """The document of a period. It is written in check mode too, and nothing else is changed."""

    name = "evidence_report"
    spec = Spec(
        options={
            **_ARCHIVE,
            "dest": {"type": "path", "required": True},
            "since": {"type": "str"},
            "until": {"type": "str"},
            "zone_names": {"type": "dict"},
            "max_gap_days": {"type": "float"},
            "title": {"type": "str"},
            "at": {"type": "str"},
        }
    )

    def __init__(self, zone_names: t.Mapping[str, str] = types.MappingProxyType({})) -> None:
        """`zone_names` are the names of zones in the inventory, by id."""
        self._zone_names = zone_names

    def desire(self, params: Params) -> DesiredEvidence:
        return desire_document(params, self._zone_names)

    compose = staticmethod(compose)
    write = staticmethod(write)

    def conclude(self, desired: DesiredEvidence, document: Document, written: list[str]) -> Conclusion:  # as the engine calls it
        return conclude(document, written)
