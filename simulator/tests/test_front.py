# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import http.client
import json
import select
import time
import typing as t
from urllib.parse import urlsplit

import pytest


def send(sim: t.Any, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
    url = urlsplit(sim.base_url)
    connection = http.client.HTTPConnection("127.0.0.1", url.port, timeout=60)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, url.path + path, body, names)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response.status, {name.lower(): value for name, value in response.getheaders()}, content


CREDENTIALS = [
    ({}, 401, 10000, "none"),
    ({"Authorization": "Bearer wrong"}, 401, 10000, "wrong"),
    ({"Authorization": "Basic abc"}, 400, 6003, "wrong"),
    ({"Authorization": "Bearer a b"}, 400, 6003, "wrong"),
    ({"X_Auth_Email": "editor@example.com"}, 401, 10000, "wrong"),
    ({"X_Auth_Email": "editor@example.com", "X_Auth_Key": "wrong"}, 403, 9109, "wrong"),
    ({"X_Auth_Email": "editor", "X_Auth_Key": "wrong"}, 400, 6003, "wrong"),
    ({"X_Auth_Email": "editor@example.com", "X_Auth_Key": "simulated-key-77b2"}, 200, None, "email_key"),
]


@pytest.mark.parametrize(("headers", "status", "code", "credential"), CREDENTIALS)
def test_credentials_are_checked_and_not_stored(
    sim: t.Any, headers: dict[str, str], status: int, code: int | None, credential: str
) -> None:
    actual, answer_headers, content = send(sim, "GET", f"/zones/{sim.zone}/script_monitor", **headers)
    envelope = json.loads(content)
    assert actual == status and envelope["success"] is (status == 200) and answer_headers["cf-ray"]
    assert (envelope["errors"][0]["code"] if code else envelope["errors"]) == (code or [])
    entry = sim.journal()[-1]
    assert entry["credential"] == credential and entry["authorization"] is ("Authorization" in headers)
    assert "wrong" not in json.dumps(entry["headers"]) and "simulated-key" not in json.dumps(entry)


def test_refused_credential_writes_nothing(sim: t.Any) -> None:
    body = b'{"enabled": true}'
    send(sim, "PUT", f"/zones/{sim.zone}/script_monitor", body, Authorization="Bearer wrong", Content_Type="application/json")
    assert sim.state()["script_monitor"]["enabled"] is False
    assert sim.journal()[-1]["applied"] is False and sim.journal()[-1]["body"] == {"enabled": True}


def test_missing_credentials_as_invalid_header(sim: t.Any) -> None:
    """A setting changes the error for missing credentials to that for an invalid header."""
    sim.settings(unauthenticated_status=400)
    status, _unused, content = send(sim, "GET", "/zones")
    assert status == 400 and json.loads(content)["errors"][0]["error_chain"][0]["code"] == 6111


@pytest.mark.parametrize(
    ("body", "media_type", "status"),
    [
        (b"{", "application/json", 400),
        (b"", "application/json", 400),
        (b'{"enabled": NaN}', "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"enabled": true}', "text/plain", 415),
        (b'{"enabled": true}', "application/x-www-form-urlencoded", 415),
        (b" " * (5 * 1024 * 1024), "application/json", 413),
        (b'{"enabled": true}', "application/json; charset=utf-8", 200),
    ],
    ids=["cut", "empty", "NaN", "bytes", "deep", "text", "form", "large", "good"],
)
def test_every_body_is_answered_in_an_envelope(sim: t.Any, body: bytes, media_type: str, status: int) -> None:
    path = f"/zones/{sim.zone}/script_monitor"
    actual, headers, content = send(sim, "PUT", path, body, Authorization=f"Bearer {sim.token}", Content_Type=media_type)
    assert actual == status and headers["content-type"] == "application/json"
    assert json.loads(content).keys() == {"result", "success", "errors", "messages"}


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, 7003),
        ("GET", "/zones/{zone}/nothing", 404, 7003),
        ("GET", "/zones/{zone}/script_monitor/", 404, 7003),
        ("GET", "/zones/ffff/script_monitor", 404, 7003),
        ("POST", "/zones/{zone}/script_monitor", 405, 7001),
        ("DELETE", "/zones/{zone}/logpush/jobs", 405, 7001),
        ("QUERY", "/zones", 405, 7001),
        ("TRACE", "/zones", 405, 7001),
        ("GET", "/zones/{zone}/logpush/jobs/x", 404, 1004),
        ("GET", "/zones/{zone}/logpush/jobs/0", 404, 1004),
    ],
)
def test_unknown_paths_and_objects_are_refused(sim: t.Any, method: str, path: str, status: int, code: int) -> None:
    actual, headers, content = send(sim, method, path.format(zone=sim.zone), Authorization=f"Bearer {sim.token}")
    assert actual == status and json.loads(content)["errors"][0]["code"] == code
    assert status != 405 or "OPTIONS" in headers["allow"]


FAMILIES = {
    "*/script_monitor*": ["/script_monitor", "/script_monitor/scripts"],
    "*/page_shield*": ["/page_shield", "/page_shield/scripts"],
    "*/datasets/*/fields": ["/logpush/datasets/http_requests/fields"],
}


@pytest.mark.parametrize("pattern", FAMILIES)
def test_unknown_routes(sim: t.Any, zone: t.Any, pattern: str) -> None:
    """Groups of routes can be unknown, as if the API had removed them; other routes work, and no write is applied."""
    sim.settings(unknown_routes=[pattern])
    for family, paths in FAMILIES.items():
        for path in paths:
            assert (zone.refusal("GET", path)[:2] == (404, 7003)) if family == pattern else zone.result("GET", path) is not None
    sim.settings(unknown_route_status=405)
    assert zone.refusal("PUT", FAMILIES[pattern][0], {"enabled": True})[:2] == (405, 7001)
    assert sim.state()["script_monitor"]["enabled"] is False


def test_head_and_options_are_answered(sim: t.Any) -> None:
    path = f"/zones/{sim.zone}/script_monitor"
    status, headers, content = send(sim, "HEAD", path, Authorization=f"Bearer {sim.token}")
    assert status == 200 and content == b"" and int(headers["content-length"]) > 50
    status, headers, content = send(sim, "OPTIONS", path, Authorization=f"Bearer {sim.token}")
    assert status == 204 and headers["allow"] == "GET, HEAD, OPTIONS, PUT"


def test_zones_are_listed_in_pages_and_filtered(sim: t.Any) -> None:
    more = [
        {"id": f"{n:032x}", "name": f"z{n:02}.example", "status": "pending" if n % 2 else "active", "account": f"acc{n % 3}"}
        for n in range(23)
    ]
    sim.seed(zones=more)
    status, envelope = sim.request("GET", "/zones?page=2&per_page=20")
    assert status == 200 and envelope["result_info"] == {
        "page": 2,
        "per_page": 20,
        "count": 5,
        "total_count": 25,
        "total_pages": 2,
    }
    last = envelope["result"][-1]
    assert (last["id"], last["name"], last["status"]) == (f"{22:032x}", "z22.example", "active")
    assert last["account"] == {"id": "acc1", "name": "acc1"}
    assert sim.request("GET", "/zones?page=3")[1]["result"] == []

    def names(query: str) -> int:
        return len(sim.request("GET", f"/zones?per_page=50&{query}")[1]["result"])

    assert names("status=pending") == 11 and names("name=z03.example") == 1 and names("account.id=acc0") == 8
    assert names("name=contains:z0") == 10 and names("status=pending&account.id=acc1") == 4
    for bad in ("per_page=4", "per_page=51", "page=0", "page=x"):
        assert sim.request("GET", f"/zones?{bad}")[0] == 400
    assert sim.request("GET", f"/zones/{sim.zone}")[1]["result"]["id"] == sim.zone


def test_rate_limit_refuses_further_requests(sim: t.Any) -> None:
    sim.settings(rate_limit=2, rate_window=60)
    answers = [send(sim, "GET", "/zones", Authorization=f"Bearer {sim.token}") for _unused in range(3)]
    assert [status for status, _unused, _unused in answers] == [200, 200, 429]
    assert [headers["x-ratelimit-remaining"] for _unused, headers, _unused in answers] == ["1", "0", "0"]
    assert 0 < int(answers[2][1]["retry-after"]) <= 60 and answers[2][1]["x-ratelimit-reset"].endswith("GMT")
    sim.settings(rate_window=0)  # the window has ended
    assert send(sim, "GET", "/zones", Authorization=f"Bearer {sim.token}")[0] == 200


def test_keep_alive_and_parallel_latency(sim: t.Any) -> None:
    """Connections are reused, and the latency of one request does not delay others."""
    url = urlsplit(sim.base_url)
    connection = http.client.HTTPConnection("127.0.0.1", url.port, timeout=60)
    for _unused in range(50):
        connection.request("GET", url.path + "/zones", headers={"Authorization": f"Bearer {sim.token}"})
        connection.getresponse().read()
    assert len({entry["connection"] for entry in sim.journal()}) == 1
    sim.settings(latency_ms=4000)
    sim.clear_journal()
    waiting = [http.client.HTTPConnection("127.0.0.1", url.port, timeout=60) for _unused in range(10)]
    for one in waiting:
        one.request("GET", url.path + "/zones", headers={"Authorization": f"Bearer {sim.token}"})
    while len(sim.journal()) < len(waiting):
        time.sleep(0.01)
    # All requests arrive before the first answer; if they were handled one after the other, some would not have arrived yet.
    assert not select.select([one.sock for one in waiting], [], [], 0)[0]
    assert all(one.getresponse().read() for one in waiting)
    for one in (connection, *waiting):
        one.close()
