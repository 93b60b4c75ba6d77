# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# What an answer that reports an error means: its kind, its error objects, and a hint for the person who reads it.
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.retry import RATE_LIMITED_STATUS
from ansible_collections.edgeops.observability.plugins.module_utils._errors import (
    AUTHENTICATION,
    BAD_RESPONSE,
    NOT_FOUND,
    PERMISSION,
    RATE_LIMITED,
    REJECTED,
    UNAVAILABLE,
    Failure,
)
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._redact import clean_text

ServiceError = dict[str, t.Any]

AUTHENTICATION_CODES = frozenset((6003, 6111, 9109, 10000))
# No such route, and no such route for this zone.
NO_ROUTE_CODES = frozenset((7000, 7003))
_KINDS = {401: AUTHENTICATION, 403: PERMISSION, 404: NOT_FOUND, RATE_LIMITED_STATUS: RATE_LIMITED}
_MAX_ERRORS, _DEEPEST_CHAIN = 50, 5

_BY_CODE: t.Mapping[int, str] = {
    6111: "An API key in api_token, or a token in api_key, is the usual cause.",
    6102: "The format of api_email is not valid.",
    6103: "The format of api_key is not valid; set a token as api_token.",
    6003: "The service could not read the credentials; an API key in api_token, or a token in api_key, is the usual cause.",
    9109: "The token is not valid, has expired, or may not be used from this address.",
    10000: "The service does not accept the credentials for this zone; check api_token (or api_email and api_key) and the token's zones.",
    7003: "Check zone_id, and that base_url is the address of the service's version 4.",
    7000: "Check zone_id, and that base_url is the address of the service's version 4.",
}
_LOGS_WRITE = "Reading and writing Logpush jobs need a token with the permission Logs: Write (Logs: Read is not enough)."
_BY_AREA: t.Mapping[str, str] = {
    "script_monitor": "The token needs Page Shield: Read to read and Page Shield: Write (Edit in the dashboard) to write.",
    "page_shield": "The token needs Page Shield: Read to read and Page Shield: Write (Edit in the dashboard) to write.",
    "rulesets": "The token needs Logs: Read to read custom log fields and Logs: Write to change them.",
    "logpush_jobs": _LOGS_WRITE,
    "logpush_datasets": _LOGS_WRITE,
    "logpush_ownership": _LOGS_WRITE,
    "zones": "The token needs Zone: Read.",
}
_ROUTE_HINT = "If the API has another route for the script monitor, set route (auto, script_monitor or page_shield)."
_ROUTE_AREAS = ("script_monitor", "page_shield")
_CATCH_ALL = 1004
_CATCH_ALL_HINT = (
    "The service uses this code for several causes: an entitlement or a field that the plan lacks, the most jobs "
    "that a zone may have, or a filter value of the wrong type."
)


def kind_of(status: int, codes: t.Collection[int | None]) -> str:
    """The kind of failure; where the service names an error code, the code is more precise than the status."""
    if status >= 500:
        return UNAVAILABLE
    if 300 <= status < 400:
        return BAD_RESPONSE
    if status != RATE_LIMITED_STATUS and AUTHENTICATION_CODES.intersection(codes):
        return AUTHENTICATION
    return _KINDS.get(status, REJECTED)


def lacks_route(failure: Failure) -> bool:
    """Return whether the service does not know the path or the method of a request; another error code means that it does."""
    codes = {error["code"] for error in failure.errors} - {None}
    is_named = bool(codes & NO_ROUTE_CODES)
    by_status = {400: is_named, 404: is_named or not codes, 405: True}
    return failure.kind in (NOT_FOUND, REJECTED) and by_status.get(failure.status or 0, False)


def is_missing(failure: Failure) -> bool:
    """Return whether a read failed because the service has no such object or no such route."""
    return failure.kind == NOT_FOUND or lacks_route(failure)


def service_errors(answer: Json) -> tuple[ServiceError, ...]:
    """The error objects of an answer, chained ones after the one they explain, whatever shape they came in."""
    entries = answer.get("errors") if isinstance(answer, dict) else None
    return tuple(_flat(entries, 0))[:_MAX_ERRORS]


def _flat(entries: Json, depth: int) -> t.Iterator[ServiceError]:
    if depth > _DEEPEST_CHAIN:
        return
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry, dict):
            if "code" in entry or "message" in entry:
                yield {"code": _code(entry.get("code")), "message": _text(entry.get("message"))}
            yield from _flat(entry.get("error_chain"), depth + 1)
        elif isinstance(entry, str):
            yield {"code": None, "message": _text(entry)}


def _code(value: Json) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Json) -> str:
    return clean_text(value) if isinstance(value, str) else ""


def hint(operation: str, status: int, codes: t.Collection[int | None]) -> str:
    """The advice, or nothing."""
    area = operation.partition(".")[0]
    found = [text for code, text in _BY_CODE.items() if code in codes][:1]
    if status == 401 and not found:
        found.append("Check api_token, or api_email and api_key.")
    if (status in (401, 403) or not AUTHENTICATION_CODES.isdisjoint(codes)) and area in _BY_AREA:
        found.append(_BY_AREA[area])
    if area in _ROUTE_AREAS and status in (404, 405) and not (operation.endswith(".script") and _named(codes)):
        found.append(_ROUTE_HINT)
    if _CATCH_ALL in codes and area == "logpush_jobs":
        found.append(_CATCH_ALL_HINT)
    return " ".join(found)


def _named(codes: t.Collection[int | None]) -> bool:
    """Return whether the service names an object that is missing, and not a route."""
    return bool(set(codes) - {None} - NO_ROUTE_CODES)
