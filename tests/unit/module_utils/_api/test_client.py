# SPDX-License-Identifier: GPL-3.0-or-later

# The client beyond single requests: listings, threads, and a missing HTTP library.
import contextlib
import datetime
import json
import os
import subprocess
import sys
import threading
import typing as t
from email.utils import formatdate
from urllib.parse import parse_qs, urlsplit

import pytest
from support.conversations import answering

from ansible_collections.edgeops.observability.plugins.module_utils._address import ACCOUNT, ZONE, Address
from ansible_collections.edgeops.observability.plugins.module_utils._api.client import side_by_side
from ansible_collections.edgeops.observability.plugins.module_utils._api.endpoints import ENDPOINTS
from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure

LIST = "script_monitor.scripts"


def listing(total: int, size: int) -> t.Callable[[t.Any, int], None]:
    """Serve a number of scripts in pages of the given size."""

    def talk(peer: t.Any, _number: int) -> None:
        while request := peer.read():
            page = int(parse_qs(urlsplit(request.split(b" ")[1].decode()).query)["page"][0])
            items = [{"script_id": f"{number:04}"} for number in range(total)][(page - 1) * size : page * size]
            counts = {"page": page, "per_page": size, "count": len(items), "total_count": total}
            peer.answer(json.dumps({"success": True, "result": items, "result_info": counts}).encode())

    return talk


@pytest.mark.parametrize("parallel", [1, 4, 99])
def test_parallel_listing_keeps_order(serve, client, parallel):
    server = serve(listing(95, 10))
    scripts = client(server).items(LIST, per_page=100, parallel=parallel, query={"status": "infrequent"}, keys=("script_id",))
    assert [item["script_id"] for item in scripts] == [f"{number:04}" for number in range(95)]
    assert len(server.requests) == 10 and all(b"status=infrequent&page=" in request for request in server.requests)
    assert server.connections <= min(parallel, 8)


def test_page_failure_fails_the_listing(serve, client):
    good = listing(95, 10)

    def talk(peer: t.Any, number: int) -> None:
        if number == 0:
            good(peer, number)
        while peer.read():
            peer.answer(b"{}", 403)

    with pytest.raises(Failure) as caught:
        client(serve(talk)).items(LIST, per_page=100, parallel=3)
    assert (caught.value.kind, caught.value.path) == ("permission", "/zones/abc/script_monitor/scripts")


@pytest.mark.parametrize("parallel", [1, 3])
@pytest.mark.parametrize(
    "result_info",
    ['{"page": 7}', '{"total_count": 5, "per_page": 2, "page": 1}'],
)
def test_contradictory_listing_reports_its_answer(serve, client, result_info, parallel):
    """The failure has status, attempts and request id of the answer with the contradiction."""
    body = f'{{"success": true, "result": [1], "result_info": {result_info}}}'.encode()

    seen: set[bytes] = set()

    def talk(peer: t.Any, _number: int) -> None:
        while request := peer.read():
            status = 203 if request in seen else 503
            seen.add(request)
            peer.answer(body, status, CF_Ray=f"ray-of-{status}")

    with pytest.raises(Failure) as caught:
        client(serve(talk)).items(LIST, per_page=100, parallel=parallel)
    report = caught.value.report()
    assert (report["kind"], report["method"], report["path"]) == ("bad_response", "GET", "/zones/abc/script_monitor/scripts")
    assert (report["status"], report["request_id"]) == (203, "ray-of-203") and report["attempts"] == 2


def test_side_by_side_keeps_order():
    assert list(side_by_side(lambda value: value * 2, range(20), 4)) == [value * 2 for value in range(20)]

    def fail(value: int) -> int:
        raise Failure("unavailable", str(value))

    with pytest.raises(Failure, match="0"):
        side_by_side(fail, range(20), 4)
    assert not [thread for thread in threading.enumerate() if "ThreadPool" in thread.name]


def test_closed_client_can_be_used_again(serve, client):
    server = serve(answering())
    one = client(server)
    one.call("script_monitor.get")
    one.close()
    one.call("script_monitor.get")
    assert server.connections == 2


PAUSE = "Waiting 60 seconds before the next request: the service asked for this pause (HTTP 429)."


@pytest.mark.parametrize(("pause", "announced"), [(5, []), (60, [(0, PAUSE)])])
def test_first_long_wait_is_announced(serve, client, clock, pause, announced):
    """The wait is announced once, before it begins; a few seconds are not announced. Without a callback there is a warning."""
    told: list[tuple[int, str]] = []
    limited = serve(answering(b"", 429, Retry_After=str(pause)))
    for announce in (lambda text: told.append((len(clock.pauses), text)), None):
        clock.pauses.clear()
        one = client(limited, announce=announce, retries=2)
        with pytest.raises(Failure, match="tried 3 times"):
            one.call("script_monitor.get")
        assert clock.pauses == [pause, pause]
        assert one.warnings == ([] if announce else [text for _waits, text in announced])
    assert told == announced


def test_wait_is_announced_once_per_run(serve, client, clock, monkeypatch):
    """The tasks of a run are processes with the same parent, and share the budget."""
    server = serve(answering())
    told: list[str] = []
    for parent in (7, 7, 8):
        monkeypatch.setattr(os, "getppid", lambda parent=parent: parent)
        one = client(server, announce=told.append, request_budget=(1, 60.0))
        for _request in range(3):
            one.call("script_monitor.get")
    reason = "1 request in 60 seconds were sent with this credential, by all tasks of this user on this machine (request_budget)"
    assert len(told) == 2 and len(clock.pauses) == 8
    assert told[0] == f"Waiting 61 seconds before the next request: {reason}."


@pytest.mark.parametrize(("request_budget", "files"), [(None, 0), ((1, 300.0), 2)])
def test_queries_have_a_separate_budget(serve, client, clock, tmp_path, request_budget, files):
    one = client(serve(answering(b'{"data": {"viewer": {}}}')), request_budget=request_budget)
    assert [one.query("{viewer}", {}) for _query in range(2)] == [{"viewer": {}}] * 2
    assert len(list(tmp_path.glob("state/*/requests-*.lock"))) == files and clock.pauses == []


CHILD = """
import sys, urllib3
{}
from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._api.connection import Connection
try:
    Client(Connection("https://service.example", token="canary"))
except Exception as failure:
    print(failure.kind, failure)
"""


@pytest.mark.parametrize(
    ("change", "named"), [('sys.modules["requests"] = None', "requests"), ('urllib3.__version__ = "1.25.11"', "1.25.11")]
)
def test_missing_library_is_reported(change, named):
    command = [sys.executable, "-c", CHILD.format(change)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert told.startswith("unavailable ") and named in told and sys.executable in told and "canary" not in told


def test_unverified_connection_raises_no_warning(serve, client, tls, recwarn):
    client(serve(answering(), tls), "https", verify=False).call("script_monitor.get")
    assert [str(warning.message) for warning in recwarn] == []


ZONES = [{"id": "ab", "name": "shop.example", "account": {"id": "a1", "name": "Shop"}}, {"id": "cd", "name": "other.example"}]


@pytest.mark.parametrize(
    ("zones", "name", "outcome"),
    [
        (ZONES, "shop.example", None),
        ([{**ZONES[0], "name": "Shop.example"}], "shop.example", None),
        (ZONES, "hop.example", "not_found: zone_name: the credentials can read no zone named 'hop.example'"),
        (
            [ZONES[0], {"id": "ef", "name": "shop.example"}],
            "shop.example",
            "conflict: zone_name: 2 zones are named 'shop.example': ab (account Shop), ef. Set zone_id to select one.",
        ),
        ([{"id": "../x", "name": "shop.example"}], "shop.example", "bad_response: The service lists a zone without"),
    ],
)
def test_zone_name_is_resolved_once(serve, client, zones, name, outcome):
    server = serve(answering(zones))
    unresolved = client(server, address=Address(ZONE, "", name))
    with contextlib.nullcontext() if outcome is None else pytest.raises(Failure) as caught:
        resolved = unresolved.resolve()
        assert resolved.resolve() is resolved and resolved.address == Address(ZONE, "ab", name, "a1")
    assert outcome is None or f"{caught.value.kind}: {caught.value}".startswith(outcome)
    (request,) = server.requests
    assert request.startswith(f"GET /client/v4/zones?name={name} HTTP/1.1".encode())


def test_path_contains_the_account():
    path = ENDPOINTS["logpush_datasets.fields"].url_path({"dataset": "gateway_dns"}, Address(ACCOUNT, "9a"))
    assert path == "/accounts/9a/logpush/datasets/gateway_dns/fields"


@pytest.mark.parametrize(("operation", "address"), [("rulesets.list", Address(ACCOUNT, "9a")), ("logpush_jobs.list", None)])
def test_operation_without_path_for_the_address_is_an_error(operation, address):
    """An operation without a path for the address is a programming error."""
    with pytest.raises(ValueError, match="does not exist"):
        ENDPOINTS[operation].url_path({}, address)


def test_question_of_now_is_asked_again_at_the_time_of_its_own_answer(serve, client, clock):
    """An earlier answer may come from a cache, with the time at which it was kept."""
    days = [20, 3, 3, 3]

    def talk(peer: t.Any, _number: int) -> None:
        while peer.read():
            date = formatdate(clock.now() - 86400 * days.pop(0), usegmt=True)
            peer.answer({"enabled": True}, Date=date)

    service = client(serve(talk))
    service.call("page_shield.get")
    asked = []

    def ask(now: datetime.datetime) -> datetime.datetime:
        service.call("page_shield.get")
        asked.append(round((clock.now() - now.timestamp()) / 86400))
        return now

    service.at_service_time(ask)
    assert asked == [20, 3]
    service.at_service_time(ask)
    assert asked == [20, 3, 3]
