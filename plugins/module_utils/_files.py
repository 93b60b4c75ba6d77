# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import tempfile
import typing as t


def replace_all(contents: t.Mapping[str, bytes | t.Iterable[bytes]], modes: int | t.Mapping[str, int]) -> None:
    """Write and sync all files beside those that they replace, before the first one is replaced; raise OSError if one cannot be written.

    `modes` is one mode for all files, or the mode of each path.
    """
    written: dict[str, str] = {}
    try:
        for path, content in contents.items():
            folder, name = os.path.split(path)
            handle, written[path] = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
            with os.fdopen(handle, "wb") as file:
                os.fchmod(file.fileno(), modes if isinstance(modes, int) else modes[path])
                file.writelines([content] if isinstance(content, bytes) else content)
                file.flush()
                os.fsync(file.fileno())
        for path in contents:
            os.replace(written[path], path)
            del written[path]
    finally:
        for left in written.values():
            with contextlib.suppress(OSError):
                os.unlink(left)


def replace_file(path: str, content: t.Iterable[bytes], mode: int) -> None:
    """Replace a file atomically, so that the old or the new content survives a crash; raise OSError."""
    replace_all({path: content}, mode)
    sync_folder(os.path.dirname(path) or ".")


def sync_folder(folder: str) -> None:
    """Sync a folder, so that the names of new files survive a crash; ignore file systems that do not support it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_regular(path: str) -> bytes:
    """Read a regular file, also through a link; raise OSError for anything else, because reading a pipe or a device could block."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return file.read()


def make_folders(folder: str, mode: int, made: list[str]) -> None:
    """Create a folder and its missing parents with a mode; append each created folder to `made`."""
    if not folder or os.path.isdir(folder):
        return
    make_folders(os.path.dirname(folder), mode, made)
    try:
        os.mkdir(folder, mode)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise
        return  # another process created it meanwhile
    made.append(folder)
    os.chmod(folder, mode)


def lock(descriptor: int, *, wait: bool = True) -> None:
    """Lock an open file against other processes until it is closed; raise OSError if it is locked and `wait` is false."""
    fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


_NAME = "edgeops.observability"


def state_folder() -> str:
    """Return a folder that only this user can write to: in the user's state folder, otherwise in the system's; raise OSError for neither."""
    configured = os.environ.get("XDG_STATE_HOME", "")
    state = configured if os.path.isabs(configured) else os.path.join(os.path.expanduser("~"), ".local", "state")
    for folder in (os.path.join(state, _NAME), os.path.join(tempfile.gettempdir(), f"{_NAME}-{os.geteuid()}")):
        if os.path.isabs(folder) and _is_private(folder):
            return folder
    raise OSError("there is no folder that only this user can write to")


def _is_private(folder: str) -> bool:
    """Return whether a folder, created if missing, belongs to this user and is closed to others; another user may have created it first."""
    try:
        make_folders(folder, 0o700, [])
        status = os.lstat(folder)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return False
        if stat.S_IMODE(status.st_mode) & 0o077:
            os.chmod(folder, 0o700)
        return os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        return False


_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def open_regular(path: str, flags: int, mode: int = 0) -> int:
    """Open a regular file, never through a link; raise OSError. Flags that create the file need its mode."""
    try:
        descriptor = os.open(path, flags | _FLAGS, mode)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(error.errno, f"{os.path.basename(path)} is a symbolic link") from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, f"{os.path.basename(path)} is not a regular file")
    return descriptor
