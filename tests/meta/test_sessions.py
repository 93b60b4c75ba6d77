# SPDX-License-Identifier: GPL-3.0-or-later

"""What the sessions of a run share: where temporary files are, and environments."""

import concurrent.futures
import os
import sys

import environment
import pytest
import run_sessions

# In place of uv: notes what it is called with, and makes the folder.
UV = """#!/bin/sh
echo "$*" >> {calls}
if [ "$1" = venv ]; then rm -rf "$VIRTUAL_ENV"; mkdir "$VIRTUAL_ENV"; fi
sleep 0.1
"""


@pytest.fixture
def memory(tmp_path, monkeypatch):
    """Return a folder in place of that which Linux keeps in memory, with enough room."""
    monkeypatch.setattr(run_sessions, "MEMORY", tmp_path)
    monkeypatch.setattr(run_sessions, "MIN_FREE_BYTES", 0)
    return tmp_path


def test_temporary_files_are_in_memory(memory):
    assert run_sessions.temporary_folder() == {"TMPDIR": str(memory)}


def test_temporary_files_need_room(memory, monkeypatch):
    monkeypatch.setattr(run_sessions, "MIN_FREE_BYTES", 1 << 80)
    assert run_sessions.temporary_folder() == {}


def test_temporary_files_need_the_folder(memory, monkeypatch):
    monkeypatch.setattr(run_sessions, "MEMORY", memory / "missing")
    assert run_sessions.temporary_folder() == {}


def test_programs_are_started_from_temporary_files(memory, monkeypatch):
    *sizes, flags, longest_name = os.statvfs(memory)
    monkeypatch.setattr(os, "statvfs", lambda path: os.statvfs_result((*sizes, flags | os.ST_NOEXEC, longest_name)))
    assert run_sessions.temporary_folder() == {}


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """Let a script stand in for uv; return what it was called with so far."""
    noted = tmp_path / "calls"
    script = tmp_path / "uv"
    script.write_text(UV.format(calls=noted), encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setattr(environment, "UV", script)
    return lambda: [line.split()[0] for line in noted.read_text(encoding="utf-8").splitlines()]


def test_environment_is_made_once_for_parallel_sessions(calls, tmp_path):
    pins = tmp_path / "pins.txt"
    pins.write_text("nox==1\nstarlette==1\n", encoding="utf-8")
    with concurrent.futures.ThreadPoolExecutor(3) as sessions:
        list(sessions.map(lambda _: environment.make(tmp_path / "venvs" / "dev", pins, sys.executable), range(3)))
    assert calls() == ["venv", "pip", "pip"]
    pins.write_text("nox==2\n", encoding="utf-8")
    environment.make(tmp_path / "venvs" / "dev", pins, sys.executable)
    # Without what the simulator takes, the simulator is not installed either.
    assert calls() == ["venv", "pip", "pip", "venv", "pip"]


def test_unfinished_environment_is_made_again(calls, tmp_path):
    pins = tmp_path / "pins.txt"
    pins.write_text("nox==1\n", encoding="utf-8")
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "left").touch()
    environment.make(tmp_path / "dev", pins, sys.executable)
    assert calls() == ["venv", "pip"] and not (tmp_path / "dev" / "left").exists()
