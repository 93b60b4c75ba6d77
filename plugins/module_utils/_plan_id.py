# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import json

from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json, Plan, Request


def plan_id(zone_id: str | None, plan: Plan) -> str:
    """A digest (`sha256:` and 64 hexadecimal digits) of the managed state that was read and of the writes that would follow.

    Equal inputs give equal digests on every machine and in every mode, so a check run can be approved and applied exactly.
    """
    content = {
        "zone_id": zone_id,
        "basis": plan.basis,
        "requests": [_content(request) for request in plan.requests],
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _content(request: Request) -> dict[str, Json]:
    """What of a request is approved: neither other objects that its body carries along nor words for a failure."""
    content: dict[str, Json] = {**request._asdict(), "ids": dict(request.ids)}
    del content["if_it_fails"]
    digested = content.pop("digested")
    return content if digested is None else {**content, "body": digested}
