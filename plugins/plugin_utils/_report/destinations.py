# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import typing as t

from ...module_utils._address import ZONE
from ...module_utils._filter.text import explain
from ...module_utils._logpush.health import DISABLED, NEVER
from ...module_utils._text import dict_of
from .._words import count_hosts, plural
from .document import JobRow, Row
from .items import destination_text
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
    jobs = [(row, job) for row in present for job in row["jobs"] or ()]
    by_place: dict[str, list[tuple[Row, JobRow]]] = {}
    for row, job in jobs[:_MAX_JOBS]:
        by_place.setdefault(_place(job), []).append((row, job))
    places = [_place_of(name, by_place[name]) for name in sorted(by_place, key=lambda name: (-len(by_place[name]), name))]
    unread = tuple(row for row in present if row["jobs"] is None)
    return Table(tuple(places), max(0, len(jobs) - _MAX_JOBS), tuple(row for row in present if row["jobs"] == []), unread)


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
        job=str(job.get("job")),
        dataset=str(job.get("dataset") or "not known"),
        destination=destination_text(public) if public.get("scheme") else "not shown",
        filter="none" if explained == _EVERY_RECORD else str(explained or "not known"),
        transformer=str(job.get("transformer") or ""),
        personal_fields=personal,
        last_delivery=str(job.get("last_complete") or "none"),
        health=str(job.get("health")),
    )


def delivering_text(rows: t.Iterable[Row]) -> str:
    """Return how many zones have an enabled job, none yet, or none, and of how many that is not known; accounts, if there is no zone.

    "" if it is not known of any.
    """
    present = [row for row in rows if not row["carried"]]
    zones = [row for row in present if row["scope"] == ZONE] or present
    known = [row["jobs"] for row in zones if row["jobs"] is not None]
    health = [{job.get("health") for job in jobs} - {DISABLED} for jobs in known]
    waiting, silent = health.count({NEVER}), health.count(set())
    delivering, unknown = len(known) - waiting - silent, len(zones) - len(known)
    hosts = count_hosts(row["scope"] for row in zones)
    if not known:
        return ""
    if not silent and not waiting and not unknown:
        parts = [f"{'All ' if delivering > 1 else ''}{hosts} {'delivers' if delivering == 1 else 'deliver'} logs"]
    else:
        verb = "delivers" if delivering == 1 else "deliver"
        parts = [f"{delivering:,} of {hosts} {verb} logs"]
        parts += [f"{waiting:,} {'has' if waiting == 1 else 'have'} not delivered anything yet"] if waiting else []
        parts += [f"{silent:,} {'does' if silent == 1 else 'do'} not"] if silent else []
        parts += [f"of {unknown:,} it is not known"] if unknown else []
    return ", ".join(parts)
