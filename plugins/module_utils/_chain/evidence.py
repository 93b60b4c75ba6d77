# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import math
import os
import typing as t

from .._core import CONFLICT, Conclusion, Failure, Json, invalid_option
from .._files import lock, open_regular, replace_file, sync_folder
from .._text import canonical, digest_of, format_time, need_time, quoted
from .._version import VERSION
from .folder import baselines_folder, check_baselines, check_file, prepare_folder, read_baseline, torn_path, unusable
from .kinds import BASELINES, RECORD_VERSION, Kind, find_unusable, is_digest
from .records import Chain, CheckedRecord, Record, See, read_chain, seal, see_nothing

FILE_MODE = 0o640


def now() -> datetime.datetime:
    """Return the time of this machine."""
    return datetime.datetime.now(datetime.timezone.utc)


def check_gap(days: float) -> None:
    """Refuse days between two audits that no gap could exceed; days of UTC are whole ones, so that less than one is as good as none."""
    if not math.isfinite(days) or days < 1:
        raise invalid_option("max_gap_days", f"{days!r} is not a number of days from 1 on")


class Keeping(t.NamedTuple):
    """The validated options of an audit about its evidence; without a folder none is kept."""

    folder: str | None
    expected_head: str | None
    max_gap_days: float
    at: datetime.datetime | None

    @classmethod
    def of(cls, params: t.Mapping[str, t.Any]) -> Keeping:
        """Return what validated options say; refuse invalid values."""
        gap, head = params["max_gap_days"], params["expected_head"]
        check_gap(gap)
        if head is not None and not is_digest(head.lower()):
            raise invalid_option("expected_head", f"{quoted(head)} is not 64 hexadecimal digits; omit it for the first record")
        if head is not None and not params["evidence_dir"]:
            raise invalid_option("expected_head", "needs evidence_dir, which is empty; set the folder with the records")
        at = None if params["at"] is None else need_time("at", params["at"])
        return cls(params["evidence_dir"] or None, head and head.lower(), gap, at)


class Overtaken(Failure):
    """Another audit of the zone began later than this one, and was recorded before it: a record with an earlier time would break the chain."""


def unless_overtaken(audit: t.Callable[[], Conclusion]) -> Conclusion:
    """Audit, again if another audit overtook this one: what the other one saw is older than what this one reports then."""
    for _further_try in range(2):
        with contextlib.suppress(Overtaken):
            return audit()
    return audit()


class LastRecord(t.NamedTuple):
    """What an audit needs of the evidence: the time of the last record, and what is broken."""

    at: datetime.datetime | None = None
    problem: str | None = None
    words: str = "the last record"

    def that_saw(self, at: datetime.datetime | None) -> LastRecord:
        """Return it with the time of the last record that saw as much as this audit asks for, if an earlier one was the last to do so."""
        return self if at is None or at == self.at else self._replace(at=at, words=f"{self.words} that saw as much")

    def find(self, at: datetime.datetime, max_gap_days: float, kind: Kind) -> list[tuple[str, str]]:
        """Return the findings of an audit about the evidence, each with its message."""
        findings = []
        if self.at is not None:
            # Whole days: a regular audit that is a few seconds late has no gap.
            days = (at.date() - self.at.date()).days
            if days > max_gap_days:
                often = f"audit {kind.name} at least every {max_gap_days:g} days"
                findings.append(
                    ("evidence_gap", f"{self.words} is {days} days old, more than {max_gap_days:g}: {kind.gap}; {often}")
                )
        if self.problem is not None:
            findings.append(("history_broken", self.problem))
        return findings


class Evidence(t.NamedTuple):
    """The evidence of one kind of one zone: a file of records that only grows, and the baselines that they name."""

    folder: str
    zone_id: str
    kind: Kind

    @classmethod
    def prepare(cls, folder: str, zone_id: str, kind: Kind) -> Evidence:
        """Return the evidence of a zone in a folder; raise `invalid_option` if evidence cannot be kept there."""
        evidence = cls(prepare_folder(folder), zone_id.lower(), kind)
        try:
            baselines_folder(evidence.folder)
        except OSError as error:
            raise unusable(error) from None
        check_file(evidence.path)
        check_file(evidence.torn_path)
        return evidence

    @property
    def path(self) -> str:
        return os.path.join(self.folder, self.zone_id + self.kind.suffix)

    @property
    def torn_path(self) -> str:
        """Return the path of the file for last lines that were incomplete."""
        return torn_path(self.path)

    @contextlib.contextmanager
    def opened(self, see: See = see_nothing) -> t.Iterator[Records]:
        """Open, lock and read the file; another audit of the zone waits until it is closed. `see` gets each record before the first problem."""
        named: dict[str, int] = {}

        def add(record: CheckedRecord) -> None:
            for member in self.kind.baselines:
                named.setdefault(record[member], record["seq"])
            see(record)

        try:
            descriptor = self._lock()
            try:
                with open(descriptor, "rb", closefd=False) as file:
                    chain = read_chain(file, self.zone_id, self.kind, add)
                warnings = self._move_torn_line(descriptor, chain.torn.size) if chain.torn else ()
                yield Records(descriptor, self, chain, named, warnings)
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
            f"evidence_dir: the last line of {os.path.basename(self.path)} was incomplete, because a run ended while it was writing,"
            f" or the end of the file was cut off; its {size} bytes are now in {os.path.basename(self.torn_path)},"
            " and the chain goes on from the record before. As long as that file lies there, verification and documents say that an audit may be missing."
        )
        return (warning,)


@dataclasses.dataclass(frozen=True)
class Records:
    """The locked file of records: its chain, the first record that names each baseline, and the only way to append to it."""

    descriptor: int
    evidence: Evidence
    chain: Chain
    named: t.Mapping[str, int]
    warnings: tuple[str, ...]

    def find_last(
        self, keeping: Keeping, at: datetime.datetime, time: datetime.datetime, baselines: t.Mapping[str, Json]
    ) -> LastRecord:
        """Return what an audit at a time needs to know about earlier ones; a later record is ignored, so that it hides no change.

        `time` is that of this machine, `baselines` are those of the audit, as `keep` takes them. Raise `Overtaken` if another audit began
        later and is already recorded.
        """
        chain, expected_head = self.chain, keeping.expected_head
        known = max((time for time in chain.times if time <= at), default=None)
        problem = chain.problem or self._find_edited(baselines)
        if problem is None and chain.times and at < chain.times[-1]:
            times = f"{format_time(at)}, is before that of the last record, {format_time(chain.times[-1])}"
            if keeping.at is None and chain.times[-1] <= time:
                raise Overtaken(
                    CONFLICT,
                    f"evidence_dir: other audits of this zone were recorded while this one was running; its time, {times}."
                    " Nothing is recorded of it. Audit a zone once at a time, or run it again.",
                )
            problem = f"the time of this audit, {times}"
        if problem is None and expected_head is not None and expected_head not in chain.heads:
            problem = f"none of the {chain.records} records has the expected head: records at the end are missing, or all of them"
        return LastRecord(known, problem)

    def _find_edited(self, baselines: t.Mapping[str, Json]) -> str | None:
        """Return the first record, of those that are there and of the next one, whose baseline was edited or cannot be read."""
        new = dict.fromkeys(map(digest_of, baselines.values()), self.chain.records + 1)
        return check_baselines(self.evidence.folder, {**new, **self.named})[1]

    def warn_of_missing(self) -> tuple[str, ...]:
        """Return the warnings about the file, and one about baselines without a file: without them the chain is valid, and shows less."""
        missing = len(check_baselines(self.evidence.folder, self.named)[0])
        if not missing:
            return self.warnings
        some = "a baseline that records name is" if missing == 1 else f"{missing} baselines that records name are"
        text = f"evidence_dir: {some} missing in the folder {BASELINES}: what was authorised then cannot be shown. Put the files back from a copy."
        return (*self.warnings, text)

    def keep(
        self,
        at: datetime.datetime,
        written_at: datetime.datetime,
        audited: CheckedRecord,
        baselines: t.Mapping[str, Json],
        hide: t.Callable[[Json], Json],
    ) -> Record:
        """Append the record of an audit without secrets, and return it as it was written; it is on the disk by then.

        `baselines` are the entries of each baseline without secrets, by the member of the record for its digest.
        """
        kind, same = self.evidence.kind, self.chain.whole
        about = {"v": RECORD_VERSION, "at": format_time(at), "written_at": format_time(written_at), **kind.marks}
        about |= {"zone_id": self.evidence.zone_id, "collection_version": VERSION}
        # Only what was seen can contain a secret. The words of the chain itself are needed, whatever a secret is called.
        seen: dict[str, t.Any] = {member: hide(value) for member, value in audited.items()}
        kinds = [finding["kind"] for finding in audited["findings"]]
        seen["findings"] = [{**finding, "kind": name} for finding, name in zip(seen["findings"], kinds, strict=True)]
        record = seen | about | {member: digest_of(entries) for member, entries in baselines.items()}
        if unusable_member := find_unusable(record, kind):
            # The chain would be invalid from this record on, for ever.
            raise TypeError(f"a record of {kind.name} cannot be kept with this {unusable_member!r}")
        for entries in baselines.values():
            self._keep_baseline(entries)
        if self.chain.problem is None and same is not None and same[kind.state] == record[kind.state]:
            del record[kind.state]
            record[kind.same] = same["seq"]
        return self.append(record)

    def _keep_baseline(self, entries: Json) -> None:
        """Keep the entries of a baseline in a file named by their digest, so that a record proves who authorised what, and why.

        A file that is there is left as it is: if it was edited, it is the trace of that.
        """
        content, digest = canonical(entries).encode("ascii"), digest_of(entries)
        try:
            read_baseline(self.evidence.folder, digest)
        except FileNotFoundError:
            folder = prepare_folder(baselines_folder(self.evidence.folder))
            replace_file(os.path.join(folder, f"{digest}.json"), [content], FILE_MODE)

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
