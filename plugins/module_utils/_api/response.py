# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Reads an exchange: an answer, or a failure in words for a person.
import dataclasses
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from ansible_collections.edgeops.observability.plugins.module_utils._api.endpoints import ENDPOINTS
from ansible_collections.edgeops.observability.plugins.module_utils._api.envelope import (
    BadEnvelope,
    Envelope,
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
from ansible_collections.edgeops.observability.plugins.module_utils._errors import BAD_RESPONSE, RATE_LIMITED, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Answer
from ansible_collections.edgeops.observability.plugins.module_utils._redact import clean_text, scrub

# Far more than is reported: a secret that this cuts in half must not be near the end of what a person reads.
_LONGEST_TEXT = 100_000
_RAY = re.compile(r"[0-9A-Za-z_.-]{1,64}")


class Reading:
    """What an exchange means for the operation that it was for."""

    def __init__(self, connection: Connection, operation: str, path: str, exchange: Exchange) -> None:
        self._connection = connection
        self._operation = operation
        self._path = path
        self._exchange = exchange
        self.received_before = exchange.received_before

    def locate(self, failure: Failure) -> Failure:
        """A failure that was found in the content of this answer, with what is known of the request."""
        outcome = self._exchange.outcome
        return dataclasses.replace(
            failure,
            method=ENDPOINTS[self._operation].method,
            path=self._path,
            status=outcome.status if isinstance(outcome, Reply) else None,
            request_id=_ray(outcome) if isinstance(outcome, Reply) else None,
            attempts=self._exchange.attempts,
        )

    def answer(self) -> Answer:
        """The answer, or the failure that there is instead."""
        outcome = self._exchange.outcome
        if isinstance(outcome, Fault):
            raise self._failure(outcome.kind, self._fault(outcome))
        if not 200 <= outcome.status < 300:
            raise self._refusal(outcome)
        try:
            envelope = self._envelope(outcome)
        except BadEnvelope as bad:
            reason = f"the service's answer (HTTP {outcome.status}) cannot be used: {bad}"
            raise self._failure(BAD_RESPONSE, reason) from None
        return Answer(envelope.result, envelope.result_info, outcome.status, self._exchange.attempts, _ray(outcome))

    def _envelope(self, reply: Reply) -> Envelope:
        expected = ENDPOINTS[self._operation].result
        if not expected and not reply.body.strip():
            return Envelope(None, None)
        value = decode(reply.body, reply.headers.get("Content-Type", ""))
        if isinstance(value, dict) and value.get("success") is False:
            errors = service_errors(value)
            kind = kind_of(reply.status, _codes(errors))
            raise self._failure(kind, self._said(reply, errors), errors)
        return open_envelope(value, expected)

    def _refusal(self, reply: Reply) -> Failure:
        if 300 <= reply.status < 400:
            target = redirect_target(reply, self._connection.base_url)
            return self._failure(BAD_RESPONSE, f"the service redirects (HTTP {reply.status}) to {target}, which is not followed")
        try:
            errors = service_errors(decode(reply.body))
        except BadEnvelope:
            errors = ()
        kind = kind_of(reply.status, _codes(errors))
        said = self._said(reply, errors)
        if kind == RATE_LIMITED and self._exchange.pause is not None:
            said += self._long_pause(self._exchange.pause)
        return self._failure(kind, said, errors)

    def _fault(self, fault: Fault) -> str:
        if fault.timed_out:
            return f"{fault.reason} of {self._connection.timeout:g} s{self._tries()}"
        return fault.reason + self._tries()

    def _said(self, reply: Reply, errors: t.Sequence[ServiceError]) -> str:
        texts = [f"{error['message'] or 'no text'}{_code_note(error)}" for error in errors[:5]]
        said = f"the service answered HTTP {reply.status}{self._tries()}"
        return f"{said}: {'; '.join(texts)}" if texts else said

    def _long_pause(self, pause: float) -> str:
        longest = self._connection.retry_wait_max
        if pause <= longest:
            return ""
        return f"; it asks for a pause of {pause:.0f} s, and retry_wait_max allows {longest} s"

    def _tries(self) -> str:
        attempts = self._exchange.attempts
        return f" (tried {attempts} times)" if attempts > 1 else ""

    def _failure(self, kind: str, reason: str, errors: t.Sequence[ServiceError] = ()) -> Failure:
        outcome = self._exchange.outcome
        reply = outcome if isinstance(outcome, Reply) else None
        method = ENDPOINTS[self._operation].method
        advice = hint(self._operation, reply.status if reply else 0, _codes(errors))
        message = (
            f"{ENDPOINTS[self._operation].description} ({method} {self._path}) failed: {reason}.{' ' + advice if advice else ''}"
        )
        return Failure(
            kind,
            self._clean(message),
            method=method,
            path=self._path,
            status=reply.status if reply else None,
            errors=[{"code": error["code"], "message": self._clean(error["message"])} for error in errors],
            request_id=_ray(reply) if reply else None,
            attempts=self._exchange.attempts,
            unanswered=method == "POST" and self._unanswered(),
        )

    def _clean(self, text: str) -> str:
        """Words of the service without credentials that they may quote, at a bearable length."""
        return clean_text(t.cast(str, scrub(text, self._connection.secrets))[:_LONGEST_TEXT])

    def _unanswered(self) -> bool:
        outcome = self._exchange.outcome
        if isinstance(outcome, Reply):
            return outcome.status in GATEWAY_STATUSES
        return self._exchange.sent and outcome.kind != BAD_RESPONSE


def _codes(errors: t.Sequence[ServiceError]) -> set[int | None]:
    return {error["code"] for error in errors}


def _code_note(error: ServiceError) -> str:
    return "" if error["code"] is None else f" (code {error['code']})"


def _ray(reply: Reply) -> str | None:
    ray = reply.headers.get("CF-Ray", "")
    return ray if _RAY.fullmatch(ray) else None
