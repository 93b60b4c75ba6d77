# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
import typing as t

from edgeops_simulator.rules import destinations
from edgeops_simulator.state.part import Document, JobIds, Table

LIFETIME = 7 * 24 * 3600
_SIGNING_KEY = secrets.token_bytes(32)


class Challenges(Table):
    """The unused challenges of a zone or an account, by token."""

    members: t.ClassVar[t.Mapping[str, type]] = {"token": str, "destination_conf": str, "expires": int}

    def add(self, ids: JobIds, item: Document, index: int) -> None:
        self[item.get("token", index)] = dict(item)


def _segment(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def issue(challenges: Challenges, claim: tuple[str, str], destination: str, lifetime: int = LIFETIME) -> Document:
    """Create a challenge: a JWT for this zone or account and the whole destination, and the path of its file."""
    bucket, path = destinations.bucket_and_path(destination)
    now = int(time.time())
    claims = {
        "iss": "edgeops-simulator",
        "iat": now,
        "exp": now + lifetime,
        "jti": secrets.token_hex(8),
        claim[0]: claim[1],
        "destination_conf": destination,
        "bucket_path_hash": hashlib.sha256(f"{bucket}/{path}".encode("utf-8", "replace")).hexdigest(),
    }
    parts = [_segment(json.dumps(part, separators=(",", ":")).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims)]
    signed = ".".join(parts)
    token = f"{signed}.{_segment(hmac.new(_SIGNING_KEY, signed.encode(), 'sha256').digest())}"
    # As in the API, the answer has the path without the date, but the object is in a folder for the date.
    filename = f"{path}/ownership-challenge-{claims['jti']}.txt".lstrip("/")
    challenge = {"token": token, "destination_conf": destination, "filename": filename, "expires": claims["exp"]}
    challenges[token] = challenge
    return challenge


def holds(challenges: Challenges, destination: str, token: str) -> bool:
    """Return whether this token was issued for this destination of this zone or account, and has not expired."""
    challenge = challenges.get(token)
    return bool(challenge and challenge["destination_conf"] == destination and challenge["expires"] > time.time())


def was_asked_for(challenges: Challenges, destination: str) -> bool:
    return any(challenge["destination_conf"] == destination for challenge in challenges.values())


def use(challenges: Challenges, token: str) -> None:
    """Remove a challenge, because it is valid for one use."""
    challenges.pop(token, None)
