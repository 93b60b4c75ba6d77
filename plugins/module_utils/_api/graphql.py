# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from .._core import AUTHENTICATION, PERMISSION, RATE_LIMITED, REJECTED, UNAVAILABLE, Json
from .._text import json_type
from .connection import Connection
from .response import Unusable, decode, describe_failure, service_errors, successful_reply
from .transport import Exchange

OPERATION = "graphql.query"
# Number of queries, and in how many seconds, for one user; Cloudflare counts them separately from other requests.
QUERY_BUDGET = (300, 300.0)
# Part of an error message, and the kind of failure; the status of most of them is 200.
_KINDS: tuple[tuple[str, str], ...] = (
    ("authentication", AUTHENTICATION),
    ("unauthorized", PERMISSION),
    ("not authorized", PERMISSION),
    ("does not have access", PERMISSION),
    ("budget depleted", RATE_LIMITED),
    ("too many nodes", RATE_LIMITED),
    ("excessive resources", RATE_LIMITED),
    ("unable to execute", UNAVAILABLE),
    ("too many queries", UNAVAILABLE),
)


def read_data(connection: Connection, exchange: Exchange) -> dict[str, Json]:
    """Return `data` of the answer to a query; raise `Failure` if there is none."""
    try:
        reply = successful_reply(connection, exchange)
        value = decode(reply.body, reply.headers.get("Content-Type", ""))
        if not isinstance(value, dict):
            raise Unusable(f"its body must be an object, and is {json_type(value)}")
        if value.get("errors"):
            errors = service_errors(value)
            texts = "; ".join(error["message"] or "no text" for error in errors[:5]) or "no text"
            raise Unusable(f"the service answered: {texts}", REJECTED, errors)
        if not isinstance(value.get("errors"), (list, type(None))):
            raise Unusable(f"`errors` must be a list, and is {json_type(value['errors'])}")
        data = value.get("data")
        if isinstance(data, dict):
            return data
        raise Unusable(f"`data` must be an object, and is {json_type(data)}")
    except Unusable as error:
        unusable = error
    # The status is often 200, so the messages take precedence.
    text = " ".join(error["message"] for error in unusable.errors).lower()
    unusable.kind = next((kind for part, kind in _KINDS if part in text), unusable.kind)
    raise describe_failure(connection, OPERATION, exchange, unusable)
