# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._api.client import Client
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.present import report as report_fields
from ansible_collections.edgeops.observability.plugins.module_utils._custom_fields.read import entry_point
from ansible_collections.edgeops.observability.plugins.module_utils._events import jobs, scripts
from ansible_collections.edgeops.observability.plugins.module_utils._events.compare import Seen
from ansible_collections.edgeops.observability.plugins.module_utils._events.facts import (
    JOBS,
    OFF,
    SCRIPTS,
    SETTINGS,
)
from ansible_collections.edgeops.observability.plugins.module_utils._events.known import Identity, Job, Script
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import MEMBERS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.health import DISABLED, health
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.present import checked, view
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.read import listed
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.facts import CATEGORIES, REPORTED
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.inventory import Query, report
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.observation import observe
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.read import monitor
from ansible_collections.edgeops.observability.plugins.module_utils._scripts.read import scripts as list_scripts

# Members that are derived from others, or that move while nobody changes the job.
_LEFT_OUT = frozenset(("filter_explained", *(name for name, member in MEMBERS.items() if member.volatile)))


def requests_for(watch: t.Collection[str]) -> int:
    """Return how many requests a look at a zone takes at least: the monitor, two lists of scripts, the custom fields, the jobs."""
    monitored = {SCRIPTS, SETTINGS} & set(watch)
    return bool(monitored) + 2 * (SCRIPTS in watch) + (SETTINGS in watch) + (JOBS in watch)


class Look(t.NamedTuple):
    """What is looked at in a zone, and how it is judged."""

    watch: t.Collection[str]
    query: Query
    stale_after: int


def look_at(client: Client, look: Look, now: float) -> Seen:
    """Return what there is in the client's zone; raise where any part of it cannot be read."""
    seen = Seen()
    if {SCRIPTS, SETTINGS} & set(look.watch):
        state = monitor(client, look.query.route)
        if SETTINGS in look.watch:
            seen = seen._replace(
                monitor=state.status["enabled"], fields=report_fields(entry_point(client, confirm=False))["custom_fields"]
            )
        if SCRIPTS in look.watch:
            query = look.query.on_route(state.route)
            seen = seen._replace(scripts=see_scripts(report(list_scripts(client, query), query)["scripts"]))
    if JOBS in look.watch:
        seen = seen._replace(jobs=see_jobs(listed(client), look.stale_after, now))
    return seen


def see_scripts(items: t.Iterable[dict[str, Json]]) -> scripts.Seen:
    """Return the scripts of a listing by identity; one that is listed several times has the hashes of all, the latest first."""
    found: dict[Identity, Script] = {}
    details: dict[Identity, t.Mapping[str, Json]] = {}
    for seen in observe(items):
        same = seen.scripts[::-1]
        verdicts = {item["malicious"] for item in same}
        hashes = [item["hash"].lower() for item in same if isinstance(item.get("hash"), str) and item["hash"]]
        # Without a URL nothing but the identifier distinguishes two scripts of a host.
        identity = (seen.url or seen.latest["script_id"], seen.host or "")
        found[identity] = Script(
            hashes=tuple(dict.fromkeys(hashes)),
            malicious=True if True in verdicts else False if False in verdicts else None,
            reported=tuple(sorted({reason for item in same for reason in _reported(item)})),
        )
        details[identity] = seen.latest
    return scripts.Seen(found, details)


def _reported(item: t.Mapping[str, Json]) -> t.Iterator[str]:
    """Whether, and as what, the service lists the URL or the domain of a script as malicious."""
    for member in REPORTED:
        if item.get(member) is True:
            yield member
    for member, what in CATEGORIES.items():
        yield from (f"{what}: {category}" for category in item.get(member) or ())


def see_jobs(items: t.Iterable[Json], stale_after: int, now: float) -> jobs.Seen:
    """Return the jobs of a listing by id."""
    found: dict[int, Job] = {}
    reported: dict[int, t.Mapping[str, Json]] = {}
    for job in map(checked, items):
        shown = view(job)
        number = job["id"]
        reported[number] = health(job, stale_after, now)
        found[number] = Job(
            {name: value for name, value in shown.items() if name not in _LEFT_OUT},
            hashlib.sha256(f"{number} {job.get('destination_conf') or ''}".encode(errors="replace")).hexdigest()[:32],
            _state(shown, reported[number]["state"]),
        )
    return jobs.Seen(found, reported)


def _state(shown: t.Mapping[str, Json], state: str) -> str:
    """Return the state of a job's health, with those that the user disabled apart from those that the service did."""
    return OFF if state == DISABLED and not shown["error_message"] else state
