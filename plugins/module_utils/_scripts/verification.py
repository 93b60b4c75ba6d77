# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import typing as t

from .._core import Conclusion, Json, invalid_option
from .._files import open_regular
from .._text import shown
from .._zones import is_zone_id
from .chain import Chain, Problem, is_digest, read_chain

# Chains of evidence, verified where they lie: files are only read, and no service is asked.


_SUFFIX = ".jsonl"


class Archive(t.NamedTuple):
    """A folder of chains, and the heads that are known from elsewhere, by zone."""

    folder: str
    expected_heads: t.Mapping[str, str]


class _Read(t.NamedTuple):
    chain: Chain
    is_there: bool
    torn_bytes: int


def desire(params: t.Mapping[str, t.Any]) -> Archive:
    """The archive in validated options; refuses a folder that is not there, and heads that are none."""
    folder = params["history"]
    if not os.path.isdir(folder):
        raise invalid_option("history", f"{folder!r} is not a folder")
    heads = {}
    for zone_id, head in (params["expected_heads"] or {}).items():
        place = f"expected_heads[{zone_id!r}]"
        if not is_zone_id(str(zone_id)):
            raise invalid_option(place, "a zone id is 1 to 32 hexadecimal digits")
        if not isinstance(head, str) or not is_digest(head.lower()):
            raise invalid_option(place, f"{shown(head)} is not 64 hexadecimal digits")
        heads[str(zone_id).lower()] = head.lower()
    return Archive(folder, heads)


def report(archive: Archive) -> Conclusion:
    """Return each chain with its first bad record; an archive without any chain is not valid."""
    try:
        found = {name.removesuffix(_SUFFIX) for name in os.listdir(archive.folder) if name.endswith(_SUFFIX)}
    except OSError as error:
        raise invalid_option("history", f"the folder cannot be read: {error.strerror}") from None
    there = {zone for zone in found if is_zone_id(zone)}
    zones = sorted(there | (archive.expected_heads.keys() - {zone.lower() for zone in there}))
    histories = [_verify(archive, zone) for zone in zones]
    return Conclusion({"histories": histories, "valid": bool(histories) and all(each["valid"] for each in histories)})


def _verify(archive: Archive, zone_id: str) -> dict[str, Json]:
    read = _read(os.path.join(archive.folder, zone_id + _SUFFIX), zone_id)
    chain, last = read.chain, read.chain.last or {}
    problem = chain.problem or _missing(read, archive.expected_heads.get(zone_id.lower()))
    return {
        "zone_id": zone_id,
        "valid": problem is None,
        "records": chain.records,
        "head": chain.head,
        "at": last["at"] if isinstance(last.get("at"), str) else None,
        "first_bad_record": problem.record if problem else None,
        "message": str(problem) if problem else f"{chain.records} records are valid",
        "torn_bytes": read.torn_bytes,
    }


def _missing(read: _Read, head: str | None) -> Problem | None:
    """Return what is wrong with a chain that is valid in itself."""
    records = read.chain.records
    if not read.is_there:
        return Problem(1, "is missing: there is no file for the zone")
    if head is not None and head not in read.chain.heads:
        return Problem(records + 1, f"is missing: none of the {records} records has the expected head")
    return None if records else Problem(1, f"is missing: the file {'has no complete line' if read.torn_bytes else 'is empty'}")


def _read(path: str, zone_id: str) -> _Read:
    torn = 0

    def whole(file: t.Iterable[bytes]) -> t.Iterator[bytes]:
        nonlocal torn
        for line in file:
            if line.endswith(b"\n"):
                yield line
            else:
                torn = len(line)  # a run was killed while it wrote, or is writing now

    try:
        with open(open_regular(path, os.O_RDONLY), "rb") as file:
            chain = read_chain(whole(file), zone_id.lower())
    except FileNotFoundError:
        return _Read(Chain(), False, 0)
    except OSError as error:
        # One file that another user put in the way must not hide what is wrong with the others.
        return _Read(Chain(problem=Problem(1, f"cannot be read: {error.strerror}")), True, 0)
    return _Read(chain, True, torn)
