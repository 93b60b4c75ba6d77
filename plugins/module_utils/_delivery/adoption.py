# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# Which zones of a run are adopted, and whether a delivery would leave them as they are.
import typing as t

from .._core import PARTS, Json
from .._report.items import plural
from .._report.lines import difference_lines
from .._text import line
from .records import Variables, done, error_of
from .variables import DESCRIBED, PREDICTION, SCRIPTS

ADDRESSES = ("zone_id", "account_id", "zone_name")
_MAX_LINE = 2000
_NEXT = "Next: move group_vars and host_vars beside your inventory, then run ansible-playbook edgeops.observability.check -i INVENTORY"


def select(hosts: t.Mapping[str, Variables]) -> dict[str, Json]:
    """Return the zones that are written, the entries for their script baselines, and why others are not written."""
    refused: dict[str, str] = {}
    found: dict[str, dict[str, Json]] = {}
    for host, variables in hosts.items():
        error = error_of(variables, (DESCRIBED, SCRIPTS))
        result = done(variables.get(DESCRIBED))
        if error or result is None:
            refused[host] = f"the zone could not be read: {error['message'] if error else 'it could not be reached'}"
        else:
            found[host] = result
    for names in _of_one_zone(found):
        refused.update(dict.fromkeys(names, f"no file was written, because one zone has several hosts: {', '.join(names)}"))
    written = [host for host in found if host not in refused]
    return {
        "zones": [found[host] for host in written],
        "script_baselines": {host: (done(hosts[host].get(SCRIPTS)) or {}).get("proposals") or [] for host in written},
        "refused": refused,
    }


def _of_one_zone(found: t.Mapping[str, t.Mapping[str, Json]]) -> list[list[str]]:
    hosts: dict[str, list[str]] = {}
    for host, result in found.items():
        hosts.setdefault(str(result.get("account_id") or result.get("zone_id")).lower(), []).append(host)
    return [names for names in hosts.values() if len(names) > 1]


def is_zone(variables: Variables) -> bool:
    """Whether a host has an address."""
    return any(variables.get(f"{prefix}{name}") for prefix in ("", "log_delivery_") for name in ADDRESSES)


def changed_by_files(variables: Variables) -> str:
    """Return why the files of a host are not what its zone has; empty where a delivery would leave it as it is."""
    error = error_of(variables, (PREDICTION,))
    result = done(variables.get(PREDICTION)) or {}
    if error:
        return line(f"the zone could not be verified: {error['message']}", _MAX_LINE)
    if any((result.get(name) or {}).get("changed") for name in PARTS):
        found = "; ".join(difference_lines(result)) or "a secret"
        return line(f"with these files a delivery would change the zone; move what it names out of the file: {found}", _MAX_LINE)
    return ""


def conclude(zones: t.Sequence[Variables], dest: str, failing: t.Mapping[str, str]) -> list[str]:
    """Return the last lines of an adoption."""
    left_out = sum(len(zone.get("left_out") or ()) for zone in zones)
    secrets = sum(len(zone.get("vault") or ()) for zone in zones)
    return [
        *(line(f"{host} failed: {reason}", _MAX_LINE) for host, reason in failing.items()),
        f"{plural(len(zones), 'zone')} adopted, {plural(left_out, 'setting')} left out: see {dest}/ADOPTED.md",
        *([f"{plural(secrets, 'secret')} to set: see {dest}/vault-example.txt"] if secrets else []),
        _NEXT,
    ]
