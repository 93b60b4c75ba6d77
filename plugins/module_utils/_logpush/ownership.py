# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import binascii
import json
import typing as t

from .._core import BAD_RESPONSE, REJECTED, Answer, Conclusion, Failure, Json, Plan, Request, invalid_option
from .._destination import Destination, parse, public_destination, same_destination, secret_parts, takes_token, without_secrets
from .._redact import scrub
from .._text import dict_of, duration
from .._zones import ACCOUNT, ZONE, Address, is_zone_id
from .options import check_challenge, check_destination, refuse_mask

# Claims that may name the owner and the destination of a token; the service checks tokens of any other form.
_OWNER_CLAIMS = {scope: (f"{scope}_id", scope, f"{scope}_tag") for scope in (ZONE, ACCOUNT)}
_DESTINATION_CLAIMS = ("destination_conf", "destination", "dest")


def why_refused(token: str, address: Address | None, destination: Destination, now: float) -> str | None:
    """Return why the service would refuse an ownership token, as far as its claims show; None if they show no reason."""
    claims = read_claims(token)
    if claims is None:
        return None
    expires = claims.get("exp")
    if isinstance(expires, (int, float)) and not isinstance(expires, bool) and expires <= now:
        return f"the token has expired {duration(now - max(expires, 0))} ago; request a new challenge with the module logpush_ownership"
    owner = _other_owner(claims, address) if address else ""
    if owner:
        return f"the token belongs to {owner}, and a challenge is valid only for the zone or account that requested it"
    bound = _text(claims, _DESTINATION_CLAIMS)
    if bound is not None and "://" in bound and not same_destination(destination, parse(bound)):
        return "the token belongs to another destination; a challenge is valid for exactly the destination_conf that it was requested for"
    return None


def _other_owner(claims: t.Mapping[str, Json], address: Address) -> str:
    """Return the zone or account that a token is bound to, if that is not this address."""
    owners = {scope: _text(claims, names) for scope, names in _OWNER_CLAIMS.items()}
    own = owners.pop(address.scope)
    if own is not None and is_zone_id(own):
        return "" if own.lower() == address.id.lower() else f"another {address.scope} ({own})"
    zone = owners.get(ZONE)
    # The token of a zone may name the account of the zone as well.
    return f"the zone {zone}" if zone is not None and is_zone_id(zone) else ""


def read_claims(token: str) -> dict[str, Json] | None:
    """Return the claims of a JSON Web Token without verifying its signature; None for any other text."""
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
    return next((text for text in map(claims.get, names) if isinstance(text, str)), None)


# The members of the result after requesting or validating a challenge, with the types that the service may send.
_ASKED: t.Mapping[str, type] = {"filename": str, "valid": bool, "message": str}
_VALIDATED: t.Mapping[str, type] = {"valid": bool}


class Proof(t.NamedTuple):
    """The destination, and the token to validate; without a token, a challenge is requested."""

    destination: Destination
    challenge: str | None

    @property
    def members(self) -> t.Mapping[str, type]:
        """Return the members of the result with their types."""
        return _VALIDATED if self.challenge else _ASKED


def desire(params: t.Mapping[str, t.Any]) -> Proof:
    """Return the proof that validated options request or validate."""
    destination = check_destination(params["destination_conf"])
    refuse_mask(destination)
    challenge = check_challenge(params["ownership_challenge"])
    if challenge is None and params["ownership_challenge"] is not None:
        raise invalid_option("ownership_challenge", "is empty; omit the option to request a challenge")
    return Proof(destination, challenge)


def plan(desired: Proof) -> Plan:
    """Return the one POST, which requests a challenge or validates it."""
    body = {"destination_conf": desired.destination.text}
    result = {"ownership": dict.fromkeys(desired.members)}
    if desired.challenge:
        given = {**body, "ownership_challenge": desired.challenge}
        request = Request("logpush_ownership.validate", body=given, changes=False)
        return Plan(before={}, after={}, result=result, requests=(request,))
    needless = "destination_conf: the service requires no proof of ownership for this type of destination."
    return Plan(
        before={},
        after={"challenge": {"destination": public_destination(desired.destination)}},
        result=result,
        requests=(Request("logpush_ownership.create", body=body),),
        warnings=(needless,) if takes_token(desired.destination) is False else (),
    )


def conclude(desired: Proof, answer: Answer) -> Conclusion:
    """Return the result; only `valid` counts, because the service also refuses with HTTP 200 and success."""
    said = dict_of(answer.result)
    found = {name: said.get(name) for name in desired.members}
    wrong = [name for name, value in found.items() if value is not None and not isinstance(value, desired.members[name])]
    if wrong or found["valid"] is None:
        raise Failure(
            BAD_RESPONSE, f"The service's answer about the ownership has no usable {(wrong or ['valid'])[0]!r}.", status=200
        )
    if not found["valid"]:
        text = said.get("message")
        reason = f": {text}" if text and isinstance(text, str) else "."
        what = (
            "The token is not a valid proof of ownership of the destination"
            if desired.challenge
            else "The service could not write a challenge"
        )
        raise Failure(REJECTED, f"{what}{reason}", status=200)
    # The texts of the service may quote this destination or another one.
    hidden = scrub(found, secrets(desired))
    shown = {name: without_secrets(value) if isinstance(value, str) else value for name, value in hidden.items()}
    return Conclusion({"ownership": shown})


def secrets(desired: Proof) -> frozenset[str]:
    """Return what no output may contain."""
    return secret_parts(desired.destination) | ({desired.challenge} if desired.challenge else set())
