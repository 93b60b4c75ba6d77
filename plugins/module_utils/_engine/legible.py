# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person reads of a failure: a bounded text that quotes no secret."""

from __future__ import annotations

import os

from ansible_collections.edgeops.observability.plugins.module_utils._destination.text import without_secrets
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

# The most of the service's words that a person reads; only what has been searched for secrets may be cut.
_LONGEST_TEXT = 2000


def legible(result: dict[str, Json]) -> dict[str, Json]:
    """A failure with the service's words in it at a readable length, and without addresses' secrets."""
    errors = [{**error, "message": _shortened(error["message"])} for error in result["error"]["errors"]]
    return {**result, "msg": _shortened(result["msg"]), "error": {**result["error"], "errors": errors}}


def _shortened(text: str) -> str:
    return without_secrets(text)[:_LONGEST_TEXT]


def place_of(error: Exception) -> str:
    """Type and line of an unforeseen exception; its text is left out because it may quote a secret."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "an unknown place"
    return f"{type(error).__name__} at {where}. Please report this."
