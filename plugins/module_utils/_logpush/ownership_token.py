# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import binascii
import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._destination.parse import same
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._zone_id import is_zone_id

# Claims under which a service may put what a token is bound to; any other shape of token is left to the service.
_ZONE_CLAIMS = ("zone_id", "zone", "zone_tag")
_DESTINATION_CLAIMS = ("destination_conf", "destination", "dest")


def fault(token: str, zone_id: str, destination_conf: str, now: float) -> str | None:
    """Why the service cannot accept an ownership token, as far as can be told without its key; None where nothing speaks against it."""
    claims = read_claims(token)
    if claims is None:
        return None
    expires = claims.get("exp")
    if isinstance(expires, (int, float)) and not isinstance(expires, bool) and expires <= now:
        return (
            f"the token has expired {_ago(now - max(expires, 0))} ago; request a new challenge with the module logpush_ownership"
        )
    zone = _text(claims, _ZONE_CLAIMS)
    if zone is not None and is_zone_id(zone) and zone.lower() != zone_id.lower():
        return f"the token belongs to another zone ({zone}), and a challenge is valid for the zone that requested it only"
    bound = _text(claims, _DESTINATION_CLAIMS)
    if bound is not None and "://" in bound and not same(destination_conf, bound):
        return "the token belongs to another destination; a challenge is valid for exactly the destination_conf that it was requested for"
    return None


def read_claims(token: str) -> dict[str, Json] | None:
    """The claims of a JSON Web Token, its signature not verified; None for any other text."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    header, claims = (_segment(part) for part in parts[:2])
    return claims if header is not None and "alg" in header else None


def _segment(text: str) -> dict[str, Json] | None:
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        value = json.loads(raw.decode("utf-8"))
    except (binascii.Error, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _text(claims: t.Mapping[str, Json], names: t.Iterable[str]) -> str | None:
    return next((claims[name] for name in names if isinstance(claims.get(name), str)), None)


def _ago(seconds: float) -> str:
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(seconds, 0):.0f} seconds"
