# SPDX-License-Identifier: GPL-3.0-or-later

"""How many functions and files lie between a module and its HTTP request, and between the answer and the module."""

from __future__ import annotations

import importlib
import inspect
import json
import typing as t
from pathlib import Path

import pytest
import requests
from ansible.module_utils import basic

from ansible_collections.edgeops.observability.plugins.module_utils._api import response

PLUGINS = "plugins"
MAX_FUNCTIONS, MAX_FILES = 12, 8
JOB = {"id": 7, "name": "edge", "dataset": "http_requests", "destination_conf": "https://logs.example.com/in", "enabled": False}
Walk = list[tuple[str, str]]


def walk_here() -> Walk:
    """The functions of the collection that are running, the module's `main` last."""
    frames = [(Path(frame.filename), frame.function) for frame in inspect.stack(0)]
    return [(path.as_posix(), name) for path, name in frames if PLUGINS in path.parts and "observability" in path.parts]


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], Walk]:
    """The longest walk for each method: there to the request that is sent, and back from the answer when its JSON has been read."""
    found: dict[tuple[str, str], Walk] = {}
    prepare, decode = requests.Request.prepare, response.decode
    latest = ""

    def note(way: str) -> None:
        found[way, latest] = max(walk_here(), found.get((way, latest), []), key=len)

    def spy_prepare(request: requests.Request) -> t.Any:
        nonlocal latest
        latest = str(request.method)
        note("there")
        return prepare(request)

    def spy_decode(*arguments: t.Any) -> t.Any:
        note("back")
        return decode(*arguments)

    monkeypatch.setattr(requests.Request, "prepare", spy_prepare)
    monkeypatch.setattr(response, "decode", spy_decode)
    return found


def run(module: str, monkeypatch: pytest.MonkeyPatch, **options: t.Any) -> None:
    arguments = {"_ansible_check_mode": False, "_ansible_diff": False, "api_token": "t", "request_budget": "none", **options}
    monkeypatch.setattr(basic, "_ANSIBLE_ARGS", json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode())
    monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(f"ansible_collections.edgeops.observability.plugins.modules.{module}").main()
    assert ended.value.code == 0


def answer(peer: t.Any, _number: int) -> None:
    """Lists one job, and answers a write with the job that it asks for."""
    while request := peer.read():
        body = json.loads(request.partition(b"\r\n\r\n")[2] or "null")
        peer.answer([JOB] if body is None else {**JOB, **body})


@pytest.mark.parametrize("way", ["there", "back"])
@pytest.mark.parametrize(
    ("module", "options", "method"),
    [
        ("logpush_job_info", {}, "GET"),
        ("logpush_job", {"name": "edge", "enabled": True}, "GET"),
        ("logpush_job", {"name": "edge", "enabled": True}, "PUT"),
    ],
)
def test_the_walk_to_a_request_is_short(module, options, method, way, serve, walks, monkeypatch):
    server = serve(answer)
    run(module, monkeypatch, base_url=f"http://127.0.0.1:{server.port}", zone_id="abc", **options)
    walk = walks[way, method]
    assert walk[-1][1] == "main"
    assert len(walk) <= MAX_FUNCTIONS and len({path for path, _name in walk}) <= MAX_FILES, walk
