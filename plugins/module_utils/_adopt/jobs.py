# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._adopt.expression import Expressed, LeftOut, joined
from ansible_collections.edgeops.observability.plugins.module_utils._adopt.vault import is_unreadable, template_of
from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import read_echo
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import to_text
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import logpull_options, output_options
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import MEMBERS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.options import desire
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.output_facts import SUBOPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.plan import plan
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.present import Job, checked
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.select import State, dataset_of
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.spec import OPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

_SIMPLE = ("kind", "frequency", "max_upload_bytes", "max_upload_interval_seconds", "max_upload_records")


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
    item: dict[str, Json] = {"name": job["name"]} if job.get("name") and alone else {"job_id": job["id"]}
    item["dataset"] = dataset_of(job)
    if not job.get("enabled"):
        item["enabled"] = False
    destination = _destination(job, zone_key)
    members = {**_options(job), **_filter(job), **_simple(job), **destination.variables}
    for name, value in members.items():
        if value is None:
            destination = _without(destination, job, name, "it cannot be parsed, and declaring it would change the job")
        else:
            item[name] = value
    changing = _changing(item, job)
    for name in changing:
        item.pop(name, None)
        destination = _without(destination, job, name, "declaring it would change the job")
    return destination._replace(variables=item)


def _without(expressed: Expressed, job: Job, name: str, why: str) -> Expressed:
    return expressed._replace(left_out=(*expressed.left_out, LeftOut(f"{name} of {label_of(job)}", why)))


def _changing(item: t.Mapping[str, Json], job: Job) -> list[str]:
    """Which members of an item the plan of the module itself would write, or refuse: none may be declared."""
    identity = {name: item[name] for name in ("name", "job_id", "dataset") if name in item}
    # The role switches on what does not say otherwise.
    given = {"enabled": True, **item}
    return [name for name, value in given.items() if name not in identity and _writes({**identity, name: value}, job)]


def _writes(options: t.Mapping[str, Json], job: Job) -> bool:
    defaults = {name: option.get("default") for name, option in OPTIONS.items()}
    output = options.get("output_options")
    if isinstance(output, dict):
        options = {**options, "output_options": {**dict.fromkeys(sub.option for sub in SUBOPTIONS.values()), **output}}
    try:
        return bool(plan(desire({"zone_id": "0", **defaults, **options}), State(job)).requests)
    except Failure:
        return True


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


def _simple(job: Job) -> dict[str, Json]:
    """Members that differ from what the service does without them."""
    return {name: job[name] for name in _SIMPLE if MEMBERS[name].normal(job.get(name)) != MEMBERS[name].default}


def _filter(job: Job) -> dict[str, Json]:
    """The filter as data, `None` for one that cannot be read."""
    text = MEMBERS["filter"].normal(job.get("filter"))
    if not text:
        return {}
    tree = read_echo(text)
    return {"filter": None if tree is None else plain_filter(to_text(tree))}


def plain_filter(text: str) -> Json:
    """The tree of a filter in plain data; the JSON text itself where its numbers would not survive as such."""
    data = json.loads(text)
    return data if json.dumps(data, ensure_ascii=False, separators=(",", ":")) == text else text


def _options(job: Job) -> dict[str, Json]:
    output = job.get("output_options")
    if output:
        return {"output_options": _output(output)} if _output(output) else {}
    text = job.get("logpull_options")
    return _logpull(text) if text else {}


def _output(there: t.Mapping[str, Json]) -> dict[str, Json]:
    return {
        sub.option: there[wire]
        for wire, sub in SUBOPTIONS.items()
        if there.get(wire) is not None and not output_options.same(wire, there, {**there, wire: None})
    }


def _logpull(text: str) -> dict[str, Json]:
    """The parameters as options of their own, and as the text that the service has where that loses something."""
    parameters = logpull_options.parse(text)
    fields = parameters.pop(logpull_options.FIELDS, "")
    found: dict[str, Json] = {"fields": fields.split(",")} if fields else {}
    kept = {name: value for name, value in parameters.items() if logpull_options.canonical({name: value})}
    if logpull_options.TIMESTAMPS in kept:
        found["timestamp_format"] = kept.pop(logpull_options.TIMESTAMPS)
    if kept:
        found["option_flags"] = {name: True if value.lower() == "true" else value for name, value in kept.items()}
    try:
        parsed = logpull_options.from_parts(*(found.get(name) for name in ("fields", "timestamp_format", "option_flags")))
        whole = parsed is None or not logpull_options.merged(parsed, text)[1]
    except Failure:
        whole = False
    return found if whole else {"logpull_options": text}
