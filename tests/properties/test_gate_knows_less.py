# SPDX-License-Identifier: GPL-3.0-or-later

"""With less information, a rule that must not be enforced is still not enforced: each answer is taken away, each member of it is garbled."""

import copy
import datetime
import json
import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._address import ZONE, Address
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.options import OPTIONS, desire
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.read import read
from ansible_collections.edgeops.observability.plugins.module_utils._content_rules.violations import DATASET
from ansible_collections.edgeops.observability.plugins.module_utils._core import (
    AUTHENTICATION,
    BAD_RESPONSE,
    NOT_FOUND,
    PERMISSION,
    REJECTED,
    UNAVAILABLE,
    Answer,
    Failure,
)

DEFAULTS = {name: option.get("default") for name, option in OPTIONS.items()}
ZONE_ID, RULE_ID = "023e105f4ecef8ad9ca31a8372d0c353", "c9ef84a6bf5e47138c75d95e2f933e8f"
NOW = datetime.datetime(2026, 11, 28, tzinfo=datetime.timezone.utc)
STRIPE = "https://js.stripe.com/v3/"
Document = dict[str, t.Any]


def answers(value: str, *reported: str, action: str = "log", monitor: bool = True) -> Document:
    """Return what the service answers about a zone with one rule, which lists a script and a connection."""
    rule = {"id": RULE_ID, "description": "shop", "action": action, "expression": "true", "enabled": True, "value": value}
    rows = [
        {
            "count": 3,
            "dimensions": {
                "policyID": RULE_ID,
                "cspDirective": "script-src-elem",
                "url": url,
                "host": "shop.example",
                "pageURL": "https://shop.example/pay",
            },
        }
        for url in reported
    ]
    limits = {"enabled": True, "maxDuration": 2592000, "maxPageSize": 10000, "notOlderThan": 2595600}
    node = {"zoneTag": ZONE_ID, "settings": {DATASET: limits}, DATASET: rows, "recent": copy.deepcopy(rows)}
    page = {"host": "shop.example", "first_page_url": "https://shop.example/pay"}
    return {
        "content_security_rules.list": [rule],
        "graphql": {"viewer": {"zones": [node]}},
        "page_shield.get": {"enabled": monitor},
        "page_shield.scripts": [{"id": "1", "url": STRIPE, **page}, {"id": "2", "url": "https://shop.example/own.js", **page}],
        "page_shield.connections": [{"id": "3", "url": "https://api.example/v1", **page}],
    }


ALLOW = {"description": "shop", "action": "allow"}
# Answers and options of changes that must be refused.
SCENARIOS: t.Mapping[str, tuple[Document, Document]] = {
    "reported": (answers("script-src 'self'", STRIPE), ALLOW),
    "reported although it is allowed on paper": (answers("script-src https:", STRIPE), ALLOW),
    "logged with more": (answers("script-src 'self' https:", "data"), {**ALLOW, "directives": "script-src 'self' data:"}),
    "silent": (answers("script-src 'self'"), ALLOW),
    "monitor off": (answers("script-src 'self' https:", monitor=False), ALLOW),
    "enforced with more": (
        answers("script-src 'self' https:", action="allow"),
        {"description": "shop", "directives": "script-src 'self'"},
    ),
    "a connection": (
        answers("script-src *; connect-src https:", action="allow"),
        {"description": "shop", "directives": "script-src *; connect-src 'self'"},
    ),
}


class Service:
    """Answers as a client does; `failing` is an operation that fails in some way."""

    def __init__(self, documents: Document, failing: str = "", kind: str = "", status: int | None = None) -> None:
        self.address, self.warnings, self.knows_time = Address(ZONE, ZONE_ID), list[str](), True
        self._documents, self._failing, self._kind, self._status = documents, failing, kind, status

    def _answer(self, operation: str) -> t.Any:
        if operation == self._failing:
            raise Failure(self._kind, "taken away", status=self._status)
        return copy.deepcopy(self._documents[operation])

    def call(self, operation: str) -> Answer:
        return Answer(self._answer(operation))

    def items(self, operation: str, *, query: t.Mapping[str, str] | None = None, **_paging: t.Any) -> t.Any:
        answer = self._answer(operation)
        if not isinstance(answer, list):
            raise Failure(BAD_RESPONSE, "the result must be a list")
        return answer if query is None or query["status"] == "active" else []

    def query(self, _text: str, _variables: t.Mapping[str, t.Any]) -> t.Any:
        return self._answer("graphql")

    def at_service_time(self, ask: t.Callable[[datetime.datetime], t.Any]) -> t.Any:
        return ask(NOW)


def refusal(service: Service, options: Document) -> str:
    """Return why a change is not written, "" if it is."""
    desired = desire({**DEFAULTS, **options})
    try:
        return plan(desired, read(t.cast("t.Any", service), desired)).refused
    except Failure as failure:
        return f"{failure.kind}: {failure}"


def places(document: t.Any, path: tuple[t.Any, ...] = ()) -> t.Iterator[tuple[t.Any, ...]]:
    """Yield the path of each member and item of a document."""
    children: t.Iterable[tuple[t.Any, t.Any]] = ()
    if isinstance(document, dict):
        children = document.items()
    if isinstance(document, list):
        children = enumerate(document)
    for name, child in children:
        yield (*path, name)
        yield from places(child, (*path, name))


ABSENT = object()
GARBLED = (ABSENT, None, "", " ", "zzz", "ZZZ", 5, -1, True, False, [], {}, [None])


def garbled(document: Document, path: tuple[t.Any, ...], value: t.Any) -> Document:
    made = copy.deepcopy(document)
    there: t.Any = made
    for name in path[:-1]:
        there = there[name]
    if value is not ABSENT:
        there[path[-1]] = value
    elif isinstance(there, dict):
        del there[path[-1]]
    return made


@pytest.mark.parametrize("name", SCENARIOS)
def test_refused_change_stays_refused_without_an_answer(name: str) -> None:
    document, options = SCENARIOS[name]
    assert refusal(Service(document), options)
    for operation in document:
        for kind, status in (
            (PERMISSION, 403),
            (AUTHENTICATION, 401),
            (NOT_FOUND, 404),
            (REJECTED, 400),
            (UNAVAILABLE, 500),
            (BAD_RESPONSE, 200),
        ):
            assert refusal(Service(document, operation, kind, status), options), (operation, kind)


def is_another_truth(path: tuple[t.Any, ...], value: t.Any) -> bool:
    """Return whether a garbled answer may be true: a monitor that is on, a rule or a plan that is off, no report of the last day."""
    switch = path[-1] == "enabled" and (value is False or (path[0] == "page_shield.get" and value is True))
    return switch or (path[-1], value) == ("recent", [])


def test_refused_change_stays_refused_with_a_garbled_member(cases: t.Any) -> None:
    passed = []
    for name, (document, options) in SCENARIOS.items():
        for path in places(document):
            for value in GARBLED:
                if len(path) == 1 or is_another_truth(path, value) or (value is ABSENT and isinstance(path[-1], int)):
                    continue
                cases["gate: members taken away or garbled"] += 1
                if not refusal(Service(garbled(document, path, value)), options):
                    passed.append((name, path, "absent" if value is ABSENT else json.dumps(value)))
    assert not passed


def test_reports_of_an_unknown_time_do_not_count_as_those_of_the_last_days() -> None:
    """Without a date in any answer the window is that of the controller's clock, which may be wrong."""
    service = Service(answers("script-src 'self' https:"))
    assert not refusal(service, ALLOW)
    service.knows_time = False
    assert "no answer of the service says which time it is" in refusal(service, ALLOW)
