# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from ...module_utils._address import ZONE
from ...module_utils._filter.text import explain
from ...module_utils._logpush.health import DISABLED, FAILING, HEALTHY, NEVER, STALE, UNKNOWN
from ...module_utils._text import dict_of
from .._words import count_hosts, plural
from .document import JobRow, Row
from .items import destination_text, job_words
from .lines import shown_name

# Where logs go: the jobs of all zones and accounts by destination, and who has none.

_EVERY_RECORD = explain(None)
_MAX_JOBS = 2000


class Line(t.NamedTuple):
    """A job as the table shows it."""

    zone: str
    job: str
    dataset: str
    destination: str
    filter: str
    transformer: str
    personal_fields: str
    last_delivery: str
    health: str


class Place(t.NamedTuple):
    """A host or bucket with the jobs that deliver there."""

    name: str
    summary: str
    lines: tuple[Line, ...]


class Table(t.NamedTuple):
    """The jobs by destination, how many more there are, and the zones and accounts without a job or with jobs that were not read."""

    places: tuple[Place, ...]
    more: int
    without: tuple[Row, ...]
    unread: tuple[Row, ...]


def table_of(rows: t.Iterable[Row]) -> Table:
    """Return the table of the zones and accounts of this run."""
    present = [row for row in rows if not row["carried"]]
    jobs = [(row, job) for row in present for job in _current_jobs(row) or ()]
    by_place: dict[str, list[tuple[Row, JobRow]]] = {}
    for row, job in jobs[:_MAX_JOBS]:
        by_place.setdefault(_place(job), []).append((row, job))
    places = [_place_of(name, by_place[name]) for name in sorted(by_place, key=lambda name: (-len(by_place[name]), name))]
    unread = tuple(row for row in present if _current_jobs(row) is None)
    return Table(tuple(places), max(0, len(jobs) - _MAX_JOBS), tuple(row for row in present if _current_jobs(row) == []), unread)


def _current_jobs(row: Row) -> t.Sequence[JobRow] | None:
    """Return the jobs of a zone or account as this run read them; None if it did not, whatever an earlier audit has read."""
    return row["jobs"] if "health" in row["resources"] else None


def _place(job: JobRow) -> str:
    """Return scheme and host or bucket of a destination."""
    public = dict_of(job.get("destination"))
    host = str(public.get("address") or "").rpartition("@")[2].partition("/")[0]
    return f"{public['scheme']}://{host}" if public.get("scheme") else "a destination that the service does not show"


def _place_of(name: str, jobs: t.Sequence[tuple[Row, JobRow]]) -> Place:
    hosts = {id(row): row for row, _job in jobs}.values()
    summary = f"{plural(len(jobs), 'job')} of {count_hosts(row['scope'] for row in hosts)}"
    return Place(name, summary, tuple(_line(row, job) for row, job in jobs))


def _line(row: Row, job: JobRow) -> Line:
    explained, names, public = job.get("filter_explained"), job.get("personal_fields"), dict_of(job.get("destination"))
    personal = ", ".join(map(str, names)) or "none" if isinstance(names, list) else "not known"
    return Line(
        zone=shown_name(row),
        job=job_words(str(job.get("job"))),
        dataset=str(job.get("dataset") or "not known"),
        destination=destination_text(public) if public.get("scheme") else "not shown",
        filter="none" if explained == _EVERY_RECORD else str(explained or "not known"),
        transformer=str(job.get("transformer") or job.get("transformer_id") or ""),
        personal_fields=personal,
        last_delivery=str(job.get("last_complete") or "none"),
        health=str(job.get("health")),
    )


# What is said of one zone and of several, by what their jobs do.
_SAID: t.Mapping[str, tuple[str, str]] = {
    STALE: ("delivers nothing at present", "deliver nothing at present"),
    NEVER: ("has not delivered anything yet", "have not delivered anything yet"),
    DISABLED: ("does not", "do not"),
}


def _state(jobs: t.Sequence[JobRow] | None) -> str:
    """Return whether a zone delivers logs, as the state of a job that does the same: healthy, unknown, stale, never or disabled."""
    if jobs is None:
        return UNKNOWN
    states = {job.get("health") for job in jobs} - {DISABLED}
    if not states or states == {NEVER} or HEALTHY in states:
        return HEALTHY if HEALTHY in states else NEVER if states else DISABLED
    return STALE if states <= {FAILING, STALE, NEVER} else UNKNOWN


def delivering_text(rows: t.Iterable[Row]) -> str:
    """Return how many zones deliver logs, do not at present, not yet or at all, and of how many that is not known; accounts, if there is no zone.

    "" if it is not known of any.
    """
    present = [row for row in rows if not row["carried"]]
    zones = [row for row in present if row["scope"] == ZONE] or present
    states = collections.Counter(_state(_current_jobs(row)) for row in zones)
    if states[UNKNOWN] == len(zones):
        return ""
    hosts, delivering = count_hosts(row["scope"] for row in zones), states[HEALTHY]
    rest = {state: _SAID[state][0 if states[state] == 1 else 1] for state in _SAID if states[state]}
    if delivering == len(zones):
        parts = [f"{'All ' if delivering > 1 else ''}{hosts} {'delivers' if delivering == 1 else 'deliver'} logs"]
    elif len(zones) == 1:
        parts = [f"{hosts} {text}{' deliver logs' if state == DISABLED else ''}" for state, text in rest.items()]
    else:
        verb = "delivers" if delivering == 1 else "deliver"
        parts = [f"{delivering:,} of {hosts} {verb} logs", *(f"{states[state]:,} {text}" for state, text in rest.items())]
        parts += [f"of {states[UNKNOWN]:,} it is not known"] if states[UNKNOWN] else []
    return ", ".join(parts)
