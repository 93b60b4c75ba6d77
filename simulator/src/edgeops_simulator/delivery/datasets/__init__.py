# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t
from types import MappingProxyType

from edgeops_simulator.delivery.datasets import account, events, http_requests

Fields = t.Mapping[str, str]
_OF_ZONES: t.Mapping[str, Fields] = {
    "http_requests": http_requests.FIELDS,
    "firewall_events": events.FIREWALL_EVENTS,
    "dns_logs": events.DNS_LOGS,
    "page_shield_events": events.PAGE_SHIELD_EVENTS,
    "nel_reports": events.NEL_REPORTS,
}
# A job of an account covers all its zones, so that its records contain the zone.
_OF_ACCOUNTS: t.Mapping[str, Fields] = {
    **account.FIELDS,
    "firewall_events": {**events.FIREWALL_EVENTS, "ZoneName": "Name of the zone."},
}
BOTH = ("firewall_events", "websocket_analytics")
ZONE_ONLY = (
    "http_requests",
    "dns_logs",
    "nel_reports",
    "page_shield_events",
    "spectrum_events",
    "zaraz_events",
    "account_abuse_protection_events",
)
ACCOUNT_ONLY = (
    "access_requests",
    "ai_gateway_events",
    "audit_logs",
    "audit_logs_v2",
    "biso_user_actions",
    "casb_findings",
    "device_posture_results",
    "dex_application_tests",
    "dex_device_state_events",
    "dlp_forensic_copies",
    "dns_firewall_logs",
    "email_security_alerts",
    "email_security_post_delivery_events",
    "gateway_dns",
    "gateway_http",
    "gateway_network",
    "ipsec_logs",
    "magic_bgp_logs",
    "magic_ids_detections",
    "mcp_portal_logs",
    "mnm_flow_logs",
    "network_analytics_logs",
    "sinkhole_http_logs",
    "ssh_logs",
    "turnstile_events",
    "warp_config_changes",
    "warp_toggle_changes",
    "workers_trace_events",
    "zero_trust_network_sessions",
)
TIMES = ("EdgeStartTimestamp", "EdgeEndTimestamp")


def fields(dataset: str, own: t.Mapping[str, Fields] = MappingProxyType({}), scope: str = "zone") -> Fields | None:
    """Return the fields of a dataset with their descriptions, those of the zone or account first; None if they are not known."""
    return own.get(dataset) or (_OF_ACCOUNTS if scope == "account" else _OF_ZONES).get(dataset)


def is_of_other_scope(dataset: str, scope: str) -> bool:
    """Return whether a known dataset exists for the other scope only; an unknown one may be new."""
    return dataset in (ZONE_ONLY if scope == "account" else ACCOUNT_ONLY)
