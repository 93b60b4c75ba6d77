# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import os
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._adopt.results import check_name, checked_zones
from ansible_collections.edgeops.observability.plugins.module_utils._adopt.texts import texts_of
from ansible_collections.edgeops.observability.plugins.module_utils._errors import conflict, invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._new_file import make_folders, replace_all
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Conclusion

_FOLDER_MODE, _FILE_MODE = 0o750, 0o640
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ADOPTED = re.compile(rf"^(# .*|[0-9]+ zones, )adopted on {_DATE.pattern}", re.MULTILINE)

OPTIONS: dict[str, dict[str, t.Any]] = {
    "dest": {"type": "path", "required": True},
    "group": {"type": "str", "default": "all"},
    "overwrite": {"type": "bool", "default": False},
    "date": {"type": "str", "required": True},
    "zones": {"type": "list", "elements": "dict", "required": True},
    "script_baselines": {"type": "dict", "default": {}},
}


class Desired(t.NamedTuple):
    """Where the files go, whether others' may be replaced, and the text of each by its path below `dest`."""

    dest: str
    overwrite: bool
    texts: t.Mapping[str, str]


def desire(params: t.Mapping[str, t.Any]) -> Desired:
    """The files that validated options ask for."""
    zones = checked_zones(params["zones"])
    if not params["dest"]:
        raise invalid_option("dest", "is empty")
    if not _DATE.fullmatch(params["date"]):
        raise invalid_option("date", f"{params['date']!r} is not a date such as 2026-03-02")
    baselines = params["script_baselines"]
    for name, entries in baselines.items():
        if not isinstance(entries, list):
            raise invalid_option(f"script_baselines.{name}", "is no list")
    with_scripts = [{**zone, "script_baseline": baselines.get(zone["zone"], [])} for zone in zones]
    group = check_name("group", params["group"])
    return Desired(params["dest"], params["overwrite"], texts_of(with_scripts, group, params["date"]))


def report(desired: Desired) -> Conclusion:
    """Compare the files with those that are there; refuse, before any is written, to replace another's."""
    stale = {path for path, text in desired.texts.items() if _differs(os.path.join(desired.dest, path), text)}
    foreign = sorted(path for path in stale if os.path.lexists(os.path.join(desired.dest, path)))
    if foreign and not desired.overwrite:
        raise conflict(
            f"dest: {', '.join(os.path.join(desired.dest, path) for path in foreign)} would be replaced by other content. Nothing was written;"
            " move what is there, or allow it with overwrite (adopt_overwrite of the playbook)."
        )
    files = [os.path.join(desired.dest, path) for path in sorted(desired.texts)]
    return Conclusion({"changed": bool(stale), "files": files})


def write(desired: Desired) -> None:
    """Write each file that is not there in these words; a failure leaves the files as they were."""
    targets = {os.path.join(desired.dest, path): text.encode() for path, text in sorted(desired.texts.items())}
    stale = {path: content for path, content in targets.items() if _differs(path, content.decode())}
    made: list[str] = []
    try:
        for path in stale:
            make_folders(os.path.dirname(path), _FOLDER_MODE, made)
        replace_all(stale, _FILE_MODE)
    except (OSError, ValueError) as error:
        for folder in reversed(made):
            with contextlib.suppress(OSError):
                os.rmdir(folder)  # stays where it holds a file
        raise invalid_option("dest", f"{desired.dest!r} cannot be written: {error}") from None


def _differs(path: str, text: str) -> bool:
    """Whether a file is missing or has another content; the date of an adoption alone is no difference."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return _undated(file.read()) != _undated(text)
    except FileNotFoundError:
        _check_creatable(os.path.dirname(path))
        return True
    except (OSError, ValueError) as error:
        raise invalid_option("dest", f"{path!r} cannot be read: {error}") from None


def _check_creatable(folder: str) -> None:
    """Refuse what cannot become a folder with files, in check mode as well."""
    while folder and not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    folder = folder or os.curdir
    if not os.path.isdir(folder):
        raise invalid_option("dest", f"{folder!r} is no folder, so that no file can be put there. Nothing was written.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise invalid_option("dest", f"{folder!r} cannot be written to: permission denied. Nothing was written.")


def _undated(text: str) -> str:
    """The text without the date of its adoption, which stands in comments and in the summary's count of zones."""
    return _ADOPTED.sub(r"\1adopted on", text)
