# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.facts import (
    COOKIE_FIELDS,
    PRESERVE_DUPLICATES,
    RAW_RESPONSE_FIELDS,
    REQUEST_FIELDS,
    RESPONSE_FIELDS,
    TRANSFORMED_REQUEST_FIELDS,
)

# The parts of a zone, by the names that results, diffs and approvals give them.
CUSTOM_FIELDS, JOBS, SCRIPT_MONITOR = PARTS = ("custom_fields", "jobs", "script_monitor")

# The lists of custom fields, and what the module of a single resource calls them.
LISTS: t.Mapping[str, str] = {
    "request_headers": REQUEST_FIELDS,
    "response_headers": RESPONSE_FIELDS,
    "cookies": COOKIE_FIELDS,
    "transformed_request_headers": TRANSFORMED_REQUEST_FIELDS,
    "raw_response_headers": RAW_RESPONSE_FIELDS,
}
ALL_LISTS: t.Mapping[str, str] = {**LISTS, PRESERVE_DUPLICATES: PRESERVE_DUPLICATES}
# If these are given and no list holds a name, `state: absent` removes every custom field.
EVERY_TYPE = ("request_headers", "response_headers", "cookies")
