# SPDX-License-Identifier: GPL-3.0-or-later

"""What has to come of each fault, written down from the contract (sections 3, 7 and 9) and not from the code."""

from __future__ import annotations

import dataclasses
import typing as t

OK = "success"
AUTHENTICATION, PERMISSION, REJECTED = "authentication", "permission", "rejected"
RATE_LIMITED, UNAVAILABLE, BAD = "rate_limited", "unavailable", "bad_response"

# Classes of requests. `GET none` is a read that the service answers with 404 in the ordinary course of things, `GET fields`
# and `LIST further` are omitted where they are not permitted.
GET, GET_NONE, GET_FIELDS, LIST, LIST_FURTHER = "GET", "GET none", "GET fields", "LIST", "LIST further"
PUT, DELETE, POST_RULESET, POST_JOB, POST_OWNERSHIP = "PUT", "DELETE", "POST ruleset", "POST job", "POST ownership"

ONCE, LASTING = "once", "lasting"
RETRIES = 2


@dataclasses.dataclass(frozen=True)
class Row:
    """A fault, and how a run ends that meets it.

    `once`: the fault befalls one request and is over. `lasting`: it befalls that request and all that follow.
    `others` names the classes of requests that end differently in both cases. `tried` says that the request is tried
    again as often as `retries` allows, which the `attempts` of the error have to show. `post` is about a POST that creates
    what can be looked for; `ownership` about one of which no trace can be read.
    """

    fault: t.Mapping[str, t.Any]
    why: str
    once: str
    post: str
    lasting: str
    tried: bool = True
    others: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    ruleset: str | None = None
    ownership: str | None = None
    timeout: float = 10.0

    def verdict(self, request: str, persistence: str) -> str:
        """How a run ends, as far as this request decides it."""
        if request in self.others:
            return self.others[request]
        if persistence == LASTING:
            return self.lasting
        special = {POST_RULESET: self.ruleset, POST_OWNERSHIP: self.ownership}.get(request)
        return special or (self.post if request.startswith("POST") else self.once)

    def stratum(self, request: str) -> str:
        """The class of the request; a listing that ends as all listings do is one of them."""
        return LIST if request.startswith(LIST) and self.verdict(request, ONCE) == self.verdict(LIST, ONCE) else request


def _lost(fault: t.Mapping[str, t.Any], why: str, post: str, **more: t.Any) -> Row:
    """No usable answer came: everything but a POST is tried again."""
    return Row(fault, why, **{"once": OK, "post": post, "lasting": UNAVAILABLE, "ownership": UNAVAILABLE, **more})


def _final(fault: t.Mapping[str, t.Any], kind: str, why: str, **more: t.Any) -> Row:
    """The affected request fails, at the first try."""
    return Row(fault, why, once=kind, post=kind, lasting=kind, tried=False, **more)


# 404 is enough, whatever its body; a DELETE may be answered with anything that does not report failure.
_STATUS_TELLS = {GET_NONE: OK}
_NOTHING_NEEDED = {GET_NONE: OK, DELETE: OK}
_APPLIED = "it was applied: looked for and found, so that nothing is made twice"
_NOT_APPLIED = "it may have been received, so it is not sent again; looked for and not found"

NO_OBJECTS = ("array", "string", "number", "null")
ROWS: t.Mapping[str, Row] = {
    "refused": _lost(
        {"kind": "refused", "seconds": 0.05}, "nothing was received, so a POST is tried again, too", OK, ownership=OK
    ),
    "reset": _lost({"kind": "reset"}, _NOT_APPLIED, UNAVAILABLE),
    "reset-after": _lost({"kind": "reset_after"}, _APPLIED, OK),
    "timeout": _lost({"kind": "hang"}, _NOT_APPLIED, UNAVAILABLE, timeout=0.3),
    "timeout-after": _lost({"kind": "hang", "applied": True}, _APPLIED, OK, timeout=0.3),
    "drip": _lost(
        {"kind": "drip", "seconds": 0.1}, "the timeout counts for the whole try, its body included; " + _APPLIED, OK, timeout=0.3
    ),
    "drip-body": _lost({"kind": "drip", "seconds": 0.1, "part": "body"}, _APPLIED, OK, timeout=0.3),
    "short-body": _lost(
        {"kind": "short_body"},
        "less came than was announced, but a 404 is enough: the second DELETE finds nothing; " + _APPLIED,
        OK,
        others=_NOTHING_NEEDED,
    ),
    "429-short": Row({"kind": "429", "retry_after": 2}, "any method is tried again", OK, OK, RATE_LIMITED),
    "429-date": Row({"kind": "429", "retry_after": "date:9"}, "any method is tried again", OK, OK, RATE_LIMITED),
    "429-unsaid": Row({"kind": "429", "retry_after": None}, "without Retry-After as backoff", OK, OK, RATE_LIMITED),
    "429-long": _final({"kind": "429", "retry_after": 301}, RATE_LIMITED, "a longer pause than retry_wait_max fails at once"),
    "500": _final({"kind": "500"}, UNAVAILABLE, "500 is final"),
    "502-html": _lost({"kind": "502"}, _NOT_APPLIED, UNAVAILABLE),
    "502-after": _lost({"kind": "502", "applied": True}, _APPLIED, OK),
    "503": _lost({"kind": "503"}, _NOT_APPLIED, UNAVAILABLE),
    "504-after": _lost({"kind": "504"}, _APPLIED, OK),
    "520": _lost({"kind": "520"}, _NOT_APPLIED, UNAVAILABLE),
    "527-after": _lost({"kind": "527", "applied": True}, _APPLIED, OK),
    "400": _final({"kind": "status", "status": 400, "code": 1999}, REJECTED, "other 4xx are final"),
    "401": _final({"kind": "status", "status": 401, "code": 1999}, AUTHENTICATION, "401 is final"),
    "403": _final(
        {"kind": "status", "status": 403, "code": 1999},
        PERMISSION,
        "403 is final; fields are not checked then, and what is listed beside scripts is missing",
        others={GET_FIELDS: OK, LIST_FURTHER: OK},
    ),
    "403-9109": _final(
        {"kind": "status", "status": 403, "code": 9109},
        AUTHENTICATION,
        "the code is more exact than the status; the status is enough for what may be missing",
        others={LIST_FURTHER: OK},
    ),
    "truncated": _final({"kind": "truncated"}, BAD, "not JSON", others=_STATUS_TELLS),
    **{kind: _final({"kind": kind}, BAD, "not an object", others=_STATUS_TELLS) for kind in NO_OBJECTS},
    "not-json": _final({"kind": "not_json"}, BAD, "not JSON", others=_STATUS_TELLS),
    "empty": _final({"kind": "empty"}, BAD, "not JSON; a DELETE may be answered with no body", others=_NOTHING_NEEDED),
    "no-success": _final({"kind": "no_success"}, BAD, "without success; a DELETE may be answered so", others=_NOTHING_NEEDED),
    "no-result": _final(
        {"kind": "no_result"}, BAD, "success without result; a DELETE may be answered so", others=_NOTHING_NEEDED
    ),
    "wrong-result": _final({"kind": "wrong_result"}, BAD, "wrong type of result; a DELETE has no type", others=_NOTHING_NEEDED),
    "null-result": _final({"kind": "wrong_result", "value": None}, BAD, "never read as nothing there", others=_NOTHING_NEEDED),
    "text-result": _final({"kind": "wrong_result", "value": "ok"}, BAD, "wrong type of result", others=_NOTHING_NEEDED),
    "wrong-info": _final(
        {"kind": "bad_result_info", "value": "2 of 3"}, BAD, "result_info of the wrong type", others=_STATUS_TELLS
    ),
    "contradictory-info": _final(
        {"kind": "bad_result_info"},
        BAD,
        "only listings have counts",
        others=dict.fromkeys((GET, GET_FIELDS, GET_NONE, PUT, DELETE, POST_RULESET, POST_JOB, POST_OWNERSHIP), OK),
    ),
    "failure-200": _final(
        {"kind": "failure_200"},
        REJECTED,
        "an error like any other; a refused entry point may be there already, and is",
        ruleset=OK,
    ),
    "failure-200-true": _final({"kind": "failure_200", "applied": False}, REJECTED, "an error like any other"),
    "64-mib": _final({"kind": "huge"}, BAD, "a body over 64 MiB"),
    "64-mib-unpacked": _final({"kind": "gzip_bomb"}, BAD, "a body over 64 MiB, small on the wire"),
    "redirect": _final(
        {"kind": "redirect", "location": "http://elsewhere.example/followed", "applied": False}, BAD, "a redirect is not followed"
    ),
    "redirect-308": _final(
        {"kind": "redirect", "location": "/client/v4/followed", "status": 308, "applied": False}, BAD, "not even to the same host"
    ),
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
