# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json


def render(report: t.Mapping[str, Json]) -> bytes:
    """The report as ASCII JSON, the same bytes for equal reports."""
    return (json.dumps(report, sort_keys=True, indent=1) + "\n").encode("ascii")
