# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
import typing as t

import yaml

from ansible_collections.edgeops.observability.plugins.modules.logpush_job import DOCUMENTATION as SINGLE

_OPTIONS = yaml.safe_load(SINGLE)["options"]


def _suboptions(path: str, without: t.Collection[str] = (), defaults: bool = True) -> dict[str, t.Any]:
    """Return the options of one job as suboptions at `path`, in short, with the references among them adapted."""
    kept = {name: option for name, option in _OPTIONS.items() if name not in without}
    names = "|".join(kept)
    found = _shortened(json.loads(re.sub(rf"\bO\(({names})\b", rf"O({path}.\1", json.dumps(kept))))
    for option in found.values() if not defaults else ():
        if "default" in option:
            option["description"].append(f"If omitted here and in the defaults, V({json.dumps(option.pop('default'))}).")
    return found


def _shortened(options: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return options with the first sentence of each description; logpush_job has the rest."""
    found = {}
    for name, option in options.items():
        described = option["description"]
        first = described if isinstance(described, str) else described[0]
        found[name] = {**option, "description": [re.split(r"(?<=\.) ", first)[0]]}
        if "suboptions" in option:
            found[name]["suboptions"] = _shortened(option["suboptions"])
    return found


_IN_FULL = "takes the options of M(edgeops.observability.logpush_job), which describes them in full."
_ITEMS = _suboptions("jobs[]")
del _ITEMS["send_destination"]["default"]
_ITEMS["send_destination"]["description"].append("If omitted, O(send_destination) for all jobs.")


class ModuleDocFragment:
    """Options with jobs: each job takes the options of the module logpush_job."""

    DOCUMENTATION: str = yaml.safe_dump(
        {
            "options": {
                "jobs": {
                    "description": [
                        f"The jobs. Each item {_IN_FULL}",
                        "Two items for the same job are refused, and so is an empty list together with O(unlisted_jobs=absent).",
                    ],
                    "type": "list",
                    "elements": "dict",
                    "required": True,
                    "suboptions": _ITEMS,
                }
            }
        }
    )

    ZONE: str = yaml.safe_dump(
        {
            "options": {
                "job": {
                    "description": [
                        f"The log delivery (Logpush) job, which {_IN_FULL} The default of O(job.enabled) is V(true).",
                        "Cannot be used together with O(jobs). If both are omitted, jobs are not changed.",
                    ],
                    "type": "dict",
                    "suboptions": _suboptions("job", without=("state",), defaults=False),
                },
                "jobs": {
                    "description": [
                        f"The log delivery (Logpush) jobs. Each item {_IN_FULL} The default of O(jobs[].enabled) is V(true).",
                        "Two items for the same job are refused. With an empty list, which O(unlisted_jobs=absent) refuses, no job is changed.",
                    ],
                    "type": "list",
                    "elements": "dict",
                    "suboptions": _suboptions("jobs[]", defaults=False),
                },
                "job_defaults": {
                    "description": "Default options of each job. An option of O(job) or of an item of O(jobs) replaces the default as a whole.",
                    "type": "dict",
                    "suboptions": _suboptions("job_defaults", without=("state",), defaults=False),
                },
            }
        }
    )
