# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._address import ACCOUNT

# What a token needs to read each product, as the list of permissions of Cloudflare names it (read 2026-10: Logpush permissions,
# Client-side security roles and permissions, GraphQL Analytics API, `x-api-token-group` of the OpenAPI description).
READ: t.Mapping[str, str] = {
    "zones": "Zone Read",
    # Not documented; the permission that shows an account.
    "accounts": "Account Settings Read",
    "custom_fields": "Logs Read",
    # Logs Read is not enough: every route of Logpush needs Logs Write, also to read.
    "jobs": "Logs Write",
    "script_monitor": "Page Shield Read",
    "scripts": "Page Shield Read",
    "content_security_rules": "Page Shield Read",
    "delivery": "Account Analytics Read",
    "transformers": "Logs Write",
    "notifications": "Notifications Read",
}
# The product of a path, by the first of its segments that is here.
_PRODUCTS: t.Mapping[str, str] = {
    "logpush": "jobs",
    "rulesets": "custom_fields",
    "script_monitor": "script_monitor",
    "page_shield": "script_monitor",
    "graphql": "delivery",
    "alerting": "notifications",
}


def permission_for(product: str, path: str = "") -> str | None:
    """Return the permission that reading a product needs, by the path of a request or else by its name; None if it is not known."""
    named = next((_PRODUCTS[segment] for segment in path.split("/") if segment in _PRODUCTS), None)
    if named is None and path.startswith("/zones") and path.count("/") <= 2:
        named = "zones"
    return READ.get(named or product)


def in_form(permission: str, scope: str) -> str:
    """Return where a permission is ticked in the form in which tokens are made, which calls Write Edit."""
    group, _blank, level = permission.rpartition(" ")
    owner = "Account" if scope == ACCOUNT or group.startswith("Account") else "Zone"
    return f"{owner} > {group} > {'Edit' if level == 'Write' else level}"
