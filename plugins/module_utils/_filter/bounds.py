# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The limits that the service documents, each once; the sizes that nobody documents are the client's own.
MAX_FILTER_OPERATORS = 30
MAX_FILTER_BYTES = 1000
CUSTOM_FIELD_LIMIT = 40
MALICIOUS_THRESHOLD = 50
MAX_PER_PAGE = 100

# An answer above this size is not read to its end.
MAX_BODY_BYTES = 64 * 1024 * 1024
