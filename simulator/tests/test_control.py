# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import http.client
import json
import os
import pathlib
import stat
import typing as t
from urllib.parse import urlsplit

import pytest

from edgeops_simulator.testing import ControlError, running

ZONE = "c" * 32


def ask(sim: t.Any, method: str, path: str, body: str | None = None, **headers: str | None) -> tuple[int, t.Any]:
    """Send a request with exactly these headers."""
    url = urlsplit(sim.control_url)
    usual = {"Host": url.netloc, **({} if body is None else {"Content-Type": "application/json"})}
    sent = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
    connection = http.client.HTTPConnection("127.0.0.1", url.port, timeout=10)
    connection.putrequest(method, path, skip_host=True)
    for name, value in sent.items():
        if value is not None:
            connection.putheader(name, value.format(port=url.port))
    if body is not None:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(None if body is None else body.encode())
    response = connection.getresponse()
    content = json.loads(response.read())
    connection.close()
    return response.status, content


READS = ("/snapshot", "/journal", "/state", "/settings", "/health", "/openapi.json", "/faults", "/client/v4/zones")
PAGES = [
    {"Host": "evil.example:{port}"}, {"Host": "evil.example"}, {"Host": "127.0.0.1.evil.example:{port}"}, {"Host": "localhost.evil.example"},
    {"Host": "user@127.0.0.1"}, {"Host": "127.0.0.1:x"}, {"Host": ""}, {"Host": "0.0.0.0:{port}"}, {"Origin": "https://evil.example"},
    {"Origin": "null"}, {"Origin": "http://localhost:3000"}, {"Origin": ""}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"},
]  # fmt: skip


@pytest.mark.parametrize("headers", PAGES, ids=json.dumps)
def test_web_pages_are_refused(sim: t.Any, headers: dict[str, str]) -> None:
    before = sim.snapshot()
    for path in READS:
        status, answer = ask(sim, "GET", path, **headers)
        assert status == 403 and answer.keys() == {"error"}
    for method, path in (
        ("POST", "/seed"),
        ("POST", "/reset"),
        ("PUT", "/snapshot"),
        ("PATCH", "/settings"),
        ("POST", "/faults"),
    ):
        assert ask(sim, method, path, '{"zones": ["x"]}', **headers)[0] == 403
    for path in ("/journal", "/faults"):
        assert ask(sim, "DELETE", path, **headers)[0] == 403
    assert sim.snapshot() == before


LOCAL: list[dict[str, str | None]] = [
    {}, {"Host": "127.0.0.1"}, {"Host": "localhost:{port}"}, {"Host": "LOCALHOST:{port}"}, {"Host": "[::1]:{port}"},
    {"Origin": "http://127.0.0.1:{port}", "Sec_Fetch_Site": "same-origin"}, {"Sec_Fetch_Site": "none"},
]  # fmt: skip


@pytest.mark.parametrize("headers", LOCAL, ids=json.dumps)
def test_local_clients_are_accepted(sim: t.Any, headers: dict[str, str]) -> None:
    assert ask(sim, "GET", "/snapshot", **headers)[0] == 200
    assert ask(sim, "POST", "/seed", "{}", **headers)[0] == 200
    assert ask(sim, "POST", "/reset", **headers)[0] == 200, "no body needs no type"


@pytest.mark.parametrize(
    "media_type", [None, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/json"]
)
def test_bodies_are_json(sim: t.Any, media_type: str | None) -> None:
    for method, path in (("POST", "/seed"), ("PUT", "/start"), ("PUT", "/snapshot"), ("PATCH", "/settings"), ("POST", "/faults")):
        status, answer = ask(sim, method, path, '{"zones": ["x"]}', Content_Type=media_type)
        assert status == 415 and "application/json" in answer["error"]
    assert len(sim.snapshot()["zones"]) == 2
    assert ask(sim, "PATCH", "/settings", "{}", Content_Type="application/json; charset=utf-8")[0] == 200


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_state_files_are_private(tmp_path: pathlib.Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        for name in ("state.json", "state.json.new", "state.json.log"):
            (tmp_path / name).write_text("{}" if name == "state.json" else "")
        with running(zones=[ZONE], state=tmp_path / "state.json") as sim:
            sim.request("PUT", f"/zones/{ZONE}/script_monitor", {"enabled": True})
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"state.json": 0o600, "state.json.log": 0o600}


GOOD = {
    "zones": ["d" * 32],
    "script_monitor": {"a" * 32: {"enabled": True}},
    "settings": {"field_limit": 7},
    "faults": [{"kind": "503"}],
}
BAD_SEEDS: list[t.Any] = [
    {**GOOD, "unknown": 1}, {**GOOD, "settings": {"field_limit": 7, "unknown": 1}}, {**GOOD, "faults": [{"kind": "503"}, {"kind": "x"}]},
    {**GOOD, "zones": ["d" * 32, {}]}, {**GOOD, "zones": {"x": 1}}, {**GOOD, "zones": [{"id": 7}]}, {**GOOD, "zones": [{"id": "x", "account": 1}]},
    {**GOOD, "scripts": {"a" * 32: [{"script_id": "x"}, 1]}}, {**GOOD, "scripts": {"a" * 32: {}}}, {**GOOD, "scripts": [1]},
    {**GOOD, "jobs": {"a" * 32: [{"id": 1}, {"id": "x"}]}}, {**GOOD, "rulesets": {"a" * 32: [{"rules": [1]}]}},
    {**GOOD, "jobs": {"a" * 32: [{"id": 1, "output_options": "{}"}]}}, {**GOOD, "jobs": {"a" * 32: [{"logpull_options": 5}]}},
    {**GOOD, "challenges": {"a" * 32: [1]}}, {**GOOD, "script_monitor": {"d" * 32: []}}, {**GOOD, "next_job_id": "x"}, [], "x", 1,
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD_SEEDS, ids=lambda bad: json.dumps(bad).replace("a" * 32, "A").replace("d" * 32, "D")[-60:])
def test_bad_seed_changes_nothing(sim: t.Any, bad: t.Any) -> None:
    sim.request("PUT", f"/zones/{sim.zone}/script_monitor", {"enabled": False})
    before, journal = sim.snapshot(), sim.journal()
    for method, path in (("POST", "/seed"), ("POST", "/reset"), ("PUT", "/start"), ("PUT", "/snapshot")):
        with pytest.raises(ControlError):
            sim.control(method, path, bad)
        assert sim.snapshot() == before and sim.journal() == journal and sim.control("GET", "/faults") == {"faults": []}
    sim.reset()
    assert len(sim.snapshot()["zones"]) == 2, "the start is what it was"


def test_bad_seed_writes_no_state_file(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="unknown members"), running(zones=[ZONE], seed={"x": 1}, state=tmp_path / "state.json"):
        pass
    assert list(tmp_path.iterdir()) == []
