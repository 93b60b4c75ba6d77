# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
import typing as t

from .._core import Json
from .coverage import selected_fields
from .facts import DATASET

# A filter may compare a member of a field, as in `RequestHeaders.x-team`.
_FIELD = re.compile(r"\w+")


def datasets_of(jobs: t.Iterable[t.Mapping[str, Json]]) -> list[str]:
    """Return the datasets of the jobs that are not disabled, each once."""
    return sorted({str(job.get("dataset") or DATASET) for job in jobs if job.get("enabled") is not False})


def used_fields(job: t.Mapping[str, Json]) -> list[str]:
    """Return the log fields that a job selects, or that its filter compares, each once."""
    return sorted({*selected_fields(job), *_compared(job.get("filter"))})


def _compared(filter_: Json) -> t.Iterator[str]:
    """Yield the fields that a filter compares; it may be JSON text, as the service has it."""
    if isinstance(filter_, str):
        try:
            filter_ = json.loads(filter_)
        except (ValueError, RecursionError):
            return
    if isinstance(filter_, dict):
        key = filter_.get("key")
        if isinstance(key, str) and (name := _FIELD.match(key)):
            yield name[0]
        for each in filter_.values():
            yield from _compared(each if isinstance(each, (dict, list)) else None)
    elif isinstance(filter_, list):
        for each in filter_:
            yield from _compared(each)
