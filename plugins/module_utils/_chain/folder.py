# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import errno
import hashlib
import os
import stat
import typing as t

from .._core import Failure, invalid_option
from .._files import make_folders, open_regular
from .kinds import BASELINES

# The folder that the option `evidence_dir` names, and the baselines in it.

FOLDER_MODE = 0o750


def torn_path(chain: str) -> str:
    """Return the path of the file for last lines of a chain that were incomplete."""
    return f"{chain}.torn"


def unusable(reason: object) -> Failure:
    """Return the failure for an evidence folder that cannot be used."""
    text = reason.strerror if isinstance(reason, OSError) and reason.strerror else reason
    return invalid_option("evidence_dir", f"evidence cannot be kept there: {text}")


def prepare_folder(path: str) -> str:
    """Return the absolute path of the evidence folder, created if missing; raise `invalid_option` if it cannot be used."""
    folder = os.path.abspath(path)
    try:
        check_links(folder)
        make_folders(folder, FOLDER_MODE, [])
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
            status = os.lstat(folder)
        except FileNotFoundError:
            status = None
        if status is not None and stat.S_ISLNK(status.st_mode) and status.st_uid not in (0, os.geteuid()):
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


def baselines_folder(folder: str) -> str:
    """Return the folder of the baselines; raise OSError if it is a symbolic link, which could lead to files of another user."""
    path = os.path.join(folder, BASELINES)
    if os.path.islink(path):
        raise OSError(errno.ELOOP, f"{BASELINES} is a symbolic link")
    return path


def read_baseline(folder: str, digest: str) -> bytes:
    """Return the content of a baseline that a record names; raise OSError, which is FileNotFoundError if there is none."""
    with open(open_regular(os.path.join(baselines_folder(folder), f"{digest}.json"), os.O_RDONLY), "rb") as file:
        return file.read()


def check_baselines(folder: str, baselines: t.Mapping[str, int]) -> tuple[frozenset[str], str | None]:
    """Return the baselines without a file, and the first record whose baseline was edited or cannot be read."""
    missing, problem = set(), None
    for digest, record in baselines.items():
        try:
            content = read_baseline(folder, digest)
        except FileNotFoundError:
            missing.add(digest)
        except OSError as error:
            problem = problem or f"record {record} names a baseline that cannot be read: {error.strerror}"
        else:
            if hashlib.sha256(content).hexdigest() != digest:
                what = f"names a baseline that was edited: {BASELINES}/{digest}.json has another digest"
                problem = problem or f"record {record} {what}"
    return frozenset(missing), problem
