# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import shlex
import typing as t

from ...module_utils._core import Conclusion
from ...module_utils._engine.task import Params, Spec
from ...module_utils._text import list_of
from .._play.hosts import Play, PlayTask
from .._words import count_hosts, plural
from .files import OPTIONS, DesiredFiles, desire, report, scope_of, write
from .gather import Gathered, Registered, gather


def next_command(inventory: t.Sequence[str], dest: str, needs_hosts: bool) -> str:
    """Return the command that predicts a delivery with the files: with the inventory of this run, and their folder.

    The folder lists no hosts. `needs_hosts` is the setting of Ansible that makes this an error, which the command then sets back.
    """
    sources = [*inventory, dest] if all(os.path.exists(source) for source in inventory) else [dest]
    options = " ".join(f"-i {shlex.quote(source)}" for source in dict.fromkeys(sources))
    setting = "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED=false " if needs_hosts else ""
    return f"{setting}ansible-playbook edgeops.observability.deliver {options} --check --diff"


class DesiredAdoption(t.NamedTuple):
    """The files of an adoption, None without any zone, what was gathered for them, and the options for the play."""

    files: DesiredFiles | None
    gathered: Gathered
    dest: str
    group: str
    check_mode: bool
    inventory: t.Sequence[str]
    needs_hosts: bool


class ZoneVariablesFiles(PlayTask[DesiredAdoption]):
    name = "zone_variables_files"
    spec = Spec(options=OPTIONS)

    def desire(self, params: Params, play: Play) -> DesiredAdoption:
        rest = (params["dest"], params["group"], play.check_mode, play.inventory, play.needs_hosts)
        if params["zones"] is not None:
            return DesiredAdoption(
                desire(params), Gathered(params["zones"], params["script_baselines"], params["page_baselines"], {}), *rest
            )
        names = params["registered"] or {}
        gathered = gather(
            play, Registered(names.get("zone") or "zone_variables", names.get("scripts") or "", names.get("pages") or "")
        )
        if not gathered.zones:
            return DesiredAdoption(None, gathered, *rest)
        group_hosts = play.groups.get(params["group"], ()) if params["group_hosts"] is None else params["group_hosts"]
        options = {
            "zones": gathered.zones,
            "script_baselines": gathered.script_baselines,
            "page_baselines": gathered.page_baselines,
            "group_hosts": list(group_hosts),
        }
        return DesiredAdoption(desire({**params, **options}), gathered, *rest)

    def report(self, desired: DesiredAdoption) -> Conclusion:
        files = Conclusion({"changed": False, "files": []}) if desired.files is None else report(desired.files)
        adopted = [zone["zone"] for zone in desired.gathered.zones]
        places = {"dest": desired.dest, "group": desired.group}
        summary = {"adopted": adopted, "refused": desired.gathered.refused, "lines": _lines(desired)}
        return Conclusion({**files.result, **places, **summary})

    def write(self, desired: DesiredAdoption) -> None:
        if desired.files is not None:
            write(desired.files)


def _lines(desired: DesiredAdoption) -> list[str]:
    """Return what was adopted and what was not, and the next command."""
    gathered = desired.gathered
    lines = [f"{host} was not adopted: {reason}" for host, reason in gathered.refused.items()]
    if desired.files is None:
        return lines
    left_out = sum(len(list_of(zone["left_out"])) for zone in gathered.zones)
    secrets = sum(len(list_of(zone["vault"])) for zone in gathered.zones)
    counts = f"{count_hosts(scope_of(zone) for zone in gathered.zones)} {{}}, {plural(left_out, 'setting')} left out"
    if desired.check_mode:
        return [*lines, f"{counts.format('would be adopted')}; in check mode no file is written"]
    lines.append(f"{counts.format('adopted')}: see {desired.dest}/ADOPTED.md")
    lines += [f"{plural(secrets, 'secret')} to set: see {desired.dest}/vault-example.txt"] if secrets else []
    return [*lines, f"Next: {next_command(desired.inventory, desired.dest, desired.needs_hosts)}"]
