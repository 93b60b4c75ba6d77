# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import http.client
import json
import socket
import time
import typing as t
import zlib
from urllib.parse import urlsplit

import pytest

from edgeops_simulator.testing import ControlError


class Client:
    """A client with one connection, which is reused as long as the simulator keeps it open."""

    def __init__(self, sim: t.Any) -> None:
        self.url, self.sim = urlsplit(sim.base_url), sim
        self.connection = http.client.HTTPConnection("127.0.0.1", self.url.port, timeout=60)

    def __call__(self, method: str = "PUT", enabled: bool = True) -> tuple[int, dict[str, str], bytes]:
        headers = {"Authorization": f"Bearer {self.sim.token}", "Content-Type": "application/json"}
        body = None if method == "GET" else json.dumps({"enabled": enabled})
        try:
            self.connection.request(method, f"{self.url.path}/zones/{self.sim.zone}/script_monitor", body, headers)
            response = self.connection.getresponse()
            return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
        except BaseException:
            self.connection.close()
            raise


@pytest.fixture
def client(sim: t.Any) -> t.Iterator[Client]:
    made = Client(sim)
    yield made
    made.connection.close()


def sim_is_open(client: Client) -> bool:
    try:
        return client()[0] == 200
    except ConnectionRefusedError:
        return False


def enabled(sim: t.Any) -> bool:
    return bool(sim.state()["script_monitor"]["enabled"])


@pytest.mark.parametrize(("kind", "applied"), [("reset", False), ("reset_after", True)])
def test_connection_is_reset(sim: t.Any, client: Client, kind: str, applied: bool) -> None:
    sim.faults({"kind": kind})
    with pytest.raises(ConnectionResetError):
        client()
    assert enabled(sim) is applied
    entry = sim.journal()[-1]
    assert (entry["fault"], entry["applied"], entry["status"]) == (kind, applied, None)
    client.connection.close()
    assert client()[0] == 200


def test_refused_closes_the_port_for_some_seconds(sim: t.Any, client: Client) -> None:
    sim.faults({"kind": "refused", "index": 1, "seconds": 2})
    assert client()[0] == 200
    client.connection.close()
    with pytest.raises(ConnectionRefusedError):
        client()
    assert len(sim.journal()) == 1, "what is refused never arrives"
    while not sim_is_open(client):
        time.sleep(0.05)
    assert client()[0] == 200, "once"


def test_refused_lasts_until_cleared(sim: t.Any, client: Client) -> None:
    sim.faults({"kind": "refused", "count": None})
    for _unused in range(2):
        with pytest.raises(ConnectionRefusedError):
            client()
    sim.clear_faults()
    assert client()[0] == 200


def test_closed_port_ends_open_connections(sim: t.Any, client: Client) -> None:
    """Open connections are closed together with the port."""
    sim.faults({"kind": "refused", "index": 1, "seconds": 0.2})
    client()
    assert client.connection.sock.recv(1) == b""


def test_faults_select_requests(sim: t.Any, client: Client) -> None:
    sim.faults(
        {"kind": "503", "index": 1, "count": 2, "method": "get", "path": "*/script_monitor"},
        {"kind": "500", "zone": "b" * 32, "count": None},
    )
    assert [client(method)[0] for method in ("GET", "PUT", "GET", "GET", "GET")] == [200, 200, 503, 503, 200]
    assert [sim.request("GET", f"/zones/{'b' * 32}/script_monitor")[0] for _unused in range(3)] == [500] * 3
    sim.clear_faults()
    sim.faults({"kind": "429", "path": "re:/zones/a+/script"})
    assert client("GET")[0] == 429 and client("GET")[0] == 200


STATUS = [
    ("429", 429, False),
    ("500", 500, False),
    ("502", 502, False),
    ("503", 503, False),
    ("504", 504, True),
    ("522", 522, False),
]


@pytest.mark.parametrize(("kind", "status", "applied"), STATUS)
def test_fault_answers_with_its_status(sim: t.Any, client: Client, kind: str, status: int, applied: bool) -> None:
    sim.faults({"kind": kind})
    actual, headers, body = client()
    assert actual == status and enabled(sim) is applied
    if status in (502, 522):
        assert headers["content-type"].startswith("text/html") and b"<html>" in body
    else:
        assert json.loads(body)["success"] is False
    assert ("retry-after" in headers) is (status == 429)


def test_retry_after_has_three_forms(sim: t.Any, client: Client) -> None:
    for retry_after in (7, "date:60", None):
        sim.faults({"kind": "status", "status": 429, "retry_after": retry_after, "applied": True, "headers": {"X-More": "1"}})
    first, second, third = (client()[1] for _unused in range(3))
    assert first["retry-after"] == "7" and first["x-more"] == "1"
    assert second["retry-after"].endswith("GMT") and "retry-after" not in third
    assert enabled(sim) is True


def test_invalid_answers(sim: t.Any, client: Client) -> None:
    kinds: dict[str, t.Callable[[bytes], bool]] = {
        "array": lambda body: json.loads(body) == [],
        "string": lambda body: json.loads(body) == "text",
        "number": lambda body: json.loads(body) == 42,
        "null": lambda body: json.loads(body) is None,
        "no_success": lambda body: "success" not in json.loads(body),
        "no_result": lambda body: "result" not in json.loads(body),
        "wrong_result": lambda body: json.loads(body)["result"] == [],
        "bad_result_info": lambda body: json.loads(body)["result_info"]["total_count"] == 7,
        "failure_200": lambda body: json.loads(body)["success"] is False,
        "empty": lambda body: body == b"",
        "not_json": lambda body: body.startswith(b"<html>"),
    }
    for kind, holds in kinds.items():
        sim.faults({"kind": kind})
        status, _unused, body = client()
        assert status == 200 and holds(body), kind
        assert sim.journal()[-1]["fault"] == kind and sim.journal()[-1]["applied"] is True
    sim.faults({"kind": "rewrite", "set": {"enabled": "yes"}})
    assert json.loads(client()[2])["result"]["enabled"] == "yes"
    sim.faults({"kind": "redirect", "location": "http://127.0.0.1:1/x", "status": 307})
    status, headers, _unused = client()
    assert (status, headers["location"]) == (307, "http://127.0.0.1:1/x")
    sim.faults({"kind": "truncated"})
    with pytest.raises(json.JSONDecodeError):
        json.loads(client()[2])


def test_slow_and_short_answers(sim: t.Any, client: Client) -> None:
    for part, least in (("headers", 0.2), ("body", 0.1)):
        sim.faults({"kind": "drip", "seconds": 0.001, "part": part})
        start = time.perf_counter()
        assert json.loads(client("GET")[2])["success"] is True
        assert time.perf_counter() - start > least
    sim.faults({"kind": "short_body"})
    with pytest.raises(http.client.IncompleteRead):
        client("GET")
    client.connection.close()
    sim.faults({"kind": "hang", "seconds": 0.2})
    with pytest.raises(ConnectionResetError):
        client()
    assert enabled(sim) is False
    client.connection.close()
    client.connection.timeout = 0.1
    sim.faults({"kind": "hang"})
    with pytest.raises(socket.timeout):
        client()


def test_bodies_exceed_every_limit(sim: t.Any, client: Client) -> None:
    sim.faults({"kind": "huge"}, {"kind": "gzip_bomb", "bytes": 66 * 1024 * 1024})
    assert len(client("GET")[2]) > 64 * 1024 * 1024
    _unused, headers, body = client("GET")
    assert headers["content-encoding"] == "gzip" and len(body) < 1024 * 1024
    assert len(zlib.decompress(body, wbits=31)) > 64 * 1024 * 1024


def test_invalid_faults_are_refused(sim: t.Any) -> None:
    for bad in ({"kind": "x"}, {}, {"kind": "reset", "index": -1}, {"kind": "reset", "count": 0}, {"kind": "status"}):
        with pytest.raises(ControlError):
            sim.faults(bad)
