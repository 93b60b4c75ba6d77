# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._destination.mask import (
    public_destination,
    secret_parts,
)
from ansible_collections.edgeops.observability.plugins.module_utils._destination.parse import takes_token
from ansible_collections.edgeops.observability.plugins.module_utils._destination.text import without_secrets
from ansible_collections.edgeops.observability.plugins.module_utils._errors import BAD_RESPONSE, REJECTED, Failure, invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import (
    checked_challenge,
    checked_destination,
    refuse_mask,
)
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Answer, Conclusion, Json, Plan, Request
from ansible_collections.edgeops.observability.plugins.module_utils._redact import scrub

# What is reported after asking for a challenge, with the types that the service may send.
_ASKED: t.Mapping[str, type] = {"filename": str, "valid": bool, "message": str}
_VALIDATED: t.Mapping[str, type] = {"valid": bool}


class Desired(t.NamedTuple):
    """The destination, and the token to validate; without a token a challenge is requested."""

    destination: str
    challenge: str | None

    @property
    def members(self) -> t.Mapping[str, type]:
        """What the result holds."""
        return _VALIDATED if self.challenge else _ASKED


def desire(params: t.Mapping[str, t.Any]) -> Desired:
    """What validated options ask for."""
    conf = checked_destination(params["destination_conf"])
    refuse_mask(conf)
    challenge = checked_challenge(params["ownership_challenge"])
    if challenge is None and params["ownership_challenge"] is not None:
        raise invalid_option("ownership_challenge", "is empty; omit the option to request a challenge")
    return Desired(conf, challenge)


def read(client: object, desired: Desired) -> None:
    """There is nothing to read: whether a challenge was requested before cannot be seen."""


def plan(desired: Desired, state: None) -> Plan:
    """One POST either way. Asking writes a file to the destination, which is a change; validating changes nothing."""
    body = {"destination_conf": desired.destination}
    result = {"ownership": dict.fromkeys(desired.members)}
    if desired.challenge:
        request = Request("logpush_ownership.validate", body={**body, "ownership_challenge": desired.challenge})
        return Plan(before={}, after={}, result=result, requests=(request,), changes=False)
    needless = "destination_conf: the service requires no proof of ownership for this type of destination."
    return Plan(
        before={},
        after={"challenge": {"destination": public_destination(desired.destination)}},
        result=result,
        requests=(Request("logpush_ownership.create", body=body),),
        warnings=(needless,) if takes_token(desired.destination) is False else (),
    )


def conclude(desired: Desired, state: None, plan: Plan, answers: t.Sequence[Answer]) -> Conclusion:
    """The answer; the service refuses with HTTP 200 and success, so that only `valid` counts."""
    answer: t.Mapping[str, Json] = answers[-1].result
    found = {name: answer.get(name) for name in desired.members}
    wrong = [name for name, value in found.items() if value is not None and not isinstance(value, desired.members[name])]
    if wrong or found["valid"] is None:
        raise Failure(
            BAD_RESPONSE, f"The service's answer about the ownership has no usable {(wrong or ['valid'])[0]!r}.", status=200
        )
    if not found["valid"]:
        said = answer.get("message")
        reason = f": {said}" if said and isinstance(said, str) else "."
        what = (
            "The token is not a valid proof of ownership of the destination"
            if desired.challenge
            else "The service could not write a challenge"
        )
        raise Failure(REJECTED, f"{what}{reason}", status=200)
    # The service may quote an address in its texts, this one or another.
    hidden = scrub(found, secrets(desired, None))
    shown = {name: without_secrets(value) if isinstance(value, str) else value for name, value in hidden.items()}
    return Conclusion({"ownership": shown})


def secrets(desired: Desired, state: None) -> frozenset[str]:
    """What no output may hold."""
    return secret_parts(desired.destination) | ({desired.challenge} if desired.challenge else set())
