# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import fcntl
import os
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._scripts.chain import (
    Chain,
    Record,
    canonical,
    read_chain,
    seal,
)
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.folder import (
    check_file,
    open_regular,
    prepare_folder,
    unusable,
)


class History(t.NamedTuple):
    """The evidence of one zone: a file of records that only grows."""

    folder: str
    zone_id: str

    @classmethod
    def prepare(cls, folder: str, zone_id: str) -> History:
        """Return the history of a zone in a folder; raise `invalid_option` if evidence could not be kept there."""
        history = cls(prepare_folder(folder), zone_id.lower())
        check_file(history.path)
        check_file(history.torn_path)
        return history

    @property
    def path(self) -> str:
        """The file of records."""
        return os.path.join(self.folder, f"{self.zone_id}.jsonl")

    @property
    def torn_path(self) -> str:
        """The file of lines that a crash left incomplete."""
        return f"{self.path}.torn"

    @contextlib.contextmanager
    def opened(self) -> t.Iterator[Evidence]:
        """Open and lock the file, with what it holds; another audit of the zone waits until this one is done."""
        try:
            descriptor = self._locked()
            try:
                warning = self._move_torn_line(descriptor)
                yield Evidence(descriptor, self, warning)
            finally:
                os.close(descriptor)  # which unlocks it
        except OSError as error:
            raise unusable(error) from None

    def _locked(self) -> int:
        while True:
            descriptor = open_regular(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), os.lstat(self.path)):
                    return descriptor
            # The file was moved away between the two; what is appended now has to go to the one of that name.
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
            f"history: the last line of {os.path.basename(self.path)} was incomplete, because a run ended while it was writing;"
            f" its {size - start} bytes are now in {os.path.basename(self.torn_path)}, and the chain goes on from the record before."
        )


class Evidence:
    """A locked file of records: what it holds, and the only way to add to it."""

    def __init__(self, descriptor: int, history: History, warning: str | None) -> None:
        self._descriptor = descriptor
        self._folder = history.folder
        self.warning = warning
        self.chain = self._read(history.zone_id)

    def _read(self, zone_id: str) -> Chain:
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        with open(self._descriptor, "rb", closefd=False) as file:
            return read_chain(file, zone_id)

    def append(self, record: Record) -> Record:
        """Append a record to the chain, and return it as it was written, on the disk by then."""
        sealed = seal({**record, "seq": self.chain.records + 1, "prev": self.chain.head})
        _write(self._descriptor, canonical(sealed) + b"\n")
        if not self.chain.records:
            _sync_folder(self._folder)
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


def _sync_folder(folder: str) -> None:
    """Make the name of a new file last as long as its content."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
