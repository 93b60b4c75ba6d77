# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs are recorded once, and replayed with a changed answer, so that thousands of them take seconds."""

import collections
import contextlib
import dataclasses
import json
import typing as t

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._api import session as session_module
from ansible_collections.edgeops.observability.plugins.module_utils._api import transport as transport_module
from ansible_collections.edgeops.observability.plugins.module_utils._api.session import Reply, Session
from harness.outcome import READING_POSTS, READS

# Method, path with its query, and of a query for analytics its text: the times in its variables differ in each run.
Key = tuple[str, str, str]
Write = tuple[str, str, str]
Change = t.Callable[[Reply], Reply]

_UNKNOWN = b'{"success": false, "errors": [{"code": 7003, "message": "?"}], "result": null}'


@dataclasses.dataclass
class Recording:
    """The answers to each request of a run in order."""

    answers: dict[Key, list[Reply]] = dataclasses.field(default_factory=dict)


# What the run in a block was about to send.
SENT: list[Write] = []


def key_of(method: str, path: str, content: bytes | None) -> Key:
    return method, path, str(json.loads(content)["query"]) if path == "/graphql" and content else ""


class Recorder(Session):
    """A session that records each answer."""

    recording: t.ClassVar[Recording]

    def send(self, method: str, path: str, content: bytes | None, *, fresh: bool) -> Reply:
        SENT.append((method, path, (content or b"").decode()))
        outcome = super().send(method, path, content, fresh=fresh)
        assert isinstance(outcome, Reply)
        self.recording.answers.setdefault(key_of(method, path, content), []).append(outcome)
        return outcome


class Replay(Session):
    """A session that answers from a recording, with a change of the answers to one request.

    What was not recorded and only reads is asked of the service, if there is one; everything else is not found.
    """

    recording: t.ClassVar[Recording]
    changed: t.ClassVar[Key | None] = None
    change: t.ClassVar[Change]
    asked: t.ClassVar[collections.Counter[Key]]
    asks_further: t.ClassVar[bool]

    def send(self, method: str, path: str, content: bytes | None, *, fresh: bool) -> Reply:
        key = key_of(method, path, content)
        self.tries += 1
        SENT.append((method, path, (content or b"").decode()))
        answers = self.recording.answers.get(key)
        if answers:
            reply = answers[min(self.asked[key], len(answers) - 1)]
            self.asked[key] += 1
        else:
            reply = Reply(404, {}, _UNKNOWN)
            if self.asks_further and (method in READS or path.endswith(READING_POSTS)):
                further = super().send(method, path, content, fresh=fresh)
                assert isinstance(further, Reply)
                reply = further
        return type(self).change(reply) if key == self.changed else reply


@contextlib.contextmanager
def recorded() -> t.Iterator[Recording]:
    """Record what is asked and answered while the block runs."""
    Recorder.recording = recording = Recording()
    SENT.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transport_module, "Session", Recorder)
        yield recording


@contextlib.contextmanager
def replayed(
    recording: Recording, key: Key | None = None, change: Change = lambda reply: reply, *, asks: bool = True
) -> t.Iterator[None]:
    """Answer from a recording while the block runs, with a change of the answers to one request."""
    Replay.recording, Replay.changed, Replay.change = recording, key, staticmethod(change)
    Replay.asked, Replay.asks_further = collections.Counter(), asks
    SENT.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transport_module, "Session", Replay)
        # To look for them in the environment takes longer than the rest of a session.
        patch.setattr(session_module, "proxies_for", lambda _url: {})
        yield


def unchanged() -> None:
    """Let the rest of a block be answered as it was recorded."""
    Replay.changed = None


def writes() -> set[Write]:
    """Return what the run tried to write."""
    return {(m, path, body) for m, path, body in SENT if m not in READS and not path.endswith(READING_POSTS)}
