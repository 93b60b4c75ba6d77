# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from .._core import Failure, Json
from . import jobs, scripts
from .facts import FIELDS_CHANGED, FIELDS_SUBJECT, MONITOR_CHANGED, MONITOR_SUBJECT, ZONE_READABLE, ZONE_UNREADABLE, Change
from .state import NOTHING, Identity, Known


class Rules(t.NamedTuple):
    """What decides beside the states: whether a first look is silent, and which scripts an entry of the baseline covers."""

    silent: bool
    is_covered: t.Callable[[Identity], bool]


class Seen(t.NamedTuple):
    """What one look at a zone found; a part that is not watched is None."""

    scripts: scripts.Seen | None = None
    jobs: jobs.Seen | None = None
    monitor: bool | None = None
    fields: t.Mapping[str, Json] | None = None


def compare_zone(known: Known | None, seen: Seen | Failure, zone_id: str, rules: Rules) -> tuple[Known, list[Change]]:
    """Return the zone to remember and what changed. Nothing of a zone that could not be read as a whole is compared."""
    before = known or NOTHING
    if isinstance(seen, Failure):
        after = {"error": {"kind": seen.kind, "message": str(seen)}}
        changes = [Change(ZONE_UNREADABLE, zone_id, None, after)] if before.readable else []
        return before._replace(readable=False), changes
    changes = [] if before.readable else [Change(ZONE_READABLE, zone_id, None, None)]
    now = before._replace(readable=True)
    if seen.scripts is not None:
        found, further = scripts.compare_scripts(before.scripts, seen.scripts, silent=rules.silent, is_covered=rules.is_covered)
        now, changes = now._replace(scripts=found), changes + further
    if seen.jobs is not None:
        listed, further = jobs.compare_jobs(before.jobs, seen.jobs, silent=rules.silent)
        now, changes = now._replace(jobs=listed), changes + further
    return _with_settings(now, seen, changes)


def _with_settings(known: Known, seen: Seen, changes: list[Change]) -> tuple[Known, list[Change]]:
    """Settings that were never read before have not changed, whatever they are."""
    if seen.monitor is not None:
        was, now = {"enabled": known.monitor}, {"enabled": seen.monitor}
        if known.monitor not in (None, seen.monitor):
            changes = [*changes, Change(MONITOR_CHANGED, MONITOR_SUBJECT, was, now)]
        known = known._replace(monitor=seen.monitor)
    if seen.fields is not None:
        if known.fields not in (None, seen.fields):
            changes = [*changes, Change(FIELDS_CHANGED, FIELDS_SUBJECT, known.fields, seen.fields)]
        known = known._replace(fields=seen.fields)
    return known, changes
