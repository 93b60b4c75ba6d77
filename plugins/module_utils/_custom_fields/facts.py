# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

# Custom log fields are the parameters of one rule action in one phase of the zone's own ruleset.
PHASE = "http_log_custom_fields"
RULESET_KIND = "zone"
ACTION = "log_custom_field"
EXPRESSION = "true"

REQUEST_FIELDS = "request_fields"
TRANSFORMED_REQUEST_FIELDS = "transformed_request_fields"
RESPONSE_FIELDS = "response_fields"
RAW_RESPONSE_FIELDS = "raw_response_fields"
COOKIE_FIELDS = "cookie_fields"
FIELD_KINDS = (REQUEST_FIELDS, TRANSFORMED_REQUEST_FIELDS, RESPONSE_FIELDS, RAW_RESPONSE_FIELDS, COOKIE_FIELDS)
REQUEST_KINDS = (REQUEST_FIELDS, TRANSFORMED_REQUEST_FIELDS)
RESPONSE_KINDS = (RESPONSE_FIELDS, RAW_RESPONSE_FIELDS)

# The service logs a header as it was received or as it was transformed, never both: (raw, transformed).
RAW_AND_TRANSFORMED = ((REQUEST_FIELDS, TRANSFORMED_REQUEST_FIELDS), (RAW_RESPONSE_FIELDS, RESPONSE_FIELDS))

# Without this flag only the first value of a repeated response header is logged.
PRESERVE_DUPLICATES: t.Final = "preserve_duplicates"

# Request headers that Cloudflare accepts as custom fields but does not log.
NEVER_LOGGED = frozenset(("range",))

# Members that the service sets and does not accept in a write.
SERVER_MADE = frozenset(("version", "last_updated"))

DEFAULT_DESCRIPTION = "Custom log fields"
DEFAULT_RULESET_NAME = "Zone-level phase entry point"
DEFAULT_RULESET_DESCRIPTION = "Custom log fields of this zone"

# RFC 9110, section 5.6.2; match before lower-casing, which turns some letters outside ASCII into ASCII.
HEADER_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
COOKIE_SEPARATORS = frozenset("=;,")

# Maximum in total, and of each type on Cloudflare (documentation of custom fields, limitations; 2026-10).
MAX_CUSTOM_FIELDS = 40
MAX_CUSTOM_FIELDS_EACH = 100
