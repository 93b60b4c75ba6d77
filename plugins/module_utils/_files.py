# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import tempfile
import typing as t

from ._core import Failure, invalid_option


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
    given = os.environ.get("XDG_STATE_HOME", "")
    state = given if os.path.isabs(given) else os.path.join(os.path.expanduser("~"), ".local", "state")
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


_FOLDER_MODE = 0o750


def write_files(folder: str, contents: t.Mapping[str, bytes], modes: t.Mapping[str, int]) -> list[str]:
    """Write all files into the folder, or none, each with the mode for its name; return their paths."""
    paths = {name: os.path.join(folder, name) for name in contents}
    made: list[str] = []
    try:
        make_folders(folder, _FOLDER_MODE, made)
        for name in contents:
            _check_replaceable(folder, name)
        replace_all({paths[name]: content for name, content in contents.items()}, {paths[name]: modes[name] for name in contents})
    except OSError as error:
        raise invalid_option("dest", f"{folder!r} cannot be written: {error.strerror}") from None
    finally:
        for new in reversed(made):
            with contextlib.suppress(OSError):
                os.rmdir(new)  # fails if it contains a file
    return list(paths.values())


def check_folder(folder: str, names: t.Iterable[str]) -> None:
    """Raise `invalid_option` if files of these names cannot be written or replaced; create nothing."""
    there = folder
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there) or not os.access(there, os.W_OK | os.X_OK):
        raise invalid_option("dest", f"{folder!r} cannot be written: {there!r} is not a writable folder")
    if there == folder:
        for name in names:
            _check_replaceable(folder, name)


def _check_replaceable(folder: str, name: str) -> None:
    path = os.path.join(folder, name)
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return
    if stat.S_ISDIR(there.st_mode):
        raise invalid_option("dest", f"{path!r} is a folder, so a file cannot be written there. Nothing was written.")
    around = os.stat(folder)
    if around.st_mode & stat.S_ISVTX and os.geteuid() not in (0, there.st_uid, around.st_uid):
        raise invalid_option("dest", f"{path!r} belongs to another user and cannot be replaced. Nothing was written.")


_FILE_MODE = 0o640
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def unusable(reason: object) -> Failure:
    """Return the failure for an evidence folder that cannot be used."""
    text = reason.strerror if isinstance(reason, OSError) and reason.strerror else reason
    return invalid_option("evidence_dir", f"evidence cannot be kept there: {text}")


def prepare_folder(path: str) -> str:
    """Return the absolute path of the evidence folder, created if missing; raise `invalid_option` if it cannot be used."""
    folder = os.path.abspath(path)
    try:
        check_links(folder)
        make_folders(folder, _FOLDER_MODE, [])
        check_links(folder)
        if not os.path.isdir(folder):
            raise unusable(f"{path!r} is not a folder")
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise unusable(f"{path!r} is not writable")
    except OSError as error:
        raise unusable(error) from None
    return folder


def check_links(folder: str) -> None:
    """Refuse a path that contains a symbolic link of another user."""
    while folder != os.path.dirname(folder):
        try:
            found = os.lstat(folder)
        except FileNotFoundError:
            found = None
        if found is not None and stat.S_ISLNK(found.st_mode) and found.st_uid not in (0, os.geteuid()):
            raise unusable(f"{folder!r} is a symbolic link of another user")
        folder = os.path.dirname(folder)


def check_file(path: str) -> None:
    """Refuse a file that cannot be appended to; a missing file is accepted, because the first write creates it."""
    try:
        os.close(open_regular(path, os.O_RDWR))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise unusable(error) from None


def open_inside(folder: str, path: str) -> int:
    """Open a regular file below a folder for reading; raise OSError if a part of the path below the folder is a symbolic link."""
    there = folder
    for part in os.path.dirname(path).split("/"):
        there = os.path.join(there, part) if part else there
        if there != folder and os.path.islink(there):
            raise OSError(errno.ELOOP, f"{there} is a symbolic link")
    return open_regular(os.path.join(folder, path), os.O_RDONLY)


def open_regular(path: str, flags: int, mode: int = _FILE_MODE) -> int:
    """Open a regular file, never through a link; raise OSError."""
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
