# SPDX-License-Identifier: GPL-3.0-or-later
"""Protect the control port from web pages: a browser on this machine sends their requests to loopback, too."""

from __future__ import annotations

import re
import typing as t

Headers = t.Mapping[str, t.Sequence[str]]
_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
_OWN_SITE = ("same-origin", "none")


def read_headers(pairs: t.Iterable[tuple[bytes, bytes]]) -> Headers:
    headers: dict[str, list[str]] = {}
    for name, value in pairs:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1").strip())
    return headers


def check_sender(headers: Headers) -> str:
    """Return why a request may come from a web page, or an empty text.

    `Host` reveals DNS rebinding (a name that resolves to loopback for a moment), `Origin` a page of another site.
    """
    hosts = headers.get("host", [])
    if len(hosts) != 1 or not _LOOPBACK.fullmatch(hosts[0]):
        return "the control URL is for this machine only: Host must be 127.0.0.1, [::1] or localhost"
    own_origin = f"http://{hosts[0]}".lower()
    if any(origin.lower() != own_origin for origin in headers.get("origin", [])):
        return "the control URL is not for web pages of other sites: Origin is not the control URL"
    if any(site not in _OWN_SITE for site in headers.get("sec-fetch-site", [])):
        return "the control URL is not for web pages of other sites: Sec-Fetch-Site is not same-origin"
    return ""


def check_body(headers: Headers) -> str:
    """Return why a body is refused, or an empty text. A web page cannot send JSON to another site without a preflight request."""
    with_body = "transfer-encoding" in headers or any(length != "0" for length in headers.get("content-length", []))
    media_types = [value.partition(";")[0].strip().lower() for value in headers.get("content-type", [])]
    if (with_body or media_types) and media_types != ["application/json"]:
        return "a body must be sent as Content-Type: application/json"
    return ""
