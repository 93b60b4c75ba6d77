# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import shlex
import types
import typing as t

from ...module_utils._address import without_ids
from ...module_utils._core import Conclusion, Failure, Json
from ...module_utils._engine.task import Params, Spec
from ...module_utils._text import list_of
from .._diff import fold
from .._play.hosts import Play, PlayTask, pattern_of
from .._play.records import has_address
from .._words import MIN_FOLDED, count_hosts, hosts_such_as, plural
from .files import OPTIONS, DesiredFiles, desire, report, scope_of, write
from .gather import Gathered, Registered, gather, reads_of


def next_command(inventory: t.Sequence[str], dest: str, needs_hosts: bool) -> str:
    """Return the command that predicts a delivery with the files: with the inventory of this run, and their folder.

    The folder lists no hosts. `needs_hosts` is the setting of Ansible that makes this an error, which the command then sets back.
    """
    sources = [*inventory, dest] if all(os.path.exists(source) for source in inventory) else [dest]
    options = " ".join(f"-i {shlex.quote(source)}" for source in dict.fromkeys(sources))
    setting = "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED=false " if needs_hosts else ""
    return f"{setting}ansible-playbook edgeops.observability.deliver {options} --check --diff"


class DesiredAdoption(t.NamedTuple):
    """The files of an adoption, None without any zone, what was gathered for them, where they are, the play, and what is to be read before."""

    files: DesiredFiles | None
    gathered: Gathered
    dest: str
    group: str
    play: Play
    reads: t.Mapping[str, t.Sequence[str]] = types.MappingProxyType({})

    @property
    def adopted(self) -> list[str]:
        """Return the zones whose variables are in the files."""
        return [str(zone["zone"]) for zone in self.gathered.zones]

    @property
    def has_group_folder(self) -> bool:
        """Return whether there are variables of the group, of this adoption or of an earlier one."""
        folder = os.path.join("group_vars", self.group)
        is_written = self.files is not None and any(path.startswith(f"{folder}{os.sep}") for path in self.files.texts)
        return is_written or os.path.isdir(os.path.join(self.dest, folder))


class ZoneVariablesFiles(PlayTask[DesiredAdoption]):
    name = "zone_variables_files"
    spec = Spec(options=OPTIONS)

    def desire(self, params: Params, play: Play) -> DesiredAdoption:
        rest = (params["dest"], params["group"], play)
        names = params["registered"] or {}
        registered = Registered(names.get("zone") or "zone_variables", names.get("scripts") or "", names.get("pages") or "")
        if params["reads_only"]:
            return DesiredAdoption(None, Gathered([], {}, {}, {}), *rest, reads_of(play, registered.zone))
        if params["zones"] is not None:
            return DesiredAdoption(
                desire(params), Gathered(params["zones"], params["script_baselines"], params["page_baselines"], {}), *rest
            )
        gathered = gather(play, registered)
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
        places = {"dest": desired.dest, "group": desired.group}
        summary = {"adopted": desired.adopted, "refused": desired.gathered.refused, "lines": _lines(desired)}
        reads: dict[str, Json] = {part: [pattern_of(name) for name in names] for part, names in desired.reads.items()}
        return Conclusion({**files.result, **places, **summary, **_verified(desired), "reads": reads})

    def write(self, desired: DesiredAdoption) -> None:
        if desired.files is not None:
            write(desired.files)


def _verified(desired: DesiredAdoption) -> dict[str, Json]:
    """Return patterns of the hosts of which the files are to be verified, and of those among them that the files are about.

    The variables of a group also concern hosts of it that were not adopted now. In check mode there are no files.
    """
    play = desired.play
    is_about = desired.adopted if desired.files and not play.check_mode else []
    others = [
        name for name in play.groups.get(desired.group, ()) if is_about and name not in play.hosts and _has_address(play, name)
    ]
    with_files = [*is_about, *(others if desired.has_group_folder else ())]
    members = {"hosts": [*is_about, *others], "hosts_with_files": with_files}
    return {member: [pattern_of(name) for name in names] for member, names in members.items()}


def _has_address(play: Play, name: str) -> bool:
    try:
        return has_address(play.variables.host(name))
    except Failure:
        return True  # its variables cannot be read, so that it fails by itself


def _lines(desired: DesiredAdoption) -> list[str]:
    """Return what was adopted and what was not, equal reasons of several hosts once, and the next command."""
    gathered, play = desired.gathered, desired.play
    lines = []
    for names, reason in fold(gathered.refused.items(), key=without_ids, least=MIN_FOLDED):
        who = hosts_such_as(names, map(play.scope, names))
        many = len(names) > 1
        lines.append(f"{who} {'were' if many else 'was'} not adopted: {without_ids(reason) if many else reason}")
    if desired.files is None:
        return lines
    left_out = sum(len(list_of(zone["left_out"])) for zone in gathered.zones)
    secrets = sum(len(list_of(zone["vault"])) for zone in gathered.zones)
    counts = f"{count_hosts(scope_of(zone) for zone in gathered.zones)} {{}}, {plural(left_out, 'setting')} left out"
    if play.check_mode:
        return [*lines, f"{counts.format('would be adopted')}; in check mode no file is written"]
    lines.append(f"{counts.format('adopted')}: see {desired.dest}/ADOPTED.md")
    lines += [f"{plural(secrets, 'secret')} to set: see {desired.dest}/vault-example.txt"] if secrets else []
    return [*lines, f"Next: {next_command(play.inventory, desired.dest, play.needs_hosts)}"]
