# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import hashlib
import json
import os
import re
import typing as t

from .._core import Json
from .._files import lock, open_regular, read_regular, replace_file, sync_folder
from .._text import canonical, dict_of, digest_of, finite_float, format_time, is_integer, no_constant, parse_time, unique_members
from .._version import VERSION
from .evidence_folder import check_file, prepare_folder, unusable
from .facts import is_digest
from .listing import NEVER

Record = dict[str, Json]

RECORD_VERSION = 1
BASELINES = "baselines"
FILE_MODE = 0o640


class Chain(t.NamedTuple):
    """A chain of records, one a line, each with the digest of the one before it.

    `records` counts the complete lines, `torn_bytes` are those of a last line without an end.
    `last` is the last record, `inventory` the last one that contains an inventory.
    `problem` names the first record that cannot be trusted; `heads` and `times` are those of the records before it.
    """

    records: int = 0
    torn_bytes: int = 0
    last: Record | None = None
    inventory: Record | None = None
    problem: str | None = None
    heads: t.Collection[str] = ()
    times: t.Sequence[datetime.datetime] = ()

    @property
    def head(self) -> str | None:
        digest = self.last.get("digest") if self.last else None
        return digest if is_digest(digest) else None


def read_chain(lines: t.Iterable[bytes], zone_id: str, see: t.Callable[[Record], object] = lambda record: None) -> Chain:
    """Read the lines of a chain to its end; `see` gets each record before the first problem."""
    number = torn_bytes = 0
    last = inventory = problem = None
    heads: set[str] = set()
    times: list[datetime.datetime] = []
    # The numbers of the records that contain an inventory.
    whole: set[int] = set()
    for line in lines:
        if not line.endswith(b"\n"):
            torn_bytes = len(line)
            break
        number += 1
        sealed = _sealed_digest(line)
        record, reason = _parse(line, is_sealed=sealed is not None)
        if record is not None and problem is None:
            at = parse_time(record.get("at"))
            reason = _find_problem(record, sealed, number, zone_id, last, whole) or _find_time_problem(at, times)
            digest = record.get("digest")
            if at is not None and not reason and is_digest(digest):
                heads.add(digest)
                times.append(at)
                see(record)
        if problem is None and reason:
            problem = f"record {number} {reason}"
        last = record or last
        if record is not None and "inventory" in record:
            inventory = record
            whole.add(number)
    return Chain(number, torn_bytes, last, inventory, problem, heads, times)


_DIGEST = re.compile(rb',"digest":"([0-9a-f]{64})"')


def _sealed_digest(line: bytes) -> str | None:
    """Return the digest of a line that is as it was written; None where that cannot be seen without parsing the line.

    To parse and encode a line again took two thirds of the time for the evidence of a year.
    """
    match = _DIGEST.search(line)
    if match is None:
        return None
    digest = match[1].decode()
    rest = line[: match.start()] + line[match.end() :].rstrip(b"\n")
    return digest if hashlib.sha256(rest).hexdigest() == digest else None


def _parse(line: bytes, *, is_sealed: bool) -> tuple[Record | None, str]:
    """Return the record of a line, or the reason why it has none; only a line that this collection has not written needs each check."""
    try:
        if is_sealed:
            record = json.loads(line)
        else:
            record = json.loads(
                line.decode("ascii"), object_pairs_hook=unique_members, parse_constant=no_constant, parse_float=finite_float
            )
    except (ValueError, RecursionError):
        return None, "is not a record: the line is not JSON in ASCII, or repeats a name"
    return (record, "") if isinstance(record, dict) else (None, "is not a record: the line is not a JSON object")


def _find_problem(
    record: Record, sealed: str | None, number: int, zone_id: str, before: Record | None, whole: t.Container[int]
) -> str:
    """Return why a record does not continue the chain; "" if it does."""
    same = record.get("inventory_same_as")
    problems = {
        "was edited: its digest is not that of its content": not _is_sealed(record, sealed),
        "does not follow the record before it: records were deleted, inserted or swapped": (
            record.get("prev") != (before["digest"] if before else None) or not _is_number(record.get("seq"), number)
        ),
        "belongs to another zone": record.get("zone_id") != zone_id,
        "has a version that this release does not read": not _is_number(record.get("v"), RECORD_VERSION),
        "refers to an inventory that does not exist": "inventory" not in record and not (is_integer(same) and same in whole),
    }
    return next((reason for reason, applies in problems.items() if applies), "")


def _find_time_problem(at: datetime.datetime | None, before: t.Sequence[datetime.datetime]) -> str:
    """Return why the time of a record is unusable, "" if it is usable; if a clock is set back, changes in between are missed."""
    if at is None:
        return "has no usable time, so what changed since cannot be found"
    if before and at < before[-1]:
        return f"has the time {format_time(at)}, before that of the record before it, {format_time(before[-1])}"
    return ""


def seal(record: Record) -> Record:
    """Return a record with its digest, which is that of all other members."""
    return {**record, "digest": digest_of(record)}


def _is_sealed(record: Record, sealed: str | None) -> bool:
    """Return whether the digest of a record is that of its other members."""
    digest = record.get("digest")
    if sealed is not None and sealed == digest:
        return True
    try:
        return digest_of({name: value for name, value in record.items() if name != "digest"}) == digest
    except (ValueError, RecursionError):
        return False


def _is_number(value: Json, number: int) -> bool:
    """Return whether a value is this JSON integer: in Python, `true` and 1.0 are equal to 1."""
    return is_integer(value) and value == number


class LastRecord(t.NamedTuple):
    """What an audit needs of the evidence: the time of the last record, from when on versions are new, and what is broken.

    Without any record `since` is None: a first audit has nothing to compare versions with.
    """

    at: datetime.datetime | None = None
    since: datetime.datetime | None = None
    problem: str | None = None


class Evidence(t.NamedTuple):
    """The evidence of one zone: a file of records that only grows, and the baselines that they name."""

    folder: str
    zone_id: str

    @classmethod
    def prepare(cls, folder: str, zone_id: str) -> Evidence:
        """Return the evidence of a zone in a folder; raise `invalid_option` if evidence cannot be kept there."""
        evidence = cls(prepare_folder(folder), zone_id.lower())
        check_file(evidence.path)
        check_file(evidence.torn_path)
        return evidence

    @property
    def path(self) -> str:
        return os.path.join(self.folder, f"{self.zone_id}.jsonl")

    @property
    def torn_path(self) -> str:
        """Return the path of the file for lines that a killed run left incomplete."""
        return f"{self.path}.torn"

    @contextlib.contextmanager
    def opened(self) -> t.Iterator[Records]:
        """Open, lock and read the file; another audit of the zone waits until it is closed."""
        try:
            descriptor = self._lock()
            try:
                with open(descriptor, "rb", closefd=False) as file:
                    chain = read_chain(file, self.zone_id)
                warnings = self._move_torn_line(descriptor, chain.torn_bytes) if chain.torn_bytes else ()
                yield Records(descriptor, self, chain, warnings)
            finally:
                os.close(descriptor)  # which unlocks it
        except OSError as error:
            raise unusable(error) from None

    def _lock(self) -> int:
        while True:
            descriptor = open_regular(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, FILE_MODE)
            lock(descriptor)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), os.lstat(self.path)):
                    return descriptor
            # The file was renamed between open and lock; records must go to the file that has the name now.
            os.close(descriptor)

    def _move_torn_line(self, descriptor: int, size: int) -> tuple[str, ...]:
        """Append a last line without an end to a file of its own, and only then cut it off; return a warning about it."""
        start = os.fstat(descriptor).st_size - size
        torn = open_regular(self.torn_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, FILE_MODE)
        try:
            _write(torn, os.pread(descriptor, size, start) + b"\n")
        finally:
            os.close(torn)
        os.ftruncate(descriptor, start)
        os.fsync(descriptor)
        warning = (
            f"evidence_dir: the last line of {os.path.basename(self.path)} was incomplete, because a run ended while it was writing;"
            f" its {size} bytes are now in {os.path.basename(self.torn_path)}, and the chain goes on from the record before."
        )
        return (warning,)


@dataclasses.dataclass(frozen=True)
class Records:
    """The locked file of records: its chain, and the only way to append to it."""

    descriptor: int
    evidence: Evidence
    chain: Chain
    warnings: tuple[str, ...]

    def find_last(self, expected_head: str | None, at: datetime.datetime) -> LastRecord:
        """Return what an audit at a time needs to know about earlier ones; a later record is ignored, so that it hides no change."""
        chain = self.chain
        known = max((time for time in chain.times if time <= at), default=None)
        problem = chain.problem
        if problem is None and chain.times and at < chain.times[-1]:
            problem = (
                f"the time of this audit, {format_time(at)}, is before that of the last record, {format_time(chain.times[-1])}"
            )
        if problem is None and expected_head is not None and expected_head not in chain.heads:
            problem = f"none of the {chain.records} records has the expected head: records at the end are missing, or all of them"
        return LastRecord(known, NEVER if chain.records and known is None else known, problem)

    def keep(self, at: datetime.datetime, audited: Record, baseline: Json, hide: t.Callable[[Json], Json]) -> Record:
        """Append the record of an audit without secrets, and return it as it was written; it is on the disk by then."""
        about = {"v": RECORD_VERSION, "at": format_time(at), "zone_id": self.evidence.zone_id, "collection_version": VERSION}
        entries, record = hide(baseline), dict_of(hide({**about, **audited}))
        self._keep_baseline(entries)
        record["baseline_digest"] = digest_of(entries)
        same = self.chain.inventory
        if self.chain.problem is None and same is not None and same["inventory"] == record["inventory"]:
            del record["inventory"]
            record["inventory_same_as"] = same["seq"]
        return self.append(record)

    def _keep_baseline(self, entries: Json) -> None:
        """Keep the entries of a baseline in a file named by their digest, so that a record proves who authorised what, and why."""
        content = canonical(entries).encode("ascii")
        path = os.path.join(self.evidence.folder, BASELINES, f"{digest_of(entries)}.json")
        with contextlib.suppress(OSError):
            if read_regular(path) == content:
                return
        prepare_folder(os.path.dirname(path))
        replace_file(path, [content], FILE_MODE)

    def append(self, record: Record) -> Record:
        """Append a record to the chain, and return it as it was written; it is on the disk by then."""
        sealed = seal({**record, "seq": self.chain.records + 1, "prev": self.chain.head})
        _write(self.descriptor, canonical(sealed).encode("ascii") + b"\n")
        if not self.chain.records:
            sync_folder(self.evidence.folder)
        return sealed


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.fsync(descriptor)
