# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
from ansible_collections.edgeops.observability.plugins.module_utils._api.graphql import read_data
from ansible_collections.edgeops.observability.plugins.module_utils._api.session import Fault, Reply
from ansible_collections.edgeops.observability.plugins.module_utils._api.transport import Exchange
from ansible_collections.edgeops.observability.plugins.module_utils._core import UNAVAILABLE, Failure

CONNECTION = Connection("https://service.example/client/v4", token="canary-token")


def exchange(body: t.Any, status: int = 200) -> Exchange:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Exchange("POST", "/graphql", Reply(status, {}, content), 1, True, False)


def errors(message: str) -> dict[str, t.Any]:
    return {"data": None, "errors": [{"message": message, "path": None, "extensions": {"code": "authz"}}]}


@pytest.mark.parametrize(
    ("body", "status", "kind", "part"),
    [
        (errors("zones [ab] are not authorized"), 200, "permission", "zones [ab] are not authorized"),
        (errors("zone ab does not have access to the path"), 403, "permission", "HTTP 403"),
        (errors("rate limiter budget depleted, try again after 5 minutes"), 200, "rate_limited", "5 minutes"),
        (errors("unable to execute query"), 200, "unavailable", "unable to execute"),
        (errors("cannot request data older than 90000s"), 200, "rejected", "older than 90000s"),
        (errors("it was canary-token"), 200, "rejected", "it was ****"),
        ({"data": None, "errors": None}, 200, "bad_response", "`data` must be an object, and is null"),
        ({"data": {}, "errors": "broken"}, 200, "rejected", "broken"),
        ([], 200, "bad_response", "its body must be an object"),
        (b"<html>login</html>", 200, "bad_response", "a web page"),
        (b"", 401, "authentication", "HTTP 401"),
    ],
)
def test_failures(body, status, kind, part):
    """Errors come with HTTP 200 or with the status that the documentation gives; their text tells the kind."""
    with pytest.raises(Failure) as caught:
        read_data(CONNECTION, exchange(body, status))
    assert caught.value.kind == kind and part in caught.value.message and "canary" not in caught.value.message
    assert (caught.value.path, caught.value.status) == ("/graphql", status)


def test_data_and_no_answer():
    assert read_data(CONNECTION, exchange({"data": {"viewer": {}}, "errors": None})) == {"viewer": {}}
    with pytest.raises(Failure, match=r"was refused; the host is service\.example") as caught:
        read_data(CONNECTION, Exchange("POST", "/graphql", Fault(UNAVAILABLE, "the connection was refused"), 1, False, False))
    assert caught.value.kind == UNAVAILABLE
