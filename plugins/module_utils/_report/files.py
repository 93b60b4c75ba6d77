# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Files that are there whole or not at all: every one is written beside its place before the first is put there.
import contextlib
import os
import stat
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure, invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._new_file import replace_all

_FOLDER_MODE, _FILE_MODE = 0o750, 0o640


def write_files(folder: str, contents: t.Mapping[str, bytes]) -> list[str]:
    """Write all files into the folder, or none; return their paths."""
    made = _make_folder(folder)
    try:
        for name in contents:
            _check_replaceable(folder, name)
        replace_all({os.path.join(folder, name): content for name, content in contents.items()}, _FILE_MODE)
    except OSError as error:
        raise _unusable(folder, error) from None
    finally:
        if made:
            with contextlib.suppress(OSError):
                os.rmdir(folder)  # stays where it holds a file
    return [os.path.join(folder, name) for name in contents]


def check_folder(folder: str, names: t.Iterable[str]) -> None:
    """Raise `invalid_option` where files of these names could not be written or replaced; nothing is made for that."""
    there = folder
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there) or not os.access(there, os.W_OK | os.X_OK):
        raise invalid_option("dest", f"{folder!r} cannot be written: {there!r} is no folder that can be written to")
    if there == folder:
        for name in names:
            _check_replaceable(folder, name)


def _make_folder(folder: str) -> bool:
    if os.path.isdir(folder):
        return False
    try:
        os.makedirs(folder)
        os.chmod(folder, _FOLDER_MODE)
    except OSError as error:
        raise _unusable(folder, error) from None
    return True


def _check_replaceable(folder: str, name: str) -> None:
    path = os.path.join(folder, name)
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return
    if stat.S_ISDIR(there.st_mode):
        raise invalid_option("dest", f"{path!r} is a folder, so that no file can be put there. Nothing was written.")
    around = os.stat(folder)
    if around.st_mode & stat.S_ISVTX and os.geteuid() not in (0, there.st_uid, around.st_uid):
        raise invalid_option("dest", f"{path!r} belongs to another user and cannot be replaced. Nothing was written.")


def _unusable(folder: str, error: OSError) -> Failure:
    return invalid_option("dest", f"{folder!r} cannot be written: {error.strerror}")
