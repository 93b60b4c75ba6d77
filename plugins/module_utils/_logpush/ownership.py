# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import json
import typing as t

from .._address import Address, is_zone_id
from .._core import BAD_RESPONSE, REJECTED, Answer, Conclusion, Failure, Plan, Request, invalid_option
from .._destination import DATE, Destination, parse, public_destination, same_destination, takes_token
from .._destination_secrets import secret_parts, without_secrets
from .._redact import scrub
from .._text import dict_of, duration
from .options import check_challenge, check_destination, refuse_mask


def why_refused(token: str, address: Address | None, destination: Destination, now: float) -> str | None:
    """Return why the service would refuse an ownership token, as far as its claims show; None if they show no reason.

    The service checks any other text than a JSON Web Token, and the signature.
    """
    try:
        _header, payload, _signature = token.split(".")
        claims = dict_of(json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))))
    except (ValueError, RecursionError):
        return None
    expires, zone, bound = claims.get("exp"), claims.get("zone_id"), claims.get("destination_conf")
    if isinstance(expires, (int, float)) and expires <= now:
        return f"the token has expired {duration(now - max(expires, 0))} ago; request a new challenge with the module logpush_ownership"
    # The token of a zone may name the account of the zone as well.
    owner = claims.get(f"{address.scope}_id") if address else None
    other = ""
    if address and isinstance(owner, str) and is_zone_id(owner):
        other = "" if owner.lower() == address.id.lower() else f"another {address.scope} ({owner})"
    elif address and isinstance(zone, str) and is_zone_id(zone):
        other = f"the zone {zone}"
    if other:
        return f"the token belongs to {other}, and a challenge is valid only for the zone or account that requested it"
    if isinstance(bound, str) and "://" in bound and not same_destination(destination, parse(bound)):
        return "the token belongs to another destination; a challenge is valid for exactly the destination_conf that it was requested for"
    return None


# The members of the result after requesting or validating a challenge, with the types that the service may send.
_ASKED: t.Mapping[str, type] = {"filename": str, "valid": bool, "message": str}
_VALIDATED: t.Mapping[str, type] = {"valid": bool}


class Proof(t.NamedTuple):
    """The destination, and the token to validate; without a token, a challenge is requested."""

    destination: Destination
    challenge: str | None


def desire(params: t.Mapping[str, t.Any]) -> Proof:
    """Return the proof that validated options request or validate."""
    destination, token = check_destination(params["destination_conf"]), params["ownership_challenge"]
    refuse_mask(destination)
    challenge = None if token is None else check_challenge(token)
    if challenge == "":
        raise invalid_option("ownership_challenge", "is empty; omit the option to request a challenge")
    return Proof(destination, challenge)


def plan(desired: Proof, state: str = "") -> Plan:
    """Return the one POST, which requests a challenge or validates it."""
    body = {"destination_conf": desired.destination.text}
    if desired.challenge:
        proof = {**body, "ownership_challenge": desired.challenge}
        request = Request("logpush_ownership.validate", body=proof, changes=False)
        return Plan(before={}, after={}, result={"ownership": dict.fromkeys(_VALIDATED)}, requests=(request,))
    needless = "destination_conf: the service requires no proof of ownership for this type of destination."
    return Plan(
        before={},
        after={"challenge": {"destination": public_destination(desired.destination)}},
        result={"ownership": dict.fromkeys(_ASKED)},
        requests=(Request("logpush_ownership.create", body=body),),
        warnings=(needless,) if takes_token(desired.destination) is False else (),
    )


def conclude(desired: Proof, answer: Answer, today: str) -> Conclusion:
    """Return the result; only `valid` counts, because the service also refuses with HTTP 200 and success.

    `today` is the date of the request, as the service writes it in addresses.
    """
    members, what = _ASKED, "The service could not write a challenge"
    if desired.challenge:
        members, what = _VALIDATED, "The token is not a valid proof of ownership of the destination"
    result = dict_of(answer.result)
    ownership = {name: result.get(name) for name in members}
    wrong = [name for name, value in ownership.items() if value is not None and not isinstance(value, members[name])]
    if wrong or ownership["valid"] is None:
        unusable = wrong[0] if wrong else "valid"
        raise Failure(BAD_RESPONSE, f"The service's answer about the ownership has no usable {unusable!r}.", status=200)
    if not ownership["valid"]:
        text = result.get("message")
        raise Failure(REJECTED, f"{what}: {text}" if text and isinstance(text, str) else f"{what}.", status=200)
    if "filename" in ownership:
        ownership["message"] = _with_place(ownership, today)
    # The texts of the service may quote this destination or another one.
    hidden = scrub(ownership, secrets(desired))
    public = {name: without_secrets(value) if isinstance(value, str) else value for name, value in hidden.items()}
    return Conclusion({"ownership": public})


def _with_place(ownership: t.Mapping[str, t.Any], today: str) -> str | None:
    """Return the message of the service and, if the name of the file has a date to fill in, which one."""
    name: str = ownership["filename"] or ""
    message: str | None = ownership["message"]
    if DATE not in name:
        return message
    place = f"The file lies under the date of the request in UTC, in place of {DATE}: {name.replace(DATE, today)}"
    return f"{message} {place}" if message else place


def secrets(desired: Proof, state: str | None = None) -> frozenset[str]:
    return secret_parts(desired.destination) | ({desired.challenge} if desired.challenge else set())
