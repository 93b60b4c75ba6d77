# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import json
import re
import typing as t

from .._core import Json
from .._text import digest_of, finite_float, format_time, is_integer, no_constant, parse_time, unique_members

# A chain of evidence: one record a line, each with the digest of the one before it. Nothing here touches a file.


Record = dict[str, Json]
RECORD_VERSION = 1
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Problem(t.NamedTuple):
    """The first record that cannot be trusted, counted from 1, and why."""

    record: int
    reason: str

    def __str__(self) -> str:
        return f"record {self.record} {self.reason}"


class Chain(t.NamedTuple):
    """A chain as it was read: number of records, the last one, the last one with an inventory, and the first problem.

    `heads` and `times` are those of the records before that problem.
    """

    records: int = 0
    last: Record | None = None
    inventory: Record | None = None
    heads: frozenset[str] = frozenset()
    times: tuple[datetime.datetime, ...] = ()
    problem: Problem | None = None

    @property
    def head(self) -> str | None:
        """Return the digest of the last record, if it has one."""
        digest = self.last.get("digest") if self.last else None
        return digest if is_digest(digest) else None


def seal(record: Record) -> Record:
    """Return a record with its digest, which is that of all other members."""
    return {**record, "digest": digest_of(record)}


def is_digest(value: Json) -> bool:
    """Return whether a value is a digest as records have it."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def read_chain(lines: t.Iterable[bytes], zone_id: str, see: t.Callable[[Record], object] = lambda record: None) -> Chain:
    """Read the lines of a chain to its end, and note the first problem; `see` gets each record before it."""
    number, last, inventory = 0, None, None
    heads: set[str] = set()
    whole: set[int] = set()
    times: list[datetime.datetime] = []
    problem: Problem | None = None
    for number, line in enumerate(lines, 1):
        record, reason = _parse(line)
        at = parse_time(record.get("at")) if record else None
        if record is not None and problem is None:
            reason = _find_problem(record, number, zone_id, last, whole) or _find_time_problem(at, times)
        if problem is None and reason:
            problem = Problem(number, reason)
        if problem is None and record is not None and at is not None:
            heads.add(record["digest"])
            times.append(at)
            see(record)
        last = record or last
        if record is not None and "inventory" in record:
            inventory = record
            whole.add(number)
    return Chain(number, last, inventory, frozenset(heads), tuple(times), problem)


def _parse(line: bytes) -> tuple[Record | None, str]:
    try:
        record = json.loads(
            line.decode("ascii"), object_pairs_hook=unique_members, parse_constant=no_constant, parse_float=finite_float
        )
    except (ValueError, RecursionError):
        return None, "is not a record: the line is not JSON in ASCII, or repeats a name"
    return (record, "") if isinstance(record, dict) else (None, "is not a record: the line is not a JSON object")


def _find_problem(record: Record, number: int, zone_id: str, before: Record | None, whole: t.Container[int]) -> str:
    """Return why a record does not continue the chain; empty if it does."""
    same = record.get("inventory_same_as")
    problems = {
        "was edited: its digest is not that of its content": not _is_sealed(record),
        "does not follow the record before it: records were deleted, inserted or swapped": (
            record.get("prev") != (before["digest"] if before else None) or not _is_number(record.get("seq"), number)
        ),
        "belongs to another zone": record.get("zone_id") != zone_id,
        "has a version that this release does not read": not _is_number(record.get("v"), RECORD_VERSION),
        "refers to an inventory that is not there": "inventory" not in record and not (is_integer(same) and same in whole),
    }
    return next((reason for reason, found in problems.items() if found), "")


def _find_time_problem(at: datetime.datetime | None, before: t.Sequence[datetime.datetime]) -> str:
    """Return the reason why the time of a record is unusable; after a clock was set back, changes in between would be missed."""
    if at is None:
        return "has no usable time, so what changed since cannot be found"
    if before and at < before[-1]:
        return f"has the time {format_time(at)}, before that of the record before it, {format_time(before[-1])}"
    return ""


def _is_sealed(record: Record) -> bool:
    try:
        return digest_of({name: value for name, value in record.items() if name != "digest"}) == record.get("digest")
    except (ValueError, RecursionError):
        return False


def _is_number(value: Json, number: int) -> bool:
    """Return whether a value is this number as records have it: `true` and 1.0 are equal to 1 in Python."""
    return is_integer(value) and value == number
