# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from edgeops_simulator.front.call import Answer, Call
from edgeops_simulator.front.routing import ACCOUNT, Routes
from edgeops_simulator.refusal import Refusal
from edgeops_simulator.schemas.answers import TEXT, record

routes = Routes("")
_TOKEN = record({"id": TEXT, "status": TEXT, "expires_on": TEXT}, ["id", "status"])


def _verified(call: Call, *, of_account: bool) -> Answer:
    """Return the status of the token; user tokens are unknown to the account route, and account tokens to the user route."""
    settings = call.settings
    if settings.credential_of_account is not of_account:
        raise Refusal(401, 1000, "Invalid API Token")
    ends = {"expires_on": settings.credential_expires_on} if settings.credential_expires_on else {}
    return Answer({"id": "ed17574386854bf78a67040be0a770b0", "status": settings.credential_status, **ends})


@routes("GET", "/user/tokens/verify", "verifyToken", result=_TOKEN)
def verify_token(call: Call) -> Answer:
    return _verified(call, of_account=False)


@routes("GET", f"{ACCOUNT}/tokens/verify", "verifyAccountToken", result=_TOKEN)
def verify_account_token(call: Call) -> Answer:
    return _verified(call, of_account=True)
