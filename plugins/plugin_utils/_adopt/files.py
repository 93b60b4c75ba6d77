# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import contextlib
import datetime
import errno
import json
import math
import os
import re
import typing as t

from ...module_utils._address import need_id
from ...module_utils._core import HOLDS_DATA, KEEPS_NULLS, Conclusion, Json, conflict, invalid_option
from ...module_utils._files import make_folders, open_regular, replace_all
from ...module_utils._redact import clean_text
from ...module_utils._schema import Rules, checked, schema_of
from ...module_utils._text import need_date, need_folder_name
from ...module_utils._zone.job_variables import JobVariables, variable_key
from .._words import Template, yaml_text
from .lists import SUMMARY, VAULT, with_others

JOBS_VARIABLE = "log_delivery_jobs"
DEFAULTS_VARIABLE = "log_delivery_job_defaults"
# Options that identify a job, and where it delivers; they are never defaults.
_OWN = ("name", "job_id", "destination_conf", "destination_address")
# What decides which records a job delivers stands at the job where it has the default of the service: who changes the defaults of a
# group means something else.
_AT_DEFAULT: t.Mapping[str, t.Any] = {"filter": "", "transformer": "", "filter_attack_traffic": False}
_NOT_SAMPLED = {"option_flags": "sample", "output_options": "sample_rate"}


# The options with entries for baselines, by zone, and the variable of a host that takes them.
_BASELINES = {"script_baselines": "edgeops_script_baseline", "page_baselines": "edgeops_page_baseline"}


class _LeftOut(t.TypedDict):
    what: str
    why: str


class _VaultDestination(t.TypedDict):
    destination_conf: str


class _OptionalMembers(t.TypedDict, total=False):
    zone_id: str | None
    account_id: str | None
    # The entries for the baselines of its host, by the variable that takes them.
    baselines: dict[str, list[Json]]


class AdoptedZone(_OptionalMembers):
    """A result of `zone_variables_info`."""

    zone: str
    variables: t.Annotated[dict[str, t.Any], Rules(properties={JOBS_VARIABLE: schema_of(list[dict[str, Json]])})]
    vault: list[str]
    vault_destinations: list[_VaultDestination]
    left_out: list[_LeftOut]
    notes: list[str]


def common_defaults(zones: t.Sequence[AdoptedZone]) -> JobVariables:
    """Return the members that all jobs of all zones share, as defaults of jobs, without identifying options and destinations."""
    jobs = [job for zone in zones for job in zone["variables"].get(JOBS_VARIABLE, ())]
    if len(jobs) < 2:
        return {}
    # As JSON, in which true is not 1.
    members = [{name: json.dumps(value, sort_keys=True) for name, value in job.items()} for job in jobs]
    return {
        name: value
        for name, value in jobs[0].items()
        if name not in _OWN and not _is_default(name, value) and all(job.get(name) == members[0][name] for job in members)
    }


def _is_default(name: str, value: t.Any) -> bool:
    rate = value.get(_NOT_SAMPLED[name]) if name in _NOT_SAMPLED and isinstance(value, dict) else None
    return rate == 1 or (name in _AT_DEFAULT and value == _AT_DEFAULT[name])


def without_defaults(variables: t.Mapping[str, t.Any], defaults: JobVariables) -> dict[str, t.Any]:
    """Return the variables of a zone without the members of its jobs that the defaults contain."""
    if JOBS_VARIABLE not in variables:
        return {**variables}
    jobs = [{name: value for name, value in job.items() if name not in defaults} for job in variables[JOBS_VARIABLE]]
    return {**variables, JOBS_VARIABLE: jobs}


def texts_of(zones: t.Sequence[AdoptedZone], group: str, whole_group: bool, date: str) -> dict[str, str]:
    """Return the text of each file by its path; equal input gives equal bytes.

    Defaults for all jobs are written to a file of the group only if every host of the group was adopted (`whole_group`), because
    they would change other hosts.
    """
    zones = _with_own_keys(sorted(zones, key=lambda zone: zone["zone"]))
    common = common_defaults(zones) if whole_group else {}
    texts = {}
    if whole_group:
        # Also without a default, because an earlier adoption may have written some there.
        comment = f"{'What all jobs have' if common else 'The jobs have nothing'} in common, as they were adopted on {date}."
        texts[f"group_vars/{group}/adopted.yml"] = yaml_text((comment,), {DEFAULTS_VARIABLE: common} if common else {})
    for zone in zones:
        variables = without_defaults(zone["variables"], common)
        if not whole_group and JOBS_VARIABLE in variables:
            variables = {DEFAULTS_VARIABLE: {}, **variables}  # hides defaults of the group, which would change these jobs
        variables |= {name: entries for name, entries in zone.get("baselines", {}).items() if entries}
        comments = (f"The {scope_of(zone)} {zone['zone']} ({_id(zone)}) as it was adopted on {date}.",)
        texts[f"host_vars/{zone['zone']}/adopted.yml"] = yaml_text(comments, variables)
    # Ansible does not read a file with this extension as variables.
    texts[VAULT] = _vault_text(zones, date)
    texts[SUMMARY] = _summary(zones, date)
    return texts


def scope_of(zone: t.Mapping[str, Json]) -> str:
    return "account" if zone.get("account_id") else "zone"


def _id(zone: AdoptedZone) -> str:
    return str(zone.get("account_id") or zone.get("zone_id") or "")


def _with_own_keys(zones: t.Sequence[AdoptedZone]) -> list[AdoptedZone]:
    """Return the zones with unique names of secrets; on a collision, add the first digits of the zone id, or all of it."""
    keys = [variable_key(zone["zone"]) for zone in zones]
    named = [_renamed(zone, key, 8) if keys.count(key) > 1 else zone for zone, key in zip(zones, keys, strict=True)]
    owners = collections.Counter(name for zone in named for name in zone["vault"])
    return [
        _renamed(zone, key, None) if any(owners[name] > 1 for name in one["vault"]) else one
        for zone, key, one in zip(zones, keys, named, strict=True)
    ]


def _renamed(zone: AdoptedZone, key: str, digits: int | None) -> AdoptedZone:
    """Return a zone whose names of secrets contain the first digits of its id."""
    old, new = f"vault_{key}_job", f"vault_{key}_{_id(zone).lower()[:digits]}_job"
    destinations: list[_VaultDestination] = [
        {"destination_conf": one["destination_conf"].replace(f"{{{{ {old}", f"{{{{ {new}")} for one in zone["vault_destinations"]
    ]
    return {**zone, "vault": [name.replace(old, new, 1) for name in zone["vault"]], "vault_destinations": destinations}


def _vault_text(zones: t.Sequence[AdoptedZone], date: str) -> str:
    comments = (
        f"Destinations with a secret, as they were adopted on {date}: give the variables their values in a file that ansible-vault encrypts,",
        "then add destination_conf to the job in host_vars. Until then only destination_address of these jobs is compared, and nothing of it changed.",
    )
    destinations = {
        zone["zone"]: [{**one, "destination_conf": Template(one["destination_conf"])} for one in zone["vault_destinations"]]
        for zone in zones
        if zone["vault_destinations"]
    }
    # Users copy these lines, so they must not be wrapped.
    return yaml_text(comments, destinations, math.inf)


def _summary(zones: t.Sequence[AdoptedZone], date: str) -> str:
    lines = [
        "# Adopted zones",
        "",
        f"{len(zones)} {'zone or account' if len(zones) == 1 else 'zones and accounts'}, adopted on {date}.",
        "",
    ]
    for zone in zones:
        lines += [f"## {_plain(zone['zone'])}", "", f"{scope_of(zone).capitalize()} id: {_plain(_id(zone))}", ""]
        lines += [f"- Left out: {_plain(part['what'])}: {_plain(part['why'])}" for part in zone["left_out"]]
        lines += [f"- Secret: `{_plain(name)}`" for name in zone["vault"]]
        lines += [f"- {_plain(note)}" for note in zone["notes"]]
        if lines[-1]:
            lines.append("")
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Return text of the service for Markdown: on one line, with the characters of Markdown and HTML escaped."""
    kept = clean_text(text)
    return re.sub(r"([\\`*_{}\[\]<>#|&])", r"\\\1", kept) if re.search(r"[`*\[\]<>|&]", kept) else kept


_FOLDER_MODE, _FILE_MODE = 0o750, 0o640
_ADOPTED = re.compile(
    r"^(# .*|[0-9]+ (?:zone or account|zones and accounts), )adopted on [0-9]{4}-[0-9]{2}-[0-9]{2}", re.MULTILINE
)

OPTIONS: dict[str, dict[str, t.Any]] = {
    "dest": {"type": "path", "required": True},
    "group": {"type": "str", "default": "all"},
    "group_hosts": {"type": "list", "elements": "str"},
    "overwrite": {"type": "bool", "default": False},
    "date": {"type": "str"},
    "zones": {"type": "list", "elements": "dict", KEEPS_NULLS: True, HOLDS_DATA: True},
    "registered": {"type": "dict", "options": {name: {"type": "str"} for name in ("zone", "scripts", "pages")}},
    **{name: {"type": "dict", "default": {}, HOLDS_DATA: True} for name in _BASELINES},
    "reads_only": {"type": "bool", "default": False},
}


class DesiredFiles(t.NamedTuple):
    """The destination folder, whether to overwrite files, and the text of each file by its path below `dest`.

    `is_part`: other zones of the group are adopted by other runs.
    """

    dest: str
    overwrite: bool
    texts: t.Mapping[str, str]
    is_part: bool


def desire(params: t.Mapping[str, t.Any]) -> DesiredFiles:
    """Return the desired files of validated options."""
    zones = _checked_zones(params["zones"])
    if not params["dest"]:
        raise invalid_option("dest", "is empty")
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    date = need_date("date", params["date"] or today)
    for option in _BASELINES:
        for name, entries in params[option].items():
            if not isinstance(entries, list):
                raise invalid_option(f"{option}.{name}", "must be a list")
    with_baselines: list[AdoptedZone] = [
        {**zone, "baselines": {variable: params[option].get(zone["zone"], []) for option, variable in _BASELINES.items()}}
        for zone in zones
    ]
    group = need_folder_name("group", params["group"])
    hosts = params["group_hosts"]
    whole_group = hosts is not None and set(hosts) == {zone["zone"] for zone in zones}
    return DesiredFiles(params["dest"], params["overwrite"], texts_of(with_baselines, group, whole_group, date), not whole_group)


def _checked_zones(results: t.Sequence[Json]) -> list[AdoptedZone]:
    """Return results of `zone_variables_info`; raise `invalid_option` for one that is invalid, and for duplicate names or ids."""
    if not results:
        raise invalid_option("zones", "is empty: no zone could be read")
    zones: list[AdoptedZone] = []
    hosts: dict[str, str] = {}
    for index, result in enumerate(results):
        place = f"zones[{index}]"
        zone = checked(AdoptedZone, result, place)
        name = need_folder_name(f"{place}.zone", zone["zone"])
        need_id(f"{place}.{scope_of(zone)}_id", _id(zone))
        if name in hosts.values():
            raise invalid_option("zones", f"{name!r} is listed more than once")
        address = f"{scope_of(zone)} {_id(zone).lower()}"
        if address in hosts:
            raise invalid_option("zones", f"{hosts[address]!r} and {name!r} are both hosts of the {address}")
        hosts[address] = name
        zones.append(zone)
    return zones


def report(desired: DesiredFiles) -> Conclusion:
    """Compare the files with existing ones; raise `conflict` if one would be replaced without `overwrite`."""
    grown = _grown(desired)
    stale = {path for path, text in {**desired.texts, **grown}.items() if _differs(desired.dest, path, text)}
    foreign = sorted(path for path in stale - grown.keys() if os.path.lexists(os.path.join(desired.dest, path)))
    if foreign and not desired.overwrite:
        raise conflict(
            f"dest: {', '.join(os.path.join(desired.dest, path) for path in foreign)} would be replaced by other content. Nothing was written;"
            " move these files, or allow it with overwrite (edgeops_adopt_overwrite of the playbook)."
        )
    files = [os.path.join(desired.dest, path) for path in sorted(desired.texts)]
    return Conclusion({"changed": bool(stale), "files": files})


def write(desired: DesiredFiles) -> None:
    """Write each missing or different file; after a failure, all files are unchanged."""
    texts = sorted({**desired.texts, **_grown(desired)}.items())
    stale = {os.path.join(desired.dest, path): text.encode() for path, text in texts if _differs(desired.dest, path, text)}
    made: list[str] = []
    try:
        for path in stale:
            make_folders(os.path.dirname(path), _FOLDER_MODE, made)
        replace_all(stale, _FILE_MODE)
    except (OSError, ValueError) as error:
        for folder in reversed(made):
            with contextlib.suppress(OSError):
                os.rmdir(folder)  # fails if it contains a file
        raise invalid_option("dest", f"{desired.dest!r} cannot be written: {error}") from None


def _grown(desired: DesiredFiles) -> dict[str, str]:
    """Return the files with a section for each zone that an earlier adoption of other zones wrote, with what this one adds."""
    grown = {}
    for path in (SUMMARY, VAULT) if desired.is_part else ():
        with (
            contextlib.suppress(OSError, ValueError),
            open(_open_inside(desired.dest, path), encoding="utf-8", newline="") as file,
        ):
            grown[path] = with_others(path, file.read(), desired.texts[path], replaces=desired.overwrite)
    return {path: text for path, text in grown.items() if text is not None}


def _open_inside(folder: str, path: str) -> int:
    """Open a regular file below a folder for reading; raise OSError if a part of the path below the folder is a symbolic link."""
    there = folder
    for part in os.path.dirname(path).split("/"):
        there = os.path.join(there, part) if part else there
        if there != folder and os.path.islink(there):
            raise OSError(errno.ELOOP, f"{there} is a symbolic link")
    return open_regular(os.path.join(folder, path), os.O_RDONLY)


def _differs(dest: str, path: str, text: str) -> bool:
    """Return whether a file is missing or differs; ignore the date of the adoption."""
    try:
        descriptor = _open_inside(dest, path)
        with open(descriptor, encoding="utf-8", newline="") as file:
            return _undated(file.read()) != _undated(text)
    except FileNotFoundError:
        _check_creatable(os.path.dirname(os.path.join(dest, path)))
        return True
    except (OSError, ValueError) as error:
        raise invalid_option("dest", f"{os.path.join(dest, path)!r} cannot be read: {error}") from None


def _check_creatable(folder: str) -> None:
    """Refuse a folder that cannot be created or written to, in check mode as well."""
    while folder and not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    folder = folder or os.curdir
    if not os.path.isdir(folder):
        raise invalid_option("dest", f"{folder!r} must be a folder. Nothing was written.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise invalid_option("dest", f"{folder!r} cannot be written to: permission denied. Nothing was written.")


def _undated(text: str) -> str:
    """Return the text without the date of its adoption, which is in comments and in the summary."""
    return _ADOPTED.sub(r"\1adopted on", text)
