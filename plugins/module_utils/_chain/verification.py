# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import typing as t

from .._address import is_zone_id
from .._files import open_regular
from .folder import check_baselines, torn_path
from .kinds import KINDS, Kind
from .records import Chain, CheckedRecord, read_chain
from .torn import Torn, read_torn

# Verifies chains in their folder: files are only read.

# A line is a record of a few megabytes at most; of a file with more, its size says enough.
_MAX_BYTES = 64 << 20


# In the names of files that were renamed or packed.
_LIKE_CHAINS = (".jsonl", ".pages.")


class Source(t.NamedTuple):
    """A chain in a folder; `zone_id` is spelled as in the name of the file."""

    folder: str
    zone_id: str
    kind: Kind

    @property
    def key(self) -> str:
        """Return the name of the chain, as in `expected_heads`."""
        return self.kind.key(self.zone_id)


class Verified(t.NamedTuple):
    """A chain as it was read, with why it is not valid; the first record that names each baseline, and the baselines without a file."""

    chain: Chain
    problem: str | None
    baselines: t.Mapping[str, int]
    missing: frozenset[str]


def find_chains(folder: str, keys: t.Collection[str] = ()) -> list[Source]:
    """Return the chains in a folder and those of these keys, which may have no file; raise OSError for an unreadable folder."""
    names = os.listdir(folder)
    present = [source for source in (Source(folder, *_split(name)) for name in names) if is_zone_id(source.zone_id)]
    # Lines that moved away from a chain show that there was one.
    torn = [Source(folder, *_split(name.removesuffix(torn_path("")))) for name in names if name.endswith(torn_path(""))]
    left = {source.key for source in torn if is_zone_id(source.zone_id)}
    missing = (left | {key.lower() for key in keys}) - {source.key for source in present}
    return sorted(
        [*present, *(Source(folder, *_split(f"{key}.jsonl")) for key in missing)],
        key=lambda source: (source.zone_id, KINDS.index(source.kind)),
    )


def unread_files(folder: str) -> list[str]:
    """Return the names of files that look like chains, and are not read, because no zone has such a name; raise OSError for an unreadable folder."""
    names = [name for name in os.listdir(folder) if any(part in name.lower() for part in _LIKE_CHAINS)]
    return sorted(name for name in names if not is_zone_id(_split(name.removesuffix(torn_path("")))[0]))


def zone_of(key: str) -> str:
    """Return the zone of a chain's key."""
    return _split(f"{key}.jsonl")[0]


def _split(name: str) -> tuple[str, Kind]:
    """Return what stands before the suffix of a kind in the name of a file, and the kind; "" for another file."""
    # The suffix of scripts ends the longer ones, too.
    for kind in reversed(KINDS):
        if name.endswith(kind.suffix):
            return name.removesuffix(kind.suffix), kind
    return "", KINDS[0]


def verify(source: Source, expected_head: str | None, see: t.Callable[[CheckedRecord], object] = lambda record: None) -> Verified:
    """Verify a chain, its baselines, and that it has the record with the expected head; `see` gets each valid record."""
    kind = source.kind
    baselines: dict[str, int] = {}

    def add(record: CheckedRecord) -> None:
        for member in kind.baselines:
            baselines.setdefault(record[member], record["seq"])
        see(record)

    path = os.path.join(source.folder, source.zone_id + kind.suffix)
    try:
        with open(open_regular(path, os.O_RDONLY), "rb") as file:
            chain = read_chain(file, source.zone_id.lower(), kind, add)
    except FileNotFoundError:
        chain = Chain(problem="record 1 is missing: there is no file for the zone")
    except OSError as error:
        # A file that cannot be read must not hide what is wrong with the others.
        chain = Chain(problem=f"record 1 cannot be read: {error.strerror}")
    missing, broken = check_baselines(source.folder, baselines)
    problem = chain.problem or broken or _find_missing(chain, expected_head)
    return Verified(chain._replace(moved=_read_moved(path, kind)), problem, baselines, missing)


def _read_moved(path: str, kind: Kind) -> Torn | None:
    """Return what is left of the lines that moved away from a chain; None if none did. A file that cannot be read hides something, too."""
    try:
        with open(open_regular(torn_path(path), os.O_RDONLY), "rb") as file:
            return read_torn(file.read(_MAX_BYTES), kind)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Torn(0, {}, str(error.strerror))


def _find_missing(chain: Chain, head: str | None) -> str | None:
    """Return what a chain without an invalid record lacks."""
    if head is not None and head not in chain.heads:
        return f"record {chain.records + 1} is missing: none of the {chain.records} records has the expected head"
    return None if chain.records else f"record 1 is missing: the file {'has no complete line' if chain.torn else 'is empty'}"
