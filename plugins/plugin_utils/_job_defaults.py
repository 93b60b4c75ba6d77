# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t


def without_hidden_defaults(arguments: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return arguments in which a null of a job hides the default for that job, so that the option counts as omitted.

    Such a default is moved from `job_defaults` to the jobs that do not set the option.
    """
    defaults, job, jobs = (arguments.get(name) for name in ("job_defaults", "job", "jobs"))
    all_jobs = [each for each in (job, *(jobs if isinstance(jobs, list) else ())) if isinstance(each, dict)]
    if not isinstance(defaults, dict):
        return dict(arguments)
    hidden = {name for name in defaults if any(name in each and each[name] is None for each in all_jobs)}
    moved = {name: defaults[name] for name in hidden}
    result = {**arguments, "job_defaults": {name: value for name, value in defaults.items() if name not in hidden}}
    if isinstance(job, dict):
        result["job"] = {**moved, **job}
    if isinstance(jobs, list):
        result["jobs"] = [{**moved, **each} if isinstance(each, dict) else each for each in jobs]
    return result
