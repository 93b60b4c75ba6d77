# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# A file that only one process uses, and that is whole after a crash.
import contextlib
import errno
import fcntl
import os
import stat
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import CONFLICT, Failure, invalid_option

_MODE = 0o600


def take_lock(path: str) -> int:
    """Take the lock beside the file, which is replaced and so cannot carry one itself; the lock ends with this process."""
    name = f"{path}.lock"
    try:
        handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, _MODE)
    except OSError as error:
        raise invalid_option("state_file", f"{name} cannot be opened: {error.strerror or error}") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise Failure(
            CONFLICT, f"state_file: {path} is locked: another event source uses it. Each source needs a file of its own."
        ) from None
    return handle


def open_file(path: str) -> t.TextIO:
    """Open a regular file to read, for its owner only from then on; raise OSError. A pipe would wait for ever."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a regular file")
    with contextlib.suppress(OSError):  # of another owner, who decides
        os.fchmod(handle, _MODE)
    return open(handle, encoding="utf-8")


def replace_file(path: str, texts: t.Iterable[str]) -> None:
    """Write texts, so that after a crash either the old or the new file is there; raise OSError."""
    new = f"{path}.new"
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, _MODE)
    with open(handle, "w", encoding="ascii") as file:
        os.fchmod(file.fileno(), _MODE)
        file.writelines(texts)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
    _sync_folder(path)


def _sync_folder(path: str) -> None:
    with contextlib.suppress(OSError):  # not every file system can
        folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
