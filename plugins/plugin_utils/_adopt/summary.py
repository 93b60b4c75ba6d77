# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._address import without_ids
from ...module_utils._core import Conclusion, Json, invalid_option
from ...module_utils._engine.task import Params, Spec
from ...module_utils._text import dict_of, line, list_of
from ...module_utils._zone.registered import has_failed, is_skipped
from .._diff import folded_lines, line_of
from .._play.hosts import Play, PlayTask, pattern_of, patterns_of
from .._play.results import MAX_LINE, Zone
from .._variables.table import RESULT

# How an adoption ended: whether a delivery with its files would change a zone.

_MAX_CHANGES = 300


class Verification(t.NamedTuple):
    """Why the files of a host could not be loaded, "" if they were, and what is predicted with them; None if its task did not run."""

    unloaded: str
    prediction: Zone | None


class Adoption(t.NamedTuple):
    """Why hosts were not adopted, what is said of the files, and what the hosts that were verified registered."""

    refused: t.Mapping[str, str]
    lines: t.Sequence[str]
    verified: t.Mapping[str, Verification]


class DesiredSummary(t.NamedTuple):
    """A play with what its hosts registered for an adoption."""

    play: Play
    adoption: Adoption


class AdoptionSummary(PlayTask[DesiredSummary]):
    name = "adoption_summary"
    spec = Spec(
        options={
            "files": {"type": "str", "required": True},
            "loaded": {"type": "str"},
            "registered": {"type": "str", "default": RESULT},
        }
    )

    def desire(self, params: Params, play: Play) -> DesiredSummary:
        registered = (dict_of(play.variables.of(name).get(params["files"])) for name in play.hosts)
        files = next((result for result in registered if "hosts" in result), None)
        if files is None:
            raise invalid_option("files", f"no host has a result of zone_variables_files in {params['files']}")
        verified = {}
        for name in _matched(play, files["hosts"]):
            verified[name] = Verification("", play.zone(name, params["registered"] or RESULT))
        for name in _matched(play, files.get("hosts_with_files")) if params["loaded"] else ():
            verified[name] = verified[name]._replace(unloaded=_why_unloaded(play.variables.of(name).get(params["loaded"])))
        refused = {name: str(reason) for name, reason in dict_of(files.get("refused")).items()}
        return DesiredSummary(play, Adoption(refused, [str(text) for text in list_of(files.get("lines"))], verified))

    def report(self, desired: DesiredSummary) -> Conclusion:
        play, adoption = desired
        failed_hosts = {name: without_ids(reason) for name, reason in reasons(adoption).items()}
        return Conclusion(
            {
                "lines": lines(adoption),
                "failed_hosts": {**failed_hosts},
                "hosts": patterns_of(failed_hosts, play.hosts),
            }
        )


def _matched(play: Play, patterns: Json) -> list[str]:
    """Return the hosts of a play with these patterns."""
    known = frozenset(map(str, list_of(patterns)))
    return [name for name in play.hosts if pattern_of(name) in known]


def _why_unloaded(registered: Json) -> str:
    """Return why a task, which may have a loop, did not load the files of a host; "" if it did."""
    loaded = dict_of(registered)
    if not loaded or is_skipped(loaded):
        return "its files were not loaded"
    failed = [item for item in map(dict_of, list_of(loaded.get("results"))) if has_failed(item)]
    if not failed and not has_failed(loaded):
        return ""
    said = next(iter(failed), loaded)
    # What follows the first line may quote a file.
    why = str(said.get("message") or said.get("msg") or "their task failed").partition("\n")[0]
    return f"its files could not be loaded: {line(why, MAX_LINE)}"


def reasons(adoption: Adoption) -> dict[str, str]:
    """Return the hosts that fail, each with its reason."""
    of_verified = {name: _reason(verification) for name, verification in adoption.verified.items()}
    return {**adoption.refused, **{name: reason for name, reason in of_verified.items() if reason}}


def _reason(verification: Verification) -> str:
    """Return why a host fails: what could not be verified is not taken for what would not change."""
    zone = verification.prediction
    if verification.unloaded or zone is None or zone.error:
        why = verification.unloaded or (zone.error if zone else "its task did not run")
        return f"the {zone.scope if zone else 'zone'} could not be verified: {why}"
    if not zone.differences:
        return ""
    changes = line("; ".join(map(line_of, zone.differences)), _MAX_CHANGES)
    return f"with these files a delivery would change the {zone.scope}; move what it names out of the file: {changes}"


def lines(adoption: Adoption) -> list[str]:
    """Return what would change, equal differences of several zones once, and what is said of the files."""
    zones = [zone for _unloaded, zone in adoption.verified.values() if zone is not None]
    pairs = [(zone.name, difference) for zone in zones for difference in zone.differences]
    return [*folded_lines(pairs, {zone.name: zone.scope for zone in zones}), *adoption.lines]
