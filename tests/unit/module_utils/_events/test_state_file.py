# SPDX-License-Identifier: GPL-3.0-or-later

import contextlib
import json
import os
import stat
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest

from ansible_collections.edgeops.observability.plugins.module_utils._core import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import Change, Target, make_event
from ansible_collections.edgeops.observability.plugins.module_utils._events.state import Job, Known, Script, StateFile

FULL = Known(
    "shop.example",
    False,
    {("https://ä.example/{{x}}", "h"): Script(("h1", "h2"), None, ("URL category: Malware",))},
    {7: Job({"name": "logs", "output_options": {"a": [1.5]}}, "digest", "failing")},
    True,
    {"request_fields": ["x"]},
)
EVENT = make_event(Change("script_new", "s", None, {"a": "ä"}), Target("5a1e", "shop.example", "shop.example"), "now")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "state.json")


@contextlib.contextmanager
def opened(path: str, *more: t.Any) -> t.Iterator[StateFile]:
    with contextlib.closing(StateFile(path, *more)) as file:
        file.open()
        yield file


def stored(path: str, known: Known = FULL) -> None:
    with opened(path) as file:
        file.note("5a1e", known, [EVENT])
        file.save()


def refusal(path: str) -> str:
    """Return the message with which a state file is refused."""
    with pytest.raises(Failure) as refused, opened(path):
        pass
    return str(refused.value)


@pytest.mark.parametrize("known", [FULL, Known(), Known(scripts={}, jobs={})])
def test_stored_state_is_read_back(path: str, known: Known) -> None:
    stored(path, known)
    with opened(path) as file:
        assert (file.zone("5a1e"), file.zone("other"), file.pending) == (known, None, [EVENT])
        assert file.names == ({"5a1e": known.name} if known.name else {})


def test_file_is_readable_for_its_owner_only(path: str) -> None:
    """The next start restricts the mode of a file that a copy made readable, even without a change."""
    stored(path)
    assert json.loads(Path(path).read_text(encoding="ascii"))["version"] == 1
    assert [stat.S_IMODE(file.stat().st_mode) for file in Path(path).parent.iterdir()] == [0o600, 0o600]
    Path(path).chmod(0o644)
    with opened(path):
        pass
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600


def test_unchanged_state_is_not_written(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(path)
    written: list[object] = []
    monkeypatch.setattr(os, "replace", lambda *names: written.append(names))
    with opened(path) as file:
        file.note("5a1e", FULL, [])
        file.forget(0)
        assert not file.is_due
        file.save()
    assert written == []


def test_time_spent_on_saving_is_limited(path: str) -> None:
    """However many zones change, at most a twentieth of the time is spent on writing the file."""
    now = [0.0]

    def monotonic() -> float:
        now[0] += 1.0
        return now[0]

    with opened(path, monotonic) as file:
        file.note("1", Known(), [])
        assert file.is_due
        file.save()
        file.note("2", Known(), [])
        saved = now[0]
        while not file.is_due:
            pass
    assert now[0] - saved >= 20


STORED = {"name": None, "readable": True, "monitor": True, "fields": {}, "scripts": [], "jobs": [], "rules": []}
HEAD = b'{"version":1,"pending":[],"zones":'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe", "is damaged: it is empty, or not JSON"),
        (b"[" * 100_000, "is damaged: it is empty, or not JSON"),
        (b"[]", "is damaged: it is not a JSON object with a version"),
        (b'{"version":2,"pending":[],"zones":{}}', "has version 2, and this version of the collection reads 1"),
        (b'{"version":true}', "has version true, and"),
        (HEAD + b'{"a":1e999}}', "is damaged: it is empty, or not JSON"),
        (HEAD + b'{"a":NaN}}', "is damaged: it is empty, or not JSON"),
        (HEAD + b'{},"zones":{}}', "is damaged: it is empty, or not JSON"),
        (b'{"version":1}', "is damaged: zones or pending events are missing in it"),
        (b'{"version":1,"pending":[{}],"zones":{}}', "is damaged: zones or pending events are missing in it"),
        (HEAD + b'{"a":{}}}', "is damaged: a zone in it is not of the form"),
        *(
            (HEAD + b'{"a":' + json.dumps(zone).encode() + b"}}", "is damaged: a zone in it is not of the form")
            for zone in (
                *({**STORED, part: None} for part in ("scripts", "jobs", "rules", "readable")),
                {**STORED, "monitor": None},
                {**STORED, "fields": None},
                # Of two the last one would count, and what changed in the other would be told by nobody.
                {**STORED, "jobs": [[1, {}, "d", "healthy"], [1, {}, "d", "failing"]]},
                {**STORED, "scripts": [["u", "h", [], None, []]] * 2},
                {**STORED, "rules": [["r", {}, None], ["r", {}, []]]},
            )
        ),
    ],
)
def test_invalid_file_is_refused_and_kept(path: str, content: bytes, reason: str) -> None:
    Path(path).write_bytes(content)
    assert refusal(path).startswith(f"state_file: {path} {reason}")
    assert Path(path).read_bytes() == content


def test_stored_parts_are_read(path: str) -> None:
    """What the refusals above differ from."""
    Path(path).write_bytes(HEAD + b'{"a":' + json.dumps(STORED).encode() + b"}}")
    with opened(path) as file:
        assert file.zone("a") == Known(scripts={}, jobs={}, monitor=True, fields={}, rules={})


def test_damaged_file_is_refused(path: str) -> None:
    """A file is refused wherever it is cut off."""
    stored(path)
    whole = Path(path).read_bytes()
    for length in range(0, len(whole.rstrip()), 17):
        Path(path).write_bytes(whole[:length])
        assert "is damaged" in refusal(path)


@pytest.mark.parametrize("name", ["missing/state.json", "", "pipe"])
def test_unusable_path_is_reported(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refusal(str(tmp_path / name)).startswith(f"state_file: {tmp_path}")


def test_lock_excludes_a_second_process(path: str) -> None:
    """A second process fails at once; the lock is released when the first one ends."""
    source = f"""
import sys
from ansible_collections.edgeops.observability.plugins.module_utils._events.state import StateFile
file = StateFile({path!r})
file.open()
print("locked", flush=True)
sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "locked\n"
        assert refusal(path).startswith(f"state_file: {path} is locked")
        other.kill()
    with opened(path):
        pass


def test_no_write_after_the_lock_is_released(path: str) -> None:
    with opened(path) as file:
        file.note("5a1e", FULL, [])
    file.save()
    assert not Path(path).exists()
