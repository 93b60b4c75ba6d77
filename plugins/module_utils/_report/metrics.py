# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import typing as t

from .._core import Json
from .._logpush.health import STATES
from .._text import distinct, line, parse_time
from .facts import KINDS, RESOURCES, STATUSES
from .items import Item, Row, count_types, counting

# OpenMetrics text for a file that a node exporter collects: every series in every run, also at 0.


Sample = tuple[dict[str, str], int]


def render(report: t.Mapping[str, Json]) -> bytes:
    """The report as metrics."""
    # Names that differ only in what is not shown would make two series one, which no reader of metrics accepts.
    zones = zip(distinct(line(row["zone"]) for row in report["zones"]), report["zones"], strict=True)
    rows = [{**row, "zone": zone} for zone, row in zones]
    families = [
        _family("edgeops_zone_status", "1 for the status that the zone has.", _statuses(rows)),
        _family("edgeops_zone_items", "Differences, findings and notes that are not waived.", _items(rows)),
        _family("edgeops_zone_findings", "Findings and notes that are not waived, by type.", _findings(rows)),
        _family("edgeops_job_state", "1 for the state that the Logpush job has.", _states(rows)),
        _family(
            "edgeops_job_last_success_timestamp_seconds",
            "When a Logpush job last delivered; 0 if never.",
            (({"zone": zone, "job": job["job"]}, _unix_seconds(job["last_complete"])) for zone, job in _jobs(rows)),
        ),
        _family("edgeops_job_window_records", "Records that a Logpush job delivered in the window.", _window(rows, "records")),
        _family(
            "edgeops_job_window_dropped_records",
            "Records that a Logpush job lost for good in the window.",
            _window(rows, "dropped_records"),
        ),
        _family("edgeops_audit_timestamp_seconds", "When the report was made.", [({}, _unix_seconds(report["generated_at"]))]),
    ]
    return ("".join(families) + "# EOF\n").encode()


def _statuses(rows: t.Sequence[Row]) -> t.Iterator[Sample]:
    for row in rows:
        for status in STATUSES:
            yield {"zone": row["zone"], "status": status}, int(row["status"] == status)


def _items(rows: t.Sequence[Row]) -> t.Iterator[Sample]:
    for row in rows:
        found = collections.Counter((item["resource"], item["kind"]) for item in _shown(row))
        for resource in RESOURCES:
            for kind in KINDS:
                yield {"zone": row["zone"], "resource": resource, "kind": kind}, found[resource, kind]


def _findings(rows: t.Sequence[Row]) -> t.Iterator[Sample]:
    for row in rows:
        for name, number in count_types(_shown(row)).items():
            yield {"zone": row["zone"], "type": name}, number


def _shown(row: Row) -> list[Item]:
    """A zone outside this run keeps what its last audit found: 0 would say that it was resolved."""
    return [item for item in row["items"] if not item["waived"]] if row["carried"] else counting(row["items"])


def _states(rows: t.Sequence[Row]) -> t.Iterator[Sample]:
    for zone, job in _jobs(rows):
        for state in STATES:
            yield {"zone": zone, "job": job["job"], "state": state}, int(job["health"] == state)


def _window(rows: t.Sequence[Row], name: str) -> t.Iterator[Sample]:
    """A member of the delivery facts of each job; nothing for zones whose facts were not read."""
    by_zone = {row["zone"]: {each.get("job_id"): each for each in row["delivery"]} for row in rows if row["delivery"] is not None}
    for zone, job in _jobs(rows):
        if zone in by_zone:
            number = by_zone[zone].get(job.get("job_id"), {}).get(name)
            yield {"zone": zone, "job": job["job"]}, number if isinstance(number, int) else 0


def _jobs(rows: t.Sequence[Row]) -> t.Iterator[tuple[str, dict[str, Json]]]:
    for row in rows:
        jobs = row["jobs"] or []
        for label, job in zip(distinct(line(job["job"]) for job in jobs), jobs, strict=True):
            yield row["zone"], {**job, "job": label}


def _family(name: str, explained: str, samples: t.Iterable[Sample]) -> str:
    lines = [f"# TYPE {name} gauge", f"# HELP {name} {explained}"]
    lines += [f"{name}{_labels(labels)} {value}" for labels, value in samples]
    return "\n".join(lines) + "\n"


def _labels(labels: t.Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _unix_seconds(text: object) -> int:
    """Return the Unix time of a text; 0 where it is no time, or the time of a service that has none to show."""
    time = parse_time(text)
    return 0 if time is None else max(0, int(time.timestamp()))
