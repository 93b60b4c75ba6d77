# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import secrets
import time
import typing as t

from edgeops_simulator.delivery import datasets

Pairs = list[tuple[str, str]]


class BadTraffic(ValueError):
    """The description of traffic is invalid."""


def pairs(value: t.Any, what: str) -> Pairs:
    """Return headers or cookies as pairs, from an object (a value may be a list) or a list of pairs."""
    items = list(value.items()) if isinstance(value, dict) else value
    if not isinstance(items, list) or not all(isinstance(item, (list, tuple)) and len(item) == 2 for item in items):
        raise BadTraffic(f"{what}: expected an object, or a list of pairs")
    flat: Pairs = []
    for name, content in items:
        flat += [(str(name), str(one)) for one in (content if isinstance(content, list) else [content])]
    return flat


def _nanoseconds(value: t.Any) -> int:
    """Convert a time in seconds since the epoch or in ISO 8601; None is now."""
    if value is None:
        return time.time_ns()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not 0 <= value < 4_000_000_000:
            raise BadTraffic(f"time: {value!r} is not within the years 1970 to 2096")
        return int(value * 1_000_000_000)
    try:
        moment = datetime.datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        raise BadTraffic(f"time: {value!r} is neither seconds since the epoch nor ISO 8601") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    whole = int(moment.replace(microsecond=0).timestamp())
    return whole * 1_000_000_000 + moment.microsecond * 1000


class Visit(t.NamedTuple):
    """One HTTP request at the edge: its log fields, and the headers and cookies for custom fields."""

    fields: dict[str, t.Any]
    request: Pairs
    transformed: Pairs
    response: Pairs
    raw_response: Pairs
    cookies: Pairs


def _first(headers: Pairs, name: str) -> str:
    return next((value for header, value in headers if header.lower() == name), "")


def visit(description: t.Any, zone_name: str) -> Visit:
    """Parse a request of the control interface; members named like log fields set these."""
    if not isinstance(description, dict):
        raise BadTraffic("a request is an object")
    request = pairs(description.get("headers", {}), "headers")
    response = pairs(description.get("response_headers", {}), "response_headers")
    cookies = pairs(description.get("cookies", {}), "cookies")
    if not cookies:
        cookies = [_cookie(part) for part in _first(request, "cookie").split(";") if part.strip()]
    fields = {**_defaults(description, request, response, zone_name)}
    fields.update({name: value for name, value in description.items() if name[:1].isupper()})
    return Visit(
        fields,
        request,
        pairs(description["transformed_headers"], "transformed_headers") if "transformed_headers" in description else request,
        response,
        pairs(description["raw_response_headers"], "raw_response_headers") if "raw_response_headers" in description else response,
        cookies,
    )


def _cookie(part: str) -> tuple[str, str]:
    name, _unused, value = part.strip().partition("=")
    return name, value


_USUAL: t.Mapping[str, t.Any] = {
    "CacheCacheStatus": "dynamic",
    "CacheResponseBytes": 0,
    "CacheResponseStatus": 0,
    "ClientASN": 64500,
    "ClientCountry": "us",
    "ClientDeviceType": "desktop",
    "ClientIPClass": "noRecord",
    "ClientRequestBytes": 0,
    "ClientRequestProtocol": "HTTP/1.1",
    "ClientRequestScheme": "https",
    "ClientSrcPort": 50000,
    "EdgeColoCode": "SIM",
    "EdgeResponseBytes": 0,
    "SecurityLevel": "med",
    "WorkerSubrequest": False,
}


def _defaults(described: dict[str, t.Any], request: Pairs, response: Pairs, zone_name: str) -> dict[str, t.Any]:
    """Return all fields of the dataset, derived from the described request."""
    uri = str(described.get("path", "/"))
    start = _nanoseconds(described.get("time"))
    host = str(described.get("host") or _first(request, "host") or zone_name)
    status = described.get("status", 200)
    return {
        **dict.fromkeys(datasets.fields("http_requests") or (), ""),
        **_USUAL,
        "ClientIP": str(described.get("client_ip", "192.0.2.1")),
        "ClientRequestHost": host,
        "ClientRequestMethod": str(described.get("method", "GET")),
        "ClientRequestPath": uri.partition("?")[0],
        "ClientRequestReferer": _first(request, "referer"),
        "ClientRequestURI": uri,
        "ClientRequestUserAgent": _first(request, "user-agent"),
        "EdgeEndTimestamp": start + 1_000_000,
        "EdgeRequestHost": host,
        "EdgeResponseContentType": _first(response, "content-type").partition(";")[0],
        "EdgeResponseStatus": status,
        "EdgeStartTimestamp": start,
        "OriginResponseStatus": status,
        "RayID": secrets.token_hex(8),
        "ZoneName": zone_name,
    }
