# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from ansible_collections.edgeops.observability.plugins.module_utils._api.endpoints import ENDPOINTS
from ansible_collections.edgeops.observability.plugins.module_utils._api.response import (
    BadEnvelope,
    decode,
    open_envelope,
    read_answer,
)
from ansible_collections.edgeops.observability.plugins.module_utils._api.transport import Exchange, Reply
from ansible_collections.edgeops.observability.plugins.module_utils._core import KINDS, Answer, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._zones import ZONE, Address

CONNECTION = Connection("https://service.example/client/v4", address=Address(ZONE, "abc"), token="canary-token")
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4))
MEMBERS = ("success", "result", "errors", "messages", "result_info")
ENVELOPES = st.fixed_dictionaries({}, optional=dict.fromkeys(MEMBERS, JSON) | {"success": st.booleans() | JSON})


def read(body: bytes, status: int = 200, operation: str = "script_monitor.get", content_type: str = "application/json") -> Answer:
    reply = Reply(status, {"Content-Type": content_type}, body)
    return read_answer(CONNECTION, operation, Exchange("GET", "/zones/abc/x", reply, 1, True, False))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"<html>canary</html>", "not valid JSON"),
        (b'{"success": true', "not valid JSON"),
        (b'\xef\xbb\xbf{"success": true, "result": {}}', "BOM"),
        (b'{"success": true, "result": {"a": "\xff"}}', "UTF-8"),
        ('{"success": true, "result": {}}'.encode("utf-16"), "UTF-8"),
        (b'{"success": true, "result": {"a": 1, "a": 2}}', "two members"),
        (b'{"success": true, "result": {"a": NaN}}', "NaN"),
        (b'{"success": true, "result": {"a": -Infinity}}', "Infinity"),
        (b'{"success": true, "result": {"a": 1e999}}', "too large"),
        (b'{"success": true, "result": {"a": ' + b"9" * 5000 + b"}}", "not valid JSON"),
        (b'{"success": true, "result": {"a": "\\ud800"}}', "half a character"),
        (b"[" * 100_000, "nested"),
        (b"[" * 100 + b"]" * 100, "64 levels"),
        (b'{"success": true, "result": ' + b'{"a":' * 70 + b"[1]" + b"}" * 71, "64 levels"),
        (b"[]", "a list instead of an object"),
        (b"null", "null instead of an object"),
        (b'"x"', "a string instead of an object"),
        (b"1.5", "a number instead of an object"),
        (b"true", "a boolean instead of an object"),
        (b"{}", "`success` is missing"),
        (b'{"result": {}}', "`success` is missing"),
        (b'{"success": 1, "result": {}}', "`success` is not a boolean"),
        (b'{"success": null, "result": {}}', "`success` is not a boolean"),
        (b'{"success": true}', "`result` is missing"),
        (b'{"success": true, "result": null}', "`result` is null instead of an object"),
        (b'{"success": true, "result": []}', "`result` is a list instead of an object"),
        (b'{"success": true, "result": {}, "result_info": []}', "`result_info` is a list instead of an object"),
    ],
)
def test_what_an_answer_must_not_be(body, words):
    with pytest.raises(Failure) as caught:
        read(body)
    assert caught.value.kind == "bad_response" and words in caught.value.message
    assert "canary" not in caught.value.message


def test_unparsable_body_names_content_type():
    """The content type is named where it explains the failure."""
    with pytest.raises(Failure, match=r"its type is text/html"):
        read(b"<html>", content_type="text/html; charset=utf-8")


def test_null_errors_and_messages_are_no_matter():
    answer = read(b'{"success": true, "result": {"a": 1}, "errors": null, "messages": null}')
    assert (answer.result, answer.result_info) == ({"a": 1}, None)


def test_codes_in_messages_are_no_errors():
    """A code in the messages of a successful answer is no error."""
    assert read(b'{"success": true, "result": {}, "errors": [], "messages": [{"code": 10000, "message": "active"}]}').result == {}


@pytest.mark.parametrize(
    "body", [b"", b"{}", b'{"success": true}', b'{"success": true, "result": null}', b'{"result": {"id": 7}}']
)
def test_what_a_delete_may_answer(body):
    assert read(body, operation="logpush_jobs.delete").status == 200


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"success": "yes"}', b'{"success": false}'])
def test_what_a_delete_must_not_answer(body):
    with pytest.raises(Failure):
        read(body, operation="logpush_jobs.delete")


def test_empty_read_answer_is_bad_response():
    """An empty answer to a read is never taken for "does not exist"."""
    with pytest.raises(Failure) as caught:
        read(b"", status=204)
    assert caught.value.kind == "bad_response"


@pytest.mark.parametrize("operation", ENDPOINTS)
def test_the_types_of_each_operation(operation):
    expected = ENDPOINTS[operation].result
    for result in ({}, [], "x", 1, None):
        body = json.dumps({"success": True, "result": result}).encode()
        if not expected or isinstance(result, expected):
            assert read(body, operation=operation).result == result
        else:
            with pytest.raises(Failure, match="instead of"):
                read(body, operation=operation)


@given(body=st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_decoding_knows_one_exception(body):
    try:
        decode(body)
    except BadEnvelope as bad:
        said = str(bad)
    else:
        said = "good"
    assert said


@given(value=JSON)
def test_good_json_is_read_as_it_is(value):
    assert decode(json.dumps(value).encode()) == value


@given(value=JSON | ENVELOPES, expected=st.sampled_from([(dict,), (list,), (dict, list), ()]))
def test_opening_knows_one_exception(value, expected):
    try:
        result, info = open_envelope(value, expected)
    except BadEnvelope:
        return
    assert not expected or isinstance(result, expected)
    assert info is None or isinstance(info, dict)


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
        assert 200 <= answer.status < 300 and value.get("success", True) is True
        return
    assert failure.kind in KINDS and failure.message and failure.status == status
    json.dumps(failure.report()).encode()
    for error in failure.errors:
        assert set(error) == {"code", "message"} and isinstance(error["message"], str)
