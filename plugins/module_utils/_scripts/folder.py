# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Where evidence is kept: refused before any request where it could not be written, or where another user decides where it goes.
import errno
import os
import stat

from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure, invalid_option

_FOLDER_MODE = 0o750
_FILE_MODE = 0o640
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def unusable(reason: object) -> Failure:
    """Return the failure of a history that cannot be used."""
    text = reason.strerror if isinstance(reason, OSError) and reason.strerror else reason
    return invalid_option("history", f"evidence cannot be kept there: {text}")


def prepare_folder(path: str) -> str:
    """Return the absolute path of the folder of evidence, made if it is missing; raise `invalid_option` if it cannot be used."""
    folder = os.path.abspath(path)
    try:
        check_links(folder)
        os.makedirs(folder, mode=_FOLDER_MODE, exist_ok=True)
        check_links(folder)
        if not os.path.isdir(folder):
            raise unusable(f"{path!r} is not a folder")
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise unusable(f"{path!r} is not writable")
    except OSError as error:
        raise unusable(error) from None
    return folder


def check_links(folder: str) -> None:
    """Refuse a path in which a symbolic link of another user decides where it leads."""
    while folder != os.path.dirname(folder):
        try:
            found = os.lstat(folder)
        except FileNotFoundError:
            found = None
        if found is not None and stat.S_ISLNK(found.st_mode) and found.st_uid not in (0, os.geteuid()):
            raise unusable(f"{folder!r} is a symbolic link of another user")
        folder = os.path.dirname(folder)


def check_file(path: str) -> None:
    """Refuse a file that could not be appended to; a missing one is made when there is something to write."""
    try:
        os.close(open_regular(path, os.O_RDWR))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise unusable(error) from None


def open_regular(path: str, flags: int) -> int:
    """Open a regular file, never through a link; raise OSError."""
    try:
        descriptor = os.open(path, flags | _FLAGS, _FILE_MODE)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(error.errno, f"{os.path.basename(path)} is a symbolic link") from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, f"{os.path.basename(path)} is not a regular file")
    return descriptor
