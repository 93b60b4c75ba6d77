# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers of the service replaced by arbitrary JSON: a failure in words, never a guess, and no write after it."""

from __future__ import annotations

import dataclasses
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
# The modules that only read, and the scenarios of faults, less one that strings others together, one with listings that may be
# missing, and those that repeat others for an account.
LEFT_OUT = ("role-from-nothing", "list-everything-over-the-other-route")
TASKS: t.Mapping[str, Scenario] = {
    **{name: found for name, found in SCENARIOS.items() if not name.endswith(("-of-account", *LEFT_OUT))},
    "read-fields": Scenario((), (("log_custom_fields_info", {}),), rules=(scenarios.FOREIGN_RULE, scenarios.OWN_RULE)),
    "read-jobs": Scenario((), (("logpush_job_info", {}),), jobs=(scenarios.OUR_JOB,)),
    "read-one-job": Scenario((), (("logpush_job_info", {"job_id": 13}),), jobs=(scenarios.OUR_JOB,)),
    "read-one-script": Scenario((), (("script_monitor_info", {"script_id": "1".zfill(32)}),)),
}
STATUSES = st.sampled_from([200, 200, 200, 200, 200, 201, 400, 403, 404, 405, 409, 429, 500, 503])


@dataclasses.dataclass
class Recording:
    """What the simulator answered to each request of an undisturbed run."""

    simulator: t.Any
    answers: dict[Key, Reply] = dataclasses.field(default_factory=dict)


class Replay(Session):
    """A session that answers from a recording, but for one request."""

    recording: t.ClassVar[Recording]
    replaced: t.ClassVar[tuple[Key, Reply]]
    requests: t.ClassVar[list[Key]]

    def send(self, method: str, path: str, content: bytes | None, *, fresh: bool) -> tuple[Reply, bool]:
        type(self).requests.append((method, path))
        key, reply = self.replaced
        if (method, path) != key:
            unknown = Reply(404, {}, b'{"success": false, "errors": [{"code": 7003, "message": "?"}], "result": null}')
            reply = self.recording.answers.get((method, path), unknown)
        return reply, True


@pytest.fixture(scope="module")
def recordings() -> dict[str, Recording]:
    """Each scenario's requests with their answers, from one run of it."""
    found: dict[str, Recording] = {}
    with running(zones=[ZONE, *(f"{number:032x}" for number in range(60))]) as simulator, pytest.MonkeyPatch.context() as patch:
        for name, scenario in TASKS.items():
            recording = found[name] = Recording(simulator)

            class Recorder(Session):
                answers = recording.answers

                def send(self, method: str, path: str, content: bytes | None, *, fresh: bool) -> tuple[Reply, bool]:
                    outcome, sent = super().send(method, path, content, fresh=fresh)
                    assert isinstance(outcome, Reply)
                    self.answers.setdefault((method, path), outcome)
                    return outcome, sent

            patch.setattr(client_module, "Session", Recorder)
            simulator.reset(**scenario.seed())
            results = scenario.run(simulator, {})
            assert not results[-1].get("failed"), results
    return found


def outcome(scenario: Scenario, simulator: t.Any) -> dict[str, t.Any]:
    """The result of the one step; the inventory refuses zones that make no sense in its own way."""
    try:
        return scenario.run(simulator, {})[-1]
    except AnsibleParserError as refusal:
        return {"failed": True, "changed": False, "msg": str(refusal), "error": {"kind": "bad_response"}}


@pytest.mark.parametrize("name", TASKS)
def test_no_answer_is_too_strange(recordings, monkeypatch, cases, name):
    recording, scenario = recordings[name], TASKS[name]
    keys = list(recording.answers)
    direct.without_waiting(monkeypatch, scenarios.inventory)
    monkeypatch.setattr(client_module, "Session", Replay)
    reads = {key for key in keys if key[0] == "GET"}
    # Made once: to put the strategy together takes longer than to draw from it.
    replacements = {key: bodies(json.loads(reply.body)) for key, reply in recording.answers.items()}

    @examples(150)
    @given(st.data())
    def strange(data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(keys), label="request")
        original = recording.answers[key]
        body = data.draw(replacements[key], label="answer")
        status = data.draw(STATUSES, label="status") if original.status < 300 else original.status
        Replay.recording, Replay.replaced, Replay.requests = recording, (key, Reply(status, {}, body)), []
        result = outcome(scenario, recording.simulator)
        cases[f"strange answers: {name}"] += 1

        json.dumps(result)
        if result.get("failed"):
            assert result["msg"] and "could not make sense" not in result["msg"], result["msg"]
            assert result["error"]["kind"] in KINDS
        if status < 300 and unusable(*key, body):
            assert result.get("failed"), (key, body, result)
            if key in reads:
                after = Replay.requests[Replay.requests.index(key) + 1 :]
                assert all(method == "GET" for method, _path in after), after

    strange()
