# SPDX-License-Identifier: GPL-3.0-or-later

"""How many functions and files lie between a module and its HTTP request, and between the answer and the module."""

import inspect
import json
from pathlib import Path

import pytest
import requests
from ansible.module_utils import basic

from ansible_collections.edgeops.observability.plugins.module_utils._api import response
from ansible_collections.edgeops.observability.plugins.modules import logpush_job

MAX_FUNCTIONS, MAX_FILES = 12, 8
JOB = {"id": 7, "name": "edge", "dataset": "http_requests", "destination_conf": "https://logs.example.com/in", "enabled": False}


@pytest.fixture
def walks(monkeypatch):
    """The functions of the collection that run when a request is made and when its answer is read, the module's `main` last."""
    found = []

    def noting(function):
        def run(*arguments):
            frames = [(Path(frame.filename), frame.function) for frame in inspect.stack(0)]
            found.append([frame for frame in frames if {"plugins", "observability"} <= set(frame[0].parts)])
            return function(*arguments)

        return run

    monkeypatch.setattr(requests.Request, "prepare", noting(requests.Request.prepare))
    monkeypatch.setattr(response, "decode", noting(response.decode))
    return found


def answer(peer, _number):
    """Lists one job, and answers a write with the job that it asks for."""
    while request := peer.read():
        body = json.loads(request.partition(b"\r\n\r\n")[2] or "null")
        peer.answer([JOB] if body is None else {**JOB, **body})


def test_the_walk_to_a_request_is_short(serve, walks, monkeypatch):
    server = serve(answer)
    options = {"base_url": f"http://127.0.0.1:{server.port}", "zone_id": "abc", "api_token": "t", "request_budget": "none"}
    given = {"_ansible_check_mode": False, "_ansible_diff": False, **options, "name": "edge", "enabled": True}
    monkeypatch.setattr(basic, "_ANSIBLE_ARGS", json.dumps({"ANSIBLE_MODULE_ARGS": given}).encode())
    monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
    with pytest.raises(SystemExit):
        logpush_job.main()
    assert server.methods == ["GET", "PUT"] and len(walks) == 4
    for walk in walks:
        assert walk[-1][1] == "main"
        assert len(walk) <= MAX_FUNCTIONS and len({path for path, _name in walk}) <= MAX_FILES, walk
