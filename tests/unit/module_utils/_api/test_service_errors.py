# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from ansible_collections.edgeops.observability.plugins.module_utils._api.response import (
    hint,
    is_missing,
    kind_of,
    lacks_route,
    read_answer,
    service_errors,
)
from ansible_collections.edgeops.observability.plugins.module_utils._api.transport import Exchange, Reply
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._zones import ACCOUNT, ZONE, Address

CONNECTION = Connection("https://service.example/client/v4", address=Address(ZONE, "abc"), token="canary-token")


def failure_of(status: int, *errors: t.Any, operation: str = "logpush_jobs.list", attempts: int = 1) -> Failure:
    body = json.dumps({"success": False, "errors": list(errors), "messages": [], "result": None}).encode()
    reply = Reply(status, {"CF-Ray": "8a1"}, body)
    with pytest.raises(Failure) as caught:
        read_answer(CONNECTION, operation, Exchange("GET", "/zones/abc/logpush/jobs", reply, attempts, True, False))
    return caught.value


@pytest.mark.parametrize(
    ("status", "codes", "kind"),
    [
        (400, [6003], "authentication"),
        (400, [1, 6111], "authentication"),
        (403, [9109], "authentication"),
        (403, [10000], "authentication"),
        (401, [], "authentication"),
        (404, [10000], "authentication"),
        (200, [10000], "authentication"),
        (200, [], "rejected"),
        (200, [1004], "rejected"),
        (403, [1004], "permission"),
        (403, [], "permission"),
        (404, [10003], "not_found"),
        (400, [20217], "rejected"),
        (409, [], "rejected"),
        (429, [10000], "rate_limited"),
        (500, [10000], "unavailable"),
        (503, [], "unavailable"),
        (304, [], "bad_response"),
    ],
)
def test_the_kind(status, codes, kind):
    assert kind_of(status, codes) == kind
    if status != 304:
        assert failure_of(status, *({"code": code, "message": "m"} for code in codes)).kind == kind


@pytest.mark.parametrize(
    ("status", "codes", "route", "object_or_route"),
    [
        (404, [], True, True),
        (404, [7000], True, True),
        (404, [7003], True, True),
        (404, [None], True, True),
        (404, [10003], False, True),
        (404, [10000], False, False),
        (405, [], True, True),
        (405, [7001], True, True),
        (405, [9109], False, False),
        (400, [7003], True, True),
        (400, [], False, False),
        (400, [1004], False, False),
        (403, [7003], False, False),
        (500, [7003], False, False),
        (200, [7003], False, False),
    ],
)
def test_a_route_that_the_service_lacks(status, codes, route, object_or_route):
    failure = failure_of(status, *({"code": code, "message": "m"} for code in codes))
    assert lacks_route(failure) is route
    assert is_missing(failure) is object_or_route


@pytest.mark.parametrize(
    ("errors", "found"),
    [
        (None, []),
        ([], []),
        ("broken", [(None, "broken")]),
        ({"code": 7, "message": "m"}, [(7, "m")]),
        ([{"code": 1004, "message": "m"}], [(1004, "m")]),
        ([{"code": "1004", "message": None}], [(1004, "")]),
        ([{"code": True, "message": 5}], [(None, "")]),
        ([{"code": 1.5}], [(None, "")]),
        (["text", 5, None, [], {}], [(None, "text")]),
        ([{"message": "a\x1b[31mb\nc"}], [(None, "a [31mb c")]),
        ([{"code": 6003, "message": "m", "error_chain": [{"code": 6111, "message": "n"}]}], [(6003, "m"), (6111, "n")]),
        ([{"code": 1, "message": "m", "error_chain": None}], [(1, "m")]),
        ([{"code": 1, "message": "m", "error_chain": {"code": 2, "message": "n"}}], [(1, "m"), (2, "n")]),
    ],
)
def test_error_objects_of_any_shape(errors, found):
    assert [(error["code"], error["message"]) for error in service_errors({"errors": errors})] == found


def test_error_chain_and_list_are_bounded():
    """An endless chain and a long list are bounded."""
    deep: dict[str, t.Any] = {"code": 1}
    for _level in range(40):
        deep = {"code": 1, "error_chain": [deep]}
    assert len(service_errors({"errors": [deep]})) == 6
    assert len(service_errors({"errors": [{"code": 1}] * 1000})) == 50


def test_a_failure_carries_everything():
    failure = failure_of(403, {"code": 1004, "message": "reading job for product is not allowed"}, attempts=2)
    assert failure.report() == {
        "kind": "permission",
        "method": "GET",
        "path": "/zones/abc/logpush/jobs",
        "status": 403,
        "errors": [{"code": 1004, "message": "reading job for product is not allowed"}],
        "request_id": "8a1",
        "attempts": 2,
    }
    assert "Listing the Logpush jobs (GET /zones/abc/logpush/jobs) failed" in failure.message
    assert "reading job for product is not allowed (code 1004)" in failure.message
    assert "tried 2 times" in failure.message


@pytest.mark.parametrize(
    ("operation", "status", "code", "words"),
    [
        ("logpush_jobs.list", 403, None, "Logs: Write"),
        ("logpush_ownership.create", 403, None, "Logs: Write"),
        ("logpush_jobs.create", 400, 1004, "several causes"),
        ("rulesets.update", 403, None, "Logs: Write"),
        ("script_monitor.get", 403, None, "Page Shield: Read"),
        ("page_shield.update", 403, None, "Page Shield: Write"),
        ("zones.list", 403, None, "Zone: Read"),
        ("zones.list", 401, None, "api_token"),
        ("zones.list", 401, None, "Zone: Read"),
        ("rulesets.update", 400, 6003, "Logs: Write"),
        ("zones.list", 400, 6003, "credentials"),
        ("zones.list", 400, 6111, "API key in api_token"),
        ("zones.list", 403, 9109, "expired"),
        ("zones.list", 403, 10000, "credentials"),
        ("script_monitor.get", 404, 7003, "zone_id"),
        ("script_monitor.get", 404, 7003, "set route"),
        ("script_monitor.get", 404, 1999, "set route"),
        ("page_shield.scripts", 405, None, "set route"),
        ("page_shield.script", 404, None, "set route"),
    ],
)
def test_hints(operation, status, code, words):
    errors = [] if code is None else [{"code": code, "message": "m"}]
    assert words in failure_of(status, *errors, operation=operation).message


def test_no_hint_where_there_is_none():
    assert "route" not in failure_of(404, {"code": 10007, "message": "no script"}, operation="page_shield.script").message
    assert failure_of(409, {"code": 5, "message": "busy"}).message.endswith(
        "failed: the service answered HTTP 409: busy (code 5)."
    )


@pytest.mark.parametrize("operation", ["logpush_jobs.create", "logpush_ownership.validate"])
def test_missing_proof_of_ownership_names_the_module(operation):
    failure = failure_of(400, {"code": 1002, "message": "error validating Ownership"}, operation=operation)
    assert "Request a challenge with the module logpush_ownership" in failure.message


def test_a_service_that_quotes_the_credential():
    failure = failure_of(400, {"code": 6111, "message": "Invalid format: Bearer canary-token"})
    assert "canary" not in failure.message + repr(failure.report())


def test_a_connection_shows_no_secret():
    shown = repr(Connection("https://service.example", token="canary", email="e", key="canary"))
    assert "canary" not in shown


@pytest.mark.parametrize("status", [400, 403, 404, 500, 502])
def test_an_error_page_is_read_by_its_status(status):
    reply = Reply(status, {"Content-Type": "text/html"}, b"<html>nope</html>")
    with pytest.raises(Failure) as caught:
        read_answer(CONNECTION, "zones.list", Exchange("GET", "/zones", reply, 1, True, False))
    assert caught.value.kind == kind_of(status, ()) and caught.value.errors == []


ACCOUNT_JOBS = ("logpush_jobs.list", Address(ACCOUNT, "9a"))


@pytest.mark.parametrize(
    ("asked", "status", "code", "message", "part"),
    [
        (("logpush_jobs.list", Address(ZONE, "ab")), 403, 9109, "m", "or this zone belongs to another account"),
        (ACCOUNT_JOBS, 403, 10000, "m", "does not accept the credentials for this account"),
        (("zones.list", None), 403, 10000, "m", "does not accept the credentials for this request"),
        (ACCOUNT_JOBS, 404, 7003, "m", "Check account_id"),
        (
            ACCOUNT_JOBS,
            403,
            1004,
            "exceeded max jobs allowed",
            "If this account has no Logpush job of this dataset yet, its plan",
        ),
        (ACCOUNT_JOBS, 403, 1004, "m", "several causes"),
        (ACCOUNT_JOBS, 400, 1105, "m", "The host name of the destination cannot be resolved"),
        (ACCOUNT_JOBS, 429, 1, "m", "lower request_budget"),
    ],
)
def test_hints_name_the_address(asked, status, code, message, part):
    """Advice speaks of what the request is about."""
    operation, address = asked
    found = hint(operation, status, [{"code": code, "message": message}], address)
    assert part in found and "{" not in found
