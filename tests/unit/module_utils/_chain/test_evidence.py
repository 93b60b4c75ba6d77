# SPDX-License-Identifier: GPL-3.0-or-later

"""The evidence file after kills at each step of an append, after edits, and with parallel processes."""

import datetime
import fcntl
import json
import multiprocessing
import os
import signal
import typing as t
from pathlib import Path

import pytest
from support.chains import ZONE, resealed, script, unsealed
from support.refusals import refusal

from ansible_collections.edgeops.observability.plugins.module_utils._chain import evidence as histories
from ansible_collections.edgeops.observability.plugins.module_utils._chain.evidence import Evidence, LastRecord
from ansible_collections.edgeops.observability.plugins.module_utils._chain.kinds import KINDS, PAGES, SCRIPTS
from ansible_collections.edgeops.observability.plugins.module_utils._chain.records import read_chain
from ansible_collections.edgeops.observability.plugins.module_utils._chain.verification import find_chains, verify
from ansible_collections.edgeops.observability.plugins.module_utils._redact import scrub

FINDING = ("script_url", "host", "entry", "message")


def append(folder: Path, number: int = 0) -> tuple[t.Any, str]:
    """Append a record; return it with the warnings about the file."""
    with Evidence.prepare(str(folder), ZONE, SCRIPTS).opened() as records:
        record = {**unsealed(), "monitor": {"enabled": True, "number": number}}
        return records.append(record), "".join(records.warnings)


def lines(folder: Path) -> list[bytes]:
    return (folder / f"{ZONE}.jsonl").read_bytes().splitlines(keepends=True)


def problem(content: t.Iterable[bytes]) -> str | None:
    return read_chain(content, ZONE, SCRIPTS).problem


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
    assert sorted(json.loads(line)["monitor"]["number"] for line in lines(tmp_path)) == list(range(40))


FOLLOWS = "does not follow the record before it"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda c: c, None),
        (lambda c: [c[0], c[1].replace(b'"number":1', b'"number":7'), *c[2:]], "record 2 was edited"),
        (lambda c: [c[0], resealed(c[1], passed=False), *c[2:]], f"record 3 {FOLLOWS}"),
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
            for line in (b"", b"[]", b"\xff", b"[" * 100000, b'{"a":NaN}', b'{"a":1e999}', b'{"a":-1e999}', b'{"a":1.0e2}')
        ),
        (lambda c: [c[0], b'{"seq":2,' + c[1][1:], *c[2:]], "record 2 is not a record"),
        (lambda c: [c[0], b'{"a":' + b"9" * 5000 + b"}\n", *c[2:]], "record 2 "),
        (lambda c: [c[0], b'{"seq":' + b"9" * 4000 + b"}\n", *c[2:]], "record 2 was edited"),
        (lambda c: [resealed(c[0], seq=True), *c[1:]], f"record 1 {FOLLOWS}"),
        (lambda c: [resealed(c[0], seq=1.0), *c[1:]], f"record 1 {FOLLOWS}"),
        (lambda c: [resealed(c[0], v=True), *c[1:]], "record 1 has a version"),
        *(
            (
                lambda c, kind=kind: [*c[:3], resealed(c[3], findings=[{**dict.fromkeys(FINDING), "kind": kind}])],
                "record 4 has no usable 'findings'",
            )
            for kind in ("sabotaged", [], {}, None)
        ),
        *(
            (
                lambda c, kind=kind: [*c[:3], resealed(c[3], inventory=[{**script(), "findings": [kind]}])],
                "record 4 has no usable 'inventory'",
            )
            for kind in ("sabotaged", [], {}, None)
        ),
        (lambda c: [*c[:3], resealed(c[3], inventory=[{**script(), "findings": ["new"]}])], None),
    ],
)
def test_edited_records_are_found(chain: list[bytes], change: t.Any, expected: str | None) -> None:
    message = problem(change(chain))
    assert message is None if expected is None else str(message).startswith(expected), message


def test_each_depth_of_a_damaged_record_is_found() -> None:
    """Records can be nested so deeply that they can be parsed but not serialised."""
    for depth in range(900, 1100):
        message = problem([b'{"a":' + b"[" * depth + b"]" * depth + b"}\n"])
        assert message is not None and message.startswith("record 1 ")


def test_broken_chain_stays_broken(tmp_path: Path, chain: list[bytes]) -> None:
    (tmp_path / f"{ZONE}.jsonl").write_bytes(b"".join([*chain[:3], b"garbage\n"]))
    record, _warning = append(tmp_path)
    assert (record["seq"], record["prev"]) == (5, json.loads(chain[2])["digest"])
    assert problem(lines(tmp_path)) == "record 4 is not a record: the line is not JSON"


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
    kind, message = refusal(Evidence.prepare, str(folder), ZONE, SCRIPTS)
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
    Evidence.prepare(str(tmp_path / "link" / "new"), ZONE, SCRIPTS)
    monkeypatch.setattr(os, "geteuid", lambda: os.lstat(tmp_path / "link").st_uid + 1)
    if os.lstat(tmp_path / "link").st_uid == 0:
        os.lchown(tmp_path / "link", 12345, -1)
    for folder in (tmp_path / "link", tmp_path / "link" / "new", tmp_path / "link" / "newer"):
        assert f"'{tmp_path / 'link'}' is a symbolic link of another user" in refused(folder)
    assert not (tmp_path / "real" / "newer").exists()


def test_folder_of_baselines_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "baselines").symlink_to(tmp_path / "elsewhere")
    assert "baselines is a symbolic link" in refused(tmp_path)


def keep(folder: Path, kind: t.Any, day: int, *secrets: str, **members: t.Any) -> dict[str, t.Any]:
    at, written = (datetime.datetime(2026, 11, day, hour, tzinfo=datetime.timezone.utc) for hour in (6, 7))
    audited = {name: value for name, value in unsealed(kind).items() if name in kind.members and name not in kind.baselines}
    baselines: dict[str, t.Any] = {member: [{"name": member}] for member in kind.baselines}
    with Evidence.prepare(str(folder), ZONE, kind).opened() as records:
        return records.keep(at, written, {**audited, **members}, baselines, lambda value: scrub(value, secrets))


@pytest.mark.parametrize("secret", ["2026", "11", "pages", "page", "unused", "0123abcd", "findings"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_secret_that_is_a_word_of_the_chain_does_not_break_it(tmp_path: Path, kind: t.Any, secret: str) -> None:
    """Such as the value of a header with which a page is asked for; in what was seen it is masked."""
    finding = dict.fromkeys(("script_url", "host", "entry", "message", "page")) | {"subject": f"of {secret}"}
    findings = [{**finding, "kind": name} for name in kind.findings]
    for day in (1, 2):
        record = keep(tmp_path, kind, day, secret, findings=findings)
        assert [found["kind"] for found in record["findings"]] == list(kind.findings)
        assert all(found["subject"] == "of ********" for found in record["findings"])
    (source,) = find_chains(str(tmp_path))
    assert verify(source, record["digest"]).problem is None and record[kind.same] == 1


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_audits_of_each_kind_are_kept_and_verified(tmp_path: Path, kind: t.Any) -> None:
    """A chain of pages stands beside that of the scripts, with the same rules."""
    first, second = keep(tmp_path, kind, 1), keep(tmp_path, kind, 2)
    assert (first["written_at"], first.get("kind")) == ("2026-11-01T07:00:00Z", kind.marks.get("kind"))
    assert (second[kind.same], kind.state in second) == (1, False)
    assert {path.name for path in tmp_path.iterdir()} == {"baselines", f"{ZONE}{kind.suffix}"}
    assert {path.stem for path in (tmp_path / "baselines").iterdir()} == {first[member] for member in kind.baselines}
    (source,) = find_chains(str(tmp_path))
    assert (source.zone_id, source.kind, source.key) == (ZONE, kind, f"{ZONE}{'.pages' if kind is PAGES else ''}")
    assert verify(source, second["digest"])[1:4] == (None, dict.fromkeys((first[member] for member in kind.baselines), 1), set())
    for member in kind.baselines:
        path = tmp_path / "baselines" / f"{first[member]}.json"
        content = path.read_bytes()
        path.write_bytes(b"[]")
        assert "record 1 names a baseline that was edited" in str(verify(source, None).problem)
        path.write_bytes(content)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("is_same", [True, False])
def test_edited_baseline_is_found_and_stays(tmp_path: Path, kind: t.Any, is_same: bool) -> None:
    """Whether this audit has the same baseline or another one: to write it anew would remove the trace."""
    at = datetime.datetime(2026, 11, 4, tzinfo=datetime.timezone.utc)
    first = keep(tmp_path, kind, 1)
    path = tmp_path / "baselines" / f"{first[kind.baselines[0]]}.json"
    baselines: dict[str, t.Any] = {member: [{"name": member if is_same else "other"}] for member in kind.baselines}

    def findings() -> tuple[t.Any, t.Any]:
        with Evidence.prepare(str(tmp_path), ZONE, kind).opened() as records:
            keeping = histories.Keeping(str(tmp_path), None, 5.0, None)
            return records.find_last(keeping, at, at, baselines).problem, records.warn_of_missing()

    assert findings() == (None, ())
    content = path.read_bytes()
    path.write_bytes(b"[]")
    assert str(findings()[0]).startswith("record 1 names a baseline that was edited") and not findings()[1]
    keep(tmp_path, kind, 2)
    assert path.read_bytes() == b"[]"
    path.unlink()
    problem, (warning,) = findings()
    assert problem is None and "a baseline that records name is missing" in warning
    keep(tmp_path, kind, 3)
    assert path.read_bytes() == content and findings() == (None, ())


def test_baseline_that_no_record_names_yet_stays(tmp_path: Path) -> None:
    """Another chain may name it: the record that would be the first one of this chain names one that was edited."""
    at = datetime.datetime(2026, 11, 4, tzinfo=datetime.timezone.utc)
    first = keep(tmp_path / "other", SCRIPTS, 1)
    path = tmp_path / "own" / "baselines" / f"{first['baseline_digest']}.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"[]")
    with Evidence.prepare(str(tmp_path / "own"), ZONE, SCRIPTS).opened() as records:
        keeping = histories.Keeping(str(tmp_path), None, 5.0, None)
        problem = records.find_last(keeping, at, at, {"baseline_digest": [{"name": "baseline_digest"}]}).problem
    assert str(problem).startswith("record 1 names a baseline that was edited")


def test_record_that_would_break_the_chain_is_not_kept(tmp_path: Path) -> None:
    keep(tmp_path, SCRIPTS, 1)
    with pytest.raises(TypeError, match="'monitor'"):
        keep(tmp_path, SCRIPTS, 2, monitor={"enabled": "yes"})
    assert len(lines(tmp_path)) == 1


def test_baselines_behind_a_link_are_not_read(tmp_path: Path) -> None:
    keep(tmp_path, SCRIPTS, 1)
    (tmp_path / "baselines").rename(tmp_path / "moved")
    (tmp_path / "baselines").symlink_to(tmp_path / "moved")
    (source,) = find_chains(str(tmp_path))
    assert verify(source, None).problem == "record 1 names a baseline that cannot be read: baselines is a symbolic link"


def test_chains_are_found_by_file_and_by_expected_head(tmp_path: Path) -> None:
    for name in ("ab.jsonl", "AB.pages.jsonl", "ab.jsonl.torn", "notes.yml", "shop.jsonl", ".pages.jsonl", "cd.pages.jsonl"):
        (tmp_path / name).write_bytes(b"")
    chains = [(source.zone_id, source.kind.name) for source in find_chains(str(tmp_path), ["ab", "ab.pages", "ef", "CD"])]
    assert chains == [("AB", "pages"), ("ab", "scripts"), ("cd", "scripts"), ("cd", "pages"), ("ef", "scripts")]


FORGOTTEN = "the service forgets infrequent scripts after five days, so that changes in between are unknown"


@pytest.mark.parametrize(
    ("kind", "days", "seconds", "expected"),
    [
        (SCRIPTS, 5, 0, []),
        (SCRIPTS, 5, 3, []),
        (
            SCRIPTS,
            6,
            0,
            [f"the last record is 6 days old, more than 5: {FORGOTTEN}; audit scripts at least every 5 days"],
        ),
        (PAGES, 7, 3, []),
        (
            PAGES,
            8,
            0,
            ["the last record is 8 days old, more than 7: changes in between are unknown; audit pages at least every 7 days"],
        ),
    ],
)
def test_age_of_the_last_record(kind: t.Any, days: int, seconds: int, expected: list[str]) -> None:
    """An audit on every fifth day, or a weekly one of pages, that is some seconds late has no gap; a longer pause says how often to audit."""
    last = datetime.datetime(2026, 11, 1, 6, tzinfo=datetime.timezone.utc)
    gaps = LastRecord(last).find(last + datetime.timedelta(days, seconds), kind.max_gap_days, kind)
    assert gaps == [("evidence_gap", message) for message in expected]
