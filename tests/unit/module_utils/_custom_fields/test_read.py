# SPDX-License-Identifier: GPL-3.0-or-later

import pytest
from support.refusals import http_failure, refusal
from support.samples.custom_fields import NONE, row

from ansible_collections.edgeops.observability.plugins.module_utils._core import BAD_RESPONSE, NOT_FOUND, Answer, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.read import entry_point
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.result import report
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.state import read_ruleset

RULE = {"id": "f1", "action": "set_config"}
WHOLE = {"id": "rs", "kind": "zone", "phase": "http_log_custom_fields", "version": "4", "rules": [RULE]}
BARE = {name: value for name, value in WHOLE.items() if name != "rules"}
FRESH = {**BARE, "version": "1"}
OTHERS = [
    {**WHOLE, "id": "managed", "kind": "managed"},
    {**WHOLE, "id": "account", "kind": "root"},
    {**WHOLE, "id": "firewall", "phase": "http_request_firewall_custom"},
]


NO_ENTRY_POINT = http_failure(NOT_FOUND, 404, 10003)
NO_ROUTE = [http_failure(NOT_FOUND, 404, 7003), http_failure(NOT_FOUND, 404), http_failure("rejected", 405)]
NO_ROUTE += [http_failure("rejected", 400, code) for code in (7003, 7000)]


class Service:
    """A fake client: the answer of each of the three routes, and the routes that were requested."""

    def __init__(self, entrypoint, listed=(), by_id=NO_ROUTE[0]):
        self.routes = {"rulesets.entrypoint": entrypoint, "rulesets.get": by_id}
        self.listed = listed
        self.asked = []

    def call(self, operation, *, ids=None):
        self.asked.append(operation.partition(".")[2])
        assert (operation == "rulesets.get") == (ids == {"ruleset_id": "rs"})
        outcome = self.routes[operation]
        if isinstance(outcome, Failure):
            raise outcome
        return Answer(outcome)

    def items(self, operation, *, keys):
        self.asked.append(operation.partition(".")[2])
        assert keys == ("id",)
        if isinstance(self.listed, Failure):
            raise self.listed
        return list(self.listed)


def read(service, confirm=True):
    ruleset = entry_point(service, confirm=confirm)
    return ruleset and (ruleset.id, [rule.id for rule in ruleset.rules])


NEVER_ASKED = Failure("unavailable", "not to be asked")
FOUND, EMPTY = ("rs", ["f1"]), ("rs", [])
EITHER = (True, False)


@pytest.mark.parametrize(
    ("routes", "confirms", "expected", "asked"),
    [
        # The route of the entry point is enough; members with only one possible value may be omitted.
        ({"entrypoint": WHOLE}, EITHER, FOUND, ["entrypoint"]),
        ({"entrypoint": {"id": "rs", "rules": []}}, EITHER, EMPTY, ["entrypoint"]),
        # If a ruleset would be created, the list must confirm that it is missing.
        ({"entrypoint": NO_ENTRY_POINT, "listed": NEVER_ASKED}, [False], None, ["entrypoint"]),
        ({"entrypoint": NO_ENTRY_POINT, "listed": OTHERS}, [True], None, ["entrypoint", "list"]),
        ({"entrypoint": NO_ENTRY_POINT, "listed": [*OTHERS, WHOLE]}, [True], FOUND, ["entrypoint", "list"]),
        # If the service has no such route, the list is used.
        *(({"entrypoint": failure, "listed": [*OTHERS, WHOLE]}, EITHER, FOUND, ["entrypoint", "list"]) for failure in NO_ROUTE),
        *(
            ({"entrypoint": failure, "listed": listed}, EITHER, None, ["entrypoint", "list"])
            for failure in NO_ROUTE
            for listed in (OTHERS, [])
        ),
        ({"entrypoint": NO_ROUTE[0], "listed": [*OTHERS, BARE], "by_id": WHOLE}, EITHER, FOUND, ["entrypoint", "list", "get"]),
        # A new ruleset may omit its rules; if one route omits them, another may return them.
        ({"entrypoint": FRESH}, EITHER, EMPTY, ["entrypoint", "get"]),
        ({"entrypoint": FRESH, "by_id": FRESH}, EITHER, EMPTY, ["entrypoint", "get"]),
        ({"entrypoint": NO_ROUTE[0], "listed": [BARE], "by_id": FRESH}, EITHER, EMPTY, ["entrypoint", "list", "get"]),
        ({"entrypoint": FRESH, "by_id": WHOLE}, EITHER, FOUND, ["entrypoint", "get"]),
        ({"entrypoint": BARE, "by_id": WHOLE}, EITHER, FOUND, ["entrypoint", "get"]),
    ],
)
def test_routes_that_are_read(routes, confirms, expected, asked):
    for confirm in confirms:
        service = Service(**routes)
        assert read(service, confirm) == expected
        assert service.asked == asked


@pytest.mark.parametrize("confirm", EITHER)
@pytest.mark.parametrize(
    "service",
    [
        *(Service(failure, listed=[listed], by_id=failure) for failure in NO_ROUTE for listed in (BARE, FRESH)),
        *(Service(BARE), Service(BARE, by_id=BARE), Service({"id": "rs"}), Service(NO_ROUTE[0], listed=[BARE], by_id=BARE)),
    ],
)
def test_rules_on_no_route_are_bad_response(service, confirm):
    """If no route returns the rules of a ruleset that may have some, it is not treated as empty."""
    sentence = (
        "No route of the service shows the rules of ruleset rs in the phase http_log_custom_fields."
        " A write would replace rules that cannot be seen, so nothing was written."
    )
    assert refusal(read, service, confirm) == (BAD_RESPONSE, sentence)


@pytest.mark.parametrize(
    ("service", "named"),
    [
        (Service({**WHOLE, "rules": None}, by_id=WHOLE), "rs has null in 'rules'"),
        (Service({**WHOLE, "kind": "root"}), "its kind is 'root' instead of 'zone'"),
        (Service({**WHOLE, "phase": "other"}), "its phase is 'other' instead of 'http_log_custom_fields'"),
        (Service({**WHOLE, "id": None}), "it has no id"),
        *(
            (Service(NO_ROUTE[0], listed=[item]), "the list holds one without kind or phase")
            for item in ("rs", None, {"id": "rs"}, {**WHOLE, "kind": 1})
        ),
        (Service(NO_ROUTE[0], listed=[{**WHOLE, "rules": {}}], by_id=WHOLE), "rs has an object in 'rules'"),
        (Service(NO_ROUTE[0], listed=[BARE], by_id={**WHOLE, "id": "other"}), "rs was requested, but the response is other"),
        (
            Service(NO_ROUTE[0], listed=[BARE], by_id={**WHOLE, "phase": "other"}),
            "its phase is 'other' instead of 'http_log_custom_fields'",
        ),
    ],
)
def test_invalid_answer_is_not_a_missing_ruleset(service, named):
    sentence = f"The service's answer holds a ruleset that cannot be used: {named}."
    assert refusal(read, service, confirm=False) == (BAD_RESPONSE, sentence)


def test_two_rulesets_are_bad_response():
    kind, message = refusal(read, Service(NO_ROUTE[0], listed=[WHOLE, {**WHOLE, "id": "rs2"}]))
    assert kind == BAD_RESPONSE and "rs, rs2" in message


OTHER_FAILURES = [http_failure("permission", 403, 10000), Failure("unavailable", "no answer")]
OTHER_FAILURES += [http_failure("rejected", status, code) for status, code in ((400, 6003), (400, 10003), (200, 10003))]


@pytest.mark.parametrize("failure", OTHER_FAILURES, ids=lambda failure: f"{failure.kind}-{failure.status}")
@pytest.mark.parametrize("route", ["entrypoint", "list", "get"])
def test_other_failures_end_the_task(route, failure):
    service = Service(
        failure if route == "entrypoint" else NO_ROUTE[0],
        listed=failure if route == "list" else [BARE],
        by_id=failure,
    )
    with pytest.raises(Failure) as caught:
        read(service, confirm=False)
    assert caught.value is failure
    assert service.asked[-1] == route


def test_missing_list_route_fails():
    assert refusal(read, Service(NO_ROUTE[0], listed=NO_ROUTE[0])) == (NOT_FOUND, "HTTP 404")


def own(**members):
    return {"id": "r1", "action": "log_custom_field", "expression": "true", "action_parameters": {}, **members}


def of(*rules):
    return {"id": "rs", "rules": list(rules)}


def with_fields(items):
    return of(own(action_parameters={"request_fields": items}))


FIELDS = "rs, rules[0].action_parameters.request_fields"


@pytest.mark.parametrize(
    ("document", "named"),
    [
        ([], "it is not an object"),
        ({"id": 7, "rules": []}, "it has no id"),
        ({"id": "", "rules": []}, "it has no id"),
        ({"id": "rs", "rules": None}, "rs has null in 'rules'"),
        ({"id": "rs", "version": 5, "rules": []}, "rs has a number in 'version'"),
        ({"id": "rs", "last_updated": 5, "rules": []}, "rs has a number in 'last_updated'"),
        (of(None), "rs, rules[0] is null"),
        (of(own(), "skip"), "rs, rules[1] is a string"),
        (of({"action": "skip"}), "rs, rules[0] has no id"),
        (of({"id": "a", "action": 1}), "rs, rules[0] has no action"),
        (of(own(), own(action="skip")), "rs has two rules of one id"),
        (of(own(action="LOG_CUSTOM_FIELD")), "rs, rules[0] has custom fields, and 'LOG_CUSTOM_FIELD' as its action"),
        (
            of(own(action="zzz", action_parameters={"cookie_fields": []})),
            "rs, rules[0] has custom fields, and 'zzz' as its action",
        ),
        (of(own(description=[])), "rs, rules[0] has a list in 'description'"),
        *((of(own(expression=nothing)), "rs, rules[0] has no expression") for nothing in (None, "", " ")),
        (of(own(expression=True)), "rs, rules[0] has a boolean in 'expression'"),
        (of(own(ref=1)), "rs, rules[0] has a number in 'ref'"),
        (of(own(enabled="true")), "rs, rules[0] has a string in 'enabled'"),
        (of({"id": "a", "action": "log_custom_field"}), "rs, rules[0].action_parameters is null"),
        (with_fields({"name": "a"}), f"{FIELDS} is an object"),
        (with_fields(["a"]), f"{FIELDS}[0] has no name"),
        (with_fields([{"name": "a"}, {"name": 1}]), f"{FIELDS}[1] has no name"),
        (with_fields([{"name": ""}]), f"{FIELDS}[0] has no name"),
        (with_fields([{"name": "a", "preserve_duplicates": "no"}]), f"{FIELDS}[0] has a string in 'preserve_duplicates'"),
    ],
)
def test_invalid_ruleset_names_the_wrong_member(document, named):
    sentence = f"The service's answer holds a ruleset that cannot be used: {named}."
    assert refusal(read_ruleset, document) == (BAD_RESPONSE, sentence)


def test_omitted_rules_differ_from_no_rules():
    assert read_ruleset({"id": "rs"}).rules is None
    assert read_ruleset({"id": "rs", "rules": []}).rules == ()


def test_foreign_rules_are_not_inspected():
    strange = {"id": "f", "action": "new_action", "action_parameters": None, "expression": 5, "enabled": "maybe"}
    (rule,) = read_ruleset({"id": "rs", "rules": [strange]}).rules
    assert rule.to_send() == strange


def test_only_cookie_names_are_case_sensitive():
    lists = {"request_fields": [{"name": "X-A"}, {"name": "x-a"}], "cookie_fields": [{"name": "T"}, {"name": "t"}]}
    reported = report(read_ruleset({"id": "rs", "rules": [own(action_parameters=lists)]}))["custom_fields"]
    assert reported["request_fields"] == ["X-A"]
    assert reported["cookie_fields"] == ["T", "t"]


def test_flag_of_a_repeated_name_counts_in_either_place():
    for flags in ((None, True), (True, None)):
        items = [{"name": name, "preserve_duplicates": flag} for name, flag in zip(("X-A", "x-a"), flags, strict=True)]
        reported = report(read_ruleset({"id": "rs", "rules": [own(action_parameters={"response_fields": items})]}))
        assert reported["custom_fields"]["preserve_duplicates"] == reported["custom_fields"]["response_fields"] == ["X-A"]


def test_report_has_all_members():
    assert report(None) == {"custom_fields": NONE, "ruleset": None}
    assert report(read_ruleset(of(own()))) == {"custom_fields": NONE, "ruleset": row(id="rs", rule_id="r1")}


def test_report_covers_all_rules():
    rules = [
        own(action_parameters={"response_fields": [{"name": "b"}]}, ref="one"),
        own(id="r2", action_parameters={"response_fields": [{"name": "b", "preserve_duplicates": True}, {"name": "a"}]}),
    ]
    reported = report(read_ruleset({"id": "rs", "version": "3", "rules": rules}))
    assert reported["custom_fields"]["response_fields"] == ["a", "b"]
    assert reported["custom_fields"]["preserve_duplicates"] == ["b"]
    assert (reported["ruleset"]["rule_id"], reported["ruleset"]["ref"]) == ("r1", "one")
