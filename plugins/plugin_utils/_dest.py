# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import os
import stat
import typing as t

from ..module_utils._core import invalid_option
from ..module_utils._files import make_folders, replace_all

# The folder that the option `dest` names, of modules that write files for people.

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
