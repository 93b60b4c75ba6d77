# SPDX-License-Identifier: GPL-3.0-or-later

"""What has to come of each fault, written down from the contract (sections 3, 7 and 9) and not from the code."""

import dataclasses
import typing as t

OK = "success"
INVALID_OPTION = "invalid_option"
AUTHENTICATION, PERMISSION, REJECTED = "authentication", "permission", "rejected"
RATE_LIMITED, UNAVAILABLE, BAD = "rate_limited", "unavailable", "bad_response"

# Classes of requests. `GET none` is a read that the service answers with 404 in the ordinary course of things, `GET fields`
# and `LIST further` are omitted where they are not permitted.
GET, GET_NONE, GET_FIELDS, LIST, LIST_FURTHER = "GET", "GET none", "GET fields", "LIST", "LIST further"
# A DELETE that is answered without a body, and a query, whose answer has no envelope and is omitted where it is not offered.
DELETE_NONE, QUERY, POST_RULE = "DELETE none", "QUERY", "POST rule"
# The preview of a transformer is a POST that reads, and is tried again like a GET.
PREVIEW = "PREVIEW"
POST_TRANSFORMER, POST_POLICY = "POST transformer", "POST policy"
# Each query that is written is a version, so that it is repeated no more than a POST.
PUT_QUERY = "PUT query"
PUT, DELETE, POST_RULESET, POST_JOB, POST_OWNERSHIP = "PUT", "DELETE", "POST ruleset", "POST job", "POST ownership"

ONCE, LASTING = "once", "lasting"
RETRIES = 2


@dataclasses.dataclass(frozen=True)
class Row:
    """A fault, and how a run ends that meets it.

    `once`: the fault befalls one request and is over. `lasting`: it befalls that request and all that follow.
    `others` names the classes of requests that end differently, in both cases or in each. `tried` says that the request is tried
    again as often as `retries` allows, which the `attempts` of the error have to show. `post` is about a POST that creates
    what can be looked for; `ownership` about one of which no trace can be read.
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
        """How a run ends, as far as this request decides it."""
        if request in self.others:
            found = self.others[request]
            return found if isinstance(found, str) else found[persistence == LASTING]
        if persistence == LASTING:
            return self.lasting
        special = {POST_RULESET: self.ruleset, POST_OWNERSHIP: self.ownership}.get(request)
        return special or (self.post if request.startswith("POST") or request == PUT_QUERY else self.once)

    def stratum(self, request: str) -> str:
        """The class of the request; a listing that ends as all listings do is one of them."""
        return LIST if request.startswith(LIST) and self.verdict(request, ONCE) == self.verdict(LIST, ONCE) else request


def _lost(fault: t.Mapping[str, t.Any], post: str, **more: t.Any) -> Row:
    """No usable answer came: everything but a POST is tried again; what that made is looked for."""
    return Row(fault, **{"once": OK, "post": post, "lasting": UNAVAILABLE, "ownership": UNAVAILABLE, **more})


def _final(fault: t.Mapping[str, t.Any], kind: str, **more: t.Any) -> Row:
    """The affected request fails, at the first try."""
    return Row(fault, once=kind, post=kind, lasting=kind, tried=False, **more)


def _limited(retry_after: t.Any) -> Row:
    """Any method is tried again after what `Retry-After` says, without it as backoff."""
    return Row({"kind": "429", "retry_after": retry_after}, OK, OK, RATE_LIMITED)


def _status(status: int, kind: str, code: int = 1999, **more: t.Any) -> Row:
    return _final({"kind": "status", "status": status, "code": code}, kind, **more)


# 404 is enough, whatever its body; a DELETE may be answered with anything that does not report failure.
# A body where there can be none is left over on the connection, which is dropped.
_LEFT_OVER = (OK, UNAVAILABLE)
_Others = dict[str, "str | tuple[str, str]"]
_STATUS_TELLS: _Others = {GET_NONE: OK, DELETE_NONE: _LEFT_OVER}
_NOTHING_NEEDED: _Others = {GET_NONE: OK, DELETE: OK, DELETE_NONE: OK}
_NO_ENVELOPE: _Others = {**_NOTHING_NEEDED, DELETE_NONE: _LEFT_OVER, QUERY: OK}
_ONLY_LISTINGS: _Others = {DELETE_NONE: _LEFT_OVER}
_ONLY_LISTINGS |= dict.fromkeys((GET, GET_FIELDS, GET_NONE, PUT, DELETE, PREVIEW, QUERY, POST_RULE), OK)
_ONLY_LISTINGS |= dict.fromkeys((POST_RULESET, POST_JOB, POST_OWNERSHIP, POST_TRANSFORMER, POST_POLICY, PUT_QUERY), OK)
_AWAY = "http://elsewhere.example/followed"

ROWS: t.Mapping[str, Row] = {
    # Nothing was received, so a POST is tried again, too.
    "refused": _lost({"kind": "refused", "seconds": 0.05}, OK, ownership=OK),
    # A POST may have been received, so it is not sent again; it is looked for and not found.
    "reset": _lost({"kind": "reset"}, UNAVAILABLE),
    "timeout": _lost({"kind": "hang"}, UNAVAILABLE, timeout=0.3),
    "502-html": _lost({"kind": "502"}, UNAVAILABLE),
    "503": _lost({"kind": "503"}, UNAVAILABLE),
    "520": _lost({"kind": "520"}, UNAVAILABLE),
    # It was applied: looked for and found, so that nothing is made twice. The timeout counts for each wait, and for the body as a whole.
    "reset-after": _lost({"kind": "reset_after"}, OK),
    "timeout-after": _lost({"kind": "hang", "applied": True}, OK, timeout=0.3),
    "drip-body": _lost({"kind": "drip", "seconds": 0.1, "part": "body"}, OK, timeout=0.3, others={DELETE_NONE: OK}),
    "502-after": _lost({"kind": "502", "applied": True}, OK),
    "504-after": _lost({"kind": "504"}, OK),
    "527-after": _lost({"kind": "527", "applied": True}, OK),
    # Less came than was announced, but a 404 is enough: the second DELETE finds nothing.
    "short-body": _lost({"kind": "short_body"}, OK, others=_NOTHING_NEEDED),
    "429-short": _limited(2),
    "429-date": _limited("date:9"),
    "429-unsaid": _limited(None),
    # A longer pause than retry_wait_max fails at once.
    "429-long": _final({"kind": "429", "retry_after": 301}, RATE_LIMITED),
    "500": _final({"kind": "500"}, UNAVAILABLE),
    # Of a preview, this is about the query; violations are not known then.
    "400": _status(400, REJECTED, others={PREVIEW: INVALID_OPTION, QUERY: OK}),
    "401": _status(401, AUTHENTICATION, others={QUERY: OK}),
    # Fields are not checked then, and what is listed beside scripts is missing.
    "403": _status(403, PERMISSION, others={GET_FIELDS: OK, LIST_FURTHER: OK, QUERY: OK}),
    # The code is more exact than the status; the status is enough for what may be missing.
    "403-9109": _status(403, AUTHENTICATION, 9109, others={LIST_FURTHER: OK, QUERY: OK}),
    # A body that is not JSON, or not an object.
    "truncated": _final({"kind": "truncated"}, BAD, others={GET_NONE: OK, DELETE_NONE: OK}),
    "not-json": _final({"kind": "not_json"}, BAD, others=_STATUS_TELLS),
    "empty": _final({"kind": "empty"}, BAD, others=_NOTHING_NEEDED),
    "array": _final({"kind": "array"}, BAD, others=_STATUS_TELLS),
    "string": _final({"kind": "string"}, BAD, others=_STATUS_TELLS),
    "number": _final({"kind": "number"}, BAD, others=_STATUS_TELLS),
    "null": _final({"kind": "null"}, BAD, others=_STATUS_TELLS),
    # An object without `success`, or without a usable `result`, which is never read as nothing there.
    "no-success": _final({"kind": "no_success"}, BAD, others=_NO_ENVELOPE),
    "no-result": _final({"kind": "no_result"}, BAD, others=_NO_ENVELOPE),
    "wrong-result": _final({"kind": "wrong_result"}, BAD, others=_NO_ENVELOPE),
    # Null is what a preview answers for a record that is filtered out.
    "null-result": _final({"kind": "wrong_result", "value": None}, BAD, others={**_NO_ENVELOPE, PREVIEW: OK}),
    "text-result": _final({"kind": "wrong_result", "value": "ok"}, BAD, others=_NO_ENVELOPE),
    # `result_info` of the wrong type, and one that contradicts the list.
    "wrong-info": _final({"kind": "bad_result_info", "value": "2 of 3"}, BAD, others={**_STATUS_TELLS, QUERY: OK}),
    "contradictory-info": _final({"kind": "bad_result_info"}, BAD, others=_ONLY_LISTINGS),
    # An error like any other; a refused entry point may be there already, and is in the first case.
    "failure-200": _final({"kind": "failure_200"}, REJECTED, ruleset=OK, others={QUERY: OK}),
    "failure-200-true": _final({"kind": "failure_200", "applied": False}, REJECTED, others={QUERY: OK}),
    # A body over 64 MiB, also where it is small on the wire.
    "64-mib": _final({"kind": "huge"}, BAD),
    "64-mib-unpacked": _final({"kind": "gzip_bomb"}, BAD),
    # A redirect is not followed, not even to the same host.
    "redirect": _final({"kind": "redirect", "location": _AWAY, "applied": False}, BAD),
    "redirect-308": _final({"kind": "redirect", "location": "/client/v4/followed", "status": 308, "applied": False}, BAD),
}
# What ends at the first try ends the same way when it lasts; not worth another 64 MiB.
ONLY_ONCE = ("64-mib", "64-mib-unpacked")


def expected(row: Row, requests: t.Sequence[str], index: int, persistence: str) -> tuple[str, int | None]:
    """How the run ends whose request of that index meets the fault: a kind or success, and the tries of the failing request."""
    affected = requests[index : index + 1] if persistence == ONCE else requests[index:]
    verdict = next((found for request in affected if (found := row.verdict(request, persistence)) != OK), OK)
    if verdict == OK:
        return OK, None
    return verdict, RETRIES + 1 if row.tried and persistence == LASTING else None
