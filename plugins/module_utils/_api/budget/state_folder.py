# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The folder of this user's small state files, safe from other users of the machine.
import os
import stat
import tempfile
import typing as t

_NAME = "edgeops.observability"


def state_folder(environ: t.Mapping[str, str] | None = None) -> str | None:
    """The first place that can be used: the user's state folder, or one of the user's own below the system's temporary one."""
    return next(filter(_is_usable, _candidates(os.environ if environ is None else environ)), None)


def _candidates(environ: t.Mapping[str, str]) -> t.Iterator[str]:
    given = environ.get("XDG_STATE_HOME", "")
    home = environ.get("HOME") or os.path.expanduser("~")
    if os.path.isabs(given):
        yield os.path.join(given, _NAME)
    elif os.path.isabs(home):
        yield os.path.join(home, ".local", "state", _NAME)
    yield os.path.join(tempfile.gettempdir(), f"{_NAME}-{os.geteuid()}")


def _is_usable(folder: str) -> bool:
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return _is_private(folder)
    except OSError:
        return False


def _is_private(folder: str) -> bool:
    """Whether the folder is a real one, ours, and closed to others; another user may have made it first."""
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        return False
    if stat.S_IMODE(status.st_mode) & 0o077:
        os.chmod(folder, 0o700)
    return os.access(folder, os.W_OK | os.X_OK)
