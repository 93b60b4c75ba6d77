# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers of the service replaced by arbitrary JSON: a failure in words, never a guess, and no write after it."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible.errors import AnsibleParserError
from faults import direct, scenarios
from faults.scenarios import SCENARIOS, ZONE, Scenario
from hypothesis import given
from hypothesis import strategies as st
from properties.answers import bodies, examples
from properties.usable import unusable

from ansible_collections.edgeops.observability.plugins.module_utils._api import client as client_module
from ansible_collections.edgeops.observability.plugins.module_utils._api.session import Reply, Session
from ansible_collections.edgeops.observability.plugins.module_utils._core import KINDS
from edgeops_simulator.testing import running

Key = tuple[str, str]
EXAMPLES = 150
# The modules that only read, and the scenarios of faults, less one with listings that may be missing, and those that
# repeat others for an account.
LEFT_OUT = ("list-everything-over-the-other-route", "-of-account", "manage-account", "clear-account")
TASKS: t.Mapping[str, Scenario] = {
    **{name: found for name, found in SCENARIOS.items() if not name.endswith(LEFT_OUT)},
    "read-fields": Scenario((), "log_custom_fields_info", {}, rules=(scenarios.FOREIGN_RULE, scenarios.OWN_RULE)),
    "read-jobs": Scenario((), "logpush_job_info", {}, jobs=(scenarios.OUR_JOB,)),
    "read-one-job": Scenario((), "logpush_job_info", {"job_id": 13}, jobs=(scenarios.OUR_JOB,)),
    "read-one-script": Scenario((), "script_monitor_info", {"script_id": "1".zfill(32)}),
}
STATUSES = st.sampled_from([200, 200, 200, 200, 200, 201, 400, 403, 404, 405, 409, 429, 500, 503])


class Recorder(Session):
    """A session that keeps the first answer to each request."""

    answers: t.ClassVar[dict[Key, Reply]]

    def send(self, method: str, path: str, content: bytes | None, *, fresh: bool) -> tuple[Reply, bool]:
        outcome, sent = super().send(method, path, content, fresh=fresh)
        assert isinstance(outcome, Reply)
        self.answers.setdefault((method, path), outcome)
        return outcome, sent


class Replay(Session):
    """A session that answers from a recording, but for one request."""

    answers: t.ClassVar[dict[Key, Reply]]
    replaced: t.ClassVar[tuple[Key, Reply]]
    requests: t.ClassVar[list[Key]]

    def send(self, method: str, path: str, content: bytes | None, *, fresh: bool) -> tuple[Reply, bool]:
        self.requests.append((method, path))
        key, reply = self.replaced
        if (method, path) != key:
            unknown = Reply(404, {}, b'{"success": false, "errors": [{"code": 7003, "message": "?"}], "result": null}')
            reply = self.answers.get((method, path), unknown)
        return reply, True


@pytest.fixture(scope="module")
def simulator() -> t.Iterator[t.Any]:
    with running(zones=[ZONE, *(f"{number:032x}" for number in range(60))]) as server:
        yield server


def outcome(scenario: Scenario, simulator: t.Any) -> dict[str, t.Any]:
    """The result of one run; the inventory refuses zones that make no sense in its own way."""
    try:
        return scenario.run(simulator, {})
    except AnsibleParserError as refusal:
        return {"failed": True, "changed": False, "msg": str(refusal), "error": {"kind": "bad_response"}}


@pytest.mark.parametrize("name", TASKS)
def test_no_answer_is_too_strange(simulator, monkeypatch, cases, name):
    scenario = TASKS[name]
    direct.without_waiting(monkeypatch, scenarios.inventory)
    Recorder.answers = answers = {}
    monkeypatch.setattr(client_module, "Session", Recorder)
    simulator.reset(**scenario.seed())
    assert not outcome(scenario, simulator).get("failed")
    Replay.answers = answers
    monkeypatch.setattr(client_module, "Session", Replay)
    # Made once: to put the strategy together takes longer than to draw from it.
    replacements = {key: bodies(json.loads(reply.body)) for key, reply in answers.items()}

    @examples(EXAMPLES)
    @given(st.data())
    def strange(data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(list(answers)), label="request")
        original = answers[key]
        body = data.draw(replacements[key], label="answer")
        status = data.draw(STATUSES, label="status") if original.status < 300 else original.status
        Replay.replaced, Replay.requests = (key, Reply(status, {}, body)), []
        result = outcome(scenario, simulator)
        cases[f"strange answers: {name}"] += 1

        json.dumps(result)
        if result.get("failed"):
            assert result["msg"] and "could not make sense" not in result["msg"], result["msg"]
            assert result["error"]["kind"] in KINDS
        if status < 300 and unusable(*key, body):
            assert result.get("failed"), (key, body, result)
            if key[0] == "GET":
                after = Replay.requests[Replay.requests.index(key) + 1 :]
                assert all(method == "GET" for method, _path in after), after

    strange()
