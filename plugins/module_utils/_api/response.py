# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import json
import re
import typing as t
from urllib.parse import urlsplit

from .._address import Address
from .._core import (
    AUTHENTICATION,
    BAD_RESPONSE,
    NOT_FOUND,
    PARTIAL_CONTENT,
    PERMISSION,
    RATE_LIMITED,
    REJECTED,
    UNAVAILABLE,
    Answer,
    Failure,
    Json,
)
from .._http import Fault
from .._redact import clean_text, scrub
from .._script_monitor import ROUTES
from .._text import JSON_TYPES, finite_float, json_type, no_constant, pause_text, unique_members
from .connection import Connection
from .endpoints import ENDPOINTS
from .permissions import Needed, is_unentitled, needed_for
from .session import Reply
from .transport import GATEWAY_STATUSES, RATE_LIMITED_STATUS, Exchange

_DEPTH = 64
# A value takes two bytes of a body but far more memory. 10,000 jobs of 2 KB have at most a third of this number, counted by their commas
# and brackets.
MAX_VALUES = 2_500_000
# Escaped surrogates are valid only in pairs, which the decoded text shows.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

ServiceError = dict[str, t.Any]


class Unusable(Exception):
    """The reason why a request has no usable answer, before it becomes a `Failure`: by default, a body without the documented form."""

    def __init__(self, reason: str, kind: str = BAD_RESPONSE, errors: t.Sequence[ServiceError] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind
        self.errors = errors


def decode(body: bytes, content_type: str = "") -> Json:
    """Parse a response body strictly; raise `Unusable` if it is invalid or ambiguous JSON."""
    if sum(map(body.count, (b",", b"{", b"["))) > MAX_VALUES:
        raise Unusable(f"its body contains more than {MAX_VALUES} values")
    try:
        text = body.decode("utf-8")
        value = json.loads(text, object_pairs_hook=unique_members, parse_constant=no_constant, parse_float=finite_float)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise Unusable(_not_json(body, content_type, error)) from None
    level = [value]
    for _depth in range(_DEPTH + 1):
        containers = [item for item in level if isinstance(item, (dict, list))]
        if not containers:
            return value
        level = [child for item in containers for child in (item.values() if isinstance(item, dict) else item)]
    raise Unusable(f"its body is nested more than {_DEPTH} levels deep")


def open_envelope(value: Json, expected: tuple[type, ...]) -> tuple[Json, dict[str, Json] | None]:
    """Return `result` and `result_info` of a successful answer; `expected` are the valid types of the result, empty for any."""
    if not isinstance(value, dict):
        raise Unusable(f"its body is {json_type(value)} instead of an object")
    if not isinstance(value.get("success", True), bool):
        raise Unusable("`success` is not a boolean")
    if "success" not in value and value.get("errors"):
        raise Unusable("`success` is missing beside `errors`")
    if expected:
        if "success" not in value:
            raise Unusable("`success` is missing")
        if "result" not in value:
            raise Unusable("`result` is missing")
        if not isinstance(value["result"], expected):
            names = " or ".join(JSON_TYPES[kind] for kind in expected)
            raise Unusable(f"`result` is {json_type(value['result'])} instead of {names}")
    info = value.get("result_info")
    if info is not None and not isinstance(info, dict):
        raise Unusable(f"`result_info` is {json_type(info)} instead of an object")
    return value.get("result"), info


def _not_json(body: bytes, content_type: str, error: Exception) -> str:
    if not body.strip():
        return "its body is empty"
    kind = "".join(c for c in content_type.partition(";")[0].strip()[:40] if c.isprintable())
    type_note = f" (its type is {kind})" if kind and "json" not in kind else ""
    if body.lstrip()[:200].lower().startswith((b"<!doctype html", b"<html")):
        return f"its body is not valid JSON{type_note} but a web page, such as the login page of a proxy; check base_url and the way to it"
    why = {UnicodeDecodeError: "not UTF-8", UnicodeEncodeError: "half a character", RecursionError: "nested too deep"}
    detail = why.get(type(error), getattr(error, "msg", None) or str(error)[:80])
    return f"its body is not valid JSON{type_note}: {detail}"


AUTHENTICATION_CODES = frozenset((6003, 6111, 9109, 10000))
# The route does not exist, or not for this zone.
NO_ROUTE_CODES = frozenset((7000, 7003))
_KINDS = {401: AUTHENTICATION, 403: PERMISSION, 404: NOT_FOUND, RATE_LIMITED_STATUS: RATE_LIMITED}
_MAX_ERRORS, _DEEPEST_CHAIN = 50, 5

_BY_CODE: t.Mapping[int, str] = {
    6111: "An API key in api_token, or a token in api_key, is the usual cause.",
    6102: "The format of api_email is not valid.",
    6103: "The format of api_key is not valid; set a token as api_token.",
    6003: "The service could not read the credentials; an API key in api_token, or a token in api_key, is the usual cause.",
    9109: "The credentials are not valid, have expired, may not be used from this address, or {place} belongs to another account.",
    10000: "The service does not accept the credentials for {place}; check api_token (or api_email and api_key), and what the token may access.",
    7003: "Check {option}, and that base_url is the address of the service's version 4.",
    7000: "Check {option}, and that base_url is the address of the service's version 4.",
    1105: "The host name of the destination cannot be resolved.",
}
_MAX_JOBS = "max jobs"
_MAX_JOBS_HINT = (
    "If {place} has no Logpush job of this dataset yet, its plan does not include the dataset; otherwise delete or reuse a job."
)
_OWNERSHIP = "ownership"
_OWNERSHIP_HINT = (
    "Request a challenge with the module logpush_ownership, read its token at the destination, and set it as ownership_challenge;"
    " a token is valid for one zone or account and one destination, and not for ever."
)
_RULE_QUOTA = re.compile(r"(\d+) out of (\d+)")
_RULE_HINTS = {
    False: "The plan of {place} has no content security rules, which are part of Client-Side Security Advanced.",
    True: "The plan of {place} allows no further content security rule; delete or change one.",
}
_RATE_LIMIT_HINT = "Others use the same credentials, or request_budget allows more than the service does: lower request_budget, or run the task later."
_PLAN_HINT = "The plan of {place} does not have it, which no permission changes."
_ROUTE_HINT = f"If the API has another route for the script monitor, set route (auto, {' or '.join(ROUTES)})."


def kind_of(status: int, codes: t.Collection[int | None]) -> str:
    """Return the kind of a failure; a known error code takes precedence over the status."""
    if status >= 500:
        return UNAVAILABLE
    if 300 <= status < 400:
        return BAD_RESPONSE
    if status != RATE_LIMITED_STATUS and AUTHENTICATION_CODES.intersection(codes):
        return AUTHENTICATION
    return _KINDS.get(status, REJECTED)


def lacks_route(failure: Failure) -> bool:
    """Return whether the service lacks the path or the method of a request; with another error code the route exists."""
    codes = {error["code"] for error in failure.errors} - {None}
    is_named = bool(codes & NO_ROUTE_CODES)
    by_status = {400: is_named, 404: is_named or not codes, 405: True}
    return failure.kind in (NOT_FOUND, REJECTED) and by_status.get(failure.status or 0, False)


def is_missing(failure: Failure) -> bool:
    """Return whether a read failed because the service has no such object or no such route."""
    return failure.kind == NOT_FOUND or lacks_route(failure)


def service_errors(answer: Json) -> tuple[ServiceError, ...]:
    """Return the error objects of an answer in normal form, chained errors after the error that they explain."""
    entries = answer.get("errors") if isinstance(answer, dict) else None
    return tuple(_flat(entries, 0))[:_MAX_ERRORS]


def _flat(entries: Json, depth: int) -> t.Iterator[ServiceError]:
    if depth > _DEEPEST_CHAIN:
        return
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry, dict):
            if "code" in entry or "message" in entry:
                message = entry.get("message")
                yield {"code": _code(entry.get("code")), "message": clean_text(message) if isinstance(message, str) else ""}
            yield from _flat(entry.get("error_chain"), depth + 1)
        elif isinstance(entry, str):
            yield {"code": None, "message": clean_text(entry)}


def _code(value: Json) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def hint(operation: str, status: int, errors: t.Sequence[ServiceError], address: Address | None = None) -> str:
    """Return advice on what the user can do about a failure; "" for none."""
    area, codes = operation.partition(".")[0], {error["code"] for error in errors}
    words = {"place": "this request", "option": "the options of the task"}
    if address is not None and ENDPOINTS[operation].scopes:
        words = {"place": f"this {address.scope}", "option": f"{address.scope}_id"}
    hints = [text for code, text in _BY_CODE.items() if code in codes][:1]
    if status == 401 and not hints:
        hints.append("Check api_token, or api_email and api_key.")
    is_full = area == "logpush_jobs" and any(_MAX_JOBS in error["message"].lower() for error in errors)
    needed = needed_for(area, ENDPOINTS[operation].path)
    # The service refuses one more job with the status and the code that a missing permission has.
    if any(is_unentitled(error["message"]) for error in errors):
        hints.append(_PLAN_HINT)
    elif (status in (401, 403) or not AUTHENTICATION_CODES.isdisjoint(codes)) and needed is not None and not is_full:
        hints.append(_permission_hint(needed))
    # With a code, the object is missing and not the route.
    is_object = operation.endswith(".script") and codes - {None} - NO_ROUTE_CODES
    if area in ROUTES and status in (404, 405) and not is_object:
        hints.append(_ROUTE_HINT)
    if is_full:
        hints.append(_MAX_JOBS_HINT)
    if area == "content_security_rules":
        quotas = filter(None, (_RULE_QUOTA.search(error["message"]) for error in errors))
        hints += [_RULE_HINTS[int(quota[2]) > 0] for quota in quotas][:1]
    if area.startswith("logpush") and any(_OWNERSHIP in error["message"].lower() for error in errors):
        hints.append(_OWNERSHIP_HINT)
    if status == RATE_LIMITED_STATUS:
        hints.append(_RATE_LIMIT_HINT)
    return " ".join(hints).format_map(words)


def _permission_hint(needed: Needed) -> str:
    read, write = needed
    if not write:
        return f"The token needs {read}."
    if read == write:
        return f"The token needs {write} for {{place}}, to read as well ({write.removesuffix('Write')}Read is not enough)."
    return f"The token needs {read} to read and {write} (Edit in the dashboard) to write, for {{place}}."


# Cut far behind the part that users read, because a secret at the cut would be incomplete and not be masked.
_MAX_TEXT_LENGTH = 100_000


def read_answer(connection: Connection, operation: str, exchange: Exchange) -> Answer:
    """Return the answer to an operation; raise `Failure` if there is none."""
    expected = ENDPOINTS[operation].result
    try:
        reply = successful_reply(connection, exchange)
        result, info = None, None
        if expected or reply.body.strip():
            value = decode(reply.body, reply.headers.get("Content-Type", ""))
            if isinstance(value, dict) and value.get("success") is False:
                raise _reported(exchange, reply, service_errors(value))
            result, info = open_envelope(value, expected)
        return Answer(result, info, exchange.attempts)
    except Unusable as error:
        unusable = error
    raise describe_failure(connection, operation, exchange, unusable)


def locate(failure: Failure, exchange: Exchange) -> Failure:
    """Return a failure found in the content of an answer, with the members that describe the request."""
    return dataclasses.replace(
        failure,
        method=exchange.method,
        path=exchange.path,
        status=exchange.status,
        request_id=exchange.request_id,
        attempts=exchange.attempts,
    )


def successful_reply(connection: Connection, exchange: Exchange) -> Reply:
    """Return the reply if it has a status of success; raise `Unusable` with the reason if there is none."""
    reply = exchange.outcome
    if isinstance(reply, Fault):
        timeout = f" of {connection.timeout:g} s" if reply.timed_out else ""
        host = f"; the host is {connection.host}" if reply.kind == UNAVAILABLE else ""
        raise Unusable(f"{reply.reason}{timeout}{_tries(exchange)}{host}", reply.kind)
    if reply.status == PARTIAL_CONTENT:
        raise Unusable("it is only a part of what was requested")
    if 200 <= reply.status < 300:
        return reply
    if 300 <= reply.status < 400:
        if not reply.headers.get("Location"):
            raise Unusable(f"the service answered HTTP {reply.status}, which is neither a result nor a redirect")
        target = _redirect_target(reply, connection)
        raise Unusable(f"the service redirects (HTTP {reply.status}) to {target}, which is not followed")
    try:
        errors = service_errors(decode(reply.body))
    except Unusable:
        errors = ()
    unusable, longest = _reported(exchange, reply, errors), connection.retry_wait_max
    if unusable.kind == RATE_LIMITED and exchange.pause is not None and exchange.pause > longest:
        unusable.reason += f"; it asks for a pause of {pause_text(exchange.pause)}, and retry_wait_max allows {longest} s"
    raise unusable


def _redirect_target(reply: Reply, connection: Connection) -> str:
    """Return only the host of a redirect, because the rest of its address may contain secrets."""
    try:
        return urlsplit(reply.headers.get("Location", "")).hostname or connection.host or "nowhere"
    except ValueError:
        return "an address that is not valid"


def _reported(exchange: Exchange, reply: Reply, errors: t.Sequence[ServiceError]) -> Unusable:
    texts = []
    for error in errors[:5]:
        code = "" if error["code"] is None else f" (code {error['code']})"
        texts.append(f"{error['message'] or 'no text'}{code}")
    reason = f"the service answered HTTP {reply.status}{_tries(exchange)}"
    kind = kind_of(reply.status, {error["code"] for error in errors})
    return Unusable(f"{reason}: {'; '.join(texts)}" if texts else reason, kind, errors)


def _tries(exchange: Exchange) -> str:
    return f" (tried {exchange.attempts} times)" if exchange.attempts > 1 else ""


def describe_failure(connection: Connection, operation: str, exchange: Exchange, unusable: Unusable) -> Failure:
    """Return the failure of a request, with advice and without secrets."""

    def clean(text: str) -> str:
        return clean_text(scrub(text, connection.secrets)[:_MAX_TEXT_LENGTH])

    advice = hint(operation, exchange.status or 0, unusable.errors, connection.address)
    reason = unusable.reason
    if unusable.kind == BAD_RESPONSE and exchange.status in range(200, 300):
        reason = f"the service's answer (HTTP {exchange.status}) cannot be used: {reason}"
    outcome = exchange.outcome
    if isinstance(outcome, Fault):
        garbled = outcome.sent and outcome.kind == BAD_RESPONSE and outcome.status is None
        lost = outcome.sent and outcome.kind != BAD_RESPONSE
    else:
        garbled, lost = False, outcome.status in GATEWAY_STATUSES
    # An error that the service itself reports has another kind, and means that the write was not accepted.
    accepted = garbled or (exchange.accepted and unusable.kind in (BAD_RESPONSE, UNAVAILABLE))
    is_write = ENDPOINTS[operation].retried_as != "GET"
    request = f"{ENDPOINTS[operation].description} ({exchange.method} {exchange.path})"
    failure = Failure(
        unusable.kind,
        clean(f"{request} failed: {reason}.{' ' + advice if advice else ''}"),
        errors=[{"code": error["code"], "message": clean(error["message"])} for error in unusable.errors],
        unanswered=is_write and (lost or exchange.received_before),
        accepted=is_write and accepted,
    )
    return locate(failure, exchange)
