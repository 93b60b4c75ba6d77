# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._address import ACCOUNT


class Needed(t.NamedTuple):
    """The permissions that a token needs to read and to change a product; `write` is empty for a product that is only read."""

    read: str
    write: str = ""


# As the list of permissions of Cloudflare names them (read 2026-10: Logpush permissions, Client-side security roles and permissions,
# GraphQL Analytics API, `x-api-token-group` of the OpenAPI description).
NEEDED: t.Mapping[str, Needed] = {
    "zones": Needed("Zone Read"),
    # Not documented; known from use.
    "accounts": Needed("Account Settings Read"),
    "custom_fields": Needed("Logs Read", "Logs Write"),
    # Logs Read is not enough: every route of Logpush needs Logs Write, also to read.
    "jobs": Needed("Logs Write", "Logs Write"),
    "script_monitor": Needed("Page Shield Read", "Page Shield Write"),
    "scripts": Needed("Page Shield Read"),
    "content_security_rules": Needed("Page Shield Read", "Page Shield Write"),
    "delivery": Needed("Account Analytics Read"),
    "transformers": Needed("Logs Write", "Logs Write"),
    "boundary": Needed("Logs Read", "Logs Write"),
    "notifications": Needed("Notifications Read", "Notifications Write"),
}
# The product of a path, by the first of its segments that is here.
_PRODUCTS: t.Mapping[str, str] = {
    "logpush": "jobs",
    "rulesets": "custom_fields",
    "script_monitor": "script_monitor",
    "page_shield": "script_monitor",
    "graphql": "delivery",
    "alerting": "notifications",
    "cmb": "boundary",
}


def needed_for(product: str, path: str = "") -> Needed | None:
    """Return the permissions for a product, by the path of a request or else by its name; None if they are not known."""
    named = next((_PRODUCTS[segment] for segment in path.split("/") if segment in _PRODUCTS), None)
    if named is None and path.startswith("/zones") and path.count("/") <= 2:
        named = "zones"
    return NEEDED.get(named or product)


def permission_for(product: str, path: str = "") -> str | None:
    """Return the permission that reading a product needs, found as in `needed_for`."""
    needed = needed_for(product, path)
    return needed.read if needed else None


def in_form(permission: str, scope: str) -> str:
    """Return where a permission is ticked in the form in which tokens are made, which calls Write Edit."""
    group, _blank, level = permission.rpartition(" ")
    owner = "Account" if scope == ACCOUNT or group.startswith("Account") else "Zone"
    return f"{owner} > {group} > {'Edit' if level == 'Write' else level}"


def is_unentitled(text: str) -> bool:
    """Return whether the service says that the plan does not have something, which no permission changes."""
    return "not entitled" in text.lower()
