# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import math
import re
import typing as t

from .._core import BAD_RESPONSE, Failure, Json
from .._destination import public_destination, secret_parts, without_secrets
from .._filter.text import explain_echo
from .._redact import MASK, scrub
from .._text import json_type, parse_time
from .facts import MEMBERS, NOT_CARRIED, SUBOPTIONS, ZERO_TIME

Job = dict[str, Json]

_FREE_TEXT = ("last_error", "error_message")
_SECRET_NAME = re.compile("secret|token|password|credential|challenge|key$|auth", re.IGNORECASE)


def checked(job: Json, job_id: int | None = None) -> Job:
    """A job as the service sent it, refused where a member is not of the documented type or the id is another's."""
    if not isinstance(job, dict):
        raise _bad(f"a job is {json_type(job)}, not an object")
    found = job.get("id")
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise _bad(f"a job has {found!r} as its id, not a number above 0" if "id" in job else "a job has no id")
    if job_id is not None and found != job_id:
        raise _bad(f"job {job_id} was requested, and the answer is about job {found}")
    wrong = [name for name, member in MEMBERS.items() if not member.holds(job.get(name))]
    wrong += [] if isinstance(job.get("destination_conf", ""), (str, type(None))) else ["destination_conf"]
    wrong += _wrong_suboptions(job.get("output_options") or {}) if "output_options" not in wrong else []
    if wrong:
        raise _bad(f"job {found} has members of another type than documented: {', '.join(wrong)}")
    return job


def view(job: t.Mapping[str, Json]) -> Job:
    """All members that are reported, with documented defaults for those that the service left out, and without secrets."""
    shown = {name: member.normal(job.get(name)) for name, member in MEMBERS.items()}
    conf = job.get("destination_conf")
    return {
        **shown,
        "other": other_members(job),
        **{name: free_text(job, name) for name in _FREE_TEXT},
        "destination": public_destination(conf),
        "filter_explained": explain_echo(shown["filter"]),
    }


def other_members(job: t.Mapping[str, Json]) -> dict[str, Json]:
    """Return the members of a job that are set and that no option names, without secrets."""
    found = {name: value for name, value in job.items() if value and name not in MEMBERS and name not in NOT_CARRIED}
    return t.cast("dict[str, Json]", scrub(_masked(found), secret_parts(job.get("destination_conf"))))


def _masked(value: Json) -> Json:
    """Return a value in which members whose name sounds like a secret are masked, and addresses are as far as they may be read."""
    if isinstance(value, dict):
        return {name: MASK if _SECRET_NAME.search(str(name)) else _masked(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_masked(each) for each in value]
    return without_secrets(value) if isinstance(value, str) else value


def free_text(job: t.Mapping[str, Json], name: str) -> str | None:
    """Return a member that holds the service's own words, without secrets; None for an empty one."""
    text = MEMBERS[name].normal(job.get(name))
    return without_secrets(scrub(text, secret_parts(job.get("destination_conf")))) if text else None


def health(shown: Job, wants_enabled: bool | None) -> tuple[str, ...]:
    """Warnings about a reported job that does not deliver; none about a healthy one."""
    reason, error = shown["error_message"], moment(shown["last_error"])
    found = []
    if reason:
        when = f" at {error}" if error else ""
        found.append(f"{words_for(shown)}: its last delivery failed{when}: {reason}")
    elif error and is_later(error, moment(shown["last_complete"])):
        found.append(f"{words_for(shown)}: its last delivery failed at {error}; the service gives no reason.")
    if found and not shown["enabled"] and wants_enabled is not False:
        found.append(
            f"{words_for(shown)} is disabled, probably by the service after it had failed to deliver for a day;"
            " records of that time are lost."
        )
    return tuple(found)


def moment(text: str | None) -> str | None:
    """Return a time of the service; None for the one that stands for no time."""
    return None if not text or text.startswith(ZERO_TIME) else text


def is_later(one: str, other: str | None) -> bool:
    """Return whether a time is after another one, if there is one; texts that are no times are compared as they are."""
    times = parse_time(one), parse_time(other)
    return times[0] > times[1] if times[0] and times[1] else one > (other or "")


def _wrong_suboptions(options: t.Mapping[str, Json]) -> list[str]:
    wrong = []
    for name, sub in SUBOPTIONS.items():
        value = options.get(name)
        types: tuple[type, ...] = {"list": (list,), "str": (str,), "float": (int, float), "bool": (bool,)}[sub.type]
        fits = isinstance(value, types) and (sub.type == "bool" or not isinstance(value, bool))
        if sub.type == "list" and isinstance(value, list):
            fits = all(isinstance(item, str) for item in value)
        if value is not None and not fits:
            wrong.append(f"output_options.{name}")
    return wrong


def _bad(what: str) -> Failure:
    return Failure(BAD_RESPONSE, f"The service's answer cannot be used: {what}.")


class Identity(t.NamedTuple):
    """What distinguishes a job from others; `id` is None for a job that does not exist."""

    name: str | None
    dataset: str
    id: int | None


def labels(jobs: t.Sequence[Identity]) -> list[str]:
    """Return what each of all jobs of a zone is called: its name; `name/dataset/id` if that is empty or an older job has it."""
    oldest: dict[str, float] = {}
    for job in jobs:
        if job.name:
            oldest[job.name] = min(oldest.get(job.name, math.inf), _age(job))
    full = [f"{job.name or ''}/{job.dataset}/{'new' if job.id is None else job.id}" for job in jobs]
    taken, found = set(full), []
    for job, long in zip(jobs, full, strict=True):
        short = bool(job.name) and oldest[str(job.name)] == _age(job) and job.name not in taken
        found.append(str(job.name) if short else long)
        taken |= {str(job.name)} if short else set()
    return found


def _age(job: Identity) -> float:
    return math.inf if job.id is None else job.id


def words_for(job: t.Mapping[str, Json]) -> str:
    """Return a job of the service as a message names it."""
    if job.get("name"):
        return f"Job {job['name']!r} (id {job['id']})"
    return f"Job {job['id']} ({MEMBERS['dataset'].normal(job.get('dataset'))})"
