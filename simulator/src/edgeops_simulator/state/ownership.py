# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time

from edgeops_simulator.rules import destinations
from edgeops_simulator.state.zone import Document, Zone

LIFETIME = 7 * 24 * 3600
_SIGNING_KEY = secrets.token_bytes(32)


def _segment(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def issue(zone: Zone, destination: str, lifetime: int = LIFETIME) -> Document:
    """A new challenge: a JWT bound to the zone and to the whole destination, and the file that it is written to."""
    bucket, path = destinations.bucket_and_path(destination)
    now = int(time.time())
    claims = {
        "iss": "edgeops-simulator",
        "iat": now,
        "exp": now + lifetime,
        "jti": secrets.token_hex(8),
        "zone_id": zone.id,
        "destination_conf": destination,
        "bucket_path_hash": hashlib.sha256(f"{bucket}/{path}".encode("utf-8", "replace")).hexdigest(),
    }
    parts = [_segment(json.dumps(part, separators=(",", ":")).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims)]
    signed = ".".join(parts)
    token = f"{signed}.{_segment(hmac.new(_SIGNING_KEY, signed.encode(), 'sha256').digest())}"
    filename = f"{path}/ownership-challenge-{claims['jti']}.txt".lstrip("/")
    challenge = {"token": token, "destination_conf": destination, "filename": filename, "expires": claims["exp"]}
    zone.challenges.append(challenge)
    return challenge


def holds(zone: Zone, destination: str, token: str) -> bool:
    """Whether this token was issued for this destination of this zone and has not expired."""
    return any(
        challenge["token"] == token and challenge["destination_conf"] == destination and challenge["expires"] > time.time()
        for challenge in zone.challenges
    )


def was_asked_for(zone: Zone, destination: str) -> bool:
    return any(challenge["destination_conf"] == destination for challenge in zone.challenges)


def use(zone: Zone, token: str) -> None:
    """A challenge is good for one use."""
    zone.challenges[:] = [challenge for challenge in zone.challenges if challenge["token"] != token]
