# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._core import (
    BAD_RESPONSE,
    NOT_FOUND,
    PERMISSION,
    REJECTED,
    UNAVAILABLE,
    Answer,
    Failure,
)
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.read import entry_point

RULE = {"id": "f1", "action": "set_config"}
WHOLE = {"id": "rs", "kind": "zone", "phase": "http_log_custom_fields", "version": "4", "rules": [RULE]}
BARE = {name: value for name, value in WHOLE.items() if name != "rules"}
FRESH = {**BARE, "version": "1"}
OTHERS = [
    {**WHOLE, "id": "managed", "kind": "managed"},
    {**WHOLE, "id": "account", "kind": "root"},
    {**WHOLE, "id": "firewall", "phase": "http_request_firewall_custom"},
]


def refused(status, *codes, kind=NOT_FOUND):
    return Failure(kind, "refused", status=status, errors=[{"code": code, "message": "m"} for code in codes])


NONE = refused(404, 10003)
NO_ROUTE = [
    refused(404, 7003),
    refused(404),
    refused(405, kind=REJECTED),
    refused(400, 7003, kind=REJECTED),
    refused(400, 7000, kind=REJECTED),
]


class Service:
    """What each of the three routes answers, behind the client's interface, and which of them were asked."""

    def __init__(self, entrypoint, listed=(), alone=NO_ROUTE[0]):
        self.routes = {"rulesets.entrypoint": entrypoint, "rulesets.get": alone}
        self.listed = listed
        self.asked = []

    def call(self, operation, *, ids=None):
        self.asked.append(operation.partition(".")[2])
        assert (operation == "rulesets.get") == (ids == {"ruleset_id": "rs"})
        outcome = self.routes[operation]
        if isinstance(outcome, Failure):
            raise outcome
        return Answer(result=outcome, result_info=None, status=200, attempts=1, request_id=None)

    def items(self, operation, *, keys):
        self.asked.append(operation.partition(".")[2])
        assert keys == ("id",)
        if isinstance(self.listed, Failure):
            raise self.listed
        return list(self.listed)


def read(service, confirm=True):
    found = entry_point(service, confirm=confirm)
    return found and (found.id, [rule.id for rule in found.rules])


NEVER_ASKED = Failure(UNAVAILABLE, "not to be asked")
FOUND, EMPTY = ("rs", ["f1"]), ("rs", [])
EITHER = (True, False)


@pytest.mark.parametrize(
    ("routes", "confirms", "expected", "asked"),
    [
        # The route of the entry point is enough; it may leave out what it implies.
        ({"entrypoint": WHOLE}, EITHER, FOUND, ["entrypoint"]),
        ({"entrypoint": {"id": "rs", "rules": []}}, EITHER, EMPTY, ["entrypoint"]),
        # The list confirms that the ruleset is missing, if one would be created.
        ({"entrypoint": NONE, "listed": NEVER_ASKED}, [False], None, ["entrypoint"]),
        ({"entrypoint": NONE, "listed": OTHERS}, [True], None, ["entrypoint", "list"]),
        ({"entrypoint": NONE, "listed": [*OTHERS, WHOLE]}, [True], FOUND, ["entrypoint", "list"]),
        # Without that route the list decides.
        *(({"entrypoint": each, "listed": [*OTHERS, WHOLE]}, EITHER, FOUND, ["entrypoint", "list"]) for each in NO_ROUTE),
        *(
            ({"entrypoint": each, "listed": found}, EITHER, None, ["entrypoint", "list"])
            for each in NO_ROUTE
            for found in (OTHERS, [])
        ),
        ({"entrypoint": NO_ROUTE[0], "listed": [*OTHERS, BARE], "alone": WHOLE}, EITHER, FOUND, ["entrypoint", "list", "get"]),
        # A ruleset that was never written to may omit its rules; another route may show those that the first one omits.
        ({"entrypoint": FRESH}, EITHER, EMPTY, ["entrypoint", "get"]),
        ({"entrypoint": FRESH, "alone": FRESH}, EITHER, EMPTY, ["entrypoint", "get"]),
        ({"entrypoint": NO_ROUTE[0], "listed": [BARE], "alone": FRESH}, EITHER, EMPTY, ["entrypoint", "list", "get"]),
        ({"entrypoint": FRESH, "alone": WHOLE}, EITHER, FOUND, ["entrypoint", "get"]),
        ({"entrypoint": BARE, "alone": WHOLE}, EITHER, FOUND, ["entrypoint", "get"]),
    ],
)
def test_which_routes_are_read(routes, confirms, expected, asked):
    for confirm in confirms:
        service = Service(**routes)
        assert read(service, confirm) == expected
        assert service.asked == asked


@pytest.mark.parametrize("confirm", EITHER)
@pytest.mark.parametrize(
    "service",
    [
        *(Service(each, listed=[listed], alone=each) for each in NO_ROUTE for listed in (BARE, FRESH)),
        *(Service(BARE), Service(BARE, alone=BARE), Service({"id": "rs"}), Service(NO_ROUTE[0], listed=[BARE], alone=BARE)),
    ],
)
def test_rules_on_no_route_are_bad_response(service, confirm):
    """Missing rules of a ruleset that may have been written to are not empty."""
    sentence = (
        "No route of the service shows the rules of ruleset rs in the phase http_log_custom_fields."
        " A write would replace rules that cannot be seen, so nothing was written."
    )
    assert refusal(read, service, confirm) == (BAD_RESPONSE, sentence)


@pytest.mark.parametrize(
    ("service", "named"),
    [
        (Service({**WHOLE, "rules": None}, alone=WHOLE), "rs has null in 'rules'"),
        (Service({**WHOLE, "kind": "root"}), "its kind is 'root' instead of 'zone'"),
        (Service({**WHOLE, "phase": "other"}), "its phase is 'other' instead of 'http_log_custom_fields'"),
        (Service({**WHOLE, "id": None}), "it has no id"),
        *(
            (Service(NO_ROUTE[0], listed=[item]), "the list holds one without kind or phase")
            for item in ("rs", None, {"id": "rs"}, {**WHOLE, "kind": 1})
        ),
        (Service(NO_ROUTE[0], listed=[{**WHOLE, "rules": {}}], alone=WHOLE), "rs has an object in 'rules'"),
        (Service(NO_ROUTE[0], listed=[BARE], alone={**WHOLE, "id": "other"}), "rs was requested, but the response is other"),
        (
            Service(NO_ROUTE[0], listed=[BARE], alone={**WHOLE, "phase": "other"}),
            "its phase is 'other' instead of 'http_log_custom_fields'",
        ),
    ],
)
def test_garbled_answer_is_bad_response(service, named):
    """It is never taken for "does not exist"."""
    sentence = f"The service's answer holds a ruleset that cannot be used: {named}."
    assert refusal(read, service, confirm=False) == (BAD_RESPONSE, sentence)


def test_two_rulesets_are_bad_response():
    kind, message = refusal(read, Service(NO_ROUTE[0], listed=[WHOLE, {**WHOLE, "id": "rs2"}]))
    assert kind == BAD_RESPONSE and "rs, rs2" in message


OTHER_FAILURES = [
    refused(403, 10000, kind=PERMISSION),
    refused(400, 6003, kind=REJECTED),
    refused(400, 10003, kind=REJECTED),
    Failure(UNAVAILABLE, "no answer"),
    refused(200, 10003, kind=REJECTED),
]


@pytest.mark.parametrize("failure", OTHER_FAILURES, ids=lambda failure: f"{failure.kind}-{failure.status}")
@pytest.mark.parametrize("route", ["entrypoint", "list", "get"])
def test_any_other_failure_ends_the_run(route, failure):
    service = Service(
        failure if route == "entrypoint" else NO_ROUTE[0],
        listed=failure if route == "list" else [BARE],
        alone=failure,
    )
    with pytest.raises(Failure) as caught:
        read(service, confirm=False)
    assert caught.value is failure
    assert service.asked[-1] == route


def test_missing_list_route_fails():
    with pytest.raises(Failure) as caught:
        read(Service(NO_ROUTE[0], listed=NO_ROUTE[0]))
    assert caught.value is NO_ROUTE[0]
