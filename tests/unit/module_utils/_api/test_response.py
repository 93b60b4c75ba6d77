# SPDX-License-Identifier: GPL-3.0-or-later

import contextlib
import json
import typing as t

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._address import ACCOUNT, ZONE, Address
from ansible_collections.edgeops.observability.plugins.module_utils._api import response
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from ansible_collections.edgeops.observability.plugins.module_utils._api.endpoints import ENDPOINTS
from ansible_collections.edgeops.observability.plugins.module_utils._api.graphql import read_data
from ansible_collections.edgeops.observability.plugins.module_utils._api.session import Reply
from ansible_collections.edgeops.observability.plugins.module_utils._api.transport import Exchange
from ansible_collections.edgeops.observability.plugins.module_utils._core import KINDS, UNAVAILABLE, Answer, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._http import Fault

CONNECTION = Connection("https://service.example/client/v4", address=Address(ZONE, "abc"), token="canary-token")
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4))
MEMBERS = ("success", "result", "errors", "messages", "result_info")
ENVELOPES = st.fixed_dictionaries({}, optional=dict.fromkeys(MEMBERS, JSON) | {"success": st.booleans() | JSON})


def read(body: bytes, status: int = 200, operation: str = "script_monitor.get", content_type: str = "application/json") -> Answer:
    reply = Reply(status, {"Content-Type": content_type}, body)
    return response.read_answer(CONNECTION, operation, Exchange("GET", "/zones/abc/x", reply, 1, True, False))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "empty"),
        (b"<html>canary</html>", "not valid JSON"),
        (b'\xef\xbb\xbf{"success": true, "result": {}}', "BOM"),
        (b'{"success": true, "result": {"a": "\xff"}}', "UTF-8"),
        (b'{"success": true, "result": {"a": 1, "a": 2}}', "two members"),
        (b'{"success": true, "result": {"a": NaN}}', "NaN"),
        (b'{"success": true, "result": {"a": 1e999}}', "too large"),
        (b'{"success": true, "result": {"a": ' + b"9" * 5000 + b"}}", "not valid JSON"),
        (b'{"success": true, "result": {"a": "\\ud800"}}', "half a character"),
        (b"[" * 100_000, "nested"),
        (b'{"success": true, "result": ' + b'{"a":' * 70 + b"[1]" + b"}" * 71, "64 levels"),
        (b"[]", "a list instead of an object"),
        (b'{"result": {}}', "`success` is missing"),
        (b'{"success": 1, "result": {}}', "`success` is not a boolean"),
        (b'{"success": true}', "`result` is missing"),
        (b'{"success": true, "result": []}', "`result` is a list instead of an object"),
        (b'{"success": true, "result": {}, "result_info": []}', "`result_info` is a list instead of an object"),
    ],
)
def test_invalid_answers_are_refused(body, words):
    with pytest.raises(Failure) as caught:
        read(body)
    assert caught.value.kind == "bad_response" and words in caught.value.message
    assert "canary" not in caught.value.message


@pytest.mark.parametrize("operation", ["logpush_jobs.list", "script_monitor.get"])
def test_part_of_an_answer_is_no_answer(operation: str) -> None:
    with pytest.raises(Failure) as caught:
        read(b'{"success": true, "result": []}', 206, operation)
    assert (caught.value.kind, caught.value.status) == ("bad_response", 206) and "only a part" in caught.value.message


def test_unparsable_body_names_content_type():
    with pytest.raises(Failure, match=r"its type is text/html"):
        read(b"<html>", content_type="text/html; charset=utf-8")


@pytest.mark.parametrize("messages", [b"null", b'[{"code": 10000, "message": "active"}]'])
def test_messages_and_null_errors_are_ignored(messages):
    answer = read(b'{"success": true, "result": {"a": 1}, "errors": null, "messages": ' + messages + b"}")
    assert (answer.result, answer.result_info) == ({"a": 1}, None)


@pytest.mark.parametrize(
    "body", [b"", b"{}", b'{"success": true}', b'{"success": true, "result": null}', b'{"result": {"id": 7}}']
)
def test_valid_answers_to_delete_are_accepted(body):
    assert isinstance(read(body, operation="logpush_jobs.delete"), Answer)


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"success": "yes"}', b'{"success": false}', b'{"errors": [{"code": 7}]}'])
def test_invalid_answers_to_delete_are_refused(body):
    with pytest.raises(Failure):
        read(body, operation="logpush_jobs.delete")


@given(body=st.binary(max_size=60))
def test_decoding_raises_one_exception(body):
    with contextlib.suppress(response.Unusable):
        response.decode(body)


@given(value=JSON)
def test_valid_json_is_unchanged(value):
    assert response.decode(json.dumps(value).encode()) == value


@given(
    value=JSON | ENVELOPES,
    status=st.sampled_from([200, 201, 204, 299, 301, 400, 401, 403, 404, 409, 429, 500, 503, 599]),
    operation=st.sampled_from(sorted(ENDPOINTS)),
)
def test_any_answer_is_an_answer_or_a_failure(value, status, operation):
    try:
        answer = read(json.dumps(value).encode(), status, operation)
    except Failure as caught:
        failure = caught
    else:
        assert 200 <= status < 300 and answer.attempts == 1 and value.get("success", True) is True
        return
    assert failure.kind in KINDS and failure.message and failure.status == status
    json.dumps(failure.report()).encode()
    for error in failure.errors:
        assert set(error) == {"code", "message"} and isinstance(error["message"], str)


def failure_of(status: int, *errors: t.Any, operation: str = "logpush_jobs.list", attempts: int = 1) -> Failure:
    body = json.dumps({"success": False, "errors": list(errors), "messages": [], "result": None}).encode()
    reply = Reply(status, {"CF-Ray": "8a1"}, body)
    with pytest.raises(Failure) as caught:
        response.read_answer(CONNECTION, operation, Exchange("GET", "/zones/abc/logpush/jobs", reply, attempts, True, False))
    return caught.value


@pytest.mark.parametrize(
    ("status", "codes", "kind"),
    [
        (400, [6003], "authentication"),
        (400, [1, 6111], "authentication"),
        (403, [9109], "authentication"),
        (200, [10000], "authentication"),
        (401, [], "authentication"),
        (200, [], "rejected"),
        (403, [1004], "permission"),
        (404, [10003], "not_found"),
        (409, [], "rejected"),
        (429, [10000], "rate_limited"),
        (500, [10000], "unavailable"),
        (304, [], "bad_response"),
    ],
)
def test_kind_follows_from_status_and_codes(status, codes, kind):
    assert response.kind_of(status, codes) == kind
    if status != 304:
        assert failure_of(status, *({"code": code, "message": "m"} for code in codes)).kind == kind


@pytest.mark.parametrize(
    ("status", "codes", "route", "object_or_route"),
    [
        (404, [], True, True),
        (404, [7000], True, True),
        (404, [10003], False, True),
        (404, [10000], False, False),
        (405, [], True, True),
        (400, [7003], True, True),
        (400, [], False, False),
        (403, [7003], False, False),
        (500, [7003], False, False),
    ],
)
def test_unknown_route_differs_from_a_missing_object(status, codes, route, object_or_route):
    failure = failure_of(status, *({"code": code, "message": "m"} for code in codes))
    assert response.lacks_route(failure) is route
    assert response.is_missing(failure) is object_or_route


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        (None, []),
        ("broken", [(None, "broken")]),
        ({"code": 7, "message": "m"}, [(7, "m")]),
        ([{"code": "1004", "message": None}], [(1004, "")]),
        ([{"code": 1.5}], [(None, "")]),
        (["text", 5, None, [], {}], [(None, "text")]),
        ([{"message": "a\x1b[31mb\nc"}], [(None, "a [31mb c")]),
        ([{"code": 6003, "message": "m", "error_chain": [{"code": 6111, "message": "n"}]}], [(6003, "m"), (6111, "n")]),
        ([{"code": 1, "message": "m", "error_chain": {"code": 2, "message": "n"}}], [(1, "m"), (2, "n")]),
    ],
)
def test_error_objects_of_any_shape_are_read(errors, expected):
    assert [(error["code"], error["message"]) for error in response.service_errors({"errors": errors})] == expected


def test_error_chain_and_list_are_bounded():
    deep: dict[str, t.Any] = {"code": 1}
    for _level in range(40):
        deep = {"code": 1, "error_chain": [deep]}
    assert len(response.service_errors({"errors": [deep]})) == 6
    assert len(response.service_errors({"errors": [{"code": 1}] * 1000})) == 50


def test_failure_has_all_members():
    errors = [{"code": 5, "message": "busy"}]
    failure = failure_of(409, *errors, attempts=2)
    request = {"method": "GET", "path": "/zones/abc/logpush/jobs", "status": 409, "request_id": "8a1", "attempts": 2}
    assert failure.report() == {"kind": "rejected", "errors": errors, **request}
    begin = "Listing the Logpush jobs (GET /zones/abc/logpush/jobs) failed: "
    assert failure.message == f"{begin}the service answered HTTP 409 (tried 2 times): busy (code 5)."


def test_missing_object_is_not_a_missing_route():
    assert "route" not in failure_of(404, {"code": 10007, "message": "no script"}, operation="page_shield.script").message


def test_credential_in_an_answer_is_masked():
    failure = failure_of(400, {"code": 6111, "message": "Invalid format: Bearer canary-token"})
    assert "canary" not in failure.message + repr(failure.report())


def test_connection_shows_no_secret():
    text = repr(Connection("https://service.example", token="canary", email="e", key="canary"))
    assert "canary" not in text


@pytest.mark.parametrize("status", [400, 404, 502])
def test_error_page_is_judged_by_its_status(status):
    reply = Reply(status, {"Content-Type": "text/html"}, b"<html>nope</html>")
    with pytest.raises(Failure) as caught:
        response.read_answer(CONNECTION, "zones.list", Exchange("GET", "/zones", reply, 1, True, False))
    assert caught.value.kind == response.kind_of(status, ()) and caught.value.errors == []


AN_ACCOUNT, A_ZONE = Address(ACCOUNT, "9a"), Address(ZONE, "ab")


@pytest.mark.parametrize(
    ("operation", "address", "status", "error", "parts"),
    [
        ("logpush_jobs.list", A_ZONE, 403, None, ["Logs Write"]),
        ("rulesets.update", A_ZONE, 400, (6003, "m"), ["Logs Write", "credentials"]),
        ("script_monitor.get", A_ZONE, 403, None, ["Page Shield Read"]),
        ("page_shield.update", A_ZONE, 403, None, ["Page Shield Write"]),
        ("zones.list", None, 401, None, ["Zone Read", "api_token"]),
        ("zones.list", None, 400, (6111, "m"), ["API key in api_token"]),
        ("zones.list", None, 403, (10000, "m"), ["does not accept the credentials for this request"]),
        ("logpush_jobs.list", A_ZONE, 403, (9109, "m"), ["expired", "or this zone belongs to another account"]),
        ("logpush_jobs.list", AN_ACCOUNT, 403, (10000, "m"), ["does not accept the credentials for this account"]),
        ("logpush_jobs.list", AN_ACCOUNT, 404, (7003, "m"), ["Check account_id"]),
        ("script_monitor.get", A_ZONE, 404, (7003, "m"), ["Check zone_id", "set route"]),
        ("page_shield.scripts", A_ZONE, 405, None, ["set route"]),
        ("logpush_jobs.list", AN_ACCOUNT, 403, (1004, "exceeded max jobs allowed"), ["If this account has no Logpush job of"]),
        ("logpush_jobs.create", AN_ACCOUNT, 403, (1004, "exceeded max jobs allowed"), ["If this account has no Logpush job of"]),
        ("logpush_jobs.list", AN_ACCOUNT, 403, (1004, "reading job for product 'X' is not allowed"), ["Logs Write"]),
        ("logpush_jobs.create", AN_ACCOUNT, 400, (1004, "bad predicate: EdgeResponseStatus is a number"), []),
        ("logpush_jobs.create", A_ZONE, 400, (1105, "m"), ["The host name of the destination cannot be resolved"]),
        ("logpush_jobs.create", A_ZONE, 400, (1002, "error validating Ownership"), ["with the module logpush_ownership"]),
        ("content_security_rules.create", A_ZONE, 403, None, ["Page Shield Write"]),
        (
            "content_security_rules.create",
            A_ZONE,
            400,
            (1, "exceeded ...: 1 out of 0"),
            ["of this zone has no content", "Advanced"],
        ),
        (
            "content_security_rules.create",
            A_ZONE,
            400,
            (1, "exceeded ...: 6 out of 5"),
            ["allows no further content security rule"],
        ),
        ("logpush_jobs.list", A_ZONE, 429, (1, "m"), ["lower request_budget"]),
        (
            "page_shield.scripts",
            A_ZONE,
            403,
            (1004, "Not entitled: it is not available"),
            ["The plan of this zone does not have it"],
        ),
    ],
)
def test_hint_names_remedy_and_object(operation, address, status, error, parts):
    """The hint says what the user can do, and names the object of the request."""
    errors = [] if error is None else [dict(zip(("code", "message"), error, strict=True))]
    hint = response.hint(operation, status, errors, address)
    assert all(part in hint for part in parts) and "{" not in hint
    if address == A_ZONE:
        assert hint in failure_of(status, *errors, operation=operation).message


def test_what_the_plan_lacks_needs_no_permission():
    """Nobody is to tick in the form of a token what is ticked already."""
    errors = [{"code": 1004, "message": "not entitled: this feature is not available for your plan"}]
    assert "token" not in response.hint("page_shield.scripts", 403, errors, A_ZONE)


def queried(body: t.Any, status: int = 200) -> Exchange:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Exchange("POST", "/graphql", Reply(status, {}, content), 1, True, False)


def graphql_errors(message: str) -> dict[str, t.Any]:
    return {"data": None, "errors": [{"message": message, "path": None, "extensions": {"code": "authz"}}]}


@pytest.mark.parametrize(
    ("body", "status", "kind", "part"),
    [
        (graphql_errors("zones [ab] are not authorized"), 200, "permission", "zones [ab] are not authorized"),
        (graphql_errors("zone ab does not have access to the path"), 403, "permission", "HTTP 403"),
        (graphql_errors("rate limiter budget depleted, try again after 5 minutes"), 200, "rate_limited", "5 minutes"),
        (graphql_errors("unable to execute query"), 200, "unavailable", "unable to execute"),
        (graphql_errors("cannot request data older than 90000s"), 200, "rejected", "older than 90000s"),
        (graphql_errors("it was canary-token"), 200, "rejected", "it was ****"),
        ({"data": None, "errors": None}, 200, "bad_response", "`data` must be an object, and is null"),
        ({"data": {}, "errors": "broken"}, 200, "rejected", "broken"),
        *(({"data": {}, "errors": errors}, 200, "bad_response", "`errors` must be a list") for errors in ({}, "", 0, False)),
        ([], 200, "bad_response", "its body must be an object"),
        (b"<html>login</html>", 200, "bad_response", "a web page"),
        (b"", 401, "authentication", "HTTP 401"),
    ],
)
def test_text_determines_kind_of_a_failed_query(body, status, kind, part):
    """Errors have HTTP 200 or the documented status; their text determines the kind of failure."""
    with pytest.raises(Failure) as caught:
        read_data(CONNECTION, queried(body, status))
    assert caught.value.kind == kind and part in caught.value.message and "canary" not in caught.value.message
    assert (caught.value.path, caught.value.status) == ("/graphql", status)


def test_query_without_an_answer_fails():
    assert read_data(CONNECTION, queried({"data": {"viewer": {}}, "errors": None})) == {"viewer": {}}
    with pytest.raises(Failure, match=r"was refused; the host is service\.example") as caught:
        read_data(CONNECTION, Exchange("POST", "/graphql", Fault(UNAVAILABLE, "the connection was refused"), 1, False, False))
    assert caught.value.kind == UNAVAILABLE


def test_ten_thousand_jobs_of_2_kb_can_be_listed() -> None:
    """Field names in an option text have many commas, too."""
    names = ",".join(f"Field{number:03}" for number in range(170))
    job = {"id": 1, "name": "edge", "dataset": "http_requests", "enabled": True, "logpull_options": f"fields={names}"}
    job |= {
        "destination_conf": "s3://logs/web?region=eu-west-1",
        "last_complete": None,
        "last_error": None,
        "error_message": None,
    }
    item = json.dumps(job).encode()
    assert 1_500 < len(item) < 2_100
    body = b'{"success": true, "result": [' + b", ".join([item] * 10_000) + b"]}"
    assert len(response.open_envelope(response.decode(body), (list,))[0]) == 10_000
