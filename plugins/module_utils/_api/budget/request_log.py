# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The times of the latest requests of one credential, in a file of fixed size that all processes of a user share.
import contextlib
import fcntl
import os
import stat
import struct
import threading
import typing as t

CAPACITY = 65536
_MAGIC = b"edgeops1"
# Magic, number of requests so far, end of the pause that the service requested, number that it allows and until when.
_HEADER = struct.Struct("<8sQdQd")
_STAMP = struct.Struct("<d")
_START = 64
_SANE = 2**62
_SIZE = _START + CAPACITY * _STAMP.size


class Ledger:
    """One open file. `locked` gives the state for as long as a few reads and writes take; the system lets go of a dead process's lock."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        status = os.fstat(self._file)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            os.close(self._file)
            raise OSError("the state file is not a file of this user")
        # The system's lock belongs to the open file, which the threads of a process share.
        self._threads = threading.Lock()

    def __del__(self) -> None:
        if hasattr(self, "_threads"):
            os.close(self._file)

    @contextlib.contextmanager
    def locked(self) -> t.Iterator[State]:
        """The state, locked against other processes."""
        with self._threads:
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                yield State(self._file)
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)


class State:
    """The content of the file while it is locked. Anything that is not such a file is read as an empty one."""

    def __init__(self, file: int) -> None:
        self._file = file
        self.count, self.pause_end, self.allowed, self.allowed_end = 0, 0.0, 0, 0.0
        header = os.pread(file, _HEADER.size, 0)
        if len(header) == _HEADER.size and os.fstat(file).st_size == _SIZE:
            magic, *values = _HEADER.unpack(header)
            if magic == _MAGIC and max(values[0], values[2]) < _SANE:
                self.count, self.pause_end, self.allowed, self.allowed_end = values
                return
        os.ftruncate(file, 0)
        os.ftruncate(file, _SIZE)
        self.save()

    def save(self) -> None:
        """Writes everything but the times."""
        values = (self.count, self.pause_end, self.allowed, self.allowed_end)
        os.pwrite(self._file, _HEADER.pack(_MAGIC, *values), 0)

    def append(self, time: float) -> int:
        """Counts one more request; gives its number."""
        number = self.count
        self.set_time(number, time)
        self.count += 1
        self.save()
        return number

    def time_of(self, number: int) -> float:
        """When request `number` was made."""
        return t.cast(float, _STAMP.unpack(os.pread(self._file, _STAMP.size, _place(number)))[0])

    def times(self, first: int) -> tuple[float, ...]:
        """When request `first` and all after it were made."""
        length = _STAMP.size * (self.count - first)
        before_wrap = min(length, _SIZE - _place(first))
        found = os.pread(self._file, before_wrap, _place(first)) + os.pread(self._file, length - before_wrap, _START)
        return struct.unpack(f"<{self.count - first}d", found)

    def set_time(self, number: int, time: float) -> None:
        """Notes when request `number` was made."""
        os.pwrite(self._file, _STAMP.pack(time), _place(number))


def _place(number: int) -> int:
    return _START + number % CAPACITY * _STAMP.size
