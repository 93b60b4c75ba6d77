# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import os
import tempfile
import typing as t


def write_beside(path: str, content: bytes, mode: int) -> str:
    """Write a file beside the one that it will replace, whole on the disk; return its path. A failure leaves nothing behind."""
    folder, name = os.path.split(path)
    handle, made = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        remove(made)
        raise
    return made


def replace_all(contents: t.Mapping[str, bytes], mode: int) -> None:
    """Write all files by their paths, each whole on the disk before the first takes its place; raise OSError where one cannot be."""
    written: dict[str, str] = {}
    try:
        for path, content in contents.items():
            written[path] = write_beside(path, content, mode)
        for path in contents:
            os.replace(written[path], path)
            del written[path]
    finally:
        for path in written.values():
            remove(path)


def make_folders(folder: str, mode: int, made: list[str]) -> None:
    """Make a folder and those above it that are missing, all with this mode; each one made is added to `made`."""
    if not folder or os.path.isdir(folder):
        return
    make_folders(os.path.dirname(folder), mode, made)
    os.mkdir(folder)
    made.append(folder)
    os.chmod(folder, mode)


def remove(path: str) -> None:
    """Remove a file, if it is there and can be removed."""
    with contextlib.suppress(OSError):
        os.unlink(path)
