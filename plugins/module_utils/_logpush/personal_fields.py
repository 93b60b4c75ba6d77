# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .coverage import dataset_of, selected_fields, unreadable_content

# Fields that identify a person, or show what one person does or sends: online identifiers in the sense of GDPR Article 4(1) and
# recital 30, credentials, and captured content. A network as a whole (its AS number, its country) identifies nobody.
# Names: the page of each dataset below developers.cloudflare.com/logs/logpush/logpush-job/datasets, that of AI Gateway, and
# GET .../logpush/datasets/{dataset}/fields, read 2026-11. A dataset without a name has no such field.
PERSONAL_FIELDS: t.Mapping[str, str] = {
    # Of zones.
    "http_requests": "ClientIP ClientLatitude ClientLongitude ClientMTLSAuthCertFingerprint ClientRequestReferer ClientRequestURI"
    " ClientRequestUserAgent Cookies FraudUserID RequestHeaders",
    "dns_logs": "EDNSSubnet SourceIP",
    "nel_reports": "",
    "page_shield_events": "PageURL",
    "spectrum_events": "ClientIP",
    "zaraz_events": "Body EventDetails IP RequestHeaders URL",
    "account_abuse_protection_events": "ClientIP Email EphemeralID UserAgent UserID",
    # Of both.
    "firewall_events": "ClientIP ClientRefererPath ClientRefererQuery ClientRequestQuery ClientRequestUserAgent FraudUserID",
    # The two levels spell its fields differently.
    "websocket_analytics": "ClientIP ClientRequestUserAgent clientIP clientRequestUserAgent",
    # Of accounts.
    "access_requests": "Email IPAddress PurposeJustificationResponse TemporaryAccessApprovers UserUID",
    "ai_gateway_events": "Metadata RequestBody ResponseBody",
    "audit_logs": "ActorEmail ActorID ActorIP OwnerID",
    "audit_logs_v2": "ActorEmail ActorID ActorIPAddress ActorTokenDetails Raw",
    "biso_user_actions": "DomainName Metadata URL UserEmail UserID",
    "casb_findings": "AssetDisplayName AssetExternalID AssetLink AssetMetadata",
    "device_posture_results": "DeviceID DeviceName DeviceSerialNumber Email PostureReceivedJSON RegistrationID UserUID",
    "dex_application_tests": "DeviceID DeviceRegistrationID HTTPClientIPAddress TracerouteHops TracerouteSourceIPAddress UserEmail UserID",
    "dex_device_state_events": "DeviceID DeviceIPv4Address DeviceIPv6Address DeviceRegistrationID ISPIPv4Address ISPIPv6Address"
    " NetworkSSID",
    "dlp_forensic_copies": "Headers Payload",
    "dns_firewall_logs": "EDNSSubnet SourceIP",
    "email_security_alerts": "Attachments BCC CC CCName From FromName Links OriginalSender ReplyTo ReplyToName SMTPEnvelopeFrom"
    " SMTPEnvelopeTo Subject To ToName",
    "email_security_post_delivery_events": "From FromName Recipient RequestedBy Subject To",
    "gateway_dns": "DeviceID DeviceName Email QueryName QueryNameReversed RegistrationID SrcIP UserID",
    "gateway_http": "BlockedFileName DeviceID DeviceName DownloadedFileNames Email FileInfo HTTPHost Referer RegistrationID SourceIP SourceInternalIP"
    " URL UploadedFileNames UserAgent UserID",
    "gateway_network": "DeviceID DeviceName Email RegistrationID SNI SourceIP SourceInternalIP UserID",
    "ipsec_logs": "Message RemoteIP",
    "magic_bgp_logs": "",
    "magic_ids_detections": "DestinationIP SourceIP",
    "mcp_portal_logs": "ClientIP ResourceReadURI UserEmail UserID",
    "mnm_flow_logs": "AWSVPCFlowJSON DestinationAddress SourceAddress",
    "network_analytics_logs": "IPDestinationAddress IPSourceAddress",
    "sinkhole_http_logs": "Body Headers Password Referrer SrcAddr URI URL UserAgent Username",
    "ssh_logs": "ClientAddress Payload UserEmail UserID Username",
    "turnstile_events": "ClientIP UserAgent",
    "warp_config_changes": "DeviceID DeviceRegistrationID Hostname SerialNumber",
    "warp_toggle_changes": "DeviceID DeviceRegistrationID Hostname SerialNumber UserEmail",
    "workers_trace_events": "Event Exceptions Logs",
    "zero_trust_network_sessions": "DeviceID DeviceName Email RegistrationID ResolvedFQDN SNI SourceIP SourceInternalIP UserID",
}


def personal_fields(job: t.Mapping[str, t.Any]) -> list[str] | None:
    """Return the fields that a job selects and that identify a person, sorted; None if that is not known.

    The service decides which fields a job delivers that lists none.
    """
    known, selected = PERSONAL_FIELDS.get(dataset_of(job) or ""), selected_fields(job)
    if known is None or unreadable_content(job) or (known and not selected):
        return None
    return sorted({*known.split()}.intersection(selected))
