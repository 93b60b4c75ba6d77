# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import types
import typing as t

from .._api.client import Client, side_by_side
from .._core import Failure
from .._custom_fields import task as log_custom_fields
from .._custom_fields.state import Ruleset
from .._logpush.jobs import JobListing
from .._logpush.read import read_all
from .._scripts import task as script_monitor
from .._scripts.monitor import State as MonitorState
from .options import Desired


class _Parts(t.TypedDict, total=False):
    fields: Ruleset | None
    jobs: JobListing
    monitor: MonitorState


class State(t.NamedTuple):
    """Current state of a zone; None for parts that are not managed."""

    fields: Ruleset | None = None
    jobs: JobListing | None = None
    monitor: MonitorState | None = None
    address: t.Mapping[str, str] = types.MappingProxyType({})


def read(client: Client, desired: Desired) -> State:
    """Read the managed parts of a zone in parallel."""
    reads: list[t.Callable[[], _Parts]] = []
    if (fields := desired.fields) is not None:
        reads.append(lambda: {"fields": log_custom_fields.TASK.read(client, fields.desired)})
    if (jobs := desired.jobs) is not None:
        reads.append(lambda: {"jobs": read_all(client, jobs)})
    if (monitor := desired.monitor) is not None:
        reads.append(lambda: {"monitor": script_monitor.TASK.read(client, monitor)})
    found: _Parts = {}
    for part in side_by_side(lambda read_part: _located(client, read_part), reads, len(reads)):
        found.update(part)
    return State(address=client.address.named, **found)


def _located(client: Client, read_part: t.Callable[[], _Parts]) -> _Parts:
    """Read one part; add the request to a failure at once, while it is the latest of this thread."""
    try:
        return read_part()
    except Failure as failure:
        raise client.locate(failure) from failure
