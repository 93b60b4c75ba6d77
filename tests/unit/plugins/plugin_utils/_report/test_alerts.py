# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.plugin_utils._report.alerts import watchers

OLD, NEW = "2026-10-01T00:00:00Z", "2026-10-02T00:00:00Z"
POLICY: dict[str, t.Any] = {"name": "n", "enabled": True, "alert_type": "x", "mechanisms": {"email": ["a", "b"], "webhooks": []}}
WEBHOOK = {"id": "w", "name": "Chat", "last_success": OLD, "last_failure": None}


@pytest.mark.parametrize(
    ("changes", "webhook", "watched"),
    [
        ({}, {}, True),
        ({"enabled": False}, {}, False),
        ({"alert_type": "y"}, {}, False),
        ({"mechanisms": {}}, {}, False),
        ({"mechanisms": {"email": []}}, {}, False),
        ({"mechanisms": {"webhooks": ["w"]}}, {}, True),
        ({"mechanisms": {"webhooks": ["w"]}}, {"last_failure": NEW, "last_success": OLD}, False),
        ({"mechanisms": {"webhooks": ["w"]}}, {"last_failure": NEW, "last_success": None}, False),
        ({"mechanisms": {"webhooks": ["w"]}}, {"last_failure": OLD, "last_success": NEW}, True),
        ({"mechanisms": {"webhooks": ["w", "v"]}}, {"last_failure": NEW}, True),
        ({"mechanisms": {"webhooks": ["w"], "email": ["a"]}}, {"last_failure": NEW}, True),
    ],
)
def test_alert_is_watched_if_a_recipient_is_reached(changes: t.Any, webhook: t.Any, watched: bool) -> None:
    """A webhook whose last delivery failed does not count as a recipient."""
    reached, lost = watchers(("x",), [{**POLICY, **changes}], [{**WEBHOOK, **webhook}])
    assert bool(reached) is watched and not (reached and lost)
    assert bool(lost) is bool("last_failure" in webhook and not watched)
