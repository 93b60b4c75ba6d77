# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import re
import typing as t

from .._core import Json
from .._text import canonical, digest_of, format_time, is_integer, parse_time
from .kinds import RECORD_VERSION, Kind, find_unusable, is_digest
from .torn import Torn, read_torn

Record = dict[str, Json]
# A record whose members were compared with the table of its kind.
CheckedRecord = t.Mapping[str, t.Any]


class Chain(t.NamedTuple):
    """A chain of records, one a line, each with the digest of the one before it.

    `records` counts the complete lines, `torn` is a last line without an end, and `moved` are such lines that former audits moved away.
    `last` is the last record, `whole` the last one that contains what was seen, and not only the number of a record with the same.
    `problem` names the first record that cannot be trusted; `heads` and `times` are those of the records before it.
    """

    records: int = 0
    torn: Torn | None = None
    last: Record | None = None
    whole: Record | None = None
    problem: str | None = None
    heads: t.Collection[str] = ()
    times: t.Sequence[datetime.datetime] = ()
    moved: Torn | None = None

    @property
    def head(self) -> str | None:
        digest = self.last.get("digest") if self.last else None
        return digest if is_digest(digest) else None


See = t.Callable[[CheckedRecord], object]


def see_nothing(_record: CheckedRecord) -> None:
    """Leave a record unseen, where only the chain matters."""


def read_chain(lines: t.Iterable[bytes], zone_id: str, kind: Kind, see: See = see_nothing) -> Chain:
    """Read the lines of a chain to its end; `see` gets each record before the first problem."""
    number, torn = 0, None
    last = whole = problem = None
    heads: set[str] = set()
    times: list[datetime.datetime] = []
    # The numbers of the records that contain what was seen.
    wholes: set[int] = set()
    for line in lines:
        if not line.endswith(b"\n"):
            torn = read_torn(line, kind)
            break
        number += 1
        record, reason = _parse(line)
        if record is not None and problem is None:
            at = parse_time(record.get("at"))
            digest = record.get("digest")
            reason = (
                _find_problem(record, line, number, zone_id, kind, last)
                or _find_time_problem(at, times)
                or _find_member_problem(record, kind, wholes)
            )
            if at is not None and not reason and is_digest(digest):
                heads.add(digest)
                times.append(at)
                see(record)
        if problem is None and reason:
            problem = f"record {number} {reason}"
        last = record or last
        if record is not None and kind.state in record:
            whole = record
            wholes.add(number)
    return Chain(number, torn, last, whole, problem, heads, times)


def _parse(line: bytes) -> tuple[Record | None, str]:
    """Return the record of a line, or the reason why it has none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None, "is not a record: the line is not JSON"
    if not isinstance(record, dict):
        return None, "is not a record: the line is not a JSON object"
    with contextlib.suppress(ValueError, RecursionError):
        # Another program could read a name that stands twice, or NaN, in another way than this one.
        if canonical(record).encode("ascii") == line[:-1]:
            return record, ""
    return None, "is not a record: the line is not sorted, compact JSON in ASCII with each name once"


def _find_problem(record: Record, line: bytes, number: int, zone_id: str, kind: Kind, previous: Record | None) -> str:
    """Return why a record does not continue the chain; "" if it does."""
    problems = {
        "was edited: its digest is not that of its content": not _is_sealed(record, line),
        "does not follow the record before it: records were deleted, inserted or swapped": (
            record.get("prev") != (previous.get("digest") if previous else None) or not _equals(record.get("seq"), number)
        ),
        "belongs to another zone": record.get("zone_id") != zone_id,
        "has a version that this release does not read": not _equals(record.get("v"), RECORD_VERSION),
        f"is none of {kind.name}": {name: record[name] for name in ("kind",) if name in record} != kind.marks,
    }
    return next((reason for reason, applies in problems.items() if applies), "")


def _find_time_problem(at: datetime.datetime | None, earlier: t.Sequence[datetime.datetime]) -> str:
    """Return why the time of a record is unusable, "" if it is usable; if a clock is set back, changes in between are missed."""
    if at is None:
        return "has no usable time, so what changed since cannot be found"
    if earlier and at < earlier[-1]:
        return f"has the time {format_time(at)}, before that of the record before it, {format_time(earlier[-1])}"
    return ""


def _find_member_problem(record: Record, kind: Kind, wholes: t.Container[int]) -> str:
    """Return what a record lacks of what every record contains."""
    same = record.get(kind.same)
    if kind.state in record and kind.same in record:
        return f"has both {kind.state} and {kind.same}"
    if kind.state not in record and not (is_integer(same) and same in wholes):
        return f"refers to a record that has no {kind.state}"
    name = find_unusable(record, kind)
    return f"has no usable {name!r}" if name else ""


def seal(record: Record) -> Record:
    """Return a record with its digest, which is that of all other members."""
    return {**record, "digest": digest_of(record)}


_SEAL = re.compile(rb',"digest":"([0-9a-f]{64})"')


def _is_sealed(record: Record, line: bytes) -> bool:
    """Return whether the digest of a record is that of its other members, of which the line without the digest is the canonical form."""
    digest = record.get("digest")
    match = _SEAL.search(line)
    if match is not None and match[1].decode() == digest:
        rest = line[: match.start()] + line[match.end() : -1]
        if hashlib.sha256(rest).hexdigest() == digest:
            return True
    # A member of a later release could contain the same text before the digest.
    try:
        return digest_of({name: value for name, value in record.items() if name != "digest"}) == digest
    except RecursionError:
        return False


def _equals(value: Json, number: int) -> bool:
    """Return whether a value is this JSON integer: in Python, `true` and 1.0 are equal to 1."""
    return is_integer(value) and value == number
