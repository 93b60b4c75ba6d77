# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

SCHEMA_VERSION = "1.0"
SCHEMA_MAJOR = "1"
DEFAULT_TITLE = "Fleet audit"

# The file of each format.
FILES: t.Mapping[str, str] = {
    "json": "report.json",
    "html": "report.html",
    "junit": "report.xml",
    "markdown": "report.md",
    "metrics": "report.prom",
}
DEFAULT_FORMATS = ("json", "html", "junit")

COMPLIANT, DRIFTED, UNAUDITED, UNMANAGED = "compliant", "drifted", "unaudited", "unmanaged"
STATUSES = (COMPLIANT, DRIFTED, UNAUDITED, UNMANAGED)
OUTCOMES = (UNAUDITED, "findings", DRIFTED, UNMANAGED, "clean")

DIFFERENCE, FINDING, NOTE = "difference", "finding", "note"
KINDS = (DIFFERENCE, FINDING, NOTE)

# What the role manages, and what else an audit looks at.
MANAGED = ("custom_fields", "jobs", "script_monitor")
OBSERVED = ("scripts", "health", "coverage")
RESOURCES = (*MANAGED, *OBSERVED, "fields")

SEVERITIES = ("high", "medium", "low", "info")
# A kind of finding that is not listed is one of a later version: it is taken for serious.
SCRIPT_SEVERITIES: t.Mapping[str, str] = {
    "malicious": "high",
    "reported": "high",
    "changed": "high",
    "new": "high",
    "monitor_off": "high",
    "history_broken": "high",
    "unverified": "medium",
    "expired": "medium",
    "unjustified": "medium",
    "gone": "medium",
    "nothing_seen": "medium",
    "evidence_gap": "medium",
    "unused": "info",
}

# What `fail_on` may name, with the member of `counts` that decides.
GATES: t.Mapping[str, str] = {
    "drifted": "differences",
    "finding": "findings",
    "unaudited": "unaudited",
    "unmanaged": "unmanaged",
}

MAX_MARKDOWN_CHARACTERS = 60_000
