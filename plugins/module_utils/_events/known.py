# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._json import is_integer
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

# A script is known by its URL without fragment and the host that loads it: the service gives the same one a new id now and then.
Identity = tuple[str, str]


class Script(t.NamedTuple):
    """What is compared of a script: every hash that is listed for it, the verdict, and why it was reported."""

    hashes: tuple[str, ...]
    malicious: bool | None
    reported: tuple[str, ...]


class Job(t.NamedTuple):
    """What is compared of a job: its members without secrets, a digest of its destination, and its health."""

    shown: t.Mapping[str, Json]
    destination: str
    health: str


class Known(t.NamedTuple):
    """What is known of a zone; a part that was never read is None."""

    name: str | None = None
    readable: bool = True
    scripts: t.Mapping[Identity, Script] | None = None
    jobs: t.Mapping[int, Job] | None = None
    monitor: bool | None = None
    fields: t.Mapping[str, Json] | None = None


NOTHING = Known()


def encode(known: Known) -> str:
    """Return the zone as one line of JSON; equal states give equal lines."""
    document: dict[str, Json] = {"name": known.name, "readable": known.readable, "monitor": known.monitor, "fields": known.fields}
    if known.scripts is not None:
        document["scripts"] = [[*identity, *known.scripts[identity]] for identity in sorted(known.scripts)]
    if known.jobs is not None:
        document["jobs"] = [[number, *known.jobs[number]] for number in sorted(known.jobs)]
    return json.dumps(document, separators=(",", ":"), sort_keys=True)


def decode(document: Json) -> Known:
    """Return the zone that a line means; raise `ValueError` where it is not of that form."""
    try:
        scripts, jobs = document.get("scripts"), document.get("jobs")
        known = Known(
            document["name"],
            document["readable"],
            None if scripts is None else {(url, host): _script(*members) for url, host, *members in scripts},
            None if jobs is None else {number: Job(*members) for number, *members in jobs},
            document["monitor"],
            document["fields"],
        )
        if not _is_sound(known):
            raise ValueError("a member is of another type")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError("a zone in it is not of the form that this version writes") from error
    return known


def _script(hashes: Json, malicious: Json, reported: Json) -> Script:
    if not isinstance(hashes, list) or not isinstance(reported, list):
        raise ValueError("a list of a script is none")
    return Script(tuple(hashes), malicious, tuple(reported))


def _is_sound(known: Known) -> bool:
    scripts, jobs = known.scripts or {}, known.jobs or {}
    return (
        isinstance(known.name, (str, type(None)))
        and isinstance(known.readable, bool)
        and isinstance(known.monitor, (bool, type(None)))
        and isinstance(known.fields, (dict, type(None)))
        and all(isinstance(text, str) for identity, script in scripts.items() for text in (*identity, *script.hashes))
        and all(isinstance(text, str) for script in scripts.values() for text in script.reported)
        and all(isinstance(script.malicious, (bool, type(None))) for script in scripts.values())
        and all(isinstance(job.shown, dict) and isinstance(job.destination, str) for job in jobs.values())
        and all(isinstance(job.health, str) for job in jobs.values())
        and all(map(is_integer, jobs))
    )
