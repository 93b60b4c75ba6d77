# SPDX-License-Identifier: GPL-3.0-or-later

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._api.permissions import in_form, permission_for


@pytest.mark.parametrize(
    ("product", "path", "permission"),
    [
        ("jobs", "", "Logs Write"),
        ("result", "/zones/0a/logpush/jobs/4", "Logs Write"),
        ("result", "/zones/0a/rulesets/phases/x/entrypoint", "Logs Read"),
        ("result", "/zones/0a/page_shield", "Page Shield Read"),
        ("result", "/accounts/0a/alerting/v3/policies", "Notifications Read"),
        ("result", "/zones", "Zone Read"),
        ("result", "/zones/0a", "Zone Read"),
        ("delivery", "/graphql", "Account Analytics Read"),
        ("result", "/elsewhere", None),
    ],
)
def test_product_or_path_needs_its_permission(product, path, permission):
    assert permission_for(product, path) == permission


@pytest.mark.parametrize(
    ("permission", "scope", "form"),
    [
        ("Logs Write", "zone", "Zone > Logs > Edit"),
        ("Logs Write", "account", "Account > Logs > Edit"),
        ("Page Shield Read", "zone", "Zone > Page Shield > Read"),
        ("Account Analytics Read", "zone", "Account > Account Analytics > Read"),
    ],
)
def test_permission_is_shown_in_the_form_of_the_dashboard(permission, scope, form):
    assert in_form(permission, scope) == form
