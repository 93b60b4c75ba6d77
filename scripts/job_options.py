# SPDX-License-Identifier: GPL-3.0-or-later

"""Write plugins/doc_fragments/jobs.py, the options of modules with several jobs, from the documentation of `logpush_job`."""

from __future__ import annotations

import json
import pathlib
import re
import typing as t

import yaml

from ansible_collections.edgeops.observability.plugins.modules.logpush_job import DOCUMENTATION as SINGLE

PAGE = pathlib.Path(__file__).resolve().parents[1] / "plugins" / "doc_fragments" / "jobs.py"
Options = dict[str, dict[str, t.Any]]
_IN_FULL = "takes the options of M(edgeops.observability.logpush_job), which describes them in full."


def text() -> str:
    """Return the content of the file."""
    pages = {"DOCUMENTATION": _jobs(), "ZONE": _zone()}
    fragments = [f'    {name}: str = r"""\n{_yaml({"options": options})}"""\n' for name, options in pages.items()]
    head = "# SPDX-License-Identifier: GPL-3.0-or-later\n\nfrom __future__ import annotations\n\n"
    about = "# Written by scripts/job_options.py from the documentation of logpush_job: write there, and run it.\n\n\n"
    return (
        head
        + about
        + 'class ModuleDocFragment:\n    """Options with jobs: each job takes the options of the module logpush_job."""\n\n'
        + "\n".join(fragments)
    )


def _yaml(options: dict[str, t.Any]) -> str:
    return yaml.safe_dump(options, sort_keys=False, width=140, allow_unicode=True)


def _jobs() -> Options:
    items = _suboptions("jobs[]")
    del items["send_destination"]["default"]
    items["send_destination"]["description"].append("If omitted, O(send_destination) for all jobs.")
    about = [
        f"The jobs. Each item {_IN_FULL}",
        "Two items for the same job are refused, and so is an empty list together with O(unlisted_jobs=absent).",
    ]
    return {"jobs": {"description": about, "type": "list", "elements": "dict", "required": True, "suboptions": items}}


def _zone() -> Options:
    enabled = "The default of O({}.enabled) is V(true)."
    single = [
        f"The log delivery (Logpush) job, which {_IN_FULL} {enabled.format('job')}",
        "Cannot be used together with O(jobs), unless that list is empty. If both are omitted, jobs are neither read nor changed.",
    ]
    several = [
        f"The log delivery (Logpush) jobs. Each item {_IN_FULL} {enabled.format('jobs[]')}",
        "If omitted and O(job) too, jobs are neither read nor changed.",
        "Cannot be used together with O(job). Two items for the same job are refused.",
        "An empty list declares that there is no job: all are unlisted; O(unlisted_jobs=absent) refuses it. Beside it, O(job) is the job.",
    ]
    defaults = ["Default options of each job. An option of O(job) or of an item of O(jobs) replaces the default as a whole."]
    return {
        "job": {"description": single, "type": "dict", "suboptions": _suboptions("job", ["state"], defaults=False)},
        "jobs": {
            "description": several,
            "type": "list",
            "elements": "dict",
            "suboptions": _suboptions("jobs[]", defaults=False),
        },
        "job_defaults": {
            "description": defaults,
            "type": "dict",
            "suboptions": _suboptions("job_defaults", ["state"], defaults=False),
        },
    }


def _suboptions(path: str, without: t.Collection[str] = (), defaults: bool = True) -> Options:
    """Return the options of one job as shortened suboptions at `path`, with adapted references among them."""
    kept = {name: option for name, option in yaml.safe_load(SINGLE)["options"].items() if name not in without}
    names = "|".join(kept)
    options = _shortened(json.loads(re.sub(rf"\bO\(({names})\b", rf"O({path}.\1", json.dumps(kept))))
    for option in options.values() if not defaults else ():
        if "default" in option:
            option["description"].append(f"If omitted here and in the defaults, V({json.dumps(option.pop('default'))}).")
    return options


def _shortened(options: Options) -> Options:
    """Return the options with the first sentence of each description; logpush_job documents them in full."""
    shortened = {}
    for name, option in options.items():
        described = option["description"]
        first = described if isinstance(described, str) else described[0]
        shortened[name] = {**option, "description": [re.split(r"(?<=\.) ", first)[0]]}
        if "suboptions" in option:
            shortened[name]["suboptions"] = _shortened(option["suboptions"])
    return shortened


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
