# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._api.permissions import is_unentitled
from ...module_utils._baseline.entries import PINNED
from ...module_utils._baseline.pattern import normalize_url
from ...module_utils._core import REJECTED, Json
from ...module_utils._text import dict_of, list_of
from ...module_utils._zone.registered import failure_of
from .._ansible_core import own_members
from .._arguments import serialised
from .._play.hosts import Play
from .._play.records import has_variable, unregistered
from .._play.results import error_of
from .._words import plural

# What the tasks of the hosts of a play registered for an adoption.

_MONITOR = "log_delivery_script_monitor_enabled"


class Registered(t.NamedTuple):
    """The names of the variables in which the tasks were registered; "" for a task that the play does not have."""

    zone: str
    scripts: str = ""
    pages: str = ""


class Gathered(t.NamedTuple):
    """The results of `zone_variables_info`, proposals for baselines by host, and why other hosts are not adopted."""

    zones: list[dict[str, Json]]
    script_baselines: dict[str, Json]
    page_baselines: dict[str, Json]
    refused: dict[str, str]


def reads_of(play: Play, variable: str) -> dict[str, list[str]]:
    """Return the hosts of a play of which an adoption reads scripts and pages; `variable` is the name under which their zone is registered."""
    zones = {host: dict_of(play.variables.of(host).get(variable)) for host in play.hosts}
    read = {host: zone for host, zone in zones.items() if not _why_unread(zone)}
    return {
        "scripts": [host for host, zone in read.items() if dict_of(zone.get("variables")).get(_MONITOR) is True],
        "pages": [host for host in read if play.variables.option(host, "edgeops_pages")],
    }


def _why_unread(zone: t.Mapping[str, Json]) -> str:
    """Return why a zone was not read; "" if it was."""
    return error_of(zone) or ("its task did not run" if not zone or zone.get("skipped") else "")


def gather(play: Play, registered: Registered) -> Gathered:
    """Return what the hosts of a play registered; refuse hosts that could not be read, and several hosts of one zone."""
    _refuse_unregistered(play, registered)
    refused: dict[str, str] = {}
    zones: dict[str, dict[str, Json]] = {}
    proposals: dict[str, Json] = {}
    of_pages: dict[str, Json] = {}
    hosts_of: dict[str, list[str]] = {}
    for host in play.hosts:
        # Results of tasks are tagged or, in older cores, of types of their own, which a file of variables cannot show.
        zone, scripts, pages = (serialised(own_members(dict_of(play.variables.of(host).get(name)))) for name in registered)
        unoffered = _unoffered(scripts)
        if error := _why_unread(zone) or ("" if unoffered else error_of(scripts)) or error_of(pages):
            refused[host] = f"the {play.scope(host)} could not be read: {error}"
            continue
        proposals[host], left_out = _proposals(scripts)
        of_pages[host] = list_of(pages.get("proposals"))
        left_out += [*_left_out_of_pages(pages), *unoffered]
        added: dict[str, list[Json]] = {"left_out": [*left_out], "notes": [*_notes(list_of(proposals[host]))]}
        zones[host] = {**zone, **{name: [*list_of(zone.get(name)), *more] for name, more in added.items() if more}}
        hosts_of.setdefault(str(zone.get("account_id") or zone.get("zone_id")).lower(), []).append(host)
    for names in hosts_of.values():
        if len(names) > 1:
            refused.update(dict.fromkeys(names, f"no file was written, because one zone has several hosts: {', '.join(names)}"))
    adopted = [host for host in zones if host not in refused]
    of_scripts, of_pages = ({host: baselines[host] for host in adopted} for baselines in (proposals, of_pages))
    return Gathered([zones[host] for host in adopted], of_scripts, of_pages, refused)


def _refuse_unregistered(play: Play, registered: Registered) -> None:
    """Refuse a name that no host has, although a task had something to read: its proposals would be left out without a word."""
    hosts = [play.variables.host(name) for name in play.hosts]
    for part, names in reads_of(play, registered.zone).items():
        variable = registered._asdict()[part]
        if variable and names and not has_variable(variable, hosts):
            raise unregistered(part, variable, hosts)


# Findings of scripts that no adoption may propose as authorised.
_HARMFUL = ("malicious", "reported")


def _proposals(scripts: t.Mapping[str, Json]) -> tuple[list[Json], list[dict[str, str]]]:
    """Return the proposed entries of an audit, and as left out those of scripts that are malicious or reported, with the reason."""
    harmful: dict[str, str] = {}
    for finding in map(dict_of, list_of(scripts.get("findings"))):
        if finding.get("kind") in _HARMFUL:
            harmful.setdefault(normalize_url(str(finding.get("script_url"))), f"{finding['kind']}: {finding.get('message')}")
    kept: list[Json] = []
    left_out = []
    for proposal in list_of(scripts.get("proposals")):
        url = str(dict_of(proposal).get("url"))
        if reason := harmful.get(normalize_url(url)):
            left_out.append(
                {"what": f"script {url}", "why": f"no entry of a baseline is proposed for it, because it is {reason}"}
            )
        else:
            kept.append(proposal)
    return kept, left_out


def _notes(proposals: t.Iterable[Json]) -> list[str]:
    """Return what can never pass an audit as it was proposed, with what helps."""
    without = [entry for entry in map(dict_of, proposals) if entry.get("integrity") == PINNED and not entry.get("hashes")]
    entries = plural(len(without), "entry", "entries")
    note = (
        f"{entries} of the script baseline: pinned, and the service shows no hash, so that each audit finds unverified. Where the plan"
        " shows no hash, integrity unpinned with an integrity_reason needs none."
    )
    return [note] if without else []


def _unoffered(scripts: t.Mapping[str, Json]) -> list[dict[str, str]]:
    """Return that no entries for scripts could be proposed because the plan has no list of them, or none of all, which no other run changes."""
    reason = failure_of(scripts, "scripts")
    if reason is None or not (is_unentitled(reason["message"]) or reason["kind"] == REJECTED):
        return []
    return [{"what": "entries for the baseline of scripts", "why": reason["brief"]}]


def _left_out_of_pages(pages: t.Mapping[str, Json]) -> list[dict[str, str]]:
    """Return what no entry for a page can authorise, and the pages that could not be read, with the reason."""
    unread = [
        {"what": f"page {finding.get('page')}", "why": str(finding.get("message"))}
        for finding in map(dict_of, list_of(pages.get("findings")))
        if finding.get("kind") == "page_unread"
    ]
    return unread + [
        {"what": f"page {page.get('url')}: {part.get('what')}", "why": str(part.get("why"))}
        for page in map(dict_of, list_of(pages.get("pages")))
        for part in map(dict_of, list_of(page.get("left_out")))
    ]
