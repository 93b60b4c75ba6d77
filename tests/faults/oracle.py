# SPDX-License-Identifier: GPL-3.0-or-later

"""The expected result of each fault, written from the documentation and not from the code."""

import dataclasses
import typing as t

OK = "success"
INVALID_OPTION = "invalid_option"
AUTHENTICATION, PERMISSION, REJECTED = "authentication", "permission", "rejected"
RATE_LIMITED, UNAVAILABLE, BAD, GATE = "rate_limited", "unavailable", "bad_response", "gate"

# Classes of requests; requests of one class end a task in the same way. `GET none` reads an object that normally does not exist, so that
# the service answers 404. A task continues if it lacks the permission for a request of `GET fields` or `LIST further`.
GET, GET_NONE, GET_FIELDS, LIST, LIST_FURTHER = "GET", "GET none", "GET fields", "LIST", "LIST further"
# A DELETE that is answered without a body, and a GraphQL query, which has no envelope and is optional for a task.
DELETE_NONE, QUERY, POST_RULE = "DELETE none", "QUERY", "POST rule"
# The preview of a transformer is a POST that only reads, and is retried like a GET.
PREVIEW = "PREVIEW"
POST_TRANSFORMER, POST_POLICY, POST_WEBHOOK = "POST transformer", "POST policy", "POST webhook"
# Each write of a query adds a version, so that it is not retried, like a POST.
PUT_QUERY = "PUT query"
PUT, DELETE, POST_RULESET, POST_JOB, POST_OWNERSHIP = "PUT", "DELETE", "POST ruleset", "POST job", "POST ownership"

ONCE, LASTING = "once", "lasting"
RETRIES = 2


@dataclasses.dataclass(frozen=True)
class Row:
    """A fault, and the expected end of a run with it.

    `once`: only one request has the fault. `lasting`: that request and all later ones have it. `others`: classes of requests
    with another end, for both cases or for each. `tried`: the request is retried as often as `retries` allows, as `attempts` of the
    error must show. `post`: a POST whose created object can be found afterwards. `ownership`: a POST whose effect cannot be read.
    """

    fault: t.Mapping[str, t.Any]
    once: str
    post: str
    lasting: str
    tried: bool = True
    others: t.Mapping[str, str | tuple[str, str]] = dataclasses.field(default_factory=dict)
    ruleset: str | None = None
    ownership: str | None = None
    timeout: float = 10.0

    def verdict(self, request: str, persistence: str) -> str:
        """Return the end of a run if only this request is considered."""
        if request in self.others:
            verdict = self.others[request]
            return verdict if isinstance(verdict, str) else verdict[persistence == LASTING]
        if persistence == LASTING:
            return self.lasting
        special = {POST_RULESET: self.ruleset, POST_OWNERSHIP: self.ownership}.get(request)
        return special or (self.post if request.startswith("POST") or request == PUT_QUERY else self.once)

    def stratum(self, request: str) -> str:
        """Return the class of the request; listings are one class if they end like all listings."""
        return LIST if request.startswith(LIST) and self.verdict(request, ONCE) == self.verdict(LIST, ONCE) else request


def _without_answer(fault: t.Mapping[str, t.Any], post: str, **more: t.Any) -> Row:
    """No usable answer: all requests but POST are retried; after a POST the object is looked up."""
    return Row(fault, **{"once": OK, "post": post, "lasting": UNAVAILABLE, "ownership": UNAVAILABLE, **more})


def _failing_at_first_try(fault: t.Mapping[str, t.Any], kind: str, **more: t.Any) -> Row:
    """The request fails at the first try."""
    return Row(fault, once=kind, post=kind, lasting=kind, tried=False, **more)


def _limited(retry_after: t.Any) -> Row:
    """All methods are retried after `Retry-After`, without it after a backoff."""
    return Row({"kind": "429", "retry_after": retry_after}, OK, OK, RATE_LIMITED)


def _status(status: int, kind: str, code: int = 1999, **more: t.Any) -> Row:
    return _failing_at_first_try({"kind": "status", "status": status, "code": code}, kind, **more)


# A status of 404 is enough, whatever the body is; for a DELETE, any answer that does not report a failure is enough.
# An unexpected body remains on the connection, which is closed for this reason.
_LEFT_OVER = (OK, UNAVAILABLE)
_Others = dict[str, "str | tuple[str, str]"]
_STATUS_IS_ENOUGH: _Others = {GET_NONE: OK, DELETE_NONE: _LEFT_OVER}
_NOTHING_NEEDED: _Others = {GET_NONE: OK, DELETE: OK, DELETE_NONE: OK}
_NO_ENVELOPE: _Others = {**_NOTHING_NEEDED, DELETE_NONE: _LEFT_OVER, QUERY: OK}
_ONLY_LISTINGS: _Others = {DELETE_NONE: _LEFT_OVER}
_ONLY_LISTINGS |= dict.fromkeys((GET, GET_FIELDS, GET_NONE, PUT, DELETE, PREVIEW, QUERY, POST_RULE), OK)
_ONLY_LISTINGS |= dict.fromkeys(
    (POST_RULESET, POST_JOB, POST_OWNERSHIP, POST_TRANSFORMER, POST_POLICY, POST_WEBHOOK, PUT_QUERY), OK
)
_AWAY = "http://elsewhere.example/followed"

ROWS: t.Mapping[str, Row] = {
    # The service received nothing, so that even a POST is retried.
    "refused": _without_answer({"kind": "refused", "seconds": 0.05}, OK, ownership=OK),
    # The service may have received a POST, so that it is not retried; the object is looked up and not found.
    "reset": _without_answer({"kind": "reset"}, UNAVAILABLE),
    "timeout": _without_answer({"kind": "hang"}, UNAVAILABLE, timeout=0.3),
    "502-html": _without_answer({"kind": "502"}, UNAVAILABLE),
    "503": _without_answer({"kind": "503"}, UNAVAILABLE),
    "520": _without_answer({"kind": "520"}, UNAVAILABLE),
    # The POST was applied, and the object is found, so that it is not created twice. The timeout applies to each wait, and to the whole body.
    "reset-after": _without_answer({"kind": "reset_after"}, OK),
    "timeout-after": _without_answer({"kind": "hang", "applied": True}, OK, timeout=0.3),
    # A late body of the first DELETE could report a failure; of the second one, the status 404 is enough.
    "drip-body": _without_answer(
        {"kind": "drip", "seconds": 0.1, "part": "body"}, OK, timeout=0.3, others={DELETE: OK, DELETE_NONE: OK}
    ),
    "502-after": _without_answer({"kind": "502", "applied": True}, OK),
    "504-after": _without_answer({"kind": "504"}, OK),
    "527-after": _without_answer({"kind": "527", "applied": True}, OK),
    # The body is shorter than announced. The status 404 is enough: after an applied DELETE, the second one gets it.
    "short-body": _without_answer({"kind": "short_body"}, OK, others=_NOTHING_NEEDED),
    "429-short": _limited(2),
    "429-date": _limited("date:9"),
    "429-unsaid": _limited(None),
    # A pause longer than retry_wait_max is a failure at once.
    "429-long": _failing_at_first_try({"kind": "429", "retry_after": 301}, RATE_LIMITED),
    "500": _failing_at_first_try({"kind": "500"}, UNAVAILABLE),
    # For a preview, this means that the query is invalid; violations are then unknown.
    "400": _status(400, REJECTED, others={PREVIEW: INVALID_OPTION, QUERY: OK}),
    "401": _status(401, AUTHENTICATION, others={QUERY: OK}),
    # Where these requests are refused, names of fields are not checked, and further listings are missing in the result.
    "403": _status(403, PERMISSION, others={GET_FIELDS: OK, LIST_FURTHER: OK, QUERY: OK}),
    # The error code takes precedence over the status; for optional reads, any refusal by status is accepted.
    "403-9109": _status(403, AUTHENTICATION, 9109, others={LIST_FURTHER: OK, QUERY: OK}),
    # A body that is not JSON, or not an object.
    "truncated": _failing_at_first_try({"kind": "truncated"}, BAD, others={GET_NONE: OK, DELETE_NONE: OK}),
    "not-json": _failing_at_first_try({"kind": "not_json"}, BAD, others=_STATUS_IS_ENOUGH),
    "empty": _failing_at_first_try({"kind": "empty"}, BAD, others=_NOTHING_NEEDED),
    "array": _failing_at_first_try({"kind": "array"}, BAD, others=_STATUS_IS_ENOUGH),
    "string": _failing_at_first_try({"kind": "string"}, BAD, others=_STATUS_IS_ENOUGH),
    "number": _failing_at_first_try({"kind": "number"}, BAD, others=_STATUS_IS_ENOUGH),
    "null": _failing_at_first_try({"kind": "null"}, BAD, others=_STATUS_IS_ENOUGH),
    # An object without `success` or a usable `result`, which never means that an object does not exist.
    "no-success": _failing_at_first_try({"kind": "no_success"}, BAD, others=_NO_ENVELOPE),
    "no-result": _failing_at_first_try({"kind": "no_result"}, BAD, others=_NO_ENVELOPE),
    # A preview answers an empty list, or null, for a record that is filtered out, so that a sample that expects one has not passed.
    "wrong-result": _failing_at_first_try({"kind": "wrong_result"}, BAD, others={**_NO_ENVELOPE, PREVIEW: GATE}),
    "null-result": _failing_at_first_try({"kind": "wrong_result", "value": None}, BAD, others={**_NO_ENVELOPE, PREVIEW: GATE}),
    "text-result": _failing_at_first_try({"kind": "wrong_result", "value": "ok"}, BAD, others=_NO_ENVELOPE),
    # `result_info` of the wrong type, and one that contradicts the list.
    "wrong-info": _failing_at_first_try(
        {"kind": "bad_result_info", "value": "2 of 3"}, BAD, others={**_STATUS_IS_ENOUGH, QUERY: OK}
    ),
    "contradictory-info": _failing_at_first_try({"kind": "bad_result_info"}, BAD, others=_ONLY_LISTINGS),
    # Handled like other errors; an entry point whose creation is refused may already exist, as in the first row.
    "failure-200": _failing_at_first_try({"kind": "failure_200"}, REJECTED, ruleset=OK, others={QUERY: OK}),
    "failure-200-true": _failing_at_first_try({"kind": "failure_200", "applied": False}, REJECTED, others={QUERY: OK}),
    # A body over 64 MiB, either as sent or when it is decompressed.
    "64-mib": _failing_at_first_try({"kind": "huge"}, BAD),
    "64-mib-unpacked": _failing_at_first_try({"kind": "gzip_bomb"}, BAD),
    # Redirects are never followed, not even to the same host.
    "redirect": _failing_at_first_try({"kind": "redirect", "location": _AWAY, "applied": False}, BAD),
    "redirect-308": _failing_at_first_try(
        {"kind": "redirect", "location": "/client/v4/followed", "status": 308, "applied": False}, BAD
    ),
}
# These fail at the first try, so that the lasting fault gives the same result; a second 64 MiB would only take time.
ONLY_ONCE = ("64-mib", "64-mib-unpacked")


def expected(row: Row, requests: t.Sequence[str], index: int, persistence: str) -> tuple[str, int | None]:
    """Return the end of a run in which the request with this index has the fault: a kind or success, and the tries of the failing request."""
    affected = requests[index : index + 1] if persistence == ONCE else requests[index:]
    verdict = next((end for request in affected if (end := row.verdict(request, persistence)) != OK), OK)
    if verdict == OK:
        return OK, None
    return verdict, RETRIES + 1 if row.tried and persistence == LASTING else None
