# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

_HTTP_REQUESTS: t.Mapping[str, str] = {
    "CacheCacheStatus": "Cache status.",
    "CacheResponseBytes": "Number of bytes returned by the cache.",
    "CacheResponseStatus": "HTTP status code returned by the cache to the edge.",
    "ClientASN": "Client AS number.",
    "ClientCountry": "2-letter code of the client's country.",
    "ClientDeviceType": "Client device type.",
    "ClientIP": "IP address of the client.",
    "ClientIPClass": "Class of the client.",
    "ClientRequestBytes": "Number of bytes in the client request.",
    "ClientRequestHost": "Host requested by the client.",
    "ClientRequestMethod": "HTTP method of the client request.",
    "ClientRequestPath": "Path requested by the client.",
    "ClientRequestProtocol": "HTTP protocol of the client request.",
    "ClientRequestReferer": "Referer of the client request.",
    "ClientRequestScheme": "URL scheme requested by the client.",
    "ClientRequestURI": "Path and query requested by the client.",
    "ClientRequestUserAgent": "User agent reported by the client.",
    "ClientSSLCipher": "TLS cipher of the client.",
    "ClientSSLProtocol": "TLS protocol of the client.",
    "ClientSrcPort": "Source port of the client.",
    "Cookies": "String key-value pairs of the cookies that a custom field names.",
    "EdgeColoCode": "Code of the data centre that received the request.",
    "EdgeEndTimestamp": "When the edge finished sending its response.",
    "EdgeRequestHost": "Host header of the request from the edge to the origin.",
    "EdgeResponseBytes": "Size of the response sent to the client.",
    "EdgeResponseContentType": "Content type of the response sent to the client.",
    "EdgeResponseStatus": "HTTP status code sent to the client.",
    "EdgeServerIP": "IP address of the edge towards the origin.",
    "EdgeStartTimestamp": "When the edge received the request.",
    "OriginIP": "IP address of the origin.",
    "OriginResponseStatus": "HTTP status code of the origin.",
    "RayID": "Identifier of the request.",
    "RequestHeaders": "String key-value pairs of the request headers that a custom field names.",
    "ResponseFields": "Response headers that a custom field names, with every value where duplicates are preserved.",
    "ResponseHeaders": "String key-value pairs of the response headers that a custom field names.",
    "SecurityAction": "Action of the security rule that ended the request.",
    "SecurityLevel": "Security level of the zone at the time of the request.",
    "WorkerSubrequest": "Whether the request was a subrequest of a worker.",
    "ZoneName": "Name of the zone.",
}
_FIREWALL_EVENTS: t.Mapping[str, str] = {
    "Action": "Action that was taken.",
    "ClientIP": "IP address of the client.",
    "ClientRequestHost": "Host requested by the client.",
    "ClientRequestPath": "Path requested by the client.",
    "Datetime": "When the event occurred.",
    "RayID": "Identifier of the request.",
    "RuleID": "Identifier of the rule.",
    "Source": "Security product that triggered the event.",
}
_DNS_LOGS: t.Mapping[str, str] = {
    "ColoCode": "Code of the data centre.",
    "QueryName": "Name that was asked for.",
    "QueryType": "Type of the query.",
    "ResponseCode": "Response code.",
    "SourceIP": "IP address of the client.",
    "Timestamp": "When the query was received.",
}
_DATASETS = {"http_requests": _HTTP_REQUESTS, "firewall_events": _FIREWALL_EVENTS, "dns_logs": _DNS_LOGS}
TIMES = ("EdgeStartTimestamp", "EdgeEndTimestamp")


def fields(dataset: str) -> t.Mapping[str, str] | None:
    """The fields of a dataset with their descriptions; None for a dataset whose fields are not simulated."""
    return _DATASETS.get(dataset)
