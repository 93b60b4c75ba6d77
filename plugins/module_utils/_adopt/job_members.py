# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The members of a job as options of a task, for those that differ from what the service does without them.
import json
import typing as t

from ansible_collections.edgeops.observability.plugins.module_utils._errors import Failure
from ansible_collections.edgeops.observability.plugins.module_utils._filter.parse import read_echo
from ansible_collections.edgeops.observability.plugins.module_utils._filter.text import to_text
from ansible_collections.edgeops.observability.plugins.module_utils._logpush import logpull_options, output_options
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.facts import MEMBERS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.output_facts import SUBOPTIONS
from ansible_collections.edgeops.observability.plugins.module_utils._logpush.present import Job
from ansible_collections.edgeops.observability.plugins.module_utils._plan import Json

_SIMPLE = ("kind", "frequency", "max_upload_bytes", "max_upload_interval_seconds", "max_upload_records")


def simple_members(job: Job) -> dict[str, Json]:
    """Members that differ from what the service does without them."""
    return {name: job[name] for name in _SIMPLE if MEMBERS[name].normal(job.get(name)) != MEMBERS[name].default}


def filter_member(job: Job) -> dict[str, Json]:
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


def output_members(job: Job) -> dict[str, Json]:
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
    except (Failure, UnicodeEncodeError):
        whole = False
    return found if whole else {"logpull_options": text}
