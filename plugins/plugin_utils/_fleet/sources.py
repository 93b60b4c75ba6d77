# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import os
import re
import typing as t

from ansible import constants
from ansible.errors import AnsibleError
from ansible.inventory.manager import InventoryManager
from ansible.utils.path import unfrackpath

from ...module_utils._core import INVALID_OPTION, UNAVAILABLE, Failure
from .. import _zone_files
from .._play.hosts import Play

# Whether a run has the hosts of all of its inventory sources. Ansible only warns of a source that it cannot read, and runs with the hosts of the
# others; the verdict on these would be taken for one on the fleet.

# Where no inventory is configured, Ansible looks for this one and is silent if it does not exist.
DEFAULT_SOURCE = "/etc/ansible/hosts"
# These change hosts of other sources, and never have one of their own.
_WITHOUT_HOSTS = ("constructed", "ansible.builtin.constructed")
_OF_ZONES = "edgeops.observability.zones"
# What Ansible leaves out of a folder of sources.
_IGNORED = re.compile(
    "|".join(
        (
            r"^\.",
            "^host_vars$",
            "^group_vars$",
            "^vars_plugins$",
            *constants.INVENTORY_IGNORE_PATTERNS,
            *(f"{re.escape(ending)}$" for ending in constants.INVENTORY_IGNORE_EXTS),
        )
    )
)
_ADVICE = "so that its hosts would be left out without a word; correct the cause, or run without this inventory"


def check_sources(play: Play) -> list[str]:
    """Refuse a run without the hosts of an inventory source; return warnings of those whose hosts cannot be told from none."""
    failed = sorted(path for path, is_listed in _zone_files.LISTED.items() if not is_listed)
    if failed:
        raise Failure(
            UNAVAILABLE, f"the inventory {', '.join(failed)} could not be listed (a warning above has the reason), {_ADVICE}"
        )
    has_hosts = _Origins(play)
    warnings = []
    for path in files_of(play.inventory):
        if not os.path.exists(path):
            if path != DEFAULT_SOURCE and not has_hosts(path):
                raise _refused(path, "does not exist")
        elif path not in _zone_files.LISTED and os.path.getsize(path):
            plugin = _plugin_of(path, play.loader)
            if plugin == _OF_ZONES:
                raise _refused(
                    path,
                    f"was not read by {plugin} (a warning above has the reason: its name has to end in .zones.yml or .zones.yaml, and the "
                    "setting enable_plugins has to contain auto or the plugin)",
                )
            if plugin in _WITHOUT_HOSTS or has_hosts(path):
                continue
            if plugin is None and not os.access(path, os.X_OK):
                if not _is_parsed(path, play.loader):
                    raise _refused(
                        path,
                        "cannot be parsed (a warning above has the reason; the settings ignore_extensions and ignore_patterns leave a file out that is none)",
                    )
            else:
                warnings.append(
                    f"no host comes from the inventory {path} alone: if a warning above says that it could not be parsed, its hosts are missing "
                    "in this run; the setting any_unparsed_is_failed makes that an error"
                )
    return warnings


def files_of(sources: t.Iterable[str]) -> t.Iterator[str]:
    """Yield the files of inventory sources, as Ansible goes through its folders. A source with a comma is a list of hosts."""
    for source in sources:
        if source and "," not in source:
            yield from _files_below(unfrackpath(source, follow=False))


def _files_below(path: str) -> t.Iterator[str]:
    if not os.path.isdir(path):
        yield path
        return
    for name in sorted(os.listdir(path)):
        if not _IGNORED.search(name):
            yield from _files_below(os.path.join(path, name))


class _Origins:
    """Tells whether a host of the inventory comes from a source, by its variable `inventory_file`; asks only as many hosts as it has to."""

    def __init__(self, play: Play) -> None:
        self._play = play
        others = (name for name in play.groups.get("all", ()) if name not in play.hosts)
        self._names = iter((*play.hosts, *others))
        self._known: set[str] = set()

    def __call__(self, path: str) -> bool:
        while path not in self._known:
            name = next(self._names, None)
            if name is None:
                return False
            with contextlib.suppress(Failure):  # a host whose variables cannot be read fails by itself
                self._known.add(str(self._play.variables.of(name).get("inventory_file")))
        return True


def _plugin_of(path: str, loader: t.Any) -> str | None:
    """Return the inventory plugin that a file names; None if it names none."""
    if not path.endswith((".yml", ".yaml")):
        return None
    try:
        content = loader.load_from_file(path)
    except AnsibleError:
        return None
    plugin = content.get("plugin") if isinstance(content, dict) else None
    return plugin if isinstance(plugin, str) else None


def _is_parsed(path: str, loader: t.Any) -> bool:
    """Return whether Ansible can read a file that lists hosts by itself, or it is no such file: a playbook that lies beside it, or an empty one.

    Such a file contacts nobody.
    """
    try:
        if InventoryManager(loader=loader, parse=False).parse_source(path):
            return True
        return path.endswith((".yml", ".yaml")) and isinstance(loader.load_from_file(path), (list, type(None)))
    except AnsibleError:
        return False


def _refused(path: str, why: str) -> Failure:
    return Failure(INVALID_OPTION, f"the inventory {path} {why}, {_ADVICE}")
