# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Limits of Cloudflare's API (logs/logpush/transformers, October 2026). Its types allow 32,768 bytes of SQL, its documentation 10 KB.
MAX_NAME_BYTES = 255
MAX_SQL_BYTES = 10_240
MAX_DESCRIPTION_LENGTH = 4096
