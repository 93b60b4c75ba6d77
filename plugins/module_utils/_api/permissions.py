# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

# What a token needs to read each product, as the list of permissions of Cloudflare names it (read 2026-10: Logpush permissions,
# Client-side security roles and permissions, GraphQL Analytics API, `x-api-token-group` of the OpenAPI description).


class Permission(t.NamedTuple):
    """The name of a permission, and where it is ticked in the form in which tokens are made."""

    name: str
    form: str


READ: t.Mapping[str, Permission] = {
    "zones": Permission("Zone Read", "Zone: Read"),
    "accounts": Permission("Account Settings Read", "Account Settings: Read"),
    "custom_fields": Permission("Logs Read", "Logs: Read"),
    # Logs Read is not enough: every route of Logpush needs Logs Write, also to read.
    "jobs": Permission("Logs Write", "Logs: Edit"),
    "script_monitor": Permission("Page Shield Read", "Page Shield: Read"),
    "scripts": Permission("Page Shield Read", "Page Shield: Read"),
    "content_security_rules": Permission("Page Shield Read", "Page Shield: Read"),
    "delivery": Permission("Account Analytics Read", "Account Analytics: Read"),
    "transformers": Permission("Logs Write", "Logs: Edit"),
    "notifications": Permission("Notifications Read", "Notifications: Read"),
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
    """Return the permission that reading a product needs, by its name or else by the path of a request; None if it is not known."""
    named = next((_PRODUCTS[segment] for segment in path.split("/") if segment in _PRODUCTS), None)
    if named is None and path.strip("/").count("/") <= 1 and path.startswith("/zones"):
        named = "zones"
    permission = READ.get(named or product)
    return permission.name if permission else None
