# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# One sentence of advice for an error of the service, by its code, its status and what was asked for.
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.service_errors import (
    AUTHENTICATION_CODES,
    NO_ROUTE_CODES,
)

_BY_CODE: t.Mapping[int, str] = {
    6111: "An API key in api_token, or a token in api_key, is the usual cause.",
    6102: "The service does not accept the form of api_email.",
    6103: "The service does not accept the form of api_key; a token belongs into api_token.",
    6003: "The service could not read the credentials; an API key in api_token, or a token in api_key, is the usual cause.",
    9109: "The token is not valid, has expired, or may not be used from this address.",
    10000: "The service does not accept the credentials for this zone; check api_token (or api_email and api_key) and the token's zones.",
    7003: "Check zone_id, and that base_url is the address of the service's version 4.",
    7000: "Check zone_id, and that base_url is the address of the service's version 4.",
}
_LOGS_WRITE = "Every log delivery route, reading too, needs a token with the permission Logs: Write (Logs: Read is not enough)."
_BY_AREA: t.Mapping[str, str] = {
    "script_monitor": "The token needs Page Shield: Read to look and Page Shield: Write (Edit in the dashboard) to change.",
    "page_shield": "The token needs Page Shield: Read to look and Page Shield: Write (Edit in the dashboard) to change.",
    "rulesets": "The token needs Logs: Read to look at custom log fields and Logs: Write to change them.",
    "logpush_jobs": _LOGS_WRITE,
    "logpush_ownership": _LOGS_WRITE,
    "zones": "The token needs Zone: Read.",
}
_ROUTE_HINT = (
    "If the service offers the script monitor under another name, route selects it (auto, script_monitor or page_shield)."
)
_ROUTE_AREAS = ("script_monitor", "page_shield")
_CATCH_ALL = 1004
_CATCH_ALL_HINT = (
    "The service uses this code for several causes: an entitlement or a field that the plan lacks, the most jobs "
    "that a zone may have, or a filter value of the wrong type."
)


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
