# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from .._address import ZONE_ID, need_id
from .._chain.evidence import unless_overtaken
from .._chain.kinds import PAGES
from .._core import HOLDS_DATA, TEXT_MEMBER
from .._engine.run import Run
from .._engine.task import Params, Spec, Task
from .audit import Audit
from .facts import ALL, COMPARED_HEADERS, DEFAULT_FETCHES, DEFAULT_MAX_BYTES, DEFAULT_TIMEOUT, PAGE_FINDINGS
from .options import desire
from .request_headers import secrets_of_pages
from .tree import missing_parser


class PageAudit(Task):
    """The audit of the pages of a zone. It never asks the service, and keeps its evidence in check mode too."""

    name = "page_audit"
    addresses = (ZONE_ID,)
    asks_service = False
    spec = Spec(
        options={
            "pages": {
                "type": "list",
                "elements": "dict",
                "required": True,
                TEXT_MEMBER: "url",
                "options": {
                    "url": {"type": "str", "required": True},
                    "har": {"type": "path"},
                    "request_headers": {"type": "dict", "no_log": True},
                },
            },
            "baseline": {"type": "raw", "required": True, HOLDS_DATA: True},
            "script_baseline": {"type": "raw", "default": [], HOLDS_DATA: True},
            "headers": {"type": "list", "elements": "str", "default": list(COMPARED_HEADERS)},
            "fetches": {"type": "int", "default": DEFAULT_FETCHES},
            "timeout": {"type": "float", "default": DEFAULT_TIMEOUT},
            "max_bytes": {"type": "int", "default": DEFAULT_MAX_BYTES},
            "user_agent": {"type": "str"},
            "validate_certs": {"type": "bool", "default": True},
            "ca_path": {"type": "path"},
            "fail_on": {"type": "list", "elements": "str", "choices": [ALL, *PAGE_FINDINGS], "default": []},
            "evidence_dir": {"type": "path"},
            "expected_head": {"type": "str"},
            "max_gap_days": {"type": "float", "default": PAGES.max_gap_days},
            "at": {"type": "str"},
        },
        required_by={"expected_head": ["evidence_dir"]},
    )

    @classmethod
    def secrets_in(cls, arguments: Params) -> set[str]:
        """Return the credentials among the request headers; what else they say is in addresses and sentences, too."""
        return secrets_of_pages(arguments.get("pages"))

    def perform(self, run: Run) -> None:
        """Audit, keep the evidence, and report."""
        missing = missing_parser("pages")
        if missing:
            raise missing
        zone_id = need_id(ZONE_ID, run.params[ZONE_ID]) if run.params[ZONE_ID] else None
        if zone_id:
            run.result[ZONE_ID] = zone_id
        run.secrets |= self.secrets_in(run.params)
        audit = Audit(desire(run.params), zone_id)
        run.report(unless_overtaken(lambda: audit.perform(run.secrets)))


TASK = PageAudit()
