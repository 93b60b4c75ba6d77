# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._adopt.expression import Expressed, LeftOut, joined
from ansible_collections.edgeops.observability.plugins.module_utils._adopt.job_members import (
    filter_member,
    output_members,
    simple_members,
)
from ansible_collections.edgeops.observability.plugins.module_utils._adopt.vault import is_unreadable, template_of
from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import desire
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.output_facts import SUBOPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.present import Job, checked
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.select import State, dataset_of
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.spec import OPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json


def express_jobs(jobs: t.Sequence[Json], zone_key: str) -> Expressed:
    """The jobs of a zone as `log_delivery_jobs`, in the order of their ids; `zone_key` begins the names of its secrets."""
    read = sorted((checked(job) for job in jobs), key=lambda job: t.cast("int", job["id"]))
    names = collections.Counter((job.get("name"), dataset_of(job)) for job in read)
    parts = [_express(job, zone_key, alone=names[job.get("name"), dataset_of(job)] == 1) for job in read]
    items = [part.variables for part in parts]
    whole = joined(part._replace(variables={}) for part in parts)
    return whole._replace(variables={"log_delivery_jobs": items} if items else {})


def label_of(job: Job) -> str:
    """A job in a sentence."""
    return f"job {job['id']} ({job['name']})" if job.get("name") else f"job {job['id']}"


def _express(job: Job, zone_key: str, *, alone: bool) -> Expressed:
    item: dict[str, Json] = {"name": job.get("name"), "dataset": dataset_of(job)}
    if not (job.get("name") and alone) or _trouble(item, job):
        item = {"job_id": job["id"], "dataset": dataset_of(job)}
        if _trouble(item, job):
            del item["dataset"]
    if not job.get("enabled"):
        item["enabled"] = False
    destination = _destination(job, zone_key)
    members = {**output_members(job), **filter_member(job), **simple_members(job), **destination.variables}
    for name, value in members.items():
        if value is None:
            destination = _without(destination, job, name, "it cannot be parsed, and declaring it would change the job")
        else:
            item[name] = value
    for name, why in _troubles(item, job).items():
        _drop(item, name)
        destination = _without(destination, job, name, why)
    return destination._replace(variables=item)


def _drop(item: dict[str, Json], name: str) -> None:
    """Take a member, or a member of `output_options`, out of an item."""
    option, _dot, inner = name.partition(".")
    if inner:
        item[option] = {each: value for each, value in item[option].items() if each != inner}
    if not inner or not item[option]:
        del item[option]


def _without(expressed: Expressed, job: Job, name: str, why: str) -> Expressed:
    return expressed._replace(left_out=(*expressed.left_out, LeftOut(f"{name} of {label_of(job)}", why)))


def _troubles(item: t.Mapping[str, Json], job: Job) -> dict[str, str]:
    """Why members of an item cannot be declared: the plan of the module itself would write or refuse them."""
    identity = {name: item[name] for name in ("name", "job_id", "dataset") if name in item}
    # The role switches on what does not say otherwise.
    given = {"enabled": True, **item}
    found = {}
    for name, value in given.items():
        parts = {f"{name}.{part}": {part: each} for part, each in value.items()} if name == "output_options" else {name: value}
        found.update({path: _trouble({**identity, name: part}, job) for path, part in parts.items() if name not in identity})
    return {path: why for path, why in found.items() if why}


def _is_writable(value: Json) -> bool:
    """Whether a file in UTF-8 can hold a value: the service may send half a character."""
    try:
        return bool(json.dumps(value, ensure_ascii=False).encode())
    except UnicodeEncodeError:
        return False


def _trouble(options: t.Mapping[str, Json], job: Job) -> str:
    if not _is_writable(options):
        return "it is no valid Unicode text"
    defaults = {name: option.get("default") for name, option in OPTIONS.items()}
    output = options.get("output_options")
    if isinstance(output, dict):
        options = {**options, "output_options": {**dict.fromkeys(sub.option for sub in SUBOPTIONS.values()), **output}}
    if not (_is_offered(OPTIONS, options) and _is_offered(OPTIONS["output_options"]["options"], output or {})):
        return "the service has a value that the module does not know"
    try:
        found = plan(desire({"zone_id": "0", **defaults, **options}), State(job)).requests
    except Failure as failure:
        return f"the module refuses it: {failure}"
    return "declaring it would change the job" if found else ""


def _is_offered(spec: t.Mapping[str, t.Mapping[str, Json]], options: t.Mapping[str, Json]) -> bool:
    return all(value in spec[name].get("choices", (value,)) for name, value in options.items())


def _destination(job: Job, zone_key: str) -> Expressed:
    conf = job.get("destination_conf")
    if not conf:
        return Expressed({}, (LeftOut(f"destination_conf of {label_of(job)}", "the API does not return it"),))
    if not is_unreadable(conf):
        return Expressed({"destination_conf": conf})
    template = template_of(conf, f"vault_{zone_key}_job{job['id']}")
    shown = {"job_id": job["id"], "name": job.get("name"), "dataset": dataset_of(job), "destination_conf": template.text}
    why = "it contains a secret; vault.example.yml shows how to declare it"
    return Expressed({}, (LeftOut(f"destination_conf of {label_of(job)}", why),), template.names, (shown,))
