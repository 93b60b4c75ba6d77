# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The texts of the files that an adoption writes: variables, a vault to fill in, and a summary.
import collections
import re
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._adopt.common import common_variables
from ansible_collections.edgeops.observability.plugins.module_utils._adopt.vault import variable_key
from ansible_collections.edgeops.observability.plugins.module_utils._adopt.yaml_text import Template, yaml_text
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

_SHORT_ID = 8


def texts_of(zones: t.Sequence[Json], group: str, date: str) -> dict[str, str]:
    """The text of each file by its path; equal input gives equal bytes."""
    zones = _with_own_keys(sorted(zones, key=lambda zone: str(zone["zone"])))
    split = common_variables(zones)
    texts = {f"group_vars/{group}/adopted.yml": _common_text(split["common"], date)}
    for zone in zones:
        variables = dict(split["zones"][zone["zone"]])
        if zone.get("script_baseline"):
            variables["script_baseline"] = zone["script_baseline"]
        comments = (f"The zone {zone['zone']} ({zone['zone_id']}) as it was adopted on {date}.",)
        texts[f"host_vars/{zone['zone']}/adopted.yml"] = yaml_text(comments, variables)
    texts["vault.example.yml"] = _vault_text(zones, date)
    texts["ADOPTED.md"] = _summary(zones, date)
    return texts


def _with_own_keys(zones: t.Sequence[Json]) -> list[Json]:
    """The zones with names of secrets that no two of them share: on a collision the zone id distinguishes them, if need be all of it."""
    keys = [variable_key(zone["zone"]) for zone in zones]
    levels = [1 if keys.count(key) > 1 else 0 for key in keys]
    while True:
        named = [_renamed(zone, key, level) for zone, key, level in zip(zones, keys, levels, strict=True)]
        owners = collections.Counter(name for zone in named for name in zone["vault"])
        raised = [
            min(level + any(owners[name] > 1 for name in zone["vault"]), 2) for zone, level in zip(named, levels, strict=True)
        ]
        if raised == levels:
            return named
        levels = raised


def _renamed(zone: Json, key: str, level: int) -> Json:
    """A zone whose names of secrets hold no part (0), the first digits (1) or all (2) of its id."""
    zone_id = zone["zone_id"].lower()
    old, new = f"vault_{key}_job", f"vault_{key}_{('', zone_id[:_SHORT_ID], zone_id)[level]}{'_' if level else ''}job"
    shown = [
        {**one, "destination_conf": one["destination_conf"].replace(f"{{{{ {old}", f"{{{{ {new}")}
        for one in zone["vault_destinations"]
    ]
    vault = [new + name[len(old) :] if name.startswith(old) else name for name in zone["vault"]]
    return {**zone, "vault": vault, "vault_destinations": shown}


def _common_text(common: Json, date: str) -> str:
    return yaml_text((f"What all jobs have in common, as they were adopted on {date}.",), common)


def _vault_text(zones: t.Sequence[Json], date: str) -> str:
    comments = (
        f"Destinations with a secret, as they were adopted on {date}: give the variables their values in a file that ansible-vault encrypts,",
        "then add destination_conf to the job in host_vars. Until then the destination of these jobs is neither compared nor changed.",
    )
    shown = {
        zone["zone"]: [{**one, "destination_conf": Template(one["destination_conf"])} for one in zone["vault_destinations"]]
        for zone in zones
        if zone.get("vault_destinations")
    }
    return yaml_text(comments, shown)


def _summary(zones: t.Sequence[Json], date: str) -> str:
    lines = ["# Adopted zones", "", f"{len(zones)} zones, adopted on {date}.", ""]
    for zone in zones:
        lines += [f"## {_plain(zone['zone'])}", "", f"Zone id: {_plain(zone['zone_id'])}", ""]
        lines += [f"- Left out: {_plain(part['what'])}: {_plain(part['why'])}" for part in zone.get("left_out") or ()]
        lines += [f"- Secret: `{_plain(name)}`" for name in zone.get("vault") or ()]
        lines += [f"- {_plain(note)}" for note in zone.get("notes") or ()]
        if lines[-1]:
            lines.append("")
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Text of the service within Markdown: on one line, and without what Markdown or HTML would read."""
    kept = "".join(character if character.isprintable() else " " for character in str(text))
    return re.sub(r"([\\`*_{}\[\]<>#|&])", r"\\\1", kept) if re.search(r"[`*\[\]<>|&]", kept) else kept
