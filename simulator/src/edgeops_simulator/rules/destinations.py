# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import fnmatch
import re
import typing as t
from urllib.parse import parse_qsl

from edgeops_simulator.refusal import Refusal

BAD_DESTINATION = 1002
SCHEMES = (
    *("r2", "gs", "s3", "sumo", "https", "azure", "splunk", "datadog"),
    *("sentinelone", "bq", "kinesis", "ibmcl"),
)
PATTERN = rf"^({'|'.join(SCHEMES)})://[^/?]+(/[^?]*)?(\?[\s\S]*)?$"
_FORM = re.compile(r"([a-z0-9]+)://([^/?]+)(/[^?]*)?(?:\?(.*))?", re.DOTALL)
_SECRET = re.compile(r"secret|token|password|credential|external-id|sig|key$|^header_", re.IGNORECASE)


def scheme_of(destination: str) -> str:
    return destination.partition("://")[0]


def check(destination: str, unwritable: t.Sequence[str]) -> None:
    """Refuse a destination that the API does not accept."""
    problem = fault_of(destination, unwritable)
    if problem:
        raise Refusal(400, BAD_DESTINATION, f"error validating destination: {problem}")


def fault_of(destination: str, unwritable: t.Sequence[str]) -> str:
    """Return why a destination is not accepted, or an empty text."""
    match = _FORM.fullmatch(destination)
    if len(destination) > 4096:
        return "longer than 4096 characters"
    if not match or match[1] not in SCHEMES:
        return f"not of the form SCHEME://ADDRESS[/PATH][?OPTIONS] with one of the schemes {', '.join(SCHEMES)}"
    options = dict(parse_qsl(match[4] or ""))
    if match[1] == "azure" and options.get("srt", "o") != "o":
        return "signedResourceTypes must be Object only (srt=o)"
    if any(fnmatch.fnmatchcase(destination, pattern) for pattern in unwritable):
        return "the destination cannot be written to"
    return ""


def bucket_and_path(destination: str) -> tuple[str, str]:
    match = _FORM.fullmatch(destination)
    return (match[2], (match[3] or "").strip("/")) if match else (destination, "")


def needs_ownership(destination: str) -> bool:
    """Return whether a destination needs a proof of ownership: s3 without access keys or own endpoint, gs, azure and sumo."""
    match = _FORM.fullmatch(destination)
    if not match:
        return False
    options = {option.partition("=")[0] for option in (match[4] or "").split("&")}
    if match[1] == "s3":
        return not options & {"access-key-id", "endpoint"}
    return match[1] in ("gs", "azure", "sumo")


def masked(destination: str) -> str:
    """Return the destination with asterisks in place of the values of its secret options."""
    head, mark, query = destination.partition("?")
    options = []
    for option in query.split("&"):
        name, equals, _unused = option.partition("=")
        options.append(f"{name}=*****" if equals and _SECRET.search(name) else option)
    return head + mark + "&".join(options)
