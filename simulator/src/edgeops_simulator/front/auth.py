# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hmac
import re
import typing as t

from edgeops_simulator.refusal import Refusal
from edgeops_simulator.settings import Settings
from edgeops_simulator.state.service import Credentials

_BEARER = re.compile(r"bearer +(.*)", re.IGNORECASE | re.DOTALL)
_KEY = re.compile(r"[A-Za-z0-9-]+")
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]+")


def _same(sent: str, right: str | None) -> bool:
    return right is not None and hmac.compare_digest(sent.encode("utf-8", "replace"), right.encode("utf-8", "replace"))


def _malformed(code: int, message: str) -> Refusal:
    return Refusal(400, 6003, "Invalid request headers", error_chain=[{"code": code, "message": message}])


def check(headers: t.Mapping[str, str], credentials: Credentials, settings: Settings) -> tuple[str, Refusal | None]:
    """Return which credential a request has ("token", "email_key", "none", "wrong"), and the refusal if it is not accepted."""
    authorization = headers.get("authorization")
    if authorization is not None:
        return _check_token(authorization, credentials)
    email, key = headers.get("x-auth-email"), headers.get("x-auth-key")
    if email is not None or key is not None:
        return _check_key(email, key, credentials)
    if settings.unauthenticated_status == 400:
        return "none", _malformed(6111, "Missing or invalid format for Authorization header")
    return "none", Refusal(401, 10000, "Authentication error", headers={"www-authenticate": "Bearer"})


def _check_token(authorization: str, credentials: Credentials) -> tuple[str, Refusal | None]:
    match = _BEARER.fullmatch(authorization.strip())
    if match and _same(match[1], credentials.token):
        return "token", None
    if not match or not _TOKEN.fullmatch(match[1]):
        return "wrong", _malformed(6111, "Invalid format for Authorization header")
    return "wrong", Refusal(401, 10000, "Authentication error", headers={"www-authenticate": "Bearer"})


def _check_key(email: str | None, key: str | None, credentials: Credentials) -> tuple[str, Refusal | None]:
    if email is None or key is None:
        return "wrong", Refusal(401, 10000, "Authentication error", headers={"www-authenticate": "Bearer"})
    if _same(email, credentials.email) and _same(key, credentials.key):
        return "email_key", None
    if "@" not in email:
        return "wrong", _malformed(6102, "Invalid format for X-Auth-Email header")
    if not _KEY.fullmatch(key):
        return "wrong", _malformed(6103, "Invalid format for X-Auth-Key header")
    return "wrong", Refusal(403, 9109, "Unauthorized to access requested resource")
