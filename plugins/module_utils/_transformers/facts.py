# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._observed import Meaning

# Limits of Cloudflare's API (logs/logpush/transformers, October 2026). Its types allow 32,768 bytes of SQL, its documentation 10 KB.
MAX_NAME_BYTES = 255
MAX_SQL_BYTES = 10_240
MAX_DESCRIPTION_LENGTH = 4096

# Members that an answer may lack (or have as null), and what that means; anything else that is missing is not known.
_TYPES = "cloudflare-go v7, logpush/transformer.go (read 2026-11)"
MAY_BE_ABSENT: t.Mapping[str, Meaning] = {
    "transformers[].description": Meaning("", f"{_TYPES}: optional"),
    "transformers[].dataset": Meaning(None, f"{_TYPES}: absent if it cannot be determined from the query"),
    # A name of a job is for people only.
    "transformers[].associated_jobs[].name": Meaning(None, "jobs need no name (logs/logpush API reference)"),
}
