# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Reads an exchange: an answer, or a failure in words for the user.
import dataclasses
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from ansible_collections.edgeops.observability.plugins.module_utils._api.endpoints import ENDPOINTS
from ansible_collections.edgeops.observability.plugins.module_utils._api.envelope import (
    BadEnvelope,
    decode,
    open_envelope,
)
from ansible_collections.edgeops.observability.plugins.module_utils._api.http.failures import Fault
from ansible_collections.edgeops.observability.plugins.module_utils._api.retry import GATEWAY_STATUSES
from ansible_collections.edgeops.observability.plugins.module_utils._api.service_errors import (
    ServiceError,
    hint,
    kind_of,
    service_errors,
)
from ansible_collections.edgeops.observability.plugins.module_utils._api.transport import Exchange, Reply, redirect_target
from ansible_collections.edgeops.observability.plugins.module_utils._errors import (
    BAD_RESPONSE,
    RATE_LIMITED,
    UNAVAILABLE,
    Failure,
)
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Answer
from ansible_collections.edgeops.observability.plugins.module_utils._redact import clean_text, scrub

# Far more than is reported: a secret that this cuts in half must not be near the end of what a user reads.
_MAX_TEXT_LENGTH = 100_000
_RAY = re.compile(r"[0-9A-Za-z_.-]{1,64}")


class _Unusable(Exception):
    """Why there is no answer, before it is reported as the failure of a request."""

    def __init__(self, kind: str, reason: str, errors: t.Sequence[ServiceError] = ()) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.errors = errors
        self.codes = {error["code"] for error in errors}


def read_answer(connection: Connection, operation: str, exchange: Exchange) -> Answer:
    """Return the answer to an operation, or raise the failure that there is instead."""
    try:
        return _answer(connection, ENDPOINTS[operation].result, exchange)
    except BadEnvelope as bad:
        unusable = _Unusable(BAD_RESPONSE, f"the service's answer (HTTP {exchange.status}) cannot be used: {bad}")
    except _Unusable as found:
        unusable = found
    raise _failure(connection, operation, exchange, unusable)


def locate(failure: Failure, exchange: Exchange) -> Failure:
    """Return a failure that was found in the content of an answer, with what is known of the request."""
    return dataclasses.replace(
        failure,
        method=exchange.method,
        path=exchange.path,
        status=exchange.status,
        request_id=_ray(exchange.outcome),
        attempts=exchange.attempts,
    )


def _answer(connection: Connection, expected: tuple[type, ...], exchange: Exchange) -> Answer:
    outcome = exchange.outcome
    if isinstance(outcome, Fault):
        timeout = f" of {connection.timeout:g} s" if outcome.timed_out else ""
        raise _Unusable(outcome.kind, f"{outcome.reason}{timeout}{_tries(exchange)}")
    if not 200 <= outcome.status < 300:
        raise _refusal(connection, exchange, outcome)
    result, info = None, None
    if expected or outcome.body.strip():
        value = decode(outcome.body, outcome.headers.get("Content-Type", ""))
        if isinstance(value, dict) and value.get("success") is False:
            raise _reported(exchange, outcome, service_errors(value))
        result, info = open_envelope(value, expected)
    return Answer(result, info, outcome.status, exchange.attempts, _ray(outcome))


def _refusal(connection: Connection, exchange: Exchange, reply: Reply) -> _Unusable:
    if 300 <= reply.status < 400:
        target = redirect_target(reply, connection.base_url)
        return _Unusable(BAD_RESPONSE, f"the service redirects (HTTP {reply.status}) to {target}, which is not followed")
    try:
        errors = service_errors(decode(reply.body))
    except BadEnvelope:
        errors = ()
    found, longest = _reported(exchange, reply, errors), connection.retry_wait_max
    if found.kind == RATE_LIMITED and exchange.pause is not None and exchange.pause > longest:
        found.reason += f"; it asks for a pause of {exchange.pause:.0f} s, and retry_wait_max allows {longest} s"
    return found


def _reported(exchange: Exchange, reply: Reply, errors: t.Sequence[ServiceError]) -> _Unusable:
    texts = [f"{error['message'] or 'no text'}{_code_note(error)}" for error in errors[:5]]
    reason = f"the service answered HTTP {reply.status}{_tries(exchange)}"
    found = _Unusable("", f"{reason}: {'; '.join(texts)}" if texts else reason, errors)
    found.kind = kind_of(reply.status, found.codes)
    return found


def _failure(connection: Connection, operation: str, exchange: Exchange, unusable: _Unusable) -> Failure:
    def clean(text: str) -> str:
        """Words of the service without credentials that they may quote, at a bearable length."""
        return clean_text(t.cast(str, scrub(text, connection.secrets))[:_MAX_TEXT_LENGTH])

    advice = hint(operation, exchange.status or 0, unusable.codes)
    # An error that the service reports with such a status is none of these.
    accepted = exchange.method != "GET" and exchange.accepted and unusable.kind in (BAD_RESPONSE, UNAVAILABLE)
    request = f"{ENDPOINTS[operation].description} ({exchange.method} {exchange.path})"
    failure = Failure(
        unusable.kind,
        clean(f"{request} failed: {unusable.reason}.{' ' + advice if advice else ''}"),
        errors=[{"code": error["code"], "message": clean(error["message"])} for error in unusable.errors],
        unanswered=exchange.method == "POST" and _is_unanswered(exchange),
        accepted=accepted,
    )
    return locate(failure, exchange)


def _is_unanswered(exchange: Exchange) -> bool:
    outcome = exchange.outcome
    if isinstance(outcome, Reply):
        return outcome.status in GATEWAY_STATUSES
    return exchange.sent and outcome.kind != BAD_RESPONSE


def _tries(exchange: Exchange) -> str:
    return f" (tried {exchange.attempts} times)" if exchange.attempts > 1 else ""


def _code_note(error: ServiceError) -> str:
    return "" if error["code"] is None else f" (code {error['code']})"


def _ray(outcome: Reply | Fault) -> str | None:
    ray = outcome.headers.get("CF-Ray", "") if isinstance(outcome, Reply) else ""
    return ray if _RAY.fullmatch(ray) else None
