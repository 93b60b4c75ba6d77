# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import typing as t

from .._observed import Meaning

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

# Members that an answer may lack (or have as null), and what that means; anything else that is missing is not known.
_RULESETS = "Rulesets API reference (rulesets, read 2026-11)"
_PARAMETERS = "rulesets[].rules[].action_parameters"
MAY_BE_ABSENT: t.Mapping[str, Meaning] = {
    "rulesets[].kind": Meaning(RULESET_KIND, "the route of an entry point says it, and its answer need not"),
    "rulesets[].phase": Meaning(PHASE, "the route of an entry point says it, and its answer need not"),
    "rulesets[].rules[].description": Meaning("", f"{_RULESETS}: optional, omitted if it is empty"),
    "rulesets[].rules[].enabled": Meaning(True, f"{_RULESETS}: optional, true by default"),
    **{f"{_PARAMETERS}.{kind}": Meaning((), "none of this type (custom fields, API configuration)") for kind in FIELD_KINDS},
    **{
        f"{_PARAMETERS}.{kind}[].{PRESERVE_DUPLICATES}": Meaning(False, "false by default (custom fields)")
        for kind in FIELD_KINDS
    },
}
