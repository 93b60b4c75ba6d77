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
def test_permission_of_a_product_or_a_path(product, path, permission):
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
def test_permission_in_the_dashboard_form(permission, scope, form):
    assert in_form(permission, scope) == form
