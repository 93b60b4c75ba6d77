# SPDX-License-Identifier: GPL-3.0-or-later

"""The evidence file after kills at each step of an append, after edits, and with parallel processes."""

import fcntl
import json
import multiprocessing
import os
import signal
import typing as t
from pathlib import Path

import pytest
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._scripts import evidence as histories
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.evidence import Evidence, read_chain, seal
from ansible_collections.edgeops.observability.plugins.module_utils._text import canonical

ZONE = "0123abcd"
AT = "2026-11-21T06:00:00Z"


def append(folder: Path, number: int = 0) -> tuple[t.Any, str]:
    """Append a record; return it with the warnings about the file."""
    with Evidence.prepare(str(folder), ZONE).opened() as records:
        return records.append({"v": 1, "zone_id": ZONE, "at": AT, "inventory": [number]}), "".join(records.warnings)


def lines(folder: Path) -> list[bytes]:
    return (folder / f"{ZONE}.jsonl").read_bytes().splitlines(keepends=True)


def problem(content: t.Iterable[bytes]) -> str | None:
    return read_chain(content, ZONE).problem


@pytest.fixture
def chain(tmp_path: Path) -> list[bytes]:
    for number in range(4):
        append(tmp_path, number)
    return lines(tmp_path)


def in_child(function: t.Callable[[], object]) -> int:
    """Run a function in a child process; return the process status."""
    child = os.fork()
    if child == 0:
        try:
            function()
        finally:
            os._exit(7)
    return os.waitpid(child, 0)[1]


def killed_after(monkeypatch: pytest.MonkeyPatch, name: str, calls: int, size: int | None = None) -> None:
    """Kill the process in a system call that writes evidence: after a number of calls, or in the middle of a write."""
    real, seen = getattr(os, name), []

    def call(*args: t.Any) -> t.Any:
        seen.append(args)
        if len(seen) > calls:
            if size is not None:
                os.pwrite(args[0], bytes(args[1])[:size], os.fstat(args[0]).st_size)
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args)

    monkeypatch.setattr(histories.os, name, call)


@pytest.mark.parametrize("size", [0, 1, 2, 17, 100, -2, -1, None])
@pytest.mark.parametrize("before", [0, 2])
def test_killed_in_the_middle_of_a_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int, size: int | None) -> None:
    """Whatever part of the line was written, the next run continues, loses nothing, and reports the incomplete line."""
    for number in range(before):
        append(tmp_path, number)
    kept = lines(tmp_path) if before else []
    with monkeypatch.context() as patched:
        killed_after(patched, "write", 0, size)
        assert os.WTERMSIG(in_child(lambda: append(tmp_path, 9))) == signal.SIGKILL
    torn = b"".join(lines(tmp_path)[before:])
    record, warning = append(tmp_path, 10)
    assert (record["seq"], lines(tmp_path)[:before], len(lines(tmp_path))) == (before + 1, kept, before + 1)
    assert problem(lines(tmp_path)) is None
    if torn:
        assert f"{len(torn)} bytes" in warning
        assert (tmp_path / f"{ZONE}.jsonl.torn").read_bytes() == torn + b"\n"
    else:
        assert not warning and not (tmp_path / f"{ZONE}.jsonl.torn").exists()


@pytest.mark.parametrize(
    ("name", "calls"), [("write", 0), ("fsync", 0), ("ftruncate", 0), ("fsync", 1), ("write", 1), ("fsync", 2)]
)
def test_killed_while_an_incomplete_line_is_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, calls: int) -> None:
    append(tmp_path)
    file = tmp_path / f"{ZONE}.jsonl"
    kept = file.read_bytes()
    file.write_bytes(kept + b'{"half')
    with monkeypatch.context() as patched:
        killed_after(patched, name, calls)
        assert os.WTERMSIG(in_child(lambda: append(tmp_path, 1))) == signal.SIGKILL
    append(tmp_path, 2)
    assert file.read_bytes().startswith(kept) and problem(lines(tmp_path)) is None
    assert b'{"half\n' in (tmp_path / f"{ZONE}.jsonl.torn").read_bytes()


def test_parallel_processes_lose_no_record(tmp_path: Path) -> None:
    with multiprocessing.get_context("fork").Pool(8) as processes:
        processes.starmap(append, [(tmp_path, number) for number in range(40)], chunksize=1)
    assert problem(lines(tmp_path)) is None
    assert sorted(json.loads(line)["inventory"][0] for line in lines(tmp_path)) == list(range(40))


def resealed(line: bytes, *without: str, **members: t.Any) -> bytes:
    record = {name: value for name, value in json.loads(line).items() if name not in ("digest", *without)} | members
    return canonical(seal(record)).encode() + b"\n"


FOLLOWS = "does not follow the record before it"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda c: c, None),
        (lambda c: [c[0], c[1].replace(b'"inventory":[1]', b'"inventory":[]'), *c[2:]], "record 2 was edited"),
        (lambda c: [c[0], resealed(c[1], inventory=[]), *c[2:]], f"record 3 {FOLLOWS}"),
        (lambda c: c[1:], f"record 1 {FOLLOWS}"),
        (lambda c: [c[0], *c[2:]], f"record 2 {FOLLOWS}"),
        (lambda c: [c[0], c[1], c[1], *c[2:]], f"record 3 {FOLLOWS}"),
        (lambda c: [c[0], resealed(c[1], seq=7), *c[2:]], f"record 2 {FOLLOWS}"),
        (lambda c: [*c[:3], resealed(c[3], zone_id="ffff")], "record 4 belongs to another zone"),
        (lambda c: [*c[:3], resealed(c[3], v=2)], "record 4 has a version"),
        (lambda c: [*c[:3], resealed(c[3], at="2026-11-21T05:59:59Z")], "record 4 has the time 2026-11-21T05:59:59Z, before"),
        *((lambda c, at=at: [*c[:3], resealed(c[3], at=at)], "record 4 has no usable time") for at in ("today", None, 7)),
        (lambda c: [*c[:3], resealed(c[3], "inventory")], "record 4 refers to"),
        (lambda c: [*c[:3], resealed(c[3], "inventory", inventory_same_as=4)], "record 4 refers to"),
        (lambda c: [*c[:3], resealed(c[3], "inventory", inventory_same_as=1)], None),
        *(
            (lambda c, line=line: [c[0], line + b"\n", *c[2:]], "record 2 is not a record")
            for line in (b"", b"[]", b"\xff", b"[" * 100000, b'{"a":NaN}', b'{"a":1e999}', b'{"a":-1e999}')
        ),
        (lambda c: [c[0], b'{"seq":2,' + c[1][1:], *c[2:]], "record 2 is not a record"),
        (lambda c: [c[0], b'{"a":' + b"9" * 5000 + b"}\n", *c[2:]], "record 2 "),
        (lambda c: [c[0], b'{"seq":' + b"9" * 4000 + b"}\n", *c[2:]], "record 2 was edited"),
        (lambda c: [resealed(c[0], seq=True), *c[1:]], f"record 1 {FOLLOWS}"),
        (lambda c: [resealed(c[0], seq=1.0), *c[1:]], f"record 1 {FOLLOWS}"),
        (lambda c: [resealed(c[0], v=True), *c[1:]], "record 1 has a version"),
    ],
)
def test_edited_records_are_found(chain: list[bytes], change: t.Any, expected: str | None) -> None:
    found = problem(change(chain))
    assert found is None if expected is None else str(found).startswith(expected), found


def test_each_depth_of_a_damaged_record_is_found() -> None:
    """Records can be nested so deeply that they can be parsed but not serialised."""
    for depth in range(900, 1100):
        found = problem([b'{"a":' + b"[" * depth + b"]" * depth + b"}\n"])
        assert found is not None and found.startswith("record 1 ")


def test_broken_chain_stays_broken(tmp_path: Path, chain: list[bytes]) -> None:
    (tmp_path / f"{ZONE}.jsonl").write_bytes(b"".join([*chain[:3], b"garbage\n"]))
    record, _warning = append(tmp_path)
    assert (record["seq"], record["prev"]) == (5, json.loads(chain[2])["digest"])
    assert problem(lines(tmp_path)) == "record 4 is not a record: the line is not JSON in ASCII, or repeats a name"


def test_file_moved_while_another_run_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(tmp_path)
    real, moved = fcntl.flock, []

    def flock(*args: t.Any) -> None:
        real(*args)
        if not moved:
            moved.append((tmp_path / f"{ZONE}.jsonl").rename(tmp_path / "old.jsonl"))

    monkeypatch.setattr(fcntl, "flock", flock)
    record, _warning = append(tmp_path)
    assert record["seq"] == 1 and len(lines(tmp_path)) == 1 and len((tmp_path / "old.jsonl").read_bytes().splitlines()) == 1


def refused(folder: Path) -> str:
    kind, message = refusal(Evidence.prepare, str(folder), ZONE)
    assert kind == "invalid_option"
    return message


def test_unusable_folders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    assert refused(tmp_path / "file").startswith("evidence_dir: evidence cannot be kept there: ")
    assert "Not a directory" in refused(tmp_path / "file" / "below")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / f"{ZONE}.jsonl").symlink_to(tmp_path / "file")
    assert "is a symbolic link" in refused(tmp_path / "linked")
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / f"{ZONE}.jsonl")
    assert "is not a regular file" in refused(tmp_path / "pipe")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "is not writable" in refused(tmp_path)


def test_links_of_another_user_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    Evidence.prepare(str(tmp_path / "link" / "new"), ZONE)
    monkeypatch.setattr(os, "geteuid", lambda: os.lstat(tmp_path / "link").st_uid + 1)
    if os.lstat(tmp_path / "link").st_uid == 0:
        os.lchown(tmp_path / "link", 12345, -1)
    for folder in (tmp_path / "link", tmp_path / "link" / "new", tmp_path / "link" / "newer"):
        assert f"'{tmp_path / 'link'}' is a symbolic link of another user" in refused(folder)
    assert not (tmp_path / "real" / "newer").exists()
