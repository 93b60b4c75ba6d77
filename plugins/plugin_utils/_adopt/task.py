# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import shlex
import typing as t

from ...module_utils._core import Conclusion, invalid_option
from ...module_utils._engine.task import LocalTask, Params, Spec
from ...module_utils._text import list_of
from .._play.hosts import Play
from .._words import count_hosts, plural
from .files import OPTIONS, Desired, desire, report, scope_of, write
from .gather import Gathered, Registered, gather


def _next_command(inventory: t.Sequence[str], dest: str) -> str:
    """Return the command that predicts a delivery with the files: with the inventory of this run, and their folder."""
    sources = [*inventory, dest] if all(os.path.exists(source) for source in inventory) else [dest]
    options = " ".join(f"-i {shlex.quote(source)}" for source in dict.fromkeys(sources))
    return f"ansible-playbook edgeops.observability.deliver {options} --check --diff"


class DesiredFiles(t.NamedTuple):
    """The files of an adoption, None without any zone, and what was gathered for them."""

    files: Desired | None
    gathered: Gathered


class ZoneVariablesFiles(LocalTask[DesiredFiles]):
    name = "zone_variables_files"
    spec = Spec(options=OPTIONS)

    def __init__(self, play: Play | None = None) -> None:
        self._play = play

    def desire(self, params: Params) -> DesiredFiles:
        if params["zones"] is not None:
            return DesiredFiles(desire(params), Gathered(params["zones"], params["script_baselines"], {}))
        if self._play is None:
            raise invalid_option("zones", "is required outside of a play")
        names = params["registered"] or {}
        gathered = gather(self._play, Registered(names.get("zone") or "zone_variables", names.get("scripts") or ""))
        if not gathered.zones:
            return DesiredFiles(None, gathered)
        group_hosts = self._play.groups.get(params["group"], ()) if params["group_hosts"] is None else params["group_hosts"]
        options = {"zones": gathered.zones, "script_baselines": gathered.script_baselines, "group_hosts": list(group_hosts)}
        return DesiredFiles(desire({**params, **options}), gathered)

    def report(self, desired: DesiredFiles) -> Conclusion:
        files = Conclusion({"changed": False, "files": []}) if desired.files is None else report(desired.files)
        gathered = desired.gathered
        left_out = sum(len(list_of(zone["left_out"])) for zone in gathered.zones)
        secrets = sum(len(list_of(zone["vault"])) for zone in gathered.zones)
        lines = [f"{host} was not adopted: {reason}" for host, reason in gathered.refused.items()]
        counts = f"{count_hosts(scope_of(zone) for zone in gathered.zones)} {{}}, {plural(left_out, 'setting')} left out"
        if desired.files is not None and self._play is not None and self._play.check_mode:
            lines.append(f"{counts.format('would be adopted')}; in check mode no file is written")
        elif desired.files is not None:
            dest = desired.files.dest
            lines.append(f"{counts.format('adopted')}: see {dest}/ADOPTED.md")
            lines += [f"{plural(secrets, 'secret')} to set: see {dest}/vault-example.txt"] if secrets else []
            lines.append(f"Next: {_next_command(self._play.inventory if self._play else (), dest)}")
        adopted = [zone["zone"] for zone in gathered.zones]
        return Conclusion({**files.result, "adopted": adopted, "refused": gathered.refused, "lines": lines})

    def write(self, desired: DesiredFiles) -> None:
        if desired.files is not None:
            write(desired.files)
