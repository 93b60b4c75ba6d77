# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._adopt.texts import texts_of
from ansible_collections.edgeops.observability.plugins.module_utils._errors import conflict, invalid_option
from ansible_collections.edgeops.observability.plugins.module_utils._new_file import remove, write_beside
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Conclusion, Json

_NAME = re.compile(r"[^\x00-\x1f\x7f/\\]{1,255}")
_FOLDER_MODE, _FILE_MODE = 0o750, 0o640
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

OPTIONS: dict[str, dict[str, t.Any]] = {
    "dest": {"type": "path", "required": True},
    "group": {"type": "str", "default": "all"},
    "overwrite": {"type": "bool", "default": False},
    "date": {"type": "str", "required": True},
    "zones": {"type": "list", "elements": "dict", "required": True},
    "script_baselines": {"type": "dict", "default": {}},
}
_MEMBERS: t.Mapping[str, type] = {
    "variables": dict,
    "vault": list,
    "vault_destinations": list,
    "left_out": list,
    "notes": list,
}


class Desired(t.NamedTuple):
    """Where the files go, whether others' may be replaced, and the text of each by its path below `dest`."""

    dest: str
    overwrite: bool
    texts: t.Mapping[str, str]


def desire(params: t.Mapping[str, t.Any]) -> Desired:
    """The files that validated options ask for."""
    zones = [
        {**_checked(zone, f"zones[{index}]"), "script_baseline": params["script_baselines"].get(zone["zone"], [])}
        for index, zone in enumerate(params["zones"])
    ]
    names = [zone["zone"] for zone in zones]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise invalid_option("zones", f"{repeated!r} is there more than once")
    if not zones:
        raise invalid_option("zones", "is empty: no zone could be read")
    _check_name("group", params["group"])
    if not _DATE.fullmatch(params["date"]):
        raise invalid_option("date", f"{params['date']!r} is not a date such as 2026-03-02")
    return Desired(params["dest"], params["overwrite"], texts_of(zones, params["group"], params["date"]))


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
    """Write each file that is not there in these words, under a temporary name first."""
    for path, text in sorted(desired.texts.items()):
        target = os.path.join(desired.dest, path)
        if not _differs(target, text):
            continue
        os.makedirs(os.path.dirname(target), mode=_FOLDER_MODE, exist_ok=True)
        new = write_beside(target, text.encode(), _FILE_MODE)
        try:
            os.replace(new, target)
        except BaseException:
            remove(new)
            raise


def _differs(path: str, text: str) -> bool:
    """Whether a file is missing or has another content; the date of an adoption alone is no difference."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return _undated(file.read()) != _undated(text)
    except FileNotFoundError:
        return True
    except (OSError, UnicodeDecodeError) as error:
        raise invalid_option("dest", f"{path} cannot be read: {error}") from None


def _undated(text: str) -> str:
    return re.sub(r"adopted on [0-9]{4}-[0-9]{2}-[0-9]{2}", "adopted on", text)


def _checked(zone: Json, place: str) -> dict[str, Json]:
    """A result of `zone_variables_info`; members that it has beside the documented ones are ignored."""
    for name in ("zone", "zone_id"):
        if not isinstance(zone.get(name), str):
            raise invalid_option(f"{place}.{name}", "is missing, or no text")
    _check_name(f"{place}.zone", zone["zone"])
    for name, type_ in _MEMBERS.items():
        if not isinstance(zone.get(name), type_):
            raise invalid_option(f"{place}.{name}", f"is missing, or no {type_.__name__}")
    return {name: zone[name] for name in ("zone", "zone_id", *_MEMBERS)}


def _check_name(place: str, name: str) -> None:
    if not _NAME.fullmatch(name) or name in (".", "..") or name.strip() != name:
        raise invalid_option(place, f"{name!r} cannot be the name of a folder")
