# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the JSON Schema of reports that the collection ships, from the one that `audit_report` uses."""

from __future__ import annotations

import json
import pathlib

from ansible_collections.edgeops.observability.plugins.plugin_utils._report.earlier import REPORT

SCHEMA = pathlib.Path(__file__).resolve().parents[1] / "extensions" / "schemas" / "audit-report-1.json"


def text() -> str:
    """Return the content of the file."""
    return json.dumps(REPORT, indent=2) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(text(), encoding="utf-8")
