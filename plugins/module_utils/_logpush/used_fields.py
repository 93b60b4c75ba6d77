# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import typing as t

from .._core import Json
from .._filter.parse import read_echo
from .._filter.tree import Tree, conditions
from .._observed import Cause, Known, Observed, Unknown
from .._text import dict_of
from .coverage import dataset_of, selected_fields, unreadable_content
from .facts import MEMBERS


def datasets_of(jobs: t.Iterable[t.Mapping[str, Json]]) -> list[str]:
    """Return the datasets of the jobs that are not disabled, each once, as far as the service shows them."""
    return sorted({dataset for job in jobs if job.get("enabled") is not False and (dataset := dataset_of(job))})


def used_fields(job: t.Mapping[str, Json]) -> Observed[list[str]]:
    """Return the log fields that a job selects, or that its filter compares, each once; not known where either cannot be read."""
    if hidden := unreadable_content(job):
        return Unknown(Cause.NOT_READABLE, f"the service shows {hidden} of another type than documented")
    selected, output = selected_fields(job), dict_of(job.get("output_options"))
    if output and not selected and selected_fields({**job, "output_options": None}):
        return Unknown(
            Cause.NOT_READABLE, "its output_options name no fields, and whether those of logpull_options count is not documented"
        )
    tree = filter_of(job)
    if isinstance(tree, Unknown):
        return tree
    compared = {condition.key for _place, condition in (conditions(tree.value) if tree.value else ())}
    return Known(sorted({*selected, *compared}))


def filter_of(job: t.Mapping[str, Json]) -> Observed[Tree | None]:
    """Return the filter of a job, which may be JSON text, as the service has it; None for a job without one."""
    written = MEMBERS["filter"].normal(job.get("filter"))
    if written is None:
        return Known(None)
    tree = read_echo(written if isinstance(written, str) else json.dumps(written))
    return Known(tree) if tree is not None else Unknown(Cause.NOT_READABLE, "its filter could not be understood")
