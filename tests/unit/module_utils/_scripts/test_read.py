# SPDX-License-Identifier: GPL-3.0-or-later

import typing as t

import pytest
from support.refusals import http_failure

from ansible_collections.edgeops.observability.plugins.module_utils._core import Answer, Failure
from ansible_collections.edgeops.observability.plugins.module_utils._scripts import listing, read

OLD, NEW = "script_monitor", "page_shield"
OPTIONS = {"script_id": None, "hosts": None, "status": [], "per_page": 100, "malicious_threshold": 50, "malicious_when": None}
OPTIONS |= {"page_url": None, "resources": ["scripts"], "malicious_only": False, "members": [], "route": "auto"}
STATUS = {"enabled": True, "updated_at": None}
ELSEWHERE, PUBLIC = "service.example", "api.cloudflare.com"


UNKNOWN = [http_failure("not_found", 404), http_failure("not_found", 404, 7000), http_failure("not_found", 404, 7003)]
UNKNOWN += [http_failure("rejected", 405), http_failure("rejected", 405, 7001)]
FINAL = [http_failure("not_found", 404, 10007), http_failure("permission", 403), http_failure("authentication", 404, 10000)]
FINAL += [http_failure("unavailable", 500), http_failure("rejected", 400, 1004)]


class Service:
    """The answer of each route to a status, and of each operation to a listing; both are recorded."""

    def __init__(self, host: str, items: t.Mapping[str, t.Any] | None = None, **answers: t.Any) -> None:
        self.host = host
        self.answers = answers
        self.requested: list[str] = []
        self.listed = items or {}
        self.queries: list[tuple[str, dict[str, str]]] = []
        self.warnings: list[str] = []

    def call(self, operation: str) -> Answer:
        route = operation.partition(".")[0]
        self.requested.append(route)
        answer = self.answers.get(route, STATUS)
        if isinstance(answer, Failure):
            raise answer
        return Answer(answer)

    def items(self, operation: str, *, query: dict[str, str], **_paging: t.Any) -> list[t.Any]:
        self.queries.append((operation, query))
        answer = self.listed[operation]
        if isinstance(answer, Failure):
            raise answer
        return t.cast("list[t.Any]", answer)


@pytest.mark.parametrize(
    ("route", "host", "answers", "expected", "requested"),
    [
        ("auto", ELSEWHERE, {}, OLD, [OLD]),
        ("auto", PUBLIC, {}, NEW, [NEW]),
        (OLD, PUBLIC, {}, OLD, [OLD]),
        (NEW, ELSEWHERE, {}, NEW, [NEW]),
        # The other route is tried once, and only if the first one does not exist.
        *(("auto", ELSEWHERE, {OLD: failure}, NEW, [OLD, NEW]) for failure in UNKNOWN),
        *(("auto", PUBLIC, {NEW: failure}, OLD, [NEW, OLD]) for failure in UNKNOWN),
        *(("auto", ELSEWHERE, {OLD: failure}, failure, [OLD]) for failure in FINAL),
        *((OLD, ELSEWHERE, {OLD: failure}, failure, [OLD]) for failure in UNKNOWN),
        ("auto", ELSEWHERE, {OLD: UNKNOWN[0], NEW: FINAL[1]}, FINAL[1], [OLD, NEW]),
    ],
)
def test_route_is_selected_by_option_host_and_answers(
    route: str, host: str, answers: t.Any, expected: str | Failure, requested: list[str]
) -> None:
    service = Service(host, **answers)
    if isinstance(expected, Failure):
        with pytest.raises(Failure) as caught:
            read.monitor(t.cast("t.Any", service), route)
        assert caught.value is expected
    else:
        assert read.monitor(t.cast("t.Any", service), route) == (expected, STATUS, {})
    assert service.requested == requested


def test_both_routes_unknown_is_a_failure() -> None:
    service = Service(ELSEWHERE, script_monitor=UNKNOWN[1], page_shield=UNKNOWN[3])
    with pytest.raises(Failure, match="HTTP 404 The service does not know the route page_shield either") as caught:
        read.monitor(t.cast("t.Any", service), "auto")
    assert (caught.value.status, service.requested) == (404, [OLD, NEW])


class Singles:
    """A service that returns some scripts, each by the id with which it is requested."""

    def __init__(self, **known: str) -> None:
        self.known = known

    def find(self, operation: str, ids: t.Mapping[str, str]) -> Answer | None:
        known_id = self.known.get(ids["script_id"])
        return None if known_id is None else Answer({"id": known_id, "hash": "h"})


def test_wrong_script_is_a_bad_response() -> None:
    """Members of one script are never reported for another one; scripts that no longer exist are omitted."""
    client, query = t.cast("t.Any", Singles(a="A", b="c")), listing.desire(OPTIONS).on_route(NEW)
    assert read.read_singly(client, query, ["a", "gone"]) == [{"script_id": "a", "hash": "h"}]
    with pytest.raises(Failure, match=r"^Script b was requested, and the response has script c\.$") as caught:
        read.read_singly(client, query, ["a", "b"])
    assert caught.value.kind == "bad_response"


class OneScript(Service):
    """A service that answers each request for a script with the same one."""

    def call(self, operation: str, ids: t.Any = None) -> Answer:
        return Answer({"id": "c"}) if ids else super().call(operation)


def test_wrong_script_is_reported_by_nobody() -> None:
    service = OneScript(PUBLIC)
    with pytest.raises(Failure, match=r"^Script b was requested, and the response has script c\.$"):
        listed(service, script_id="b")
    assert [script["script_id"] for script in listed(service, script_id="C").result["scripts"]] == ["c"]


ALL = {"page_shield.scripts": [], "page_shield.connections": [{"id": "2"}, {"id": "1"}], "page_shield.cookies": [{"id": "c"}]}
NARROWED = {"hosts": ["a", "b"], "status": ["active", "infrequent"], "page_url": ["*/pay"]}
SENT = {"hosts": "a,b", "page_url": "*/pay"}


def listed(service: Service, **options: t.Any) -> t.Any:
    return read.report_inventory(t.cast("t.Any", service), listing.desire({**OPTIONS, "malicious_threshold": None, **options}))


def test_all_resources_are_listed() -> None:
    service = Service(PUBLIC, ALL)
    done = listed(service, resources=["cookies", "connections", "scripts"], **NARROWED)
    assert (done.result["connections"], done.result["cookies"]) == ([{"id": "1"}, {"id": "2"}], [{"id": "c"}])
    assert (done.result["scripts"], done.result["summary"]["total"], done.warnings) == ([], 0, ())
    whole = {"exclude_cdn_cgi": "false", "exclude_duplicates": "false"}
    assert service.queries == [
        *(("page_shield.scripts", {**SENT, **whole, "status": status}) for status in ("active", "infrequent")),
        *(
            ("page_shield.connections", {**SENT, "exclude_cdn_cgi": "false", "status": status})
            for status in ("active", "infrequent")
        ),
        ("page_shield.cookies", SENT),
    ]


def test_lists_that_are_not_requested_are_null() -> None:
    """Lists that were not requested are null with either route."""
    service = Service(ELSEWHERE, {"script_monitor.scripts": []})
    done = listed(service, hosts=["a"])
    assert service.queries == [("script_monitor.scripts", {"hosts": "a"})]
    assert (done.result["connections"], done.result["cookies"]) == (None, None)
    service = Service(PUBLIC, ALL)
    done = listed(service, resources=["cookies"])
    assert (done.result["scripts"], done.result["summary"], len(service.queries)) == (None, None, 1)


@pytest.mark.parametrize("refused", [FINAL[1], UNKNOWN[1], UNKNOWN[3], FINAL[2]])
def test_unavailable_resource_is_null(refused: Failure) -> None:
    """If plan, token or service do not allow a resource, that is reported, and the others are listed."""
    service = Service(ELSEWHERE, {**ALL, "script_monitor.scripts": [], "page_shield.connections": refused})
    done = listed(service, resources=["scripts", "connections", "cookies"])
    assert (done.result["connections"], done.result["cookies"], done.result["scripts"]) == (None, [{"id": "c"}], [])
    assert len(done.warnings) == 1 and done.warnings[0].startswith("connections is null, because ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"page_shield.cookies": FINAL[3]}, "^HTTP 500"),
        ({"page_shield.cookies": [{"name": "n"}]}, "^An item of the listed cookies is not an object with an id"),
        ({"page_shield.cookies": [7]}, "^An item of the listed cookies is not an object with an id"),
    ],
)
def test_failing_resource_is_not_an_empty_list(change: t.Any, message: str) -> None:
    with pytest.raises(Failure, match=message):
        listed(Service(PUBLIC, {**ALL, **change}), resources=["cookies"])


class Strict(Service):
    """A service that refuses the query parameters of complete listings."""

    def items(self, operation: str, *, query: dict[str, str], **paging: t.Any) -> list[t.Any]:
        if "exclude_cdn_cgi" in query:
            raise FINAL[4]
        return super().items(operation, query=query, **paging)


@pytest.mark.parametrize(("second", "reported"), [(FINAL[3], FINAL[3]), (http_failure("rejected", 400), FINAL[4])])
def test_second_refusal_reports_the_first(second: Failure, reported: Failure) -> None:
    """A second refusal shows that the parameters were not the reason, so that the first one is reported."""
    with pytest.raises(Failure) as caught:
        listed(Strict(PUBLIC, {**ALL, "page_shield.scripts": second}))
    assert caught.value is reported
