# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import datetime
import os
import typing as t

from .._core import Json
from .._files import check_file, lock, open_regular, prepare_folder, read_regular, replace_file, sync_folder, unusable
from .._text import canonical, digest_of, format_time
from .._version import VERSION
from .chain import RECORD_VERSION, Chain, Record, read_chain, seal
from .facts import SAMPLED
from .findings import NEVER, LastRecord

BASELINES = "baselines"
BASELINE_MODE = 0o640


class Evidence(t.NamedTuple):
    """The evidence of one zone: a file of records that only grows, and the baselines that they name."""

    folder: str
    zone_id: str

    @classmethod
    def prepare(cls, folder: str, zone_id: str) -> Evidence:
        """Return the evidence of a zone in a folder; raise `invalid_option` if evidence could not be kept there."""
        evidence = cls(prepare_folder(folder), zone_id.lower())
        check_file(evidence.path)
        check_file(evidence.torn_path)
        return evidence

    @property
    def path(self) -> str:
        """Return the path of the file of records."""
        return os.path.join(self.folder, f"{self.zone_id}.jsonl")

    @property
    def torn_path(self) -> str:
        """Return the path of the file for lines that a crash left incomplete."""
        return f"{self.path}.torn"

    def keep_baseline(self, entries: Json) -> None:
        """Keep the entries of a baseline under their digest, so that a record tells who authorised what, and why."""
        content = canonical(entries).encode("ascii")
        path = os.path.join(self.folder, BASELINES, f"{digest_of(entries)}.json")
        with contextlib.suppress(OSError):
            if read_regular(path) == content:
                return
        prepare_folder(os.path.dirname(path))
        replace_file(path, [content], BASELINE_MODE)

    @contextlib.contextmanager
    def opened(self) -> t.Iterator[Records]:
        """Open and lock the file, with what it holds; another audit of the zone waits until this one is done."""
        try:
            descriptor = self._locked()
            try:
                warning = self._move_torn_line(descriptor)
                yield Records(descriptor, self, warning)
            finally:
                os.close(descriptor)  # which unlocks it
        except OSError as error:
            raise unusable(error) from None

    def _locked(self) -> int:
        while True:
            descriptor = open_regular(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            lock(descriptor)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), os.lstat(self.path)):
                    return descriptor
            # The file was renamed between open and lock; records must go to the file that has the name now.
            os.close(descriptor)

    def _move_torn_line(self, descriptor: int) -> str | None:
        """Move a last line without an end to the file beside, and only then cut it off here."""
        size = os.fstat(descriptor).st_size
        start = _end_of_lines(descriptor, size)
        if start == size:
            return None
        torn = open_regular(self.torn_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            _write(torn, os.pread(descriptor, size - start, start) + b"\n")
        finally:
            os.close(torn)
        os.ftruncate(descriptor, start)
        os.fsync(descriptor)
        return (
            f"evidence_dir: the last line of {os.path.basename(self.path)} was incomplete, because a run ended while it was writing;"
            f" its {size - start} bytes are now in {os.path.basename(self.torn_path)}, and the chain goes on from the record before."
        )


class Records:
    """A locked file of records: what it holds, and the only way to add to it."""

    def __init__(self, descriptor: int, evidence: Evidence, warning: str | None) -> None:
        self._descriptor = descriptor
        self._folder = evidence.folder
        self.warning = warning
        self.chain = self._read(evidence.zone_id)

    def _read(self, zone_id: str) -> Chain:
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        with open(self._descriptor, "rb", closefd=False) as file:
            return read_chain(file, zone_id)

    def append(self, record: Record) -> Record:
        """Append a record to the chain, and return it as it was written, on the disk by then."""
        sealed = seal({**record, "seq": self.chain.records + 1, "prev": self.chain.head})
        _write(self._descriptor, canonical(sealed).encode("ascii") + b"\n")
        if not self.chain.records:
            sync_folder(self._folder)
        return sealed


def _end_of_lines(descriptor: int, size: int) -> int:
    """Return where the last complete line ends."""
    block = 65536
    end = size
    while end > 0:
        start = max(0, end - block)
        found = os.pread(descriptor, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.fsync(descriptor)


# What is kept of an audit: one record of the chain, the same in check mode.


Result = dict[str, Json]
Hide = t.Callable[[Json], Json]

# Of a script, what moves only with a reason; times of the last sight and counters would make every record a whole one.
_KEPT = ("script_id", "script_url", "host", "status", "hash", "js_integrity_score", "first_seen_at", "malicious")


class Made(t.NamedTuple):
    """How an audit was made: when, against which entries, and what it looked at."""

    at: datetime.datetime
    baseline: t.Sequence[t.Mapping[str, Json]]
    scope: t.Mapping[str, Json]


def keep(
    evidence: Evidence | None, expected_head: str | None, conclude: t.Callable[[LastRecord], Result], hide: Hide, made: Made
) -> tuple[Result, tuple[str, ...]]:
    """Return the result of an audit with `evidence`, which is on the disk by then, and warnings."""
    if evidence is None:
        return {**conclude(LastRecord()), "evidence": {"seq": None, "head": None}}, ()
    with evidence.opened() as file:
        result = conclude(_last(file.chain, expected_head, made.at))
        baseline = hide(list(made.baseline))
        evidence.keep_baseline(baseline)
        record = hide(_record(evidence.zone_id, result, made))
        written = file.append(_shortened({**record, "baseline_digest": digest_of(baseline)}, file.chain))
        warnings = (file.warning,) if file.warning else ()
    return {**result, "evidence": {"seq": written["seq"], "head": written["digest"]}}, warnings


def _last(chain: Chain, expected_head: str | None, at: datetime.datetime) -> LastRecord:
    """Return what the audit needs of the chain; a record that is later than the audit itself hides no change."""
    known = max((time for time in chain.times if time <= at), default=None)
    problem = f"{chain.problem}" if chain.problem else None
    if problem is None and chain.times and at < chain.times[-1]:
        problem = f"the time of this audit, {format_time(at)}, is before that of the last record, {format_time(chain.times[-1])}"
    if problem is None and expected_head is not None and expected_head not in chain.heads:
        problem = f"none of the {chain.records} records has the expected head: records at the end are missing, or all of them"
    return LastRecord(known, NEVER if chain.records and known is None else known, problem)


def _record(zone_id: str, result: Result, made: Made) -> Result:
    return {
        "v": RECORD_VERSION,
        "at": format_time(made.at),
        "zone_id": zone_id,
        "monitor": {**result["script_monitor"], "sampled": SAMPLED[made.scope["route"]]},
        "scope": made.scope,
        "inventory": [{**item, "script": _kept(item["script"])} for item in result["inventory"]],
        "findings": result["findings"],
        "passed": result["passed"],
        "collection_version": VERSION,
    }


def _kept(script: t.Mapping[str, Json]) -> Result:
    return {name: script.get(name) for name in _KEPT}


def _shortened(record: Result, chain: Chain) -> Result:
    """Return the record with a reference in place of an inventory that is the same as the last whole one."""
    same = chain.inventory
    if chain.problem is not None or same is None or same["inventory"] != record["inventory"]:
        return record
    return {**{name: value for name, value in record.items() if name != "inventory"}, "inventory_same_as": same["seq"]}
