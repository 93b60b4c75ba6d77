# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import Answer, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._scripts import inventory
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.read import _single_scripts, monitor

OLD, NEW = "script_monitor", "page_shield"
OPTIONS = {"script_id": None, "hosts": None, "status": [], "per_page": 100, "malicious_threshold": 50, "malicious_when": None}
OPTIONS |= {"malicious_only": False, "members": [], "route": "auto"}
STATUS = {"enabled": True, "updated_at": None}
ELSEWHERE, PUBLIC = "service.example", "api.cloudflare.com"


def refusal(kind: str, status: int, *codes: int) -> Failure:
    return Failure(kind, f"HTTP {status}", status=status, errors=[{"code": code, "message": "m"} for code in codes])


UNKNOWN = [
    refusal("not_found", 404),
    refusal("not_found", 404, 7000),
    refusal("not_found", 404, 7003),
    refusal("rejected", 405),
    refusal("rejected", 405, 7001),
]
FINAL = [
    refusal("not_found", 404, 10007),
    refusal("permission", 403),
    refusal("authentication", 404, 10000),
    refusal("unavailable", 500),
    refusal("rejected", 400, 1004),
]


class Service:
    """What each route answers, and which of them were requested."""

    def __init__(self, host: str, **answers: t.Any) -> None:
        self.host = host
        self.answers = answers
        self.requested: list[str] = []

    def call(self, operation: str) -> Answer:
        route = operation.partition(".")[0]
        self.requested.append(route)
        answer = self.answers.get(route, STATUS)
        if isinstance(answer, Failure):
            raise answer
        return Answer(answer, None, 200, 1, None)


@pytest.mark.parametrize(
    ("route", "host", "tried"),
    [("auto", ELSEWHERE, OLD), ("auto", PUBLIC, NEW), (OLD, PUBLIC, OLD), (NEW, ELSEWHERE, NEW)],
)
def test_the_first_route(route: str, host: str, tried: str) -> None:
    service = Service(host)
    assert monitor(t.cast("t.Any", service), route) == (tried, STATUS)
    assert service.requested == [tried]


@pytest.mark.parametrize("refused", UNKNOWN)
@pytest.mark.parametrize(("host", "first", "second"), [(ELSEWHERE, OLD, NEW), (PUBLIC, NEW, OLD)])
def test_unknown_route_tries_the_other_once(refused: Failure, host: str, first: str, second: str) -> None:
    """The other route once where the first is unknown."""
    service = Service(host, **{first: refused})
    assert monitor(t.cast("t.Any", service), "auto") == (second, STATUS)
    assert service.requested == [first, second]


@pytest.mark.parametrize(("route", "refused"), [("auto", refused) for refused in FINAL] + [(OLD, refused) for refused in UNKNOWN])
def test_any_other_refusal_is_final(route: str, refused: Failure) -> None:
    service = Service(ELSEWHERE, script_monitor=refused)
    with pytest.raises(Failure) as caught:
        monitor(t.cast("t.Any", service), route)
    assert caught.value is refused
    assert service.requested == [OLD]


def test_both_routes_unknown() -> None:
    service = Service(ELSEWHERE, script_monitor=UNKNOWN[1], page_shield=UNKNOWN[3])
    with pytest.raises(Failure, match="HTTP 404 The service does not know the route page_shield either") as caught:
        monitor(t.cast("t.Any", service), "auto")
    assert caught.value.status == 404
    assert service.requested == [OLD, NEW]


def test_second_route_failure_is_reported() -> None:
    """A second route that fails for a reason of its own: its failure is reported."""
    service = Service(ELSEWHERE, script_monitor=UNKNOWN[0], page_shield=FINAL[1])
    with pytest.raises(Failure) as caught:
        monitor(t.cast("t.Any", service), "auto")
    assert caught.value is FINAL[1]


class Singles:
    """A service that knows some scripts, each by the identifier under which it is requested."""

    def __init__(self, **known: str) -> None:
        self.known = known

    def find(self, operation: str, ids: t.Mapping[str, str]) -> Answer | None:
        found = self.known.get(ids["script_id"])
        return None if found is None else Answer({"id": found, "hash": "h"}, None, 200, 1, None)


def test_another_script_than_requested_is_a_bad_response() -> None:
    """What belongs to one script is never reported of another; one that is gone is left out."""
    client, query = t.cast("t.Any", Singles(a="A", b="c")), inventory.desire(OPTIONS).on_route(NEW)
    assert _single_scripts(client, query, ["a", "gone"]) == [{"script_id": "a", "hash": "h"}]
    with pytest.raises(Failure, match=r"^Script b was requested, and the response has script c\.$") as caught:
        _single_scripts(client, query, ["a", "b"])
    assert caught.value.kind == "bad_response"
