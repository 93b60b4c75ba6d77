# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.front.call import MOST
from edgeops_simulator.schemas.answers import TEXT, Schema

_PAGE: Schema = {"page": {"type": "integer", "minimum": 1, "maximum": MOST}}
DRY_RUN: Schema = {"dry_run": {"enum": ["true", "false"]}}
SCRIPTS: Schema = {"hosts": TEXT, "status": TEXT, **_PAGE, "per_page": {"type": "integer", "minimum": 1, "maximum": 100}}
_SHIELD: Schema = {
    "per_page": SCRIPTS["per_page"],
    "page": {"anyOf": [_PAGE["page"], {"const": "all"}]},
    **dict.fromkeys(("hosts", "page_url", "order_by", "direction"), TEXT),
}
CONNECTIONS: Schema = {
    **_SHIELD,
    **dict.fromkeys(("status", "urls", "exclude_urls", "exclude_cdn_cgi", "prioritize_malicious"), TEXT),
}
PAGE_SHIELD_SCRIPTS: Schema = {**CONNECTIONS, "exclude_duplicates": TEXT}
COOKIES: Schema = {**_SHIELD, **dict.fromkeys(("name", "secure", "http_only", "same_site", "type", "path", "domain"), TEXT)}
ACCOUNTS: Schema = {
    **_PAGE,
    "per_page": {"type": "integer", "minimum": 5, "maximum": 50},
    **dict.fromkeys(("name", "direction"), TEXT),
}
ZONES: Schema = {
    **_PAGE,
    "per_page": {"type": "integer", "minimum": 5, "maximum": 50},
    **dict.fromkeys(("name", "status", "account.id", "account.name", "order", "direction"), TEXT),
}
HISTORY: Schema = {
    **_PAGE,
    "per_page": {"type": "integer", "minimum": 5, "maximum": 1000},
    **dict.fromkeys(("since", "before"), TEXT),
}
